/** The request and mirror charts with the events that take every transition of them. */
import type { EventFromLogic, InputFrom, SnapshotFrom } from 'xstate';
import { mirrorMachine } from '../../machines/requests/mirror.ts';
import { requestMachine } from '../../machines/requests/request.ts';
import type { RequestInput } from '../../machines/requests/request-facts.ts';

export { mirrorMachine, requestMachine };

const PLAIN: RequestInput = {
  ...{ id: 'srq-1', sid: 's', method: 'window.title', qids: [] },
  ...{ secret: false, windowOwned: false, errorQuorum: false, candidates: [] },
};
const TWO = ['peer-1', 'peer-2'];

export const REQUEST_INPUTS: readonly RequestInput[] = [
  PLAIN,
  { ...PLAIN, method: 'clarify', qids: ['q0', 'q1'] },
  { ...PLAIN, method: 'clarify', qids: ['q0'] },
  { ...PLAIN, method: 'sudo', secret: true },
  { ...PLAIN, method: 'window.form', qids: ['q0', 'q1'], windowOwned: true, candidates: TWO },
  { ...PLAIN, method: 'clarify', qids: ['q0', 'q1'], errorQuorum: true, candidates: TWO },
  { ...PLAIN, method: 'terminal.read', windowOwned: true, candidates: TWO },
  { ...PLAIN, method: 'window.title', errorQuorum: true, candidates: TWO },
  { ...PLAIN, method: 'terminal.read', windowOwned: true, errorQuorum: true, candidates: TWO },
];

const FROM: readonly (string | null)[] = ['peer-1', 'peer-2', 'stranger', null];

export const REQUEST_EVENTS: readonly EventFromLogic<typeof requestMachine>[] = [
  { type: 'RESPOND', conforms: true, via: 'response' },
  { type: 'RESPOND', conforms: true, via: 'proxy' },
  { type: 'RESPOND', conforms: false, via: 'response' },
  ...FROM.map((from) => ({ type: 'FAIL', code: -32004, from }) as const),
  { type: 'FAIL', code: 4404, from: 'peer-1' },
  ...FROM.slice(0, 3).map((from) => ({ type: 'FAIL', code: -32601, from }) as const),
  { type: 'FAIL', code: -32603, from: 'peer-1' },
  { type: 'FAIL', code: null, from: null },
  ...['q0', 'q1', 'q9'].map((qid) => ({ type: 'LOCK', qid }) as const),
  { type: 'CANCEL', reason: 'interrupted' },
  { type: 'CANCEL', reason: 'session_closed' },
  { type: 'WITHDRAW', reason: 'resolved' },
  { type: 'ABORT' },
  { type: 'WRITE_FAILED' },
  { type: 'SHOWN' },
  { type: 'UNSEEN' },
  { type: 'DEADLINE' },
  { type: 'GATE_LOST' },
  ...TWO.flatMap((peer) => [{ type: 'PEER_GONE', peer } as const, { type: 'PEER_REPLAYED', peer } as const]),
  { type: 'RESTART' },
  { type: 'ADOPT' },
];

/**
 * The order in which peers came opens no guard, nor does a write that failed. Whether it was seen opens those of two
 * events, which are the same whoever may decline: walked with those too, there would be twice as many places.
 */
export function requestPlace({ value, context }: SnapshotFrom<typeof requestMachine>): string {
  const { candidates, declines, locked, unwritten: _, seen, ...rest } = context;
  const isSeen = seen && !rest.windowOwned && !rest.errorQuorum;
  return JSON.stringify([value, [...candidates].sort(), [...declines].sort(), [...locked].sort(), isSeen, rest]);
}

export const MIRROR_INPUT: InputFrom<typeof mirrorMachine> = { id: 'srq-1', sid: 's', method: 'clarify' };

export const MIRROR_EVENTS: readonly EventFromLogic<typeof mirrorMachine>[] = [
  { type: 'ANSWER' },
  { type: 'ACK', verdict: 'ok', open: false },
  { type: 'ACK', verdict: 'ok', open: true },
  { type: 'ACK', verdict: 'expired', open: false },
  { type: 'RELAY_ERROR' },
  { type: 'LOCKED', qid: 'q0' },
  { type: 'LOCKED', qid: 'q1' },
  { type: 'LOCK_ENDED', verdict: 'ok' },
  { type: 'LOCK_ENDED', verdict: 'expired' },
  { type: 'CHILD_CANCEL' },
  { type: 'CHILD_SETTLED' },
  { type: 'CHILD_EXIT' },
  { type: 'TURN_END' },
];
