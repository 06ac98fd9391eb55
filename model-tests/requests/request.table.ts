/** Every state of a request, and of a mirrored one, against every event. A new one does not compile until it is here. */
import type { MirrorContext, MirrorEvent, MirrorValue } from '../../machines/requests/mirror.ts';
import type { RequestContext, RequestEvent, RequestValue } from '../../machines/requests/request-facts.ts';
import type { Cell } from '../support/table.ts';

export const USUAL: RequestContext = {
  ...{ id: 'srq-1', sid: 's', method: 'clarify', qids: ['q0', 'q1'] },
  ...{ secret: false, windowOwned: false, errorQuorum: false, candidates: [], locked: [], declines: [] },
  ...{ attended: true, seen: false, unwritten: false, via: null, reason: null, cause: null, code: null },
};

export const EVENTS: { readonly [Type in RequestEvent['type']]: Extract<RequestEvent, { type: Type }> } = {
  RESPOND: { type: 'RESPOND', conforms: true, via: 'response' },
  FAIL: { type: 'FAIL', code: -32603, from: 'a' },
  LOCK: { type: 'LOCK', qid: 'q0' },
  CANCEL: { type: 'CANCEL', reason: 'interrupted' },
  WITHDRAW: { type: 'WITHDRAW', reason: 'resolved' },
  ABORT: { type: 'ABORT' },
  WRITE_FAILED: { type: 'WRITE_FAILED' },
  SHOWN: { type: 'SHOWN' },
  UNSEEN: { type: 'UNSEEN' },
  DEADLINE: { type: 'DEADLINE' },
  GATE_LOST: { type: 'GATE_LOST' },
  PEER_GONE: { type: 'PEER_GONE', peer: 'a' },
  PEER_REPLAYED: { type: 'PEER_REPLAYED', peer: 'a' },
  RESTART: { type: 'RESTART' },
  ADOPT: { type: 'ADOPT' },
};

const LOST: Partial<RequestContext> = { secret: true, attended: false };
const OWNED: Partial<RequestContext> = { windowOwned: true, candidates: ['a', 'b'] };
const OTHER_DECLINED: Partial<RequestContext> = { ...OWNED, declines: ['b'] };
const ERRORS: Partial<RequestContext> = { errorQuorum: true, candidates: ['a', 'b'] };
const ERRORS_LAST: Partial<RequestContext> = { ...ERRORS, declines: ['b'] };
const NOT_MINE = { code: -32004 };
const UNKNOWN = { code: -32601 };

/** Rows 1 to 6 and 12 to 19 of the contract's table 4.1. */
const open = (
  here: 'pristine' | 'partial',
): Omit<Record<RequestEvent['type'], Cell<RequestValue>>, 'LOCK' | 'RESPOND'> => ({
  FAIL: [
    { to: 'failed' },
    { given: OWNED, with: NOT_MINE, to: here },
    { given: OWNED, with: { code: 4404 }, to: here },
    { given: OTHER_DECLINED, with: NOT_MINE, to: 'answered' },
    { given: OTHER_DECLINED, with: { ...NOT_MINE, from: 'c' }, to: here },
    { given: OTHER_DECLINED, with: { ...NOT_MINE, from: null }, to: here },
    { given: OWNED, to: 'failed' },
    { given: OWNED, with: UNKNOWN, to: 'failed' },
    { with: NOT_MINE, to: here },
    { given: ERRORS, with: UNKNOWN, to: here },
    { given: ERRORS_LAST, with: UNKNOWN, to: 'failed' },
    { given: ERRORS_LAST, with: NOT_MINE, to: 'failed' },
    { given: ERRORS, with: { ...UNKNOWN, from: 'c' }, to: 'failed' },
    { given: LOST, to: 'failed' },
  ],
  CANCEL: 'cancelled',
  WITHDRAW: 'cancelled',
  ABORT: 'cancelled',
  WRITE_FAILED: here,
  SHOWN: [{ to: here }, { given: { seen: true }, to: 'ignored' }],
  UNSEEN: [{ to: 'cancelled' }, { given: { seen: true }, to: 'ignored' }],
  DEADLINE: 'timed_out',
  GATE_LOST: 'cancelled',
  PEER_GONE: [
    { to: 'ignored' },
    { given: OWNED, to: here },
    { given: OTHER_DECLINED, to: 'answered' },
    { given: { ...OWNED, declines: ['a'] }, to: here },
    { given: { ...OWNED, candidates: ['a'] }, to: here },
    { given: OTHER_DECLINED, with: { peer: 'c' }, to: 'ignored' },
    { given: ERRORS_LAST, to: 'failed' },
  ],
  PEER_REPLAYED: [
    { to: 'ignored' },
    { given: OWNED, to: 'ignored' },
    { given: { ...OWNED, candidates: [] }, to: here },
    { given: { ...ERRORS, candidates: [] }, to: here },
  ],
  RESTART: here,
  ADOPT: [{ to: 'ignored' }, { given: { attended: false }, to: here }],
});

const ENDED: Record<RequestEvent['type'], 'ignored'> = {
  RESPOND: 'ignored',
  FAIL: 'ignored',
  LOCK: 'ignored',
  CANCEL: 'ignored',
  WITHDRAW: 'ignored',
  ABORT: 'ignored',
  WRITE_FAILED: 'ignored',
  SHOWN: 'ignored',
  UNSEEN: 'ignored',
  DEADLINE: 'ignored',
  GATE_LOST: 'ignored',
  PEER_GONE: 'ignored',
  PEER_REPLAYED: 'ignored',
  RESTART: 'ignored',
  ADOPT: 'ignored',
};

const ANSWERS = [
  { to: 'answered' },
  { with: { conforms: false }, to: 'failed' },
  { given: { attended: false }, to: 'answered' },
] as const;
/** A secret is never a batch, so it is never partial. */
const SECRETS = [
  { given: LOST, to: 'pristine' },
  { given: { ...LOST, attended: true }, to: 'answered' },
] as const;

const locks = (here: 'pristine' | 'partial') =>
  [
    { to: 'partial' },
    { given: { locked: ['q1'] }, to: 'answered' },
    { given: { locked: ['q0'] }, to: 'partial' },
    { with: { qid: 'q9' }, to: here },
    { given: { locked: ['q1'] }, with: { qid: 'q9' }, to: here },
  ] as const;

export const REQUEST: Record<RequestValue, Record<RequestEvent['type'], Cell<RequestValue>>> = {
  pristine: {
    ...open('pristine'),
    RESPOND: [...ANSWERS, ...SECRETS],
    LOCK: [...locks('pristine'), { given: { qids: [] }, to: 'pristine' }],
  },
  partial: { ...open('partial'), RESPOND: ANSWERS, LOCK: locks('partial') },
  answered: ENDED,
  failed: ENDED,
  cancelled: ENDED,
  timed_out: ENDED,
};

export const MIRRORED: MirrorContext = { id: 'srq-1', sid: 's', method: 'clarify', locked: [] };

export const MIRROR_EVENT: { readonly [Type in MirrorEvent['type']]: Extract<MirrorEvent, { type: Type }> } = {
  ANSWER: { type: 'ANSWER' },
  ACK: { type: 'ACK', verdict: 'ok', open: false },
  RELAY_ERROR: { type: 'RELAY_ERROR' },
  LOCKED: { type: 'LOCKED', qid: 'q0' },
  LOCK_ENDED: { type: 'LOCK_ENDED', verdict: 'ok' },
  CHILD_CANCEL: { type: 'CHILD_CANCEL' },
  CHILD_SETTLED: { type: 'CHILD_SETTLED' },
  CHILD_EXIT: { type: 'CHILD_EXIT' },
  TURN_END: { type: 'TURN_END' },
};

const mirrored = (here: 'open' | 'relaying') =>
  ({
    LOCKED: here,
    LOCK_ENDED: [{ to: 'gone' }, { with: { verdict: 'expired' }, to: 'gone' }],
    CHILD_CANCEL: 'gone',
    CHILD_SETTLED: 'gone',
    CHILD_EXIT: 'gone',
    TURN_END: 'gone',
  }) as const;

export const MIRROR: Record<MirrorValue, Record<MirrorEvent['type'], Cell<MirrorValue>>> = {
  open: { ...mirrored('open'), ANSWER: 'relaying', ACK: 'ignored', RELAY_ERROR: 'ignored' },
  relaying: {
    ...mirrored('relaying'),
    ANSWER: 'relaying',
    ACK: [{ to: 'gone' }, { with: { verdict: 'expired' }, to: 'gone' }, { with: { open: true }, to: 'open' }],
    RELAY_ERROR: 'open',
  },
  gone: {
    ...{ ANSWER: 'ignored', ACK: 'ignored', RELAY_ERROR: 'ignored', LOCKED: 'ignored', LOCK_ENDED: 'ignored' },
    ...{ CHILD_CANCEL: 'ignored', CHILD_SETTLED: 'ignored', CHILD_EXIT: 'ignored', TURN_END: 'ignored' },
  },
};
