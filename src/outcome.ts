/** How an ask, or a batch of them, ended for the agent. */
import type { AnswerView, AskView, Reply } from './api.ts';

/** Losses the reader has not been told of; append it to the text of the result (R-142, H-07). */
export interface DroppedNotice {
  readonly count: number;
}

interface OutcomeBase {
  readonly askId: string;
  /** Absent when nothing was lost. */
  readonly dropped?: DroppedNotice | undefined;
}

/** How an ask ended for the agent. A timeout, a shutdown or a missing page is never a "no". Rule: design 5. */
export type Outcome =
  | (OutcomeBase & {
      readonly outcome: 'answered';
      readonly reply: Reply;
      readonly text: string;
      readonly token: string;
      readonly question: string;
      readonly answeredAt: number;
      /** True when this answer has been in front of a reader before. */
      readonly possibleRepeat: boolean;
      /** True when its receipt is on file already: it need not be acknowledged again. */
      readonly readBack: boolean;
    })
  | (OutcomeBase & {
      /** The identical question was answered earlier, under another ask id, in this conversation. This card is taken off. */
      readonly outcome: 'recovered';
      readonly reply: Reply;
      readonly text: string;
      readonly token: string;
      readonly question: string;
      readonly answeredAt: number;
      readonly fromAskId: string;
      readonly possibleRepeat: boolean;
      readonly readBack: boolean;
    })
  | (OutcomeBase & {
      /** The person chose not to answer. */
      readonly outcome: 'declined';
      /** The ask whose card was declined, where it was that of the identical question asked earlier; as in `recovered`. */
      readonly fromAskId?: string | undefined;
      readonly text: string;
      readonly token: string;
      readonly question: string;
      readonly answeredAt: number;
      readonly possibleRepeat: boolean;
      readonly readBack: boolean;
    })
  | (OutcomeBase & {
      /** Still open. Wait with `awaitAnswer(askId)`. */
      readonly outcome: 'pending';
      readonly openedAt: number;
      /** Answers of this conversation that are not provably for this question (H-06). */
      readonly others: readonly { question: string | null; answer: string; answeredAt: number }[];
      /** How many more exist that must not be shown here. */
      readonly withheld: number;
      /** It was answered, and is held back until the log proves where it belongs. One sentence. */
      readonly held?: string | undefined;
    })
  | (OutcomeBase & {
      readonly outcome: 'cancelled' | 'expired' | 'undeliverable' | 'superseded' | 'unknown';
      /** One sentence: what happened and what happens next. */
      readonly reason: string;
    });

/**
 * How a batch stands when its call returns. `answered`: each question has an answer. `partly_answered`: some have, and
 * that is no answer to the whole. Else none has: `pending` while one is open, the word that all share, or `unanswered`.
 */
export type BatchWord =
  | 'answered'
  | 'partly_answered'
  | 'pending'
  | 'unanswered'
  | 'declined'
  | 'cancelled'
  | 'expired'
  | 'undeliverable'
  | 'superseded'
  | 'unknown';

/** What became of questions that were waited for together. */
export interface BatchOutcome {
  readonly outcome: BatchWord;
  /** One for each question, in the order in which they were put or named. */
  readonly outcomes: readonly Outcome[];
  /** Absent when nothing was lost. */
  readonly dropped?: DroppedNotice | undefined;
}

/** Whether a token is that of a warning of losses: to be given to those alone who send a receipt for it. */
export const isWarning = (token: string): boolean => token.startsWith('aad');

/** The answer of a card that is answered. What else stands among its answers was given under its id to another card. */
export const answerOf = ({ state, answers }: AskView): AnswerView | undefined =>
  state === 'answered' ? answers.at(-1) : undefined;
