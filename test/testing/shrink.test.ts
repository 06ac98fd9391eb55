/** Sequences as data: what broke is told in the fewest steps that break it, in bounded time. */
import { describe, expect, it } from 'vitest';
import { CONFORM } from '../../src/limits.ts';
import { follow, type Shorter, shortenOf, type Walk } from '../../src/testing/shrink.ts';

const never = new AbortController().signal;

/** Shows the sum of what was added; `broken` shows something else. */
const sums =
  (
    broken: (steps: readonly number[], sum: number) => number | Promise<number> = (_, sum) => sum,
  ): Walk<number, number> =>
  async (steps, look) => {
    for (let at = 1; at <= steps.length; at += 1) {
      const taken = steps.slice(0, at);
      const sum = taken.reduce((a, b) => a + b, 0);
      look(await broken(taken, sum));
    }
  };

async function failure(tried: Walk<number, number>, steps: readonly number[], nearer?: (step: number) => number) {
  const seen: number[] = [];
  await sums()(steps, (sum) => seen.push(sum));
  const walks = { tried, reference: sums(), ...(nearer === undefined ? {} : { nearer }) };
  return follow(walks, { steps, seen }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function shorter(
  tried: Walk<number, number>,
  steps: readonly number[],
  { signal = never, nearer }: { signal?: AbortSignal; nearer?: (step: number) => number } = {},
): Promise<Shorter | undefined> {
  return shortenOf(await failure(tried, steps, nearer))?.(signal);
}

describe('a path', () => {
  it('that shows what is wanted is followed, and one that does not fails at its step', async () => {
    expect(await failure(sums(), [1, 2, 3])).toBeUndefined();
    const off = await failure(
      sums((steps, sum) => (steps.length === 2 ? sum + 1 : sum)),
      [1, 2, 3],
    );
    expect(off).toMatchObject({ message: 'after step 2 of 3: expected 4 to equal 3' });
  });

  it('is told in the steps that are needed, up to the one that shows it', async () => {
    const needs = (steps: readonly number[], sum: number): number =>
      steps.includes(4) && steps.at(-1) === 7 ? -1 : sum;
    expect(await shorter(sums(needs), [1, 4, 2, 4, 3, 7, 5])).toEqual({
      message: 'after step 2 of 2: expected -1 to equal 11',
      steps: ['4', '7'],
    });
  });

  it('is told in the steps before something was thrown', async () => {
    const throws = (steps: readonly number[], sum: number): number => {
      if (steps.at(-1) === 7) throw new Error('no seven');
      return sum;
    };
    expect(await shorter(sums(throws), [1, 2, 7, 3])).toEqual({ message: 'no seven', steps: ['7'] });
  });

  it('is not told in steps that show something else sooner: that may be another defect', async () => {
    const both = (steps: readonly number[], sum: number): number => {
      if (steps.at(-1) === 7) return -1;
      return steps[0] === 2 ? -2 : sum;
    };
    expect(await shorter(sums(both), [1, 2, 3, 7])).toEqual({
      message: 'after step 1 of 1: expected -1 to equal 7',
      steps: ['7'],
    });
    const kept = (steps: readonly number[], sum: number): number => {
      if (steps.at(-1) === 7) return steps.includes(2) ? -1 : sum;
      return steps[0] === 2 ? -2 : sum;
    };
    expect(await shorter(sums(kept), [1, 2, 3, 7])).toMatchObject({ steps: ['1', '2', '7'] });
  });

  it('has nothing shorter: nothing is told', async () => {
    const needs = (steps: readonly number[], sum: number): number => (steps.length === 2 ? -1 : sum);
    expect(await shorter(sums(needs), [1, 2])).toBeUndefined();
  });

  it('may count back: with a step left out, what it counts back may be nearer', async () => {
    // The last step names another by how far back it is.
    const named = (steps: readonly number[], sum: number): number =>
      steps.at(-2 - (steps.at(-1) ?? 0)) === 9 ? -1 : sum;
    const nearer = (step: number): number => (step > 0 && step < 9 ? step - 1 : step);
    expect(await shorter(sums(named), [9, 11, 12, 2])).toBeUndefined();
    expect(await shorter(sums(named), [9, 11, 12, 2], { nearer })).toMatchObject({ steps: ['9', '0'] });
  });
});

describe('a search for fewer steps', () => {
  it('ends with its signal where fewer steps never end, and what was found until then stands', async () => {
    const signal = new AbortController();
    const hangs = (steps: readonly number[], sum: number): number | Promise<number> => {
      if (steps.at(-1) !== 7) return sum;
      if (steps.includes(1)) return -1;
      signal.abort();
      return new Promise(() => undefined);
    };
    const found = await shorter(sums(hangs), [1, 2, 3, 7], { signal: signal.signal });
    expect(found?.steps).toEqual(['1', '7']);
  });

  it('tries so many sequences and no more', async () => {
    let tries = 0;
    const needsAll = (steps: readonly number[], sum: number): number => {
      if (steps.at(-1) === 7) tries += 1;
      return steps.length === 210 ? -1 : sum;
    };
    const steps = [...Array.from({ length: 209 }, () => 1), 7];
    expect(await shorter(sums(needsAll), steps)).toBeUndefined();
    // And once when it broke.
    expect(tries).toBe(CONFORM.shorterTries + 1);
  });
});
