/** What a new connection must learn before it is as good as the one before: events that were missed, and what is open. */
import type { CallOutcome } from './calls.ts';
import type { JsonObject, JsonValue, RpcError } from './json.ts';
import { type Inbound, isJsonObject, readEvent } from './jsonrpc.ts';
import { Memory } from './memory.ts';
import type { Stop, Timers } from './platform.ts';
import type { Questions } from './questions.ts';

export type ChannelEvent = Extract<Inbound, { kind: 'event' }>;

/** For hosts whose snapshot covers all sessions: one call a connection, whose reply lists every open question. */
export interface ResumeOptions {
  readonly method: string;
  readonly params?: JsonObject | undefined;
  /** Each reply as it came, before its questions are delivered: for what a host says beside them. */
  readonly onReply?: ((result: JsonObject) => void) | undefined;
}

export interface ReplayOptions {
  readonly resume: ResumeOptions | undefined;
  /** Whether `session.events.since` is asked. */
  readonly events: boolean;
  readonly timers: Timers;
  /** Frames of one session that may wait for its replay. Beyond it they are told at once, and the gap is reported. */
  readonly parked: number;
  /** Sessions whose watermark is remembered. */
  readonly sessions: number;
}

export interface ReplaySide {
  readonly questions: Questions;
  readonly generation: number;
  startCall(method: string, params: string, settle: (outcome: CallOutcome) => void): boolean;
  dispatch(event: ChannelEvent): void;
  /** Events of this session may have been missed. */
  gap(sid: string, error: RpcError | undefined): void;
  /** Everything that the server showed at the start of this connection is in. */
  caughtUp(): void;
  guarded(work: () => unknown): void;
}

/** Pauses between attempts within one connection, in milliseconds. */
const FIRST_RETRY = 500;
const LONGEST_RETRY = 15_000;
/** A server that never comes to the last page is not followed further. */
const MOST_PAGES = 10_000;
const UNKNOWN_METHOD = -32601;
/** Sessions that are asked about at once: a server refuses what is too much for it, and others want to call meanwhile. */
const AT_ONCE = 16;

export class Replay {
  readonly #options: ReplayOptions;
  readonly #side: ReplaySide;
  /** Highest number of a session's events that was told. */
  #watermarks: Memory<number>;
  readonly #shown = new Map<string, number>();
  /** Sessions whose replay is under way, with the frames that arrived meanwhile. */
  readonly #parked = new Map<string, ChannelEvent[]>();
  readonly #timers = new Set<Stop>();
  /** Sessions that have not been asked about yet on this connection. */
  #waiting: string[] = [];
  /** Sessions about which the server was last asked without a reply. */
  #silent = new Set<string>();
  #epoch: JsonValue | undefined;
  #left = 0;

  constructor(options: ReplayOptions, side: ReplaySide) {
    this.#options = options;
    this.#side = side;
    this.#watermarks = new Memory(options.sessions);
  }

  /** A session is on screen: it is asked about after each reconnect, whether or not it ever told an event. */
  show(sid: string): () => void {
    this.#shown.set(sid, (this.#shown.get(sid) ?? 0) + 1);
    let isShown = true;
    return () => {
      if (!isShown) return;
      isShown = false;
      const count = (this.#shown.get(sid) ?? 1) - 1;
      if (count === 0) this.#shown.delete(sid);
      else this.#shown.set(sid, count);
    };
  }

  /** An epoch that the server named. Another one than before: nothing that was numbered or open then counts. */
  epoch(value: JsonValue | undefined): void {
    if (value === undefined || value === null || value === this.#epoch) return;
    const isFirst = this.#epoch === undefined;
    this.#epoch = value;
    if (isFirst) return;
    this.#watermarks = new Memory(this.#options.sessions);
    this.#side.questions.epochChanged();
  }

  /** The connection is ready, and capabilities are said. */
  start(): void {
    const { resume, events } = this.#options;
    const sids = events ? this.#known : new Set<string>();
    this.#left = sids.size + (resume === undefined ? 0 : 1);
    if (resume !== undefined) this.#resume(resume, FIRST_RETRY);
    for (const sid of sids) this.#parked.set(sid, []);
    // A server that is stuck over some of them must not keep the news of the others away for ever.
    this.#silent = new Set([...sids].filter((sid) => this.#silent.has(sid)));
    this.#waiting = [...[...sids].filter((sid) => !this.#silent.has(sid)), ...this.#silent];
    for (let asked = 0; asked < AT_ONCE; asked += 1) this.#askNext();
    if (this.#left === 0) this.#side.caughtUp();
  }

  /** The connection ended: nothing that it was asked for is waited for any more. */
  stop(): void {
    for (const stop of this.#timers) stop();
    this.#timers.clear();
    this.#waiting = [];
    // Their numbers were not taken as told, so the next connection is told of them again.
    this.#parked.clear();
  }

  /** A live event: told, parked, or a repeat. */
  hear(event: ChannelEvent): void {
    const parked = event.seq === undefined ? undefined : this.#parked.get(event.sid);
    if (parked === undefined) {
      this.#tell(event);
      return;
    }
    parked.push(event);
    if (parked.length <= this.#options.parked) return;
    this.#release(event.sid);
    this.#side.gap(event.sid, undefined);
  }

  /** The reply of a call that shows what is open in a session, asked for by whomever. */
  absorb(method: string, asked: JsonValue | undefined, result: JsonObject, mark: number): void {
    const { questions } = this.#side;
    const listed = questions.deliverAll(result['open_requests']);
    if (!SNAPSHOTS.has(method)) return;
    const sid = result['session_id'] ?? asked;
    // A list that is missing is an empty one: old servers leave it out.
    if (typeof sid === 'string') questions.snapshot(sid, listed, mark);
  }

  get #known(): Set<string> {
    const open = [...this.#side.questions.all].map(({ sessionId }) => sessionId);
    return new Set([...this.#watermarks.keys(), ...this.#shown.keys(), ...open]);
  }

  #askNext(): void {
    const sid = this.#waiting.shift();
    if (sid !== undefined) this.#since(sid, FIRST_RETRY);
  }

  #since(sid: string, pause: number): void {
    const { questions } = this.#side;
    const epoch = typeof this.#epoch === 'string' ? { epoch: this.#epoch } : {};
    const params = { session_id: sid, last_seen: this.#watermarks.get(sid) ?? 0, ...epoch };
    const mark = questions.mark();
    this.#silent.add(sid);
    this.#side.startCall(EVENTS_SINCE, JSON.stringify(params), (outcome) => {
      if (outcome.kind === 'lost') return;
      this.#silent.delete(sid);
      this.#askNext();
      if (outcome.kind === 'error') {
        this.#release(sid);
        this.#side.gap(sid, outcome.error);
        this.#later(outcome.error, pause, () => this.#since(sid, Math.min(pause * 2, LONGEST_RETRY)));
        return;
      }
      const { result } = outcome;
      this.epoch(result['epoch']);
      const events = result['events'];
      for (const one of Array.isArray(events) ? events : []) {
        // Whole frames, or their params alone.
        const event = isJsonObject(one) ? readEvent(one['params'] ?? one) : undefined;
        if (event !== undefined) this.#tell(event.sid === '' ? { ...event, sid } : event);
      }
      this.absorb(EVENTS_SINCE, sid, result, mark);
      this.#release(sid);
      this.#done();
    });
  }

  #resume(options: ResumeOptions, pause: number): void {
    const { method, params = {}, onReply } = options;
    const { questions } = this.#side;
    const mark = questions.mark();
    const listed = new Set<string>();
    const cursors = new Set<string>();
    const ask = (page: JsonObject): void => {
      this.#side.startCall(method, JSON.stringify(page), (outcome) => {
        if (outcome.kind === 'lost') return;
        if (outcome.kind === 'error') {
          this.#later(outcome.error, pause, () => this.#resume(options, Math.min(pause * 2, LONGEST_RETRY)));
          return;
        }
        const { result } = outcome;
        this.epoch(result['epoch']);
        this.#side.guarded(() => onReply?.(result));
        for (const id of questions.deliverAll(result['open_requests'])) listed.add(id);
        const { more } = result;
        if (typeof more === 'string' && !cursors.has(more) && cursors.size < MOST_PAGES) {
          cursors.add(more);
          ask({ ...params, cursor: more });
          return;
        }
        // Only a list that is known to be whole takes cards away.
        if (typeof more !== 'string') questions.snapshot(null, listed, mark);
        this.#done();
      });
    };
    ask(params);
  }

  /** Tries again on this connection, unless the server does not know what it was asked. */
  #later(error: RpcError, pause: number, again: () => void): void {
    if (error.code === UNKNOWN_METHOD) {
      this.#done();
      return;
    }
    const stop = this.#options.timers.after(pause, () => {
      this.#timers.delete(stop);
      again();
    });
    this.#timers.add(stop);
  }

  #done(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#side.caughtUp();
  }

  #release(sid: string): void {
    const parked = this.#parked.get(sid) ?? [];
    this.#parked.delete(sid);
    for (const event of parked) this.#tell(event);
  }

  #tell(event: ChannelEvent): void {
    if (event.seq !== undefined) {
      if (event.seq <= (this.#watermarks.get(event.sid) ?? Number.NEGATIVE_INFINITY)) return;
      this.#watermarks.set(event.sid, event.seq);
    }
    this.#side.dispatch(event);
  }
}

const EVENTS_SINCE = 'session.events.since';
/** Calls whose reply says all that is open in their session. */
const SNAPSHOTS = new Set(['session.resume', 'session.activate', EVENTS_SINCE]);
