/** Every chart of the house by its name, with what its folder calls a rule. */
import type { AnyStateMachine } from 'xstate';
import { coordinatorMachine } from '../../machines/coordinator.ts';
import { answerMachine } from '../../machines/journal/answer.ts';
import { debtMachine } from '../../machines/journal/debt.ts';
import { lossMachine } from '../../machines/journal/loss.ts';
import { ticketMachine } from '../../machines/journal/ticket.ts';
import { approvalMachine } from '../../machines/requests/approval.ts';
import { cardMachine } from '../../machines/requests/card.ts';
import { followerMachine } from '../../machines/requests/follower.ts';
import { grantMachine } from '../../machines/requests/grant.ts';
import { mirrorMachine } from '../../machines/requests/mirror.ts';
import { requestMachine } from '../../machines/requests/request.ts';
import { seatMachine } from '../../machines/seats/seat.ts';
import { verdictMachine } from '../../machines/seats/verdict.ts';
import { callMachine } from '../../machines/tools/call.ts';
import { spendMachine } from '../../machines/tools/spend.ts';
import { trackerMachine } from '../../machines/tools/tracker.ts';
import { type Arrow, arrowsOf, type Outline, outline } from './outline.ts';

/** Prefix of the rule ids of a folder of charts, as the tests cite them. */
const NOUNS: readonly (readonly [prefix: string, machines: readonly AnyStateMachine[]])[] = [
  ['J', [answerMachine, ticketMachine, lossMachine, debtMachine, coordinatorMachine]],
  ['RQ', [requestMachine, cardMachine, mirrorMachine, approvalMachine, followerMachine, grantMachine]],
  ['TL', [trackerMachine, callMachine, spendMachine]],
  ['SE', [seatMachine, verdictMachine]],
];

/** A chart as it is looked at: its outline, and its transitions with whole rule ids. */
export interface Looked {
  readonly machine: AnyStateMachine;
  readonly outline: Outline;
  readonly arrows: readonly Arrow[];
}

const charts = new Map<string, Looked>(
  NOUNS.flatMap(([noun, machines]) =>
    machines.map((machine): [string, Looked] => {
      const read = outline(machine);
      const arrows = arrowsOf(read).map((arrow) => ({
        ...arrow,
        rules: arrow.rules.map((rule) => ruleId(noun, rule)),
      }));
      return [machine.id, { machine, outline: read, arrows }];
    }),
  ),
);

/** A rule as the tests cite it: `J-R187`. What the design page says itself, as `D-4`, belongs to no noun. */
function ruleId(noun: string, rule: string): string {
  return rule.startsWith('D-') ? rule : `${noun}-${rule.replace('-', '')}`;
}

export const allCharts = (): readonly Looked[] => [...charts.values()];
export const chartOf = (id: string): Looked | undefined => charts.get(id);
