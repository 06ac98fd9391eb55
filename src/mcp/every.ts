import type { Cancel, Runtime } from '../runtime.ts';

/** Calls `tick` again and again, each time so many milliseconds after the time before, until it is cancelled. */
export function every(runtime: Runtime, ms: number, tick: () => void): Cancel {
  let cancel = runtime.after(ms, next);
  function next(): void {
    tick();
    cancel = runtime.after(ms, next);
  }
  return () => cancel();
}
