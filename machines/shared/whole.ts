const wholes = new WeakSet<object>();

/**
 * Marks a function given to `assign` as one that returns the whole next context, every field of it, and not only what
 * changes: an own copy, or the very context that it was shown. XState merges the two either way, to the same effect;
 * `step` takes a whole one as it is, which is what makes a step of a wide context cheap.
 */
export function whole<Update extends object>(update: Update): Update {
  wholes.add(update);
  return update;
}

export const isWhole = (update: unknown): boolean => typeof update === 'function' && wholes.has(update);
