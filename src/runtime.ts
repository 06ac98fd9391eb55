/** The only holder of the clock, randomness, timers and the log: the seam to the machine we run on. */
import { randomUUID } from 'node:crypto';

export interface Clock {
  /** Milliseconds since 1970. It may jump, also backwards; no order is ever derived from it. */
  now(): number;
}

/** A pino-compatible logger, called as `(message)` or `(object, message)`. */
export interface Logger {
  debug(...args: unknown[]): void;
  info(...args: unknown[]): void;
  warn(...args: unknown[]): void;
  error(...args: unknown[]): void;
}

/** Ends a timer; calling it again does nothing. */
export type Cancel = () => void;

export interface Runtime extends Clock {
  /** A fresh unique id. */
  id(): string;
  /** Calls back once after so many milliseconds. The process stays alive for it, unless it is `quiet`. */
  after(ms: number, callback: () => void, quiet?: 'quiet'): Cancel;
  /** Calls back once, after everything that is already due in this tick. */
  soon(callback: () => void): void;
}

/** The longest delay a timer of the platform can hold. */
const LONGEST = 2_147_483_647;

export const nodeRuntime: Runtime = Object.freeze({
  now: () => Date.now(),
  id: () => randomUUID(),
  after(ms: number, callback: () => void, quiet?: 'quiet'): Cancel {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST));
    if (quiet !== undefined) timer.unref();
    return () => clearTimeout(timer);
  },
  soon: (callback: () => void) => void setImmediate(callback),
});

/** Warnings and errors go to the console: a loss that nobody configured a log for is still said. */
export const consoleLogger: Logger = Object.freeze({
  debug: () => undefined,
  info: () => undefined,
  warn: (...args: unknown[]) => console.warn(...args),
  error: (...args: unknown[]) => console.error(...args),
});
