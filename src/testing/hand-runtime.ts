/** A runtime in the test's hand: time moves, timers ring and ticks end only when the test says so. */
import { type Cancel, nodeRuntime, type Runtime } from '../runtime.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** More rounds than any honest work takes: whoever needs them goes round in circles. */
const ROUNDS = 10_000;

export interface HandRuntimeOptions {
  /** Milliseconds since 1970 at the start. */
  readonly now?: number | undefined;
  /** Equal seeds give equal ids. */
  readonly seed?: number | undefined;
}

/**
 * Clock, ids, timers and end of tick, all by hand.
 *
 * The wall clock may be set back with `jump`; timers count the time that was advanced and never notice. Ids are
 * shaped like UUIDs and depend on the seed alone.
 */
export class HandRuntime implements Runtime {
  readonly #timers = new Set<Timer>();
  #queue: (() => void)[] = [];
  #elapsed = 0;
  #wall: number;
  #order = 0;
  #seed: number;

  constructor({ now = 1_700_000_000_000, seed = 1 }: HandRuntimeOptions = {}) {
    this.#wall = now;
    this.#seed = seed >>> 0;
  }

  now(): number {
    return this.#wall + this.#elapsed;
  }

  id(): string {
    const digits = Array.from({ length: 4 }, () => this.#next().toString(16).padStart(8, '0')).join('');
    return [0, 8, 12, 16, 20].map((from, i) => digits.slice(from, [8, 12, 16, 20, 32][i])).join('-');
  }

  /** One step of a generator that is small and the same everywhere (mulberry32). */
  #next(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) >>> 0;
    let mixed = this.#seed;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  after(ms: number, callback: () => void): Cancel {
    const timer = { due: this.#elapsed + Math.max(ms, 0), order: ++this.#order, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  soon(callback: () => void): void {
    this.#queue.push(callback);
  }

  /** Sets the wall clock forward or, with a negative number, back. No timer notices. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Lets time pass and rings each timer at its own moment, in order. The ends of ticks are left to the test. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    for (let round = 0; ; round++) {
      const next = this.#earliest(until);
      if (next === undefined) break;
      if (round > ROUNDS) throw new Error('timers that set each other never come to an end');
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.due);
      next.callback();
    }
    this.#elapsed = until;
  }

  #earliest(until: number): Timer | undefined {
    let found: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due > until) continue;
      if (found === undefined || timer.due < found.due || (timer.due === found.due && timer.order < found.order)) {
        found = timer;
      }
    }
    return found;
  }

  /** Timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Callbacks that wait for the end of this tick. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Ends one tick: runs what waits for that, but not what is put off meanwhile. */
  tick(): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const callback of queue) callback();
  }

  /** Lets promises go on, without ending a tick. */
  breathe(): Promise<void> {
    return new Promise((resolve) => nodeRuntime.soon(resolve));
  }

  /** Ends ticks and lets promises go on until nothing is left to do but to wait for time. */
  async settle(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await this.breathe();
      if (this.#queue.length === 0) return;
      this.tick();
    }
    throw new Error('work that never comes to an end');
  }

  /** Lets time pass in small steps, with everything done that falls due on the way. */
  async pass(ms: number, stride = ms): Promise<void> {
    for (let left = ms; left > 0; left -= stride) {
      this.advance(Math.min(left, stride));
      await this.settle();
    }
  }
}

/** A runtime whose clock, timers and ticks the test moves. */
export function handRuntime(options?: HandRuntimeOptions): HandRuntime {
  return new HandRuntime(options);
}
