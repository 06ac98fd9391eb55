/** What a window shows of its cards, in few words. */
import type { Question } from '../../wire/question.ts';
import type { AnswerVerdict, LockVerdict } from '../../wire/question-types.ts';
import type { Said } from './hand.ts';

/** What a window shows after a step, in few words. */
export interface CardSight {
  /** What the call of this step returned at once, or that it threw. */
  readonly said: string;
  /** What the client said in this step: `request.answer q1 {"answer":"yes"}`, `response q1 -32601`. */
  readonly frames: readonly string[];
  /** What handlers and owners heard in this step, and what calls came to: `q1 offered`, `answer of q1 expired late`. */
  readonly told: readonly string[];
  /** Cards as their handler holds them: number of the line, state, how and why they ended, error, locks. */
  readonly cards: readonly string[];
  /** Cards that the channel lists as not over. */
  readonly open: readonly string[];
}

const told = (parts: readonly unknown[]): string =>
  parts.filter((one) => one !== undefined && one !== null && one !== '').join(' ');

/** A frame of the client. */
export function frameWords({ method, id, params = {}, result, error }: Said): string {
  if (method === undefined) return told(['response', id, error?.code ?? JSON.stringify(result)]);
  const { id: card, request_id: batch, question_id: qid, result: answer } = params;
  return told([method, card ?? batch, qid, answer && JSON.stringify(answer)]);
}

/** What became of an answer or a lock. */
export function verdictWords(verdict: AnswerVerdict | LockVerdict): string {
  const code = 'error' in verdict ? verdict.error.code : undefined;
  const left = 'remaining' in verdict ? JSON.stringify(verdict.remaining) : undefined;
  return told([verdict.status, 'why' in verdict ? verdict.why : undefined, code, left]);
}

/** A card, as whoever holds it may look at it. */
export function cardWords({ id, state, generation, replayed, why, reason, error, locks }: Question): string {
  const locked = Object.entries(locks).map(([qid, answer]) => `${qid}=${String(answer)}`);
  return told([
    id,
    state,
    `line ${generation}`,
    replayed ? 'replayed' : '',
    why,
    reason,
    error?.code,
    ...locked.sort(),
  ]);
}
