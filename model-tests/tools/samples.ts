/** Samples of every event of the tool charts: each way a guard can go, and nothing that cannot be seen. */
import type { CallContext, CallEvent, Observed, Relation } from '../../machines/tools/call-facts.ts';
import type { TrackerEvent } from '../../machines/tools/tracker-facts.ts';
import { canonical } from '../support/graph.ts';

const both = [false, true] as const;

/** Only a text that grows can change whether it is complete, and only complete ones are equal in other letters. */
const TEXTS: readonly (readonly [Relation, wasComplete: boolean, complete: boolean])[] = [
  ['same', false, false],
  ['same', true, true],
  ['equal', true, true],
  ['differs', false, false],
  ['differs', true, true],
  ['grows', false, true],
  ['grows', false, false],
  ['grows', true, false],
  ['grows', true, true],
];

const QUIET: Observed = {
  text: 'same',
  complete: false,
  wasComplete: false,
  empty: false,
  tooLong: false,
  runClosed: false,
  hasResult: false,
  gated: false,
};

const OBSERVED: readonly Observed[] = [
  ...TEXTS.flatMap(([text, wasComplete, complete]) =>
    both.flatMap((runClosed) =>
      both.flatMap((hasResult) =>
        both.map((gated) => ({ ...QUIET, text, wasComplete, complete, runClosed, hasResult, gated })),
      ),
    ),
  ),
  ...both.map((runClosed) => ({ ...QUIET, empty: true, runClosed })),
  { ...QUIET, tooLong: true },
  { ...QUIET, tooLong: true, complete: true, wasComplete: true, runClosed: true },
];

export const CALL_EVENTS: readonly CallEvent[] = [
  ...both.flatMap((hasResult) => both.map((gated) => ({ type: 'RECORD', hasResult, gated }) as const)),
  { type: 'BEGIN', owner: 'unknown', withheld: null },
  { type: 'BEGIN', owner: 'client', withheld: null },
  { type: 'BEGIN', owner: 'provider', withheld: null },
  { type: 'BEGIN', owner: 'unknown', withheld: 'gate' },
  ...OBSERVED.map((seen) => ({ type: 'OBSERVE', ...seen }) as const),
  { type: 'ADOPT' },
  { type: 'DISCARD' },
  { type: 'START', executes: true, poisoned: false },
  { type: 'START', executes: true, poisoned: true },
  { type: 'START', executes: false, poisoned: false },
  { type: 'HUMAN', by: 'callback' },
  { type: 'HUMAN', by: 'executor' },
  { type: 'RESUME' },
  { type: 'ABORT' },
  { type: 'END' },
  { type: 'RETIRE' },
];

type Snap = { readonly value: unknown; readonly context: unknown };
export const callPlace = ({ value, context }: Snap): string => {
  const { withheld, ...rest } = context as CallContext;
  // Which reason it was guides nothing but a notice.
  return JSON.stringify([canonical(value), { ...rest, withheld: withheld === null ? null : 'some' }]);
};

export const TRACKER_EVENTS: readonly TrackerEvent[] = [
  ...both.flatMap((identical) =>
    both.map((loading) => ({ type: 'SNAPSHOT', malformed: false, identical, loading }) as const),
  ),
  { type: 'SNAPSHOT', malformed: true, identical: false, loading: false },
  ...both.flatMap((loading) => [{ type: 'PROCESSED', loading } as const, { type: 'BROKE_OFF', loading } as const]),
  { type: 'FAIL' },
  { type: 'ABORT', discard: false },
  { type: 'ABORT', discard: true },
  { type: 'RESET' },
];

export const trackerPlace = ({ value, context }: Snap): string =>
  JSON.stringify([canonical(value), { ...(context as object), boundary: 0 }]);

export const SPEND_EVENTS = ['CLAIM', 'PARK', 'RESUME', 'DONE', 'FAILED', 'RESTART', 'AGAIN', 'GIVEN'] as const;
