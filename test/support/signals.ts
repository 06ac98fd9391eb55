import { getEventListeners } from 'node:events';
import { vi } from 'vitest';

/** Notes every signal that is listened to from now on. The call that it returns ends that: how many still listen to one. */
export function watchSignals(): () => number {
  const spy = vi.spyOn(EventTarget.prototype, 'addEventListener');
  return () => {
    const signals = new Set(spy.mock.contexts.filter((one) => one instanceof AbortSignal));
    spy.mockRestore();
    return Math.max(...[...signals].map((signal) => getEventListeners(signal, 'abort').length));
  };
}
