/** What the chart of a card holds and hears, and the changes it makes. */
import { whole } from '../shared/whole.ts';

export type CardValue =
  | 'absent'
  | 'offered'
  | 'live'
  | 'detached'
  | 'unconfirmed'
  | 'confirmed'
  | 'withdrawn'
  | 'declined';

/** How a card ended. `unknown`: something ended it, and whether it was the answer given here cannot be told. */
export type CardEnd =
  | 'acknowledged'
  | 'locked'
  | 'gone'
  | 'late'
  | 'unknown'
  | 'elsewhere'
  | 'cancelled'
  | 'epoch'
  | 'declined';

/** `response`: a bare response frame. `answer`: the acknowledged call `request.answer`. */
export type AnswerForm = 'response' | 'answer';

export interface CardInput {
  readonly id: string;
  readonly sid: string;
  readonly method: string;
}

export interface CardContext {
  readonly id: string;
  readonly sid: string;
  readonly method: string;
  /** Connection of the latest delivery. */
  readonly generation: number;
  /** Questions of a batch whose answers are fixed. */
  readonly locked: readonly string[];
  readonly notified: boolean;
  readonly form: AnswerForm | null;
  /** Connection on which the answer left last; 0: it never did. */
  readonly left: number;
  /** It left on a former connection too: that copy may have arrived, or not. */
  readonly doubt: boolean;
  readonly why: CardEnd | null;
  /** Reason of a cancellation, in the server's word. */
  readonly reason: string | null;
  /** Number of the error with which the server refused the answer, or this window the question. */
  readonly code: number | null;
}

type OwnContext = { -readonly [Field in keyof CardContext]: CardContext[Field] };

/** An own copy; a field that is missing here does not compile. */
export const copyCard = (context: CardContext): OwnContext => ({
  id: context.id,
  sid: context.sid,
  method: context.method,
  generation: context.generation,
  locked: context.locked,
  notified: context.notified,
  form: context.form,
  left: context.left,
  doubt: context.doubt,
  why: context.why,
  reason: context.reason,
  code: context.code,
});

const NONE: readonly string[] = Object.freeze([]);

/** A card that was never delivered. */
export const firstCard = (input: CardInput): CardContext => ({
  id: input.id,
  sid: input.sid,
  method: input.method,
  generation: 0,
  locked: NONE,
  notified: false,
  form: null,
  left: 0,
  doubt: false,
  why: null,
  reason: null,
  code: null,
});

export type CardEvent =
  | {
      type: 'DELIVER';
      generation: number;
      sid: string;
      replayed: boolean;
      /** Its id is remembered as ended. */
      ended: boolean;
      locked: readonly string[];
    }
  | { type: 'ACCEPT'; replayed: boolean }
  | { type: 'DECLINE'; code: number }
  | { type: 'ANSWER'; form: AnswerForm }
  | { type: 'SENT'; generation: number }
  | { type: 'NOT_SENT' }
  | { type: 'SOCKET_LOST' }
  | { type: 'ACK_OK' }
  | { type: 'ACK_EXPIRED' }
  | { type: 'REFUSED'; code: number }
  /** The server does not know the acknowledged form. */
  | { type: 'UNKNOWN_FORM' }
  /** A snapshot of its session does not list it. `arrived`: it was delivered after that snapshot was asked for. */
  | { type: 'LACKED'; arrived: boolean; generation: number }
  /** Too many bare answers wait for a sign of what became of them, and this is the oldest. */
  | { type: 'FORGET' }
  | { type: 'CANCEL_EVENT'; reason: string }
  | { type: 'SETTLED_EVENT'; generation: number }
  | { type: 'LOCKED'; qid: string; last: boolean }
  | { type: 'LOCK_EXPIRED' }
  | { type: 'EPOCH_CHANGED' };

/** A change that writes into an own copy of the context. */
export const writes = (write: (next: OwnContext, event: CardEvent) => void) =>
  whole(({ context, event }: { context: CardContext; event: CardEvent }): CardContext => {
    const next = copyCard(context);
    write(next, event);
    return next;
  });

/** The change of an ending. */
export const ends = (why: CardEnd) =>
  writes((next, event) => {
    next.why = why;
    if (event.type === 'CANCEL_EVENT') next.reason = event.reason;
    if (event.type === 'DECLINE') next.code = event.code;
  });
