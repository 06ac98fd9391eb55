/** What tools ask a person: each question an ask of the journal, named on file before it is put. */

import { isObject } from '../../machines/tools/compare.ts';
import type { AskOptions, AwaitOptions, Outcome, Question } from '../api.ts';
import { invalid, ReadbackError } from '../errors.ts';
import { joinSignals } from '../signals.ts';
import { heed } from './attempt.ts';
import type { CallBook, Run } from './call-book.ts';
import { type CallAsk, isSpent, nextState, rowId } from './call-row.ts';
import { errorText } from './execute.ts';
import type { ToolContext } from './types.ts';

/** What a person is shown, and where. How long the call waits is not for a card to say: as long as the call lives. */
export interface Card {
  readonly question: Question;
  readonly options: Omit<AskOptions, 'timeoutMs' | 'signal' | 'supersedes' | 'onOpen'>;
}

/** Where questions are asked. */
export interface CallAsks {
  /** An id for an ask that nobody has used. */
  newId(): string;
  /** What tells this question from every other. */
  digest(question: Question): string;
  /** What names no turn that carries its answer is carried by the ask id. */
  put(askId: string, question: Question, options: AskOptions): Promise<Outcome>;
  /** Waits for an ask that is on file; `unknown` for one that is not. */
  wait(askId: string, options: AwaitOptions): Promise<Outcome>;
  /** An answer was used: what came of it is on file. */
  ack(token: string, carrier: string): void;
  /** An answer was given out and not taken: it is as it was before. */
  release(token: string, carrier: string): void;
  /** The call that asked has ended: its card goes, and an answer that it has not used is parked, given out or not. */
  withdraw(askId: string): void;
}

type Answered = Extract<Outcome, { readonly outcome: 'answered' }>;
type Declined = Extract<Outcome, { readonly outcome: 'declined' }>;
type Ended = Declined | Extract<Outcome, { readonly reason: string }>;

/** `human()` rejects with it when the question has ended and nobody answered it, or declined to. It is no "no". */
export class NoAnswer extends Error {
  readonly outcome: Ended;

  constructor(outcome: Ended) {
    super(outcome.outcome === 'declined' ? 'The person declined to answer' : `No answer: ${outcome.reason}`);
    this.name = 'NoAnswer';
    this.outcome = outcome;
  }
}

const ENDS: ReadonlySet<Outcome['outcome']> = new Set(['declined', 'expired', 'cancelled', 'superseded']);
const isEnd = (outcome: Outcome): outcome is Ended => ENDS.has(outcome.outcome);

/** The longest time that a timer holds, in milliseconds. */
const PATIENCE = 2_147_483_647;

export interface QuestionParts {
  readonly book: CallBook;
  readonly asks: CallAsks | undefined;
  readonly warn: (text: string) => void;
  readonly options: {
    readonly boundary: string;
    readonly resume: (toolCallId: string, payload: unknown) => boolean;
    readonly question?: ((payload: unknown, toolCallId: string) => Card | undefined) | undefined;
  };
}

/** One part of one call, and what it has asked so far. */
interface Asker {
  readonly id: string;
  readonly toolName: string;
  readonly context: ToolContext;
  readonly by: CallAsk['by'];
  readonly me: Run | undefined;
  asked: number;
}

/** A question that is for the journal: its card, which one of its call it is, and the ask that it has or is about to get. */
interface Place {
  readonly asks: CallAsks;
  readonly card: Card;
  readonly ask: CallAsk;
  /** The same question stood in this place before. */
  readonly isKnown: boolean;
  /** The ask of another question that stood there. */
  readonly replaces?: string | undefined;
}

/** One question that is parked. */
interface Parked {
  readonly number: number;
  /** Set while the tool is told that there is no answer, and why. */
  refusal: unknown;
  /** The answer that it was given, and where it came from. */
  taken?: { readonly me: Run; readonly asks: CallAsks; readonly askId: string; readonly token: string } | undefined;
}

export class Questions {
  readonly #parts: QuestionParts;
  /** The question that each call waits for, by row. */
  readonly #parked = new Map<string, Parked>();

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /** The context of a tool, whose questions are asks of the journal. */
  context(toolName: string, context: ToolContext, by: CallAsk['by'], me?: Run): ToolContext {
    const id = rowId(this.#parts.options.boundary, context.toolCallId);
    const asker: Asker = { id, toolName, context, by, me, asked: 0 };
    return {
      ...context,
      human: (payload) => {
        const answer = this.#human(asker, payload);
        // A tool may leave its question alone; that it is rejected then is nobody's fault.
        answer.catch(() => undefined);
        return answer;
      },
    };
  }

  /** The execution is over. With its outcome on file its answers are used, and its open cards ask for nothing any more. */
  end({ id, taken }: Run): void {
    const { asks, book } = this.#parts;
    const row = book.get(id);
    if (asks === undefined || row === undefined || !isSpent(row)) return;
    for (const [askId, token] of taken) asks.ack(token, askId);
    // What an earlier execution was given, and this one was not, has not been used either.
    for (const { askId } of row.asks) if (!taken.has(askId)) asks.withdraw(askId);
  }

  async #human(asker: Asker, payload: unknown): Promise<unknown> {
    const { asks, book, options } = this.#parts;
    const { context, me } = asker;
    const card = asks && cardIn(options.question?.(payload, context.toolCallId));
    // Asked late, or the host has just begun another execution of this call: it is for the host alone.
    if (!this.#isCurrent(asker)) return context.human(payload);
    asker.asked += 1;
    const parked: Parked = { number: asker.asked, refusal: undefined };
    let place: Place | undefined;
    try {
      // An executor was let in already; a callback asks as something new.
      if (me === undefined) book.admit();
      place = asks && card && this.#place(asks, asker, card);
      this.#park(asker, place);
    } catch (error) {
      if (isLeaving(error)) return context.human(payload);
      throw error;
    }
    this.#parked.set(asker.id, parked);
    const answer = context.human(payload);
    if (place !== undefined) void this.#pursue(asker, parked, place);
    try {
      const value = await answer;
      this.#goOn(asker, parked);
      if (parked.refusal !== undefined && value === undefined) throw parked.refusal;
      return value;
    } catch (error) {
      // Cut off while it waited: that it waited is what is known of it.
      if (!context.abortSignal.aborted) this.#unpark(asker, parked);
      throw error;
    } finally {
      if (this.#parked.get(asker.id) === parked) this.#parked.delete(asker.id);
    }
  }

  #isCurrent({ me }: Asker): boolean {
    return me === undefined || this.#parts.book.isCurrent(me);
  }

  /** An ask is that of a question only in the same place with the same words: another one there opens its own (H-04). */
  #place(asks: CallAsks, asker: Asker, card: Card): Place {
    const { by, asked: number } = asker;
    const digest = asks.digest(card.question);
    const before = this.#parts.book.get(asker.id)?.asks.find((one) => one.by === by && one.number === number);
    if (before?.digest === digest) return { asks, card, ask: before, isKnown: true };
    const ask = { by, number, digest, askId: asks.newId() };
    return { asks, card, ask, isKnown: false, replaces: before?.askId };
  }

  /** On file before the question is put, so that no card is open which its call does not know. */
  #park({ id, toolName, context, me }: Asker, place: Place | undefined): void {
    const { book, options } = this.#parts;
    const row = book.get(id) ?? book.fresh(options.boundary, context.toolCallId, toolName);
    const asks = place === undefined || place.isKnown ? row.asks : withAsk(row.asks, place.ask);
    if (asks.length > book.limits.questions)
      throw new ReadbackError('too_many', `This call has asked ${row.asks.length} questions, and no more are put.`);
    const state = me === undefined ? row.state : nextState(row.state, { type: 'PARK' });
    if (state !== row.state || asks !== row.asks) book.put(id, { ...row, asks, state }, me && { type: 'PARK' });
  }

  /** On file before the tool goes on: from here on it may have had its effect. A newer question goes on waiting. */
  #unpark(asker: Asker, { number }: Parked): void {
    if (asker.me !== undefined && number === asker.asked && this.#isCurrent(asker))
      this.#parts.book.step(asker.id, { type: 'RESUME' });
  }

  /** A tool that is not let on has not had its answer. */
  #goOn(asker: Asker, parked: Parked): void {
    try {
      this.#unpark(asker, parked);
    } catch (error) {
      const { taken } = parked;
      if (taken !== undefined) {
        taken.me.taken.delete(taken.askId);
        taken.asks.release(taken.token, taken.askId);
      }
      throw error;
    }
  }

  async #pursue(asker: Asker, parked: Parked, place: Place): Promise<void> {
    const { context, me } = asker;
    // What an execution waits for when it is taken over is given to the newer one alone.
    const { signal, release } = joinSignals(context.abortSignal, ...(me === undefined ? [] : [me.takenOver.signal]));
    try {
      const outcome = await this.#outcome(asker, parked, place, signal);
      if (outcome.outcome === 'answered') this.#used(asker, parked, place, outcome, this.#give(asker, parked, outcome));
      else if (isEnd(outcome)) {
        const isTaken = this.#refuse(asker, parked, new NoAnswer(outcome));
        if (outcome.outcome === 'declined') this.#used(asker, parked, place, outcome, isTaken);
      }
      // Nobody could be asked, or this process is closing: that is no answer, and the host may still have one.
    } catch (error) {
      if (!isLeaving(error)) this.#refuse(asker, parked, error);
    } finally {
      release();
    }
  }

  async #outcome(asker: Asker, parked: Parked, place: Place, signal: AbortSignal): Promise<Outcome> {
    const { asks, card, ask, isKnown, replaces } = place;
    const { question, options } = card;
    const waiting: AwaitOptions = { attach: options.attach, timeoutMs: PATIENCE, signal };
    const put = ({ askId }: CallAsk, supersedes?: string): Promise<Outcome> => {
      // A call may end before its card is there to be taken away.
      const onOpen = (): void => (this.#isOver(asker, parked) ? asks.withdraw(askId) : undefined);
      return asks.put(askId, question, { ...options, ...waiting, supersedes, onOpen });
    };
    if (!isKnown) return put(ask, replaces);
    const outcome = await asks.wait(ask.askId, waiting);
    if (outcome.outcome !== 'unknown' || !this.#waits(asker, parked)) return outcome;
    // Its process ended before it was put, or it is no longer on file. An id is not used twice.
    const fresh = { ...ask, askId: asks.newId() };
    this.#park(asker, { ...place, ask: fresh, isKnown: false });
    return put(fresh);
  }

  /** Whether the tool still waits for this question. */
  #waits(asker: Asker, parked: Parked): boolean {
    // One call has one question at a time, whichever part of its tool asks: the newer one must not get this answer.
    const isNewest = this.#parked.get(asker.id) === parked;
    return isNewest && !asker.context.abortSignal.aborted && this.#isCurrent(asker);
  }

  /** The call has its outcome, and no part of it waits for this question. */
  #isOver(asker: Asker, parked: Parked): boolean {
    const row = this.#parts.book.get(asker.id);
    return row !== undefined && isSpent(row) && !this.#waits(asker, parked);
  }

  #give(asker: Asker, parked: Parked, outcome: Outcome): boolean {
    return this.#waits(asker, parked) && this.#resume(asker, outcome) === true;
  }

  /** Only what a person said is a value: everything else is thrown where the tool waits. */
  #refuse(asker: Asker, parked: Parked, why: unknown): boolean {
    if (!this.#waits(asker, parked)) return false;
    parked.refusal = why;
    const isTaken = this.#resume(asker, undefined);
    // The host was quicker, and what it brought is what counts.
    if (isTaken === false) parked.refusal = undefined;
    return isTaken === true;
  }

  /** An answer was given out. A callback has used it then; an executor has when its outcome is on file. */
  #used(
    { me }: Asker,
    parked: Parked,
    { asks, card }: Place,
    { askId, token }: Answered | Declined,
    isTaken: boolean,
  ): void {
    // Whoever named the turn that carries an answer also says what became of it.
    if (card.options.attach !== undefined) return;
    if (!isTaken) asks.release(token, askId);
    else if (me === undefined) asks.ack(token, askId);
    else {
      parked.taken = { me, asks, askId, token };
      me.taken.set(askId, token);
    }
  }

  /** Undefined: the host does not say whether the tool waited for it. */
  #resume({ context }: Asker, payload: unknown): boolean | undefined {
    const { options, warn } = this.#parts;
    const failed = (error: unknown): void =>
      warn(`the answer for the tool call ${context.toolCallId} could not be given to it: ${errorText(error)}`);
    try {
      const said: unknown = options.resume(context.toolCallId, payload);
      if (typeof said === 'boolean') return said;
      void heed(() => said, failed);
      warn(`whether the tool call ${context.toolCallId} took its answer is for resume to say with true or false`);
    } catch (error) {
      failed(error);
    }
    return undefined;
  }
}

/** This process is ending: whoever waits in it is told nothing that is no answer. */
const isLeaving = (error: unknown): boolean =>
  error instanceof ReadbackError && (error.code === 'closed' || error.code === 'retiring');

/** What the host has given as a card; undefined, or null, where the question is not for the journal. */
function cardIn(given: unknown): Card | undefined {
  if (given === undefined || given === null) return undefined;
  // A promise is rejected, perhaps: that is nobody's fault.
  void heed(
    () => given,
    () => undefined,
  );
  if (isObject(given) && isObject(given['question']) && isObject(given['options'])) return given as unknown as Card;
  throw invalid(
    'question',
    'gave a promise, or something else that is no card; give { question, options }, or undefined',
  );
}

/** In the place of what stood there before. */
const withAsk = (asks: readonly CallAsk[], ask: CallAsk): readonly CallAsk[] => [
  ...asks.filter(({ by, number }) => by !== ask.by || number !== ask.number),
  ask,
];
