/** Makes a real channel go through the events of a card, against a server that is played by hand. */
import type { CardContext, CardEvent } from '../../machines/requests/card-facts.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { Channel } from '../../src/wire/channel.ts';
import type { TransportHandlers } from '../../src/wire/connection.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import type { Question } from '../../src/wire/question.ts';

const ID = 'srq-1';
const PARAMS: JsonObject = { session_id: 's', questions: [] };

interface Sent {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly error?: { readonly code: number };
  readonly result?: JsonObject;
}

export class CardDriver {
  readonly runtime = new HandRuntime();
  readonly channel: Channel;
  /** What the client sent that names the question. */
  readonly sent: Sent[] = [];
  readonly verdicts: string[] = [];
  announced = 0;
  /** The question, once it was delivered. */
  question: Question | undefined;
  generation = 0;
  #epoch = 'e1';
  #handlers: TransportHandlers | undefined;
  #isBroken = false;
  /** What the handler does with the delivery that is under way. */
  #reaction: (question: Question) => unknown = () => false;
  readonly #calls = new Map<string, number>();
  #lock: number | undefined;

  constructor() {
    this.channel = new Channel({
      connect: (handlers) => {
        this.#handlers = handlers;
        this.generation += 1;
        this.#isBroken = false;
        return { send: (text) => this.#takes(text), close: () => undefined };
      },
      timers: { now: () => this.runtime.now(), after: (ms, call) => this.runtime.after(ms, call), random: () => 0.5 },
      heartbeat: false,
      eventReplay: false,
      limits: { unconfirmed: 1 },
    });
    this.channel.onRequest('other', (question) => void question.respond({}));
    this.channel.onRequest('clarify', (question) => {
      this.question = question;
      return this.#reaction(question) as false;
    });
    this.channel.open();
    this.#greet();
  }

  /** Does what the real world does for one event. `rest` are the events after it, for what must be begun now. */
  perform(
    event: CardEvent,
    before: { readonly value: unknown; readonly context: CardContext },
    rest: readonly CardEvent[],
  ): void {
    switch (event.type) {
      case 'DELIVER':
        return this.#deliver(event, rest);
      case 'ANSWER':
        // In a handler it is done already.
        if (before.value === 'live') this.#answer(event.form, rest);
        return;
      case 'DECLINE':
        if (before.value === 'live') this.#declineLive(event.code);
        return;
      case 'SOCKET_LOST':
        this.#handlers?.closed('cut');
        return;
      case 'ACK_OK':
        return this.#reply('request.answer', { result: { status: 'ok' } });
      case 'ACK_EXPIRED':
        return this.#reply('request.answer', { result: { status: 'expired' } });
      case 'REFUSED':
        return this.#reply('request.answer', { error: { code: event.code, message: 'no' } });
      case 'UNKNOWN_FORM':
        return this.#reply('request.answer', { error: { code: -32601, message: 'unknown method' } }, rest);
      case 'LACKED':
        return this.#lacked(event, rest);
      case 'FORGET':
        // Another bare answer, where there is room for one.
        return this.#frame({ id: 'srq-other', method: 'other', params: {} });
      case 'CANCEL_EVENT':
        return this.#event('request.cancel', { id: ID, method: 'clarify', reason: event.reason });
      case 'SETTLED_EVENT':
        this.#reach(event.generation);
        return this.#event('request.settled', { id: ID, method: 'clarify', by: 'response' });
      case 'LOCKED':
        return this.#locked({ status: 'ok', remaining: event.last ? [] : ['z'] }, event.qid);
      case 'LOCK_EXPIRED':
        return this.#locked({ status: 'expired' }, 'a');
      case 'EPOCH_CHANGED':
        this.#epoch = 'e2';
        return this.#reach(this.generation + 1);
      case 'ACCEPT':
      case 'SENT':
      case 'NOT_SENT':
        // Part of the event before.
        return;
    }
  }

  /** Delivers the id once more; says whether the window heard of it. */
  isRemembered(): boolean {
    const before = this.question;
    this.#reaction = () => ({});
    this.#connect();
    this.#frame({ id: ID, method: 'clarify', params: PARAMS });
    return this.question === before;
  }

  #deliver(event: Extract<CardEvent, { type: 'DELIVER' }>, rest: readonly CardEvent[]): void {
    this.#reach(event.generation);
    if (event.ended) this.#event('request.cancel', { id: ID, method: 'clarify', reason: 'timeout' });
    this.#prepare(rest);
    // A snapshot that is asked for before the question arrives, and answered later.
    if (this.question === undefined && rest.some(({ type }) => type === 'LACKED')) {
      void this.channel.call('session.activate', { session_id: 's' }).catch(() => undefined);
    }
    const answers = Object.fromEntries(event.locked.map((qid) => [qid, 'locked']));
    const params: JsonObject = event.locked.length > 0 ? { ...PARAMS, answers } : PARAMS;
    if (!event.replayed) {
      this.#frame({ id: ID, method: 'clarify', params });
      return;
    }
    void this.channel.call('host.list');
    this.#reply('host.list', { result: { open_requests: [{ id: ID, method: 'clarify', params }] } });
  }

  /** What the handler will do, and whether the next frame of an answer leaves. */
  #prepare(rest: readonly CardEvent[]): void {
    const [next, after] = rest;
    this.#isBroken = next?.type === 'NOT_SENT' || (next?.type === 'ANSWER' && after?.type === 'NOT_SENT');
    this.#reaction = () => ({ announce: () => this.#announce() });
    if (next?.type === 'ANSWER') {
      const { form } = next;
      this.#reaction = (question) => {
        this.#give(question, form);
        return {};
      };
    }
    if (next?.type !== 'DECLINE') return;
    this.#reaction = (question) => {
      if (next.code === -32004) question.fail({ code: -32004, message: 'not shown here' });
      if (next.code === -32603) throw new Error('crashed');
      return next.code === -32601 ? false : {};
    };
  }

  #announce(): void {
    this.announced += 1;
  }

  #answer(form: 'answer' | 'response', rest: readonly CardEvent[]): void {
    // A lock that was asked for before the answer, and is replied to after it.
    const later = rest.find((event) => event.type === 'LOCKED');
    if (later !== undefined) this.#startLock(later.qid);
    this.#isBroken = rest[0]?.type === 'NOT_SENT';
    if (this.question !== undefined) this.#give(this.question, form);
  }

  #give(question: Question, form: 'answer' | 'response'): void {
    if (form === 'response') question.respond({ answer: 'x' });
    else void question.answer({ answer: 'x' }).then(({ status }) => void this.verdicts.push(status));
  }

  #declineLive(code: number): void {
    if (code === -32004) this.question?.fail({ code, message: 'not shown here any more' });
    // An owner that crashes later than its handler; the channel is told by its promise.
    else this.question?.decline({ code, message: 'crashed later' });
  }

  #lacked(event: Extract<CardEvent, { type: 'LACKED' }>, rest: readonly CardEvent[]): void {
    if (!event.arrived) {
      this.#reach(event.generation);
      void this.channel.call('session.activate', { session_id: 's' }).catch(() => undefined);
    }
    this.#reply('session.activate', { result: { session_id: 's', open_requests: [] } }, rest);
  }

  #startLock(qid: string): void {
    void this.question?.lock(qid, 'v');
    this.#lock = this.#calls.get('clarify.lock');
  }

  #locked(result: JsonObject, qid: string): void {
    if (this.#lock === undefined) this.#startLock(qid);
    const id = this.#lock;
    this.#lock = undefined;
    if (id === undefined) throw new Error('no lock is under way');
    this.#frame({ id, result });
  }

  /** Replies to the last call of a method. */
  #reply(method: string, reply: JsonObject, rest?: readonly CardEvent[]): void {
    const id = this.#calls.get(method);
    if (id === undefined) throw new Error(`no ${method} is under way`);
    if (rest !== undefined) this.#isBroken = rest[0]?.type === 'NOT_SENT';
    this.#calls.delete(method);
    this.#frame({ id, ...reply });
  }

  #event(type: string, payload: JsonObject): void {
    this.#connect();
    this.#frame({ method: 'event', params: { type, session_id: 's', payload } });
  }

  /** Sees to it that this connection is the one in use. */
  #reach(generation: number): void {
    if (this.generation < generation) this.#handlers?.closed('cut');
    this.#connect();
    if (this.generation !== generation) throw new Error(`connection ${this.generation}, not ${generation}`);
  }

  #connect(): void {
    if (this.channel.state.state === 'ready') return;
    this.channel.hurry();
    this.#greet();
  }

  #greet(): void {
    this.#frame({
      method: 'event',
      params: { type: 'gateway.ready', session_id: '', payload: { epoch: this.#epoch } },
    });
  }

  #frame(frame: JsonObject): void {
    this.#handlers?.message(JSON.stringify({ jsonrpc: '2.0', ...frame }));
  }

  #takes(text: string): boolean {
    const frame = JSON.parse(text) as Sent;
    const isAnswer = frame.method === 'request.answer' || frame.id === ID;
    if (isAnswer && this.#isBroken) return false;
    if (isAnswer) this.sent.push(frame);
    if (frame.method !== undefined && typeof frame.id === 'number') this.#calls.set(frame.method, frame.id);
    return true;
  }
}
