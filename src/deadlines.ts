/** Absolute times at which something must be said to be over. One timer, for the earliest. */
import type { Cancel, Runtime } from './runtime.ts';

export class Deadlines {
  readonly #runtime: Runtime;
  readonly #due: (name: string) => void;
  readonly #times = new Map<string, number>();
  #timer: Cancel | undefined;

  /** `due` is called with the name of each deadline that has passed. */
  constructor(runtime: Runtime, due: (name: string) => void) {
    this.#runtime = runtime;
    this.#due = due;
  }

  /** `at` in milliseconds since 1970. */
  set(name: string, at: number): void {
    this.#times.set(name, at);
    this.#arm();
  }

  clear(name: string): void {
    if (this.#times.delete(name) && this.#times.size === 0) this.stop();
  }

  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #arm(): void {
    this.stop();
    let earliest = Number.POSITIVE_INFINITY;
    for (const at of this.#times.values()) earliest = Math.min(earliest, at);
    if (earliest === Number.POSITIVE_INFINITY) return;
    // A clock that jumps is noticed within a minute, whichever way it jumped.
    const wait = Math.min(Math.max(earliest - this.#runtime.now(), 0), 60_000);
    this.#timer = this.#runtime.after(wait, () => this.#fire(), 'quiet');
  }

  #fire(): void {
    const now = this.#runtime.now();
    for (const [name, at] of [...this.#times]) {
      if (at > now) continue;
      this.#times.delete(name);
      this.#due(name);
    }
    this.#arm();
  }
}
