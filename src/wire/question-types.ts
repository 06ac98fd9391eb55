/** The words between a question, whoever shows it, and the channel that carries it. */
import type { CardEnd } from '../../machines/requests/card-facts.ts';
import type { Watch } from '../../machines/shared/tap.ts';
import type { CallOutcome } from './calls.ts';
import type { JsonObject, RpcError } from './json.ts';
import type { Question } from './question.ts';

/**
 * `not-sent`: the answer did not leave, and none had; it may be given again unless the question is over. `already`: this
 * question was answered here.
 */
export type Sent = 'sent' | 'not-sent' | 'already';

/** What became of an answer in the acknowledged form. */
export type AnswerVerdict =
  /** It is the settlement. `reply` is what the server said, with members of its own. */
  | { readonly status: 'ok'; readonly reply: JsonObject }
  /** It came too late, and was not used; `why` says what ended the question. */
  | { readonly status: 'expired'; readonly why: CardEnd; readonly reply?: JsonObject | undefined }
  /** The question is over, and whether by this answer cannot be told. */
  | { readonly status: 'unknown'; readonly why: CardEnd }
  /** The server refuses it, the question is still open, and another answer may be given. */
  | { readonly status: 'refused'; readonly error: RpcError }
  /** It left; this server does not know the acknowledged form, and tells nothing more. */
  | { readonly status: 'sent' }
  /** It did not leave. The question is not over, and takes an answer once the server has shown it again. */
  | { readonly status: 'not-sent' }
  /** Another answer was given here before, whatever became of it. */
  | { readonly status: 'already' };

export type LockVerdict =
  | { readonly status: 'ok'; readonly remaining: readonly string[] }
  /** The question is over. */
  | { readonly status: 'expired' }
  | { readonly status: 'refused'; readonly error: RpcError }
  /** Nothing leaves now, or the connection ended first; the next delivery shows what is locked. */
  | { readonly status: 'not-sent' };

/** Who shows a question. Called after the step that it is about; what it throws is reported and changes nothing. */
export interface QuestionOwner {
  /** Its state, its locks or its params changed. */
  changed?(question: Question): void;
  /** Delivered for the first time ever: the moment for a notification. */
  announce?(question: Question): void;
  /** Delivered again: the same card, with new locks. */
  rebind?(question: Question): void;
}

/** What a question needs of its channel. */
export interface QuestionSide {
  /** Where the steps of cards are told. */
  readonly watch: Watch | undefined;
  /** A bare response frame. */
  sendText(text: string): boolean;
  startCall(method: string, params: string, settle: (outcome: CallOutcome) => void): boolean;
  readonly generation: number;
  /** Whether the acknowledged form can be used. */
  readonly acknowledges: boolean;
  /** Throws RangeError for a text that is over the bound of a frame. */
  measure(text: string): void;
  /** The question is over: its id is remembered. */
  bury(question: Question): void;
  /** The server was told that this window will not answer. */
  refused(question: Question, text: string, isFinal: boolean): void;
  /** A bare answer left, of which nothing may ever be heard. */
  bare(question: Question): void;
  /** The acknowledged form is not known to the server. */
  noForm(): void;
  /** It came to rest in a final state. */
  over(question: Question): void;
  guarded(work: () => void): void;
}
