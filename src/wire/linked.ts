/**
 * A client and a server in one process, joined by lines whose two directions are moved by hand: what is written waits
 * until it is flushed, and may be dropped, doubled or cut on the way. Every race of a wire can be played slowly here.
 */
import type { Peer } from '../requests/api.ts';
import type { Connect, TransportHandlers } from './connection.ts';
import type { JsonObject, RpcFrame } from './json.ts';
import { eventFrame, parseFrame } from './jsonrpc.ts';

/** `up`: from the client to the server. */
export type Direction = 'up' | 'down';
/** Who learns at once that a line was cut; the others find out when they write, or when they are told. */
export type Side = 'client' | 'server' | 'both';

export interface LinkedOptions {
  /** A client opened a line. What it returns is called when the server learns that the line ended. */
  accept(line: Line): (() => void) | undefined;
  /** A frame that reached the server. */
  onFrame(frame: JsonObject, line: Line): void;
  /** Whether the server greets with `gateway.ready`. Default true. */
  readonly greets?: boolean | undefined;
  /** Payload of the greeting. */
  readonly greeting?: (() => JsonObject) | undefined;
  readonly kind?: Peer['kind'] | undefined;
  readonly author?: Peer['author'];
}

/** One line, from its opening until both ends know that it is gone. */
export class Line {
  readonly number: number;
  /** The server's hold on the client. */
  readonly peer: Peer;
  readonly #handlers: TransportHandlers;
  readonly #options: LinkedOptions;
  readonly #queues: Record<Direction, string[]> = { up: [], down: [] };
  readonly #ends = { client: true, server: true };
  #gone: (() => void) | undefined;

  constructor(number: number, handlers: TransportHandlers, options: LinkedOptions) {
    this.number = number;
    this.#handlers = handlers;
    this.#options = options;
    const line = this;
    this.peer = {
      kind: options.kind ?? 'websocket',
      author: options.author,
      get closed() {
        return !line.#ends.server;
      },
      send: (frame: RpcFrame) => line.#write('down', JSON.stringify(frame)),
    };
    this.#gone = options.accept(this);
    if (options.greets !== false) this.peer.send(eventFrame('gateway.ready', '', options.greeting?.() ?? {}));
  }

  /** Frames that wait in one direction. */
  waiting(direction: Direction): number {
    return this.#queues[direction].length;
  }

  /** The frames themselves, for a test that looks at them. */
  peek(direction: Direction): readonly JsonObject[] {
    return this.#queues[direction].map((text) => parseFrame(text) ?? {});
  }

  get isOpen(): boolean {
    return this.#ends.client && this.#ends.server;
  }

  /** For the client's transport. */
  write(text: string): boolean {
    return this.#write('up', text);
  }

  /** Moves up to `count` frames, those included that are written meanwhile. Returns how many. */
  flush(direction: Direction, count = 10_000): number {
    for (let moved = 0; moved < count; moved += 1) {
      const text = this.#queues[direction].shift();
      if (text === undefined) return moved;
      if (direction === 'down') {
        if (this.#ends.client) this.#handlers.message(text);
      } else {
        const frame = parseFrame(text);
        // What was under way when the client went may still arrive.
        if (frame !== undefined && this.#ends.server) this.#options.onFrame(frame, this);
      }
    }
    return count;
  }

  /** Loses the frames that wait first in one direction. */
  drop(direction: Direction, count = 1): void {
    this.#queues[direction].splice(0, count);
  }

  /** The frame that waits first arrives twice. */
  duplicate(direction: Direction): void {
    const [first] = this.#queues[direction];
    if (first !== undefined) this.#queues[direction].unshift(first);
  }

  /**
   * Cuts the line. `notice` says who learns of it now; `keep` names a direction whose frames still arrive when flushed,
   * as those do that were in the network already.
   */
  cut({ notice = 'both', keep }: { notice?: Side; keep?: Direction } = {}): void {
    if (keep !== 'up') this.#queues.up = [];
    if (keep !== 'down') this.#queues.down = [];
    if (notice !== 'server') this.#endClient('cut');
    if (notice !== 'client') this.#endServer();
  }

  /** The client closes its end. */
  hangUp(): void {
    this.#ends.client = false;
  }

  #write(direction: Direction, text: string): boolean {
    if (!this.#ends[direction === 'up' ? 'client' : 'server']) return false;
    // The other end is gone, and this one does not know it yet: the frame leaves, and arrives nowhere.
    if (this.#ends[direction === 'up' ? 'server' : 'client']) this.#queues[direction].push(text);
    return true;
  }

  #endClient(why: string): void {
    if (!this.#ends.client) return;
    this.#ends.client = false;
    this.#handlers.closed(why);
  }

  #endServer(): void {
    if (!this.#ends.server) return;
    this.#ends.server = false;
    this.#gone?.();
    this.#gone = undefined;
  }
}

export interface Linked {
  readonly connect: Connect;
  /** Every line that was opened, the oldest first. */
  readonly lines: readonly Line[];
  /** The line opened last. Throws when there is none. */
  readonly line: Line;
  /** Attempts to connect fail while this is false. */
  isUp: boolean;
  /** Moves everything in both directions until nothing waits, on every line. */
  settle(): void;
}

/** Lines between clients of this process and one server. */
export function linked(options: LinkedOptions): Linked {
  const lines: Line[] = [];
  return {
    isUp: true,
    lines,
    get line() {
      const last = lines.at(-1);
      if (last === undefined) throw new Error('no line was opened');
      return last;
    },
    connect(handlers) {
      if (!this.isUp) throw new Error('the server cannot be reached');
      const line = new Line(lines.length + 1, handlers, options);
      lines.push(line);
      return { send: (text) => line.write(text), close: () => line.hangUp() };
    },
    settle() {
      let moved = 1;
      for (let round = 0; moved > 0; round += 1) {
        if (round > 10_000) throw new Error('frames that answer each other never come to an end');
        moved = 0;
        for (const line of lines) moved += line.flush('up') + line.flush('down');
      }
    },
  };
}
