/** Callers that wait for a person, and the heartbeat that says so. */
import type { Cancel, Runtime } from '../runtime.ts';
import type { ApprovalVerdict } from './approval-types.ts';
import type { Log } from './log.ts';

const HEARTBEAT_MS = 10_000;

/** Causes that a caller's signal may name. Anything else it carries is text, and text is not trusted. */
const CAUSES = new Set(['interrupted', 'shutdown', 'session_closed', 'timeout']);

export function causeOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return typeof reason === 'string' && CAUSES.has(reason) ? reason : 'interrupted';
}

/** One caller. It reads its verdict in a later step, and an interrupt that comes before that still counts. */
export class Wait {
  readonly signal: AbortSignal | undefined;
  readonly woken: Promise<void>;
  /** A verdict of its own, when only this caller leaves. */
  own: ApprovalVerdict | undefined;
  #wake!: () => void;
  #fail!: (error: unknown) => void;
  readonly #off: () => void;

  constructor(signal: AbortSignal | undefined, aborted: (wait: Wait) => void) {
    this.signal = signal;
    this.woken = new Promise<void>((resolve, reject) => {
      this.#wake = resolve;
      this.#fail = reject;
    });
    const listener = (): void => aborted(this);
    signal?.addEventListener('abort', listener);
    this.#off = () => signal?.removeEventListener('abort', listener);
  }

  wake(): void {
    this.#wake();
  }

  fail(error: unknown): void {
    this.#fail(error);
  }

  /** Lets go of the signal. */
  end(): void {
    this.#off();
  }
}

/** Beats for each key for which somebody waits. */
export class Heartbeats {
  readonly #runtime: Runtime;
  readonly #beat: ((key: string) => void) | undefined;
  readonly #log: Log;
  readonly #keys = new Map<string, { waiting: number; stop: Cancel }>();

  constructor(runtime: Runtime, beat: ((key: string) => void) | undefined, log: Log) {
    this.#runtime = runtime;
    this.#beat = beat;
    this.#log = log;
  }

  begin(key: string): void {
    if (this.#beat === undefined) return;
    const here = this.#keys.get(key);
    if (here !== undefined) here.waiting += 1;
    else {
      const stop: Cancel = () => undefined;
      const entry = { waiting: 1, stop };
      this.#keys.set(key, entry);
      this.#arm(key, entry);
    }
  }

  #arm(key: string, entry: { stop: Cancel }): void {
    const ring = (): void => {
      this.#arm(key, entry);
      this.#log.guard('the heartbeat', () => this.#beat?.(key));
    };
    entry.stop = this.#runtime.after(HEARTBEAT_MS, ring, 'quiet');
  }

  end(key: string): void {
    const here = this.#keys.get(key);
    if (here === undefined) return;
    here.waiting -= 1;
    if (here.waiting > 0) return;
    here.stop();
    this.#keys.delete(key);
  }
}
