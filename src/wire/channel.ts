/**
 * The client's end of the wire: calls, events, and the questions that the server asks this window.
 *
 * A question has one life here, whatever happens to sockets: it is shown once, answered once, and taken away once.
 */

import { attempt } from '../../machines/shared/heed.ts';
import { requireFields } from '../fields.ts';
import { CallLost, type CallOutcome, CallRefused, Calls } from './calls.ts';
import {
  CHANNEL_LIMITS,
  type ChannelLimits,
  type ChannelOptions,
  type ChannelState,
  ENVELOPE,
  HEARTBEAT,
  PATIENCE,
} from './channel-options.ts';
import { Connection } from './connection.ts';
import { Heartbeat } from './heartbeat.ts';
import type { JsonObject, JsonValue, RpcError } from './json.ts';
import { classify, failureFrame, frameText, type Inbound, isJsonObject, isOver } from './jsonrpc.ts';
import { platformTimers, type Timers } from './platform.ts';
import type { Question } from './question.ts';
import { Questions, type RequestHandler } from './questions.ts';
import { type ChannelEvent, Replay, type ReplaySide } from './replay.ts';

interface Waiting {
  readonly method: string;
  readonly text: string;
  readonly sid: JsonValue | undefined;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

const FIELDS = {
  connect: 'function',
  timers: 'object?',
  resume: 'object?',
  limits: 'object?',
  watch: 'object?',
  onState: 'function?',
  onUnhandledRequest: 'function?',
  onRequestHandlerError: 'function?',
  onCallbackError: 'function?',
  onGap: 'function?',
} as const;

export class Channel {
  readonly #options: ChannelOptions;
  readonly #limits: ChannelLimits;
  readonly #connection: Connection;
  readonly #calls: Calls;
  readonly #questions: Questions;
  readonly #replay: Replay;
  readonly #heartbeat: Heartbeat | undefined;
  readonly #listeners = new Map<string, Set<(event: ChannelEvent) => void>>();
  readonly #inbox: (() => void)[] = [];
  #queue: Waiting[] = [];
  #isBusy = false;
  #isCaughtUp = false;
  #isGreeting = false;

  constructor(options: ChannelOptions) {
    requireFields(options, FIELDS);
    const timers = options.timers ?? platformTimers;
    this.#options = options;
    this.#limits = { ...CHANNEL_LIMITS, ...options.limits };
    this.#connection = new Connection(
      {
        ...{ connect: options.connect, timers, reconnect: options.reconnect ?? {} },
        ...{ patienceMs: options.patienceMs ?? PATIENCE, frameBytes: this.#limits.frameBytes },
      },
      {
        opened: () => {
          if (options.ready === 'open') this.#enter(() => this.#ready({}));
        },
        frame: (frame) => this.#enter(() => this.#receive(frame)),
        lost: (why) => this.#enter(() => this.#lost(why)),
        moved: () => this.#moved(),
      },
    );
    this.#calls = new Calls(
      timers,
      (text) => this.#connection.send(text),
      (why) => this.#connection.drop(why),
    );
    this.#questions = new Questions(this.#wire(), this.#limits, {
      watch: options.watch,
      unhandled: (question) => options.onUnhandledRequest?.(question),
      handlerError: (question, error) => options.onRequestHandlerError?.(question, error),
      callbackError: (error) => this.#report(error),
    });
    this.#replay = this.#makeReplay(timers);
    if (options.heartbeat !== false) {
      this.#heartbeat = new Heartbeat(
        options.heartbeat ?? HEARTBEAT,
        timers,
        () => this.#say('ping', '{}'),
        () => this.#connection.drop('no sign of life'),
      );
    }
  }

  get state(): ChannelState {
    const { state, generation, failures } = this.#connection;
    return { state, generation, failures, caughtUp: this.#isCaughtUp };
  }

  /** Questions that are not over, in the order of their arrival. */
  get questions(): readonly Question[] {
    return [...this.#questions.all];
  }

  question(id: string): Question | undefined {
    return this.#questions.get(id);
  }

  open(): void {
    this.#connection.open();
  }

  /** Connects now instead of at the end of the pause. */
  hurry(): void {
    this.#connection.hurry();
  }

  /** Ends the connection for good. Calls are rejected; nothing is said about questions. */
  close(): void {
    this.#connection.close();
  }

  /** A handler of server requests: `'*'` for any method. Returns the way to take it back. */
  onRequest(method: string, handler: RequestHandler): () => void {
    return this.#questions.handle(method, handler);
  }

  /** Hears events of one type, or `'*'`: all of them. */
  onEvent(type: string, listener: (event: ChannelEvent) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Says that a session is on screen, until the function returned is called. */
  show(sid: string): () => void {
    return this.#replay.show(sid);
  }

  /**
   * One call. Waits for a connection that is being opened; rejects with CallLost where there is none or it ends first,
   * with CallRefused where the server says no, and with RangeError where the params are too large.
   */
  call(method: string, params: JsonObject = {}): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const text = JSON.stringify(params);
      this.#measure(text);
      // As it is now: whoever calls may use the object again for another session before the reply is read.
      const waiting = { method, text, sid: params['session_id'], resolve, reject };
      const { state } = this.#connection;
      if (state === 'ready') this.#send(waiting);
      else if (state !== 'connecting') reject(new CallLost('there is no connection'));
      else if (this.#queue.length >= this.#limits.queued)
        reject(new CallLost('too many calls wait for the connection'));
      else this.#queue.push(waiting);
    });
  }

  // ---- inside

  #wire() {
    const channel = this;
    return {
      sendText: (text: string) => channel.#connection.send(text),
      startCall: (...call: Parameters<ReplaySide['startCall']>) => channel.#startCall(...call),
      measure: (text: string) => channel.#measure(text),
      get generation() {
        return channel.#connection.generation;
      },
    };
  }

  #makeReplay(timers: Timers): Replay {
    const { resume, eventReplay = resume === undefined } = this.#options;
    return new Replay(
      { resume, events: eventReplay, timers, parked: this.#limits.parked, sessions: this.#limits.sessions },
      Object.assign(this.#wire(), {
        questions: this.#questions,
        dispatch: (event: ChannelEvent) => this.#dispatch(event),
        gap: (sid: string, error: RpcError | undefined) => this.guarded(() => this.#options.onGap?.(sid, error)),
        caughtUp: () => {
          this.#isCaughtUp = true;
          if (!this.#isGreeting) this.#moved();
        },
        guarded: (work: () => unknown) => this.guarded(work),
      }),
    );
  }

  /** One thing after the other: a frame that arrives inside a handler waits until that is through. */
  #enter(work: () => void): void {
    this.#inbox.push(work);
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) this.guarded(next);
    this.#isBusy = false;
  }

  #receive(frame: JsonObject): void {
    const inbound = classify(frame);
    this.#heartbeat?.heard(inbound.kind === 'response' ? 'response' : 'frame');
    if (inbound.kind === 'response') this.#calls.receive(inbound);
    else if (inbound.kind === 'request') this.#asked(inbound);
    else if (inbound.kind === 'event') {
      if (inbound.type === 'gateway.ready') this.#ready(inbound.payload);
      this.#replay.hear(inbound);
    }
  }

  #asked({ id, method, params }: Extract<Inbound, { kind: 'request' }>): void {
    // Ids of questions are texts; what has a number and a method is nothing that was agreed on.
    if (typeof id !== 'string') return;
    if (params !== undefined && !isJsonObject(params)) {
      this.#connection.send(frameText(failureFrame(id, { code: -32602, message: 'params: not an object' })));
      return;
    }
    this.#questions.deliver(id, method, params ?? {}, false);
  }

  #ready(payload: JsonObject): void {
    if (!this.#connection.ready()) return;
    this.#isGreeting = true;
    this.#replay.epoch(payload['epoch']);
    // The first request of the connection, before anybody can hear that it is ready.
    if (this.#options.answers !== false) {
      this.#say('client.capabilities', '{"server_requests":true}');
    }
    this.#heartbeat?.start();
    this.#replay.start();
    const queue = this.#queue;
    this.#queue = [];
    for (const waiting of queue) this.#send(waiting);
    this.#isGreeting = false;
    this.#moved();
  }

  #lost(why: string): void {
    this.#isCaughtUp = false;
    this.#heartbeat?.stop();
    this.#replay.stop();
    this.#questions.socketLost();
    this.#calls.lose(why);
    const queue = this.#queue;
    this.#queue = [];
    for (const { reject } of queue) reject(new CallLost(why));
  }

  #send({ method, text, sid, resolve, reject }: Waiting): void {
    const mark = this.#questions.mark();
    const isSent = this.#startCall(method, text, (outcome) => {
      if (outcome.kind === 'lost') reject(new CallLost(outcome.why));
      else if (outcome.kind === 'error') reject(new CallRefused(outcome.error));
      else {
        // The cards are there before whoever called goes on.
        this.#replay.absorb(method, sid, outcome.result, mark);
        resolve(outcome.result);
      }
    });
    if (!isSent) reject(new CallLost('it could not be sent'));
  }

  #startCall(method: string, params: string, settle: (outcome: CallOutcome) => void): boolean {
    if (this.#connection.state !== 'ready') return false;
    return this.#calls.start(method, params, { timeoutMs: this.#options.patienceMs ?? PATIENCE }, settle);
  }

  /** A call whose reply, good or bad or none, changes nothing. */
  #say(method: string, params: string): void {
    const timeoutMs = this.#options.patienceMs ?? PATIENCE;
    this.#calls.start(method, params, { timeoutMs, isIdle: true }, () => undefined);
  }

  #dispatch(event: ChannelEvent): void {
    const { id, reason, error } = event.payload;
    if (event.type === 'request.cancel' && typeof id === 'string') {
      this.#questions.cancelled(id, typeof reason === 'string' ? reason : '');
    }
    if (event.type === 'request.settled' && typeof id === 'string') this.#questions.settled(id);
    if (event.type === 'request.refused' && typeof id === 'string') this.#questions.notTaken(id, error);
    for (const type of [event.type, '*']) {
      for (const listener of [...(this.#listeners.get(type) ?? [])]) this.guarded(() => listener(event));
    }
  }

  #measure(text: string): void {
    if (!isOver(text, this.#limits.frameBytes - ENVELOPE)) return;
    throw new RangeError(`This is too large to be sent: a frame holds ${this.#limits.frameBytes} bytes at the most.`);
  }

  #moved(): void {
    this.guarded(() => this.#options.onState?.(this.state));
  }

  /** Calls back; what that throws, now or later, is reported. For the desk of its cards alone. */
  guarded(work: () => unknown): void {
    attempt(work, (error) => this.#report(error));
  }

  #report(error: unknown): void {
    try {
      this.#options.onCallbackError?.(error);
    } catch {
      // A reporter that fails has nobody left to report to.
    }
  }
}

/** A channel; `open()` it when its handlers are in place. */
export function createChannel(options: ChannelOptions): Channel {
  return new Channel(options);
}
