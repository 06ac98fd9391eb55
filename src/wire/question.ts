/** One question of the server in this window: a row of the card chart, and beside it what the chart must not hold. */
import { cardMachine } from '../../machines/requests/card.ts';
import {
  type AnswerForm,
  type CardEnd,
  type CardEvent,
  type CardValue,
  copyCard,
} from '../../machines/requests/card-facts.ts';
import { compile, type EffectOf, type SnapshotOf, start, step } from '../../machines/shared/step.ts';
import { birth } from '../../machines/shared/tap.ts';
import type { CallOutcome } from './calls.ts';
import type { JsonObject, JsonValue, RpcError } from './json.ts';
import { isJsonObject } from './jsonrpc.ts';
import type { AnswerVerdict, LockVerdict, QuestionOwner, QuestionSide, Sent } from './question-types.ts';

const chart = compile(cardMachine, copyCard);
export type CardEffect = EffectOf<typeof chart>['type'];
export type QuestionState = CardValue;

/** A question as its handler and its owner hold it. It stays the same object across deliveries and connections. */
export class Question {
  readonly id: string;
  readonly method: string;
  readonly #side: QuestionSide;
  readonly #waiting: ((verdict: AnswerVerdict) => void)[] = [];
  #at: SnapshotOf<typeof chart>;
  #params: JsonObject;
  #locks: Record<string, JsonValue> = {};
  #owner: QuestionOwner = {};
  #replayed: boolean;
  /** Text of the answer, kept until it is known what became of it. */
  #body: string | undefined;
  #hasLeft = false;
  #reply: JsonObject | undefined;
  #error: RpcError | undefined;
  /** Its owner failed while nothing could be said to the server. */
  #given: RpcError | undefined;
  /** Order of its latest live delivery. */
  stamp = 0;

  constructor(id: string, method: string, params: JsonObject, replayed: boolean, side: QuestionSide) {
    this.id = id;
    this.method = method;
    this.#params = params;
    this.#replayed = replayed;
    this.#side = side;
    const sid = sidOf(params);
    this.#at = start(chart, { id, method, sid }).snapshot;
    side.watch?.tell?.('card', id, undefined, { type: 'xstate.init', sid, method }, birth(this.#at));
  }

  get state(): QuestionState {
    return this.#at.value;
  }
  get sessionId(): string {
    return this.#at.context.sid;
  }
  get params(): JsonObject {
    return this.#params;
  }
  /** The latest delivery came out of a snapshot. */
  get replayed(): boolean {
    return this.#replayed;
  }
  /** Answers of a batch that the server has fixed. */
  get locks(): Readonly<Record<string, JsonValue>> {
    return this.#locks;
  }
  get generation(): number {
    return this.#at.context.generation;
  }
  /** How it ended here. */
  get why(): CardEnd | null {
    return this.#at.context.why;
  }
  /** Why the server took it back, in the server's word. */
  get reason(): string | null {
    return this.#at.context.reason;
  }
  /** The error with which the server refused the last answer, while the card is open again. */
  get error(): RpcError | undefined {
    return this.#error;
  }
  /** What the server said of the answer. */
  get reply(): JsonObject | undefined {
    return this.#reply;
  }
  get isOver(): boolean {
    return this.#at.done;
  }

  /** Answers by a response frame, which the server does not reply to. Throws RangeError when it is too long. */
  respond(result: JsonObject): Sent {
    return this.#give('response', `{"result":${JSON.stringify(result)}}`);
  }

  /** Says that it cannot be answered here. `-32004` and `4404` decline for this window only and may be taken back. */
  fail({ code, message }: RpcError): Sent {
    if (!isHere(code)) {
      return this.#give('response', `{"error":${JSON.stringify({ code, message })}}`);
    }
    if (this.state !== 'live' && this.state !== 'offered') return this.#notGiven;
    this.decline({ code, message });
    return 'sent';
  }

  /**
   * Answers by `request.answer`, and tells what became of it. What has left is kept and sent again over as many
   * connections as it takes to get a verdict. What cannot leave now is `not-sent` at once and is not sent later: the
   * question stays, and is to be answered again after `rebind`. Throws RangeError when it is too long.
   */
  answer(result: JsonObject): Promise<AnswerVerdict> {
    const form = this.#side.acknowledges ? 'answer' : 'response';
    const sent = this.#give(form, `{"result":${JSON.stringify(result)}}`);
    if (sent === 'not-sent' && this.isOver) return Promise.resolve({ status: 'expired', why: this.why ?? 'gone' });
    if (sent !== 'sent' || form === 'response') return Promise.resolve({ status: sent });
    return new Promise((resolve) => this.#await(resolve));
  }

  /** Fixes one answer of a batch early. */
  lock(qid: string, answer: string | null): Promise<LockVerdict> {
    const params = JSON.stringify({ request_id: this.id, question_id: qid, answer });
    this.#side.measure(params);
    return new Promise((resolve) => {
      const settle = (outcome: CallOutcome): void => resolve(this.#lockReplied(qid, answer, outcome));
      if (this.isOver) resolve({ status: 'expired' });
      else if (this.state !== 'live' || !this.#side.startCall('clarify.lock', params, settle))
        resolve({ status: 'not-sent' });
    });
  }

  /** One event of the card. For the channel alone. */
  step(event: CardEvent): void {
    const before = this.#at;
    const made = step(chart, before, event);
    this.#side.watch?.tell?.('card', this.id, before, event, made);
    const { snapshot, effects, ignored } = made;
    if (ignored) return;
    this.#at = snapshot;
    for (const { type } of effects) this.#perform(type);
    // What has ended under way, by an event that an effect brought, was ended and told by that event.
    if (this.#at.done && !snapshot.done) return;
    if (snapshot.done) this.#end();
    this.#side.guarded(() => this.#owner.changed?.(this));
  }

  /** Delivered: for the first time, or again. */
  deliver(params: JsonObject, replayed: boolean, ended: boolean): void {
    const answers = params['answers'];
    if (!ended) {
      this.#params = params;
      this.#replayed = replayed;
      // The server's word on what is locked comes last and counts.
      if (isJsonObject(answers)) this.#locks = { ...this.#locks, ...answers };
    }
    const locked = isJsonObject(answers) ? Object.keys(answers) : [];
    this.step({ type: 'DELIVER', generation: this.#side.generation, sid: sidOf(params), replayed, ended, locked });
    const given = this.#given;
    if (given !== undefined && this.state === 'live') this.decline(given);
  }

  /** The server did not take the bare answer: what it would have replied to one that it replies to. */
  notTaken(error: JsonValue | undefined): boolean {
    // Of the acknowledged form the reply tells.
    if (this.state !== 'unconfirmed' || this.#at.context.form !== 'response') return false;
    const { code, message } = isJsonObject(error) ? error : {};
    this.#error = {
      code: typeof code === 'number' ? code : 0,
      message: typeof message === 'string' ? message : 'refused',
    };
    this.step({ type: 'REFUSED', code: this.#error.code });
    return true;
  }

  /** A handler took it. */
  own(owner: QuestionOwner): void {
    this.#owner = owner;
    this.step({ type: 'ACCEPT', replayed: this.#replayed });
  }

  /** It will not be answered here, whatever happens; said as soon as something can be said. */
  decline(error: RpcError): void {
    this.#given = error;
    this.step({ type: 'DECLINE', code: error.code });
  }

  #give(form: AnswerForm, body: string): Sent {
    this.#side.measure(body);
    if (this.state !== 'live' && this.state !== 'offered') return this.#notGiven;
    this.#body = body;
    this.#error = undefined;
    this.step({ type: 'ANSWER', form });
    return this.#hasLeft ? 'sent' : 'not-sent';
  }

  /** What is to be said of an answer that is not taken now. Whoever believes `already` throws the words away. */
  get #notGiven(): Sent {
    const { left, why } = this.#at.context;
    return left > 0 || why === 'locked' || this.state === 'unconfirmed' ? 'already' : 'not-sent';
  }

  #perform(effect: CardEffect): void {
    if (effect === 'transmit') this.#transmit();
    else if (effect === 'bury') this.#side.bury(this);
    else if (effect === 'refuse') this.#refuse();
    else if (effect === 'announce') this.#side.guarded(() => this.#owner.announce?.(this));
    else if (effect === 'rebind') this.#side.guarded(() => this.#owner.rebind?.(this));
    else if (effect === 'reopen') this.#reopen();
  }

  #refuse(): void {
    const { code, message } = this.#given ?? { code: -32603, message: 'declined' };
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(this.id)},"error":${JSON.stringify({ code, message })}}`;
    // A window that does not show the session may come to show it: only other refusals are for good.
    this.#side.refused(this, text, !isHere(code));
    this.#side.sendText(text);
  }

  #transmit(): void {
    const body = this.#body ?? '{}';
    const { form } = this.#at.context;
    const { generation } = this.#side;
    const rest = body.slice(1);
    const id = JSON.stringify(this.id);
    const isSent =
      form === 'answer'
        ? this.#side.startCall('request.answer', `{"id":${id},${rest}`, (outcome) => this.#replied(outcome))
        : this.#side.sendText(`{"jsonrpc":"2.0","id":${id},${rest}`);
    this.#hasLeft = isSent;
    this.step(isSent ? { type: 'SENT', generation } : { type: 'NOT_SENT' });
    // What did not leave was not given: the card is on the screen again, and takes another answer.
    if (this.state === 'detached') this.#body = undefined;
    if (isSent && form !== 'answer') this.#side.bare(this);
  }

  #replied(outcome: CallOutcome): void {
    if (outcome.kind === 'lost') return;
    if (outcome.kind === 'error') {
      if (outcome.error.code === -32601) {
        this.#side.noForm();
        this.step({ type: 'UNKNOWN_FORM' });
        this.#tell({ status: this.#hasLeft ? 'sent' : 'not-sent' });
        return;
      }
      this.#error = outcome.error;
      this.step({ type: 'REFUSED', code: outcome.error.code });
      return;
    }
    this.#reply = outcome.result;
    this.step({ type: outcome.result['status'] === 'ok' ? 'ACK_OK' : 'ACK_EXPIRED' });
  }

  #lockReplied(qid: string, answer: string | null, outcome: CallOutcome): LockVerdict {
    if (outcome.kind === 'lost') return { status: 'not-sent' };
    if (outcome.kind === 'error') return { status: 'refused', error: outcome.error };
    if (outcome.result['status'] !== 'ok') {
      this.step({ type: 'LOCK_EXPIRED' });
      return { status: 'expired' };
    }
    const remaining = Array.isArray(outcome.result['remaining']) ? outcome.result['remaining'].map(String) : [];
    this.#locks = { ...this.#locks, [qid]: answer };
    this.step({ type: 'LOCKED', qid, last: remaining.length === 0 });
    return { status: 'ok', remaining };
  }

  #reopen(): void {
    this.#body = undefined;
    this.#tell({ status: 'refused', error: this.#error ?? { code: 0, message: 'refused' } });
  }

  #await(resolve: (verdict: AnswerVerdict) => void): void {
    this.#waiting.push(resolve);
    if (this.isOver) this.#tell(this.#verdict);
    else if (this.state !== 'unconfirmed')
      this.#tell(this.#error === undefined ? { status: 'not-sent' } : { status: 'refused', error: this.#error });
  }

  #end(): void {
    // What was answered is kept no longer than it may have to be sent again.
    this.#body = undefined;
    this.#tell(this.#verdict);
    this.#side.over(this);
  }

  #tell(verdict: AnswerVerdict): void {
    for (const resolve of this.#waiting.splice(0)) resolve(verdict);
  }

  get #verdict(): AnswerVerdict {
    const why = this.why ?? 'unknown';
    if (why === 'acknowledged') return { status: 'ok', reply: this.#reply ?? {} };
    if (why === 'unknown' || why === 'gone' || why === 'epoch') return { status: 'unknown', why };
    return { status: 'expired', why, ...(this.#reply === undefined ? {} : { reply: this.#reply }) };
  }
}

/** Errors that speak for this window only, and for now. */
const isHere = (code: number): boolean => code === -32004 || code === 4404;

function sidOf(params: JsonObject): string {
  const sid = params['session_id'];
  return typeof sid === 'string' ? sid : '';
}
