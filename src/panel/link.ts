import { type Calls, type Frame, Refused, readFrame, type Told, toldBy, Unsure } from './wire.ts';

/** Milliseconds. A reply that takes longer is given up: the socket is closed and opened afresh. */
const PATIENCE = 15_000;
const FIRST_RETRY = 250;
const LONGEST_RETRY = 10_000;

export interface LinkState {
  readonly state: 'connecting' | 'open' | 'lost';
  /** Attempts that failed since the last open socket. */
  readonly failures: number;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: number;
}

/** The page's socket: opens it again after each loss, and settles every call that was under way. */
export class Link {
  readonly #url: string;
  readonly #window: string;
  readonly #told: (told: Told) => void;
  readonly #moved: (state: LinkState) => void;
  readonly #waiting = new Map<number, Waiting>();
  #socket: WebSocket | undefined;
  #retry: number | undefined;
  #next = 1;
  #failures = 0;

  constructor(url: string, windowId: string, told: (told: Told) => void, moved: (state: LinkState) => void) {
    this.#url = url;
    this.#window = windowId;
    this.#told = told;
    this.#moved = moved;
  }

  open(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#socket !== undefined) return;
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener('message', (event) => {
      if (this.#socket === socket) this.#frame(readFrame(event.data));
    });
    socket.addEventListener('close', () => this.#lost(socket));
    socket.addEventListener('open', () => {
      void this.call('hello', { window: this.#window }).catch(() => socket.close());
    });
  }

  /** Tries now instead of at the end of the pause. */
  hurry(): void {
    if (this.#socket === undefined) this.open();
  }

  /** Rejects with `Refused` when the host said no, and with `Unsure` when it said nothing. */
  call<M extends keyof Calls>(method: M, params: object): Promise<Calls[M]['result']> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== WebSocket.OPEN)
      return Promise.reject(new Unsure('not connected'));
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => {
        // A socket that swallows a request is as good as dead; closing it settles this call too.
        socket.close();
        this.#lost(socket);
      }, PATIENCE);
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, timer });
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  #frame(frame: Frame | undefined): void {
    if (frame === undefined) return;
    const told = toldBy(frame);
    if (told !== undefined) {
      // The list of asks is the first frame of a good socket.
      if (told.method === 'asks') {
        this.#failures = 0;
        this.#told(told);
        this.#moved({ state: 'open', failures: 0 });
      } else {
        this.#told(told);
      }
      return;
    }
    const waiting = typeof frame.id === 'number' ? this.#waiting.get(frame.id) : undefined;
    if (waiting === undefined || typeof frame.id !== 'number') return;
    this.#waiting.delete(frame.id);
    clearTimeout(waiting.timer);
    if (frame.error === undefined) waiting.resolve(frame.result);
    else waiting.reject(new Refused(String(frame.error.message ?? 'The host refused this.')));
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(new Unsure('the connection ended'));
    }
    this.#waiting.clear();
    this.#failures += 1;
    const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (this.#failures - 1));
    // Spread, so that many windows do not come back in one instant.
    this.#retry = window.setTimeout(() => this.open(), pause * (0.75 + Math.random() / 2));
    this.#moved({ state: 'lost', failures: this.#failures });
  }
}
