/** What the host and its tools throw stays where it was thrown. */

/** What `job` gives, or what `onError` makes of what it throws. */
export function attempt<Value>(job: () => Value, onError: (error: unknown) => Value): Value {
  try {
    return job();
  } catch (error) {
    return onError(error);
  }
}

/** Calls at once; what is thrown then, or comes as a rejection later, is for `onError`. */
export async function heed(call: () => unknown, onError: (error: unknown) => void): Promise<void> {
  try {
    await call();
  } catch (error) {
    onError(error);
  }
}
