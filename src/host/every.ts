import { type Cancel, nodeRuntime } from '../runtime.ts';

/** Calls back again and again, so many milliseconds apart, without keeping the process alive. Returns the way to stop it. */
export function every(ms: number, callback: () => void): Cancel {
  let stopped = false;
  let cancel: Cancel = () => undefined;
  const arm = () => {
    if (stopped) return;
    cancel = nodeRuntime.after(
      ms,
      () => {
        callback();
        arm();
      },
      'quiet',
    );
  };
  arm();
  return () => {
    stopped = true;
    cancel();
  };
}
