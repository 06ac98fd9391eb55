/** One signal for whichever of several comes first, for calls that end long before some of them do. */

export interface Joined {
  readonly signal: AbortSignal;
  /** Lets go of all of them; the signal does not abort any more. */
  release(): void;
}

/**
 * Aborts with the first of these that does, and with its reason. `AbortSignal.any` does the same, and on Node 20 a signal
 * that lives on keeps something of each call for ever: this keeps nothing once it is released.
 */
export function joinSignals(...signals: readonly AbortSignal[]): Joined {
  const joined = new AbortController();
  const release = (): void => {
    for (const one of signals) one.removeEventListener('abort', abort);
  };
  function abort(): void {
    release();
    joined.abort(signals.find(({ aborted }) => aborted)?.reason);
  }
  for (const one of signals) one.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  return { signal: joined.signal, release };
}
