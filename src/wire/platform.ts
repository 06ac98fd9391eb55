/** Clock, timers and chance of whatever runs a client, a browser included: the seam for tests. */

/** Ends a timer; calling it again does nothing. */
export type Stop = () => void;

export interface Timers {
  /** Milliseconds; only differences are used. */
  now(): number;
  after(ms: number, callback: () => void): Stop;
  /** From 0 up to, and not including, 1. Spreads reconnects. */
  random(): number;
}

/** The longest delay that a timer of the platform can hold. */
const LONGEST = 2_147_483_647;

export const platformTimers: Timers = Object.freeze({
  now: () => performance.now(),
  after(ms: number, callback: () => void): Stop {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
});
