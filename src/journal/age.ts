/** The journal's own clock for ages: a clock of the machine that is set back adds nothing and takes nothing away. */
import type { Clock } from '../runtime.ts';

export class Age {
  readonly #clock: Clock;
  #wall: number;
  #steady: number;

  /** It never stands before `latest`, the age of the newest row on file. */
  constructor(clock: Clock, latest: number) {
    this.#clock = clock;
    this.#wall = clock.now();
    this.#steady = Math.max(this.#wall, latest);
  }

  /** Milliseconds that have certainly passed. */
  steady(now = this.#clock.now()): number {
    if (now > this.#wall) this.#steady += now - this.#wall;
    this.#wall = now;
    return this.#steady;
  }
}
