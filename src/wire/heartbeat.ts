/** Says when a connection is dead though nobody closed it. */
import type { Stop, Timers } from './platform.ts';

export interface HeartbeatOptions {
  /** Milliseconds between two pings. */
  readonly everyMs: number;
  /** Milliseconds without a sign of life after which the connection is dropped. Longer than `everyMs`. */
  readonly deadlineMs: number;
  /** `any`: whatever arrives is a sign of life. `response`: only replies and pongs are. */
  readonly mode?: 'any' | 'response' | undefined;
}

/** Pings, and calls `dead` once when no sign of life came for the deadline. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timers: Timers;
  readonly #ping: () => void;
  readonly #dead: () => void;
  /** Milliseconds without a sign of life, as of when the timer was set. */
  #silence = 0;
  /** The latest sign of life since then. */
  #heard: number | undefined;
  #stop: Stop | undefined;

  constructor(options: HeartbeatOptions, timers: Timers, ping: () => void, dead: () => void) {
    this.#options = options;
    this.#timers = timers;
    this.#ping = ping;
    this.#dead = dead;
  }

  start(): void {
    this.#silence = 0;
    this.#heard = undefined;
    this.#arm();
  }

  /** Something arrived. */
  heard(what: 'frame' | 'response'): void {
    if (what === 'response' || this.#options.mode !== 'response') this.#heard = this.#timers.now();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #arm(): void {
    const { everyMs, deadlineMs } = this.#options;
    const pause = Math.max(0, Math.min(everyMs, deadlineMs - this.#silence));
    this.#stop = this.#timers.after(pause, () => {
      // Only the timer says how long it took: a clock that was set, and a process that slept, are no silence.
      const heard = this.#heard;
      this.#heard = undefined;
      if (heard === undefined) this.#silence += pause;
      else this.#silence = Math.max(0, Math.min(pause, this.#timers.now() - heard));
      if (this.#silence >= deadlineMs) {
        this.stop();
        this.#dead();
        return;
      }
      // Armed first: a ping that fails may stop this very heartbeat.
      this.#arm();
      this.#ping();
    });
  }
}
