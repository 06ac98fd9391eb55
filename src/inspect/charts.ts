/** Every chart of the house by its name, with what its folder calls a rule. */
import type { AnyStateMachine } from 'xstate';
import { MACHINES } from './machines.ts';
import { type Arrow, arrowsOf, type Outline, outline } from './outline.ts';

/** The folder whose SPEC.md has the rules of a chart, as the tests cite them; those of the journal are the rest. */
const NOUNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['request', 'card', 'mirror', 'approval', 'follower', 'grant', 'retirement'].map((id) => [id, 'RQ']),
  ),
  ...Object.fromEntries(['tracker', 'call', 'spend'].map((id) => [id, 'TL'])),
  ...Object.fromEntries(['seat', 'verdict', 'fence'].map((id) => [id, 'SE'])),
};

/** A chart as it is looked at: its outline, and its transitions with whole rule ids. */
export interface Looked {
  readonly machine: AnyStateMachine;
  readonly outline: Outline;
  readonly arrows: readonly Arrow[];
}

const charts = new Map<string, Looked>(
  MACHINES.map((machine): [string, Looked] => {
    const read = outline(machine);
    const arrows = arrowsOf(read).map((arrow) => ({ ...arrow, rules: ruleIds(machine.id, arrow.rules) }));
    return [machine.id, { machine: machine as AnyStateMachine, outline: read, arrows }];
  }),
);

/** Rules as the tests cite them: `J-R187`. What the design says itself, as `D-4`, belongs to no noun. */
export function ruleIds(machine: string, rules: readonly string[]): string[] {
  const noun = NOUNS[machine] ?? 'J';
  return rules.map((rule) => (rule.startsWith('D-') ? rule : `${noun}-${rule.replace('-', '')}`));
}

export const allCharts = (): readonly Looked[] => [...charts.values()];
export const chartOf = (id: string): Looked | undefined => charts.get(id);
