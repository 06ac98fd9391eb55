import type { HandRuntime } from '../../src/testing/index.ts';

/** Lets a promise come to its end, and fails if it does not. */
export async function ended<T>(hand: HandRuntime, result: T | Promise<T>): Promise<T> {
  let end: { value: T } | undefined;
  void Promise.resolve(result).then((value) => {
    end = { value };
  });
  for (let round = 0; end === undefined && round < 2; round++) {
    await hand.settle();
    if (end === undefined) hand.advance(50);
    await hand.settle();
  }
  if (end === undefined) throw new Error('it never ended');
  return end.value;
}
