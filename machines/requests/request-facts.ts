/** What the request chart knows, hears, asks of its facts, and writes into them. */
import { whole } from '../shared/whole.ts';

export type RequestValue = 'pristine' | 'partial' | 'answered' | 'failed' | 'cancelled' | 'timed_out';
export type CancelReasonName = 'timeout' | 'interrupted' | 'shutdown' | 'resolved' | 'session_closed';
export type AnsweredVia = 'response' | 'lock' | 'quorum' | 'proxy';

export interface RequestInput {
  readonly id: string;
  readonly sid: string;
  readonly method: string;
  /** The questions of a batch, in its order; empty: not a batch. */
  readonly qids: readonly string[];
  readonly secret: boolean;
  readonly windowOwned: boolean;
  /** One capable peer that does not know the method does not speak for the others. */
  readonly errorQuorum: boolean;
  /** The peers that were asked and said that they can answer. */
  readonly candidates: readonly string[];
}

export interface RequestContext extends RequestInput {
  /** Question ids whose answers are fixed. */
  readonly locked: readonly string[];
  /** Candidates that said it is not theirs. */
  readonly declines: readonly string[];
  /** False after a restart, until whoever waits for the answer has come back. */
  readonly attended: boolean;
  /** Some client of this process has had it on screen, or could have. */
  readonly seen: boolean;
  /** Its write failed, and whoever asked has been told: it is open only until its end is on file. */
  readonly unwritten: boolean;
  readonly via: AnsweredVia | null;
  readonly reason: CancelReasonName | null;
  readonly cause: 'no_capable_client' | null;
  readonly code: number | null;
}

export type RequestEvent =
  | { type: 'RESPOND'; conforms: boolean; via: 'response' | 'proxy' }
  | { type: 'FAIL'; code: number | null; from: string | null }
  | { type: 'LOCK'; qid: string }
  /** Taken back from outside: by session, by shutdown. */
  | { type: 'CANCEL'; reason: CancelReasonName }
  /** Taken back by whoever asked. */
  | { type: 'WITHDRAW'; reason: CancelReasonName }
  | { type: 'ABORT' }
  | { type: 'WRITE_FAILED' }
  /** A client gets it to show. */
  | { type: 'SHOWN' }
  /** It has waited for such a client for as long as it may. */
  | { type: 'UNSEEN' }
  | { type: 'DEADLINE' }
  | { type: 'GATE_LOST' }
  | { type: 'PEER_GONE'; peer: string }
  | { type: 'PEER_REPLAYED'; peer: string }
  | { type: 'RESTART' }
  | { type: 'ADOPT' };

type OwnContext = { -readonly [Field in keyof RequestContext]: RequestContext[Field] };

/** An own copy; a field that is missing here does not compile. */
export const copyRequest = (context: RequestContext): OwnContext => ({
  id: context.id,
  sid: context.sid,
  method: context.method,
  qids: context.qids,
  secret: context.secret,
  windowOwned: context.windowOwned,
  errorQuorum: context.errorQuorum,
  candidates: context.candidates,
  locked: context.locked,
  declines: context.declines,
  attended: context.attended,
  seen: context.seen,
  unwritten: context.unwritten,
  via: context.via,
  reason: context.reason,
  cause: context.cause,
  code: context.code,
});

/** A change that writes into an own copy of the context. */
const writes = (write: (next: OwnContext, event: RequestEvent) => void) =>
  whole(({ context, event }: { context: RequestContext; event: RequestEvent }): RequestContext => {
    const next = copyRequest(context);
    write(next, event);
    return next;
  });

/** "This window is not the owner": two numbers for one meaning. */
const NOT_MINE: readonly (number | null)[] = [-32004, 4404];
export const UNKNOWN_METHOD = -32601;
const NOT_CONFORMING = -32602;

interface Facts {
  readonly context: RequestContext;
  readonly event: RequestEvent;
}

export const isCandidate = ({ candidates }: RequestContext, peer: string | null): boolean =>
  peer !== null && candidates.includes(peer);

export const isDecline = ({ context, event }: Facts): boolean =>
  event.type === 'FAIL' &&
  (NOT_MINE.includes(event.code) ||
    (event.code === UNKNOWN_METHOD && context.errorQuorum && isCandidate(context, event.from)));

/** Whether some candidate other than this one may still answer. */
export const othersLeft = ({ candidates, declines }: RequestContext, peer: string | null): boolean =>
  candidates.some((one) => one !== peer && !declines.includes(one));

const without = (names: readonly string[], name: string): readonly string[] => names.filter((one) => one !== name);

export const noteAnswer = writes((next, event) => {
  if (event.type === 'RESPOND') next.via = event.via;
});

export const noteNonsense = writes((next) => {
  next.code = NOT_CONFORMING;
});

export const noteError = writes((next, event) => {
  if (event.type === 'FAIL') next.code = event.code;
});

export const noteDecline = writes((next, event) => {
  if (event.type !== 'FAIL' || event.from === null || next.declines.includes(event.from)) return;
  next.declines = [...next.declines, event.from];
});

export const noteNoOwner = writes((next) => {
  next.via = 'quorum';
});

export const noteNobodyKnows = writes((next) => {
  next.code = UNKNOWN_METHOD;
});

export const noteLock = writes((next, event) => {
  if (event.type !== 'LOCK' || next.locked.includes(event.qid)) return;
  next.locked = [...next.locked, event.qid];
});

export const noteAllLocked = writes((next) => {
  next.via = 'lock';
});

export const noteReason = writes((next, event) => {
  if (event.type === 'CANCEL' || event.type === 'WITHDRAW') next.reason = event.reason;
});

export const noteInterrupted = writes((next) => {
  next.reason = 'interrupted';
});

export const noteUnwritten = writes((next) => {
  next.unwritten = true;
});

export const noteSeen = writes((next) => {
  next.seen = true;
});

export const noteUnseen = writes((next) => {
  next.reason = 'session_closed';
});

export const noteNoCapableClient = writes((next) => {
  next.reason = 'session_closed';
  next.cause = 'no_capable_client';
});

export const dropPeer = writes((next, event) => {
  if (event.type !== 'PEER_GONE') return;
  next.candidates = without(next.candidates, event.peer);
  next.declines = without(next.declines, event.peer);
});

export const addPeer = writes((next, event) => {
  if (event.type === 'PEER_REPLAYED') next.candidates = [...next.candidates, event.peer];
});

export const forgetProcess = writes((next) => {
  next.candidates = [];
  next.declines = [];
  next.attended = false;
  next.seen = false;
  next.unwritten = false;
});

export const noteAttended = writes((next) => {
  next.attended = true;
});
