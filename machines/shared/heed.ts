/** What a host's callback answered, where the word was due at once. */

/** A host callback that answers with a promise is heard too: one that rejects must not end the process. True for one. */
export function heed(answer: unknown, failed: (error: unknown) => void): boolean {
  const isPromise =
    typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function';
  if (isPromise) Promise.resolve(answer as PromiseLike<unknown>).catch((error) => tell(failed, error));
  return isPromise;
}

/** Calls what belongs to somebody else; what that throws, now or later, is handed on and harms nobody. */
export function attempt(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    heed(work(), failed);
  } catch (error) {
    tell(failed, error);
  }
}

/** Not everything that is thrown can be put into words: an object without a prototype is no text. */
function tell(failed: (error: unknown) => void, error: unknown): void {
  try {
    failed(error);
  } catch {
    // There is nobody left to tell.
  }
}
