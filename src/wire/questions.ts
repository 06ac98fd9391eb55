/** Every question of the server that this window knows, and the ids of those that are over. */
import { attempt } from '../../machines/shared/heed.ts';
import type { Watch } from '../../machines/shared/tap.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { isJsonObject } from './jsonrpc.ts';
import { Memory } from './memory.ts';
import { Question } from './question.ts';
import type { QuestionOwner, QuestionSide } from './question-types.ts';

/** False: it is not this handler's. Anything else: it is, and what it returned is told of changes. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has taken the question
export type RequestHandler = (question: Question) => false | void | QuestionOwner | Promise<unknown>;

export interface QuestionsLimits {
  /** Ids that are remembered as ended; the oldest goes first. */
  readonly tombstones: number;
  /** Bare answers that are kept to be sent again; the oldest counts as arrived. */
  readonly unconfirmed: number;
  /** Questions that may be known at once. One more is declined with -32603. */
  readonly questions: number;
}

export interface QuestionsReports {
  readonly watch: Watch | undefined;
  unhandled(question: Question): void;
  handlerError(question: Question, error: unknown): void;
  callbackError(error: unknown): void;
}

type Wire = Pick<QuestionSide, 'sendText' | 'startCall' | 'generation' | 'measure'>;

export class Questions implements QuestionSide {
  readonly #wire: Wire;
  readonly #limits: QuestionsLimits;
  readonly #reports: QuestionsReports;
  readonly #handlers: { readonly method: string; readonly handler: RequestHandler }[] = [];
  readonly #known = new Map<string, Question>();
  /** Ended ids, with the connection on which they ended. */
  readonly #ended: Memory<number>;
  /** What was said of questions that this window has no handler for, so that a repeat says the same (I-24). */
  readonly #declined: Memory<{ readonly generation: number; readonly text: string }>;
  /** Bare answers, the oldest first. */
  readonly #bare = new Set<Question>();
  #acknowledges = true;
  #clock = 0;

  get watch(): Watch | undefined {
    return this.#reports.watch;
  }

  constructor(wire: Wire, limits: QuestionsLimits, reports: QuestionsReports) {
    this.#wire = wire;
    this.#limits = limits;
    this.#reports = reports;
    this.#ended = new Memory(limits.tombstones);
    this.#declined = new Memory(limits.tombstones);
  }

  get all(): IterableIterator<Question> {
    return this.#known.values();
  }

  get(id: string): Question | undefined {
    return this.#known.get(id);
  }

  /** Handlers are asked in the order in which they were added; `'*'` is asked about every method. */
  handle(method: string, handler: RequestHandler): () => void {
    const entry = { method, handler };
    this.#handlers.push(entry);
    return () => {
      const at = this.#handlers.indexOf(entry);
      if (at >= 0) this.#handlers.splice(at, 1);
    };
  }

  /** A moment, for `snapshot`: what is delivered later was not there to be listed. */
  mark(): number {
    this.#clock += 1;
    return this.#clock;
  }

  deliver(id: string, method: string, params: JsonObject, replayed: boolean): void {
    const known = this.#known.get(id);
    if (known !== undefined) {
      // Another question under the same id would be answered with what was meant for this one.
      if (known.method !== method) return;
      if (!replayed) known.stamp = this.mark();
      known.deliver(params, replayed, false);
      return;
    }
    const isEnded = this.#ended.get(id) !== undefined;
    const said = isEnded ? undefined : this.#declined.get(id);
    if (said !== undefined) {
      this.#wire.sendText(said.text);
      return;
    }
    const question = new Question(id, method, params, replayed, this);
    if (!isEnded) this.#known.set(id, question);
    question.stamp = this.mark();
    question.deliver(params, replayed, isEnded);
    if (!isEnded) this.#offer(question);
  }

  /** The entries of `open_requests`; what is malformed among them is passed over. */
  deliverAll(list: JsonValue | undefined): Set<string> {
    const listed = new Set<string>();
    for (const one of Array.isArray(list) ? list : []) {
      if (!isJsonObject(one)) continue;
      const { id, method, params } = one;
      if (typeof id !== 'string' || typeof method !== 'string' || !isJsonObject(params)) continue;
      listed.add(id);
      this.deliver(id, method, params, true);
    }
    return listed;
  }

  /** What is open in one session (`null`: in all) as of a call that was sent at `mark`; the rest is over. */
  snapshot(sid: string | null, listed: ReadonlySet<string>, mark: number): void {
    const { generation } = this.#wire;
    for (const question of [...this.#known.values()]) {
      if ((sid !== null && question.sessionId !== sid) || listed.has(question.id)) continue;
      question.step({ type: 'LACKED', arrived: question.stamp > mark, generation });
    }
  }

  /** `request.cancel`: that id and no other. */
  cancelled(id: string, reason: string): void {
    this.#ended.set(id, this.#wire.generation);
    this.#known.get(id)?.step({ type: 'CANCEL_EVENT', reason });
  }

  /** `request.settled`: another window answered, or a former connection of this one. */
  settled(id: string): void {
    this.#known.get(id)?.step({ type: 'SETTLED_EVENT', generation: this.#wire.generation });
    this.#ended.set(id, this.#wire.generation);
  }

  /** `request.refused`: a bare answer of this window was not taken, and the question is still open. */
  notTaken(id: string, error: JsonValue | undefined): void {
    const question = this.#known.get(id);
    if (question?.notTaken(error) === true) this.#bare.delete(question);
  }

  socketLost(): void {
    for (const question of [...this.#known.values()]) question.step({ type: 'SOCKET_LOST' });
  }

  /** Another server answers: what the former one asked is over, and so are its ids. */
  epochChanged(): void {
    const { generation } = this.#wire;
    // What this connection delivered or ended is of the new epoch already.
    this.#ended.keep((of) => of === generation);
    this.#declined.keep((said) => said.generation === generation);
    this.#acknowledges = true;
    for (const question of [...this.#known.values()]) {
      if (question.generation !== generation) question.step({ type: 'EPOCH_CHANGED' });
    }
  }

  #offer(question: Question): void {
    if (this.#known.size > this.#limits.questions) {
      question.decline({ code: -32603, message: 'too many questions are open in this window' });
      return;
    }
    for (const { method, handler } of [...this.#handlers]) {
      if (method !== '*' && method !== question.method) continue;
      try {
        const taken = handler(question);
        if (taken === false) continue;
        const isLater = typeof taken === 'object' && 'then' in taken;
        question.own(typeof taken === 'object' && !isLater ? (taken as QuestionOwner) : {});
        if (isLater) (taken as Promise<unknown>).then(undefined, (error) => this.#crashed(question, error));
      } catch (error) {
        this.#crashed(question, error);
      }
      return;
    }
    question.decline({ code: -32601, message: `this client has no handler for ${question.method}` });
    this.guarded(() => this.#reports.unhandled(question));
  }

  /** What it says is told to the client alone: a message may quote what a person typed. */
  #crashed(question: Question, error: unknown): void {
    question.decline({ code: -32603, message: 'the handler of the client crashed' });
    this.guarded(() => this.#reports.handlerError(question, error));
  }

  // ---- what a question needs

  sendText(text: string): boolean {
    return this.#wire.sendText(text);
  }
  startCall(...call: Parameters<QuestionSide['startCall']>): boolean {
    return this.#wire.startCall(...call);
  }
  measure(text: string): void {
    this.#wire.measure(text);
  }
  get generation(): number {
    return this.#wire.generation;
  }
  get acknowledges(): boolean {
    return this.#acknowledges;
  }
  bare(question: Question): void {
    this.#bare.delete(question);
    this.#bare.add(question);
    if (this.#bare.size <= this.#limits.unconfirmed) return;
    for (const oldest of this.#bare) {
      if (this.#bare.size <= this.#limits.unconfirmed) return;
      this.#bare.delete(oldest);
      oldest.step({ type: 'FORGET' });
    }
  }
  noForm(): void {
    this.#acknowledges = false;
  }
  bury(question: Question): void {
    this.#ended.set(question.id, this.#wire.generation);
  }
  refused(question: Question, text: string, isFinal: boolean): void {
    if (isFinal) this.#declined.set(question.id, { generation: this.#wire.generation, text });
  }
  over(question: Question): void {
    this.#known.delete(question.id);
    this.#bare.delete(question);
  }
  guarded(work: () => unknown): void {
    attempt(work, (error) => this.#reports.callbackError(error));
  }
}
