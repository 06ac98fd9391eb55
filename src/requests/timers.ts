/** Timers of any length: the platform rings at once for what is longer than 2³¹−1 ms. */
import type { Cancel, Runtime } from '../runtime.ts';

const LONGEST = 2_147_483_647;

/** Calls back once after so many milliseconds, however many those are. */
export function afterLong(runtime: Runtime, ms: number, callback: () => void): Cancel {
  if (ms <= LONGEST) return runtime.after(ms, callback);
  let left = ms;
  let cancel: Cancel = () => undefined;
  const arm = (): void => {
    const slice = Math.min(left, LONGEST);
    cancel = runtime.after(slice, () => {
      left -= slice;
      if (left > 0) arm();
      else callback();
    });
  };
  arm();
  return () => cancel();
}
