import { isDeepStrictEqual } from 'node:util';

/** Throws, with both sides, when the facade is not where its chart is. */
export function same(step: string, what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(
    `${step}: ${what} differs\n  chart:  ${JSON.stringify(expected)}\n  facade: ${JSON.stringify(found)}`,
  );
}
