import type { IdleLedger } from '../../src/idle.ts';

/** A ledger whose count a test sets. It notes in `reads` that it was read. */
export interface HandLedger extends IdleLedger {
  says: unknown;
  reads: number;
}

/** It says 0 until it is told otherwise; `undefined` is something to say too. */
export function ledger(name: string, probe: 'turn' | 'input', ...says: readonly [unknown?]): HandLedger {
  return {
    name,
    probe,
    says: says.length === 0 ? 0 : says[0],
    reads: 0,
    read() {
      this.reads += 1;
      return (typeof this.says === 'function' ? this.says() : this.says) as number;
    },
  };
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

export const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A clock that a test turns; it never turns by itself. */
export class HandRuntime {
  #now = 1_000;
  #timers = new Map<() => void, number>();

  now = (): number => this.#now;
  id = (): string => 'id';
  soon = (callback: () => void): void => queueMicrotask(callback);

  after = (ms: number, callback: () => void): (() => void) => {
    this.#timers.set(callback, this.#now + ms);
    return () => this.#timers.delete(callback);
  };

  get armed(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const [callback, due] of [...this.#timers]) {
      if (due > this.#now || !this.#timers.delete(callback)) continue;
      callback();
    }
  }
}

/** Lets everything run that is due in this tick. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
