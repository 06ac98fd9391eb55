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
  #heard = 0;
  #stop: Stop | undefined;

  constructor(options: HeartbeatOptions, timers: Timers, ping: () => void, dead: () => void) {
    this.#options = options;
    this.#timers = timers;
    this.#ping = ping;
    this.#dead = dead;
  }

  start(): void {
    this.#heard = this.#timers.now();
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
    const left = this.#heard + deadlineMs - this.#timers.now();
    this.#stop = this.#timers.after(Math.max(0, Math.min(everyMs, left)), () => {
      if (this.#timers.now() - this.#heard >= deadlineMs) {
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
