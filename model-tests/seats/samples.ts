/** The charts of seats, with samples of every event, at least one for each way a guard can go. */
import {
  type FenceContext,
  type FenceEvent,
  type FenceInput,
  type Found,
  fenceMachine,
} from '../../machines/seats/fence.ts';
import { type SeatEvent, type SeatInput, seatMachine } from '../../machines/seats/seat.ts';
import {
  type VerdictContext,
  type VerdictEvent,
  type VerdictInput,
  verdictMachine,
} from '../../machines/seats/verdict.ts';

export { fenceMachine, seatMachine, verdictMachine };

const ASKS = ['bad_input', 'null_anchor', 'empty_branch', 'leaf_is_anchor', 'walk'] as const;
export const VERDICT_INPUTS: readonly VerdictInput[] = [
  ...ASKS.map((ask) => ({ ask, maxSteps: 3, stopAtBreak: false })),
  { ask: 'walk', maxSteps: 3, stopAtBreak: true },
];

const KINDS = ['ordinary', 'break', 'untyped'] as const;
const PARENTS = ['anchor', 'root', 'seen', 'further'] as const;
const at = (steps: number) => ({ id: `e${steps}`, steps });

/** An entry can come after so many links as there may be; each is named after its number. */
export const VERDICT_EVENTS: readonly VerdictEvent[] = [
  ...[0, 1, 2].flatMap((steps): VerdictEvent[] => [
    ...KINDS.flatMap((kind) => PARENTS.map((parent) => ({ type: 'ENTRY', ...at(steps), kind, parent }) as const)),
    { type: 'MISSING', ...at(steps) },
    { type: 'MALFORMED', ...at(steps) },
    { type: 'FAILED', ...at(steps) },
    { type: 'TIMEOUT', ...at(steps) },
  ]),
  { type: 'ANCHOR_FOUND' },
  { type: 'ANCHOR_MISSING' },
  { type: 'ANCHOR_UNREAD' },
];

/** What guards and later steps depend on; which entry it was is left out, and how many breaks above one. */
export const verdictPlace = ({
  value,
  context: one,
}: {
  readonly value: unknown;
  readonly context: VerdictContext;
}): string => JSON.stringify([value, one.ask, one.stopAtBreak, one.steps, one.breaks > 0, one.untyped !== null]);

export const SEAT_INPUTS: readonly SeatInput[] = [{ session: 's' }];

export const SEAT_EVENTS: readonly SeatEvent[] = [
  { type: 'ADOPT', good: true, anchor: null },
  { type: 'ADOPT', good: true, anchor: 'a' },
  { type: 'ADOPT', good: false, anchor: 'a' },
  { type: 'SEAL', mine: true, leaf: 'b' },
  { type: 'SEAL', mine: true, leaf: 'c' },
  { type: 'SEAL', mine: true, leaf: null },
  { type: 'SEAL', mine: false, leaf: 'b' },
  { type: 'GET' },
  { type: 'OVERFLOW', least: true },
  { type: 'OVERFLOW', least: false },
  { type: 'DROP' },
  { type: 'CLEAR' },
  { type: 'RESTART' },
];

export const FENCE_INPUTS: readonly FenceInput[] = [
  { askId: 'pa-1', tab: 'tab-a', privileged: false },
  { askId: 'pa-1', tab: 'tab-a', privileged: true },
];

const ON: Found = { onBranch: true, breaks: 0 };
const BROKEN: Found = { onBranch: true, breaks: 1 };
const OFF: Found = { onBranch: false, breaks: 0 };
const UNKNOWN: Found = { onBranch: 'unknown', breaks: 'unknown' };
const found = (asked: Found, delivered: Found | null, leaf: string | null = 'l1'): FenceEvent => ({
  type: 'FOUND',
  asked,
  delivered,
  leaf,
  moved: false,
});

export const FENCE_EVENTS: readonly FenceEvent[] = [
  { type: 'QUESTION_LOGGED', at: 'q' },
  { type: 'QUESTION_LOGGED', at: '' },
  { type: 'TASK_ENDED' },
  { type: 'ANSWERED' },
  found(ON, null),
  found(BROKEN, null),
  found(ON, ON),
  found(ON, OFF),
  found(BROKEN, BROKEN),
  found(ON, BROKEN),
  found(OFF, null),
  found(OFF, OFF),
  found(UNKNOWN, null),
  found(UNKNOWN, null, 'l2'),
  found(UNKNOWN, null, null),
  { type: 'FOUND', asked: ON, delivered: null, leaf: 'l1', moved: true },
  { type: 'DELIVERED', at: 'd' },
  { type: 'DELIVERED', at: '' },
  { type: 'DELIVERY_FAILED' },
  { type: 'LEAF_CHANGED' },
  { type: 'MOVE', to: 'tab-b' },
  { type: 'RESTART' },
  { type: 'EXPIRED' },
  { type: 'CAPACITY' },
];

/** What guards and later steps depend on. */
export const fencePlace = ({
  value,
  context: one,
}: {
  readonly value: unknown;
  readonly context: FenceContext;
}): string =>
  JSON.stringify([
    value,
    one.privileged,
    one.askedAt !== null,
    one.deliveredAt !== null,
    one.answered,
    one.unwritten,
    one.off,
    one.again,
    Math.min(one.unknown, 3),
    one.leaf,
    one.reported,
  ]);
