/** Absolute times at which something must be said to be over. One timer, for the earliest. */
import type { Cancel, Runtime } from './runtime.ts';

export class Deadlines {
  readonly #runtime: Runtime;
  readonly #due: (name: string) => void;
  readonly #times = new Map<string, number>();
  #timer: Cancel | undefined;
  /** What the timer is set for. */
  #earliest = Number.POSITIVE_INFINITY;

  /** `due` is called with the name of each deadline that has passed. */
  constructor(runtime: Runtime, due: (name: string) => void) {
    this.#runtime = runtime;
    this.#due = due;
  }

  /** `at` in milliseconds since 1970. */
  set(name: string, at: number): void {
    this.#times.set(name, at);
    if (at < this.#earliest) this.#arm(at);
  }

  clear(name: string): void {
    // The timer stays: it fires for nothing, once, which costs less than looking for the next.
    if (this.#times.delete(name) && this.#times.size === 0) this.stop();
  }

  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#earliest = Number.POSITIVE_INFINITY;
  }

  #arm(earliest: number): void {
    this.stop();
    if (earliest === Number.POSITIVE_INFINITY) return;
    this.#earliest = earliest;
    // A clock that jumps is noticed within a minute, whichever way it jumped.
    const wait = Math.min(Math.max(earliest - this.#runtime.now(), 0), 60_000);
    this.#timer = this.#runtime.after(wait, () => this.#fire(), 'quiet');
  }

  #fire(): void {
    this.#earliest = Number.POSITIVE_INFINITY;
    const now = this.#runtime.now();
    const due: string[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [name, at] of this.#times) {
      if (at <= now) due.push(name);
      else next = Math.min(next, at);
    }
    for (const name of due) this.#times.delete(name);
    this.#arm(next);
    for (const name of due) this.#due(name);
  }
}
