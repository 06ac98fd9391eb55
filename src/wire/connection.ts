/** One socket after the other: generations, and the pauses between them. */
import type { JsonObject } from './json.ts';
import { parseFrame } from './jsonrpc.ts';
import type { Stop, Timers } from './platform.ts';

/** One line to the server, as `connect` makes it. */
export interface Transport {
  /** Writes one text frame. False, or a throw: it did not leave. */
  send(text: string): boolean;
  /** Ends it; `closed` of the handlers may be called, or not. */
  close(why?: string): void;
}

export interface TransportHandlers {
  /** It can carry frames. */
  open(): void;
  /** One frame; whatever is no text is ignored. */
  message(data: unknown): void;
  /** It carries nothing any more. */
  closed(why?: string): void;
}

export type Connect = (handlers: TransportHandlers) => Transport;

export interface ReconnectOptions {
  /** First pause in milliseconds; it doubles with each failure. Default 250. */
  readonly firstMs?: number | undefined;
  /** Default 10 000. */
  readonly longestMs?: number | undefined;
}

export interface ConnectionOptions {
  readonly connect: Connect;
  readonly timers: Timers;
  readonly reconnect: ReconnectOptions | false;
  /** Milliseconds in which a socket must have become ready. */
  readonly patienceMs: number;
  readonly frameBytes: number;
}

export interface ConnectionEvents {
  opened(): void;
  frame(frame: JsonObject): void;
  /** Called once for each generation that began. */
  lost(why: string): void;
  moved(): void;
}

/** `connecting`: the first attempt, or one after a loss. `lost`: a pause before the next attempt. */
export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'lost' | 'closed';

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  #transport: Transport | undefined;
  #state: ConnectionState = 'idle';
  #generation = 0;
  #failures = 0;
  #timer: Stop | undefined;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Number of the current connection, or of the last one; 0 before the first. */
  get generation(): number {
    return this.#generation;
  }

  /** Attempts that failed since the last connection that became ready. */
  get failures(): number {
    return this.#failures;
  }

  open(): void {
    if (this.#state === 'connecting' || this.#state === 'ready' || this.#state === 'closed') return;
    this.#timer?.();
    this.#generation += 1;
    const generation = this.#generation;
    this.#move('connecting');
    // Whatever a former socket still says is not heard.
    const isCurrent = (): boolean => generation === this.#generation && this.#isUp;
    // Whoever heard of the attempt may have closed the channel.
    if (!isCurrent()) return;
    this.#timer = this.#options.timers.after(this.#options.patienceMs, () => {
      if (isCurrent() && this.#state !== 'ready') this.drop('it did not become ready in time');
    });
    try {
      const transport = this.#options.connect({
        open: () => {
          if (isCurrent()) this.#events.opened();
        },
        message: (data) => {
          if (!isCurrent()) return;
          const frame = parseFrame(data, this.#options.frameBytes);
          if (frame !== undefined) this.#events.frame(frame);
        },
        closed: (why) => {
          if (isCurrent()) this.drop(why ?? 'it was closed');
        },
      });
      if (isCurrent()) this.#transport = transport;
      else transport.close();
    } catch (error) {
      if (isCurrent()) this.drop(error instanceof Error ? error.message : 'it could not be opened');
    }
  }

  /** The server greeted us: what is sent now is read. False: that is known already. `moved` is left to the caller. */
  ready(): boolean {
    if (this.#state !== 'connecting') return false;
    this.#failures = 0;
    this.#state = 'ready';
    return true;
  }

  /** False: it did not leave, and the connection is given up. */
  send(text: string): boolean {
    const transport = this.#transport;
    if (transport === undefined) return false;
    try {
      if (transport.send(text)) return true;
      if (transport === this.#transport) this.drop('a frame could not be sent');
    } catch (error) {
      if (transport === this.#transport)
        this.drop(error instanceof Error ? error.message : 'a frame could not be sent');
    }
    return false;
  }

  /** Ends this connection; the next one is opened after a pause. */
  drop(why: string): void {
    if (!this.#isUp) return;
    const transport = this.#transport;
    this.#transport = undefined;
    this.#timer?.();
    this.#failures += 1;
    this.#state = 'lost';
    try {
      transport?.close(why);
    } catch {
      // It is gone either way.
    }
    this.#events.lost(why);
    // Whoever heard of the loss may have closed the channel, or hurried.
    if (this.#state !== 'lost') return;
    this.#plan();
    this.#events.moved();
  }

  /** Tries now instead of at the end of the pause. */
  hurry(): void {
    if (this.#state === 'lost') this.open();
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#timer?.();
    const wasUp = this.#isUp;
    const transport = this.#transport;
    this.#transport = undefined;
    this.#state = 'closed';
    try {
      transport?.close('the channel was closed');
    } catch {
      // It is gone either way.
    }
    if (wasUp) this.#events.lost('the channel was closed');
    this.#events.moved();
  }

  get #isUp(): boolean {
    return this.#state === 'connecting' || this.#state === 'ready';
  }

  #plan(): void {
    const { reconnect, timers } = this.#options;
    if (reconnect === false) return;
    const { firstMs = 250, longestMs = 10_000 } = reconnect;
    const pause = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failures - 1, 30));
    // Spread, so that many windows do not come back in one instant.
    this.#timer = timers.after(pause * (0.75 + timers.random() / 2), () => this.hurry());
  }

  #move(state: ConnectionState): void {
    this.#state = state;
    this.#events.moved();
  }
}
