/** The story of a request, an approval, a grant or a call: its audit rows name the states that it came into. */
import type { AuditRow } from '../api.ts';
import { chartOf } from './charts.ts';
import type { Arrow } from './outline.ts';
import type { Told } from './told.ts';

interface Naming {
  /** What the events of its rows begin with. */
  readonly prefix: RegExp;
  readonly region: string;
  /** Events whose name is not that of the state they lead to. */
  readonly states: Readonly<Record<string, string>>;
}

const NAMING: Readonly<Record<string, Naming>> = {
  request: { prefix: /^request\./, region: '', states: { opened: 'pristine', locked: 'partial' } },
  approval: { prefix: /^approval_/, region: '', states: { requested: 'announcing' } },
  grant: { prefix: /^approval_/, region: '', states: { decided: 'granted' } },
  spend: { prefix: /^call_/, region: 'fate.', states: {} },
};

export const isKept = (machine: string): boolean => Object.hasOwn(NAMING, machine);

/** The state that a row names; undefined for a row of another chart, or of none. */
function stateIn(row: AuditRow, machine: string, { prefix, region, states }: Naming): string | undefined {
  if (!prefix.test(row.event)) return undefined;
  const word = row.event.replace(prefix, '');
  const refused = machine === 'grant' && word === 'decided' && row.detail === 'deny';
  return region + (refused ? 'refused' : (states[word] ?? word));
}

/** A state may have been passed that no row names: then any transition that leads there may have been it. */
function mayHaveTaken(arrows: readonly Arrow[], before: string | undefined, after: string): readonly Arrow[] {
  if (before === undefined || before === after) return [];
  const there = arrows.filter(({ to }) => to === after);
  const direct = there.filter(({ from }) => from === before);
  return direct.length > 0 ? direct : there;
}

export function keptSteps(machine: string, rows: readonly AuditRow[]): Told[] {
  const naming = NAMING[machine];
  const chart = chartOf(machine);
  if (naming === undefined || chart === undefined) return [];
  const known = new Set(chart.outline.regions.flatMap(({ states }) => states.map(({ id }) => id)));
  const steps: Told[] = [];
  for (const row of rows) {
    const after = stateIn(row, machine, naming);
    if (after === undefined || !known.has(after)) continue;
    const before = steps.at(-1)?.after[0];
    const taken = mayHaveTaken(chart.arrows, before, after);
    const [only, ...others] = new Set(taken.map(({ event }) => event));
    const event = others.length === 0 && only !== undefined ? only : row.event.replace(naming.prefix, '');
    steps.push({
      ...{ row: row.id, at: row.at, event: before === undefined ? 'born' : event },
      before: before === undefined ? [] : [before],
      after: [after],
      taken,
    });
  }
  return steps;
}
