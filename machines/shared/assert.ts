/** Throws when a fact that the code relies on does not hold; the message says which fact. */
export function assert(fact: unknown, message: string): asserts fact {
  if (!fact) throw new Error(`assertion failed: ${message}`);
}

/** Makes the compiler prove that a switch is complete; throws when a value got past the types. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}
