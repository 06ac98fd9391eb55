/** Sequences whose steps are data: walked beside what is wanted, and shortened when they show something else. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { CONFORM } from '../limits.ts';
import { expect } from './expect.ts';

/** Takes the steps on something new; `look` hears what is to be seen after each. */
export type Walk<Step, Sight> = (steps: readonly Step[], look: (seen: Sight) => void) => Promise<void>;

export interface Walks<Step, Sight> {
  /** What is tried. */
  readonly tried: Walk<Step, Sight>;
  /** Shows what is wanted after whichever steps; without it nothing is shortened. */
  readonly reference?: Walk<Step, Sight> | undefined;
  /** The step, for when one before it is left out and what it counts back may be nearer by one. */
  readonly nearer?: (step: Step) => Step;
}

export interface Path<Step, Sight> {
  readonly steps: readonly Step[];
  /** What is to be seen after each step, and afterwards. */
  readonly seen: readonly Sight[];
}

/** What broke a test, in fewer steps. */
export interface Shorter {
  readonly message: string;
  readonly steps: readonly string[];
}

/** Ends with the signal or after `CONFORM.shorterTries`, and never rejects. Undefined: nothing shorter was found. */
export type Shorten = (signal: AbortSignal) => Promise<Shorter | undefined>;

interface Difference {
  /** Which step was being taken. */
  readonly at: number;
  readonly error: unknown;
}

interface Broken<Step> {
  readonly steps: readonly Step[];
  readonly error: unknown;
}

const shortens = new WeakMap<object, Shorten>();

/** How to shorten what led to a failure; undefined: its steps are no data. */
export const shortenOf = (error: unknown): Shorten | undefined => shortens.get(Object(error) as object);

async function difference<Step, Sight>(
  walk: Walk<Step, Sight>,
  { steps, seen: wanted }: Path<Step, Sight>,
): Promise<Difference | undefined> {
  let at = 0;
  try {
    await walk(steps, (seen) => {
      const { length } = steps;
      expect(seen, at < length ? `after step ${at + 1} of ${length}` : 'afterwards').toEqual(wanted[at]);
      at += 1;
    });
  } catch (error) {
    return { at, error };
  }
  return undefined;
}

/** Walks a path, and throws where something else is seen than wanted. */
export async function follow<Step, Sight>(walks: Walks<Step, Sight>, path: Path<Step, Sight>): Promise<void> {
  const found = await difference(walks.tried, path);
  if (found === undefined) return;
  const { at, error } = found;
  // Bound to the running test, whose subject is walked again.
  const shorten = AsyncLocalStorage.bind((signal: AbortSignal) =>
    shortened(walks, path.steps.slice(0, at + 1), signal),
  );
  if (walks.reference !== undefined) shortens.set(Object(error) as object, shorten);
  throw error;
}

/** Leaves out steps before the last one, until each that is left is needed. */
async function shortened<Step, Sight>(
  walks: Walks<Step, Sight>,
  steps: readonly Step[],
  signal: AbortSignal,
): Promise<Shorter | undefined> {
  const ended = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  let left: number = CONFORM.shorterTries;
  const next = async (before: readonly Step[]): Promise<Broken<Step> | undefined> => {
    for (const fewer of oneFewer(before, walks.nearer)) {
      if (left === 0 || signal.aborted) return undefined;
      left -= 1;
      // One that never ends is given up with the signal, and what was found until then stands.
      const found = await Promise.race([breaks(walks, fewer).catch(() => undefined), ended]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  let best: Broken<Step> | undefined;
  for (let found = await next(steps); found !== undefined; found = await next(found.steps)) best = found;
  if (best === undefined) return undefined;
  const { error } = best;
  const message = error instanceof Error ? error.message : String(error);
  return { message, steps: best.steps.map((step) => JSON.stringify(step)) };
}

/** All ways to leave out one step before the last, the latest first. */
function* oneFewer<Step>(steps: readonly Step[], nearer: Walks<Step, never>['nearer']): Generator<readonly Step[]> {
  for (let at = steps.length - 2; at >= 0; at -= 1) {
    const [before, after] = [steps.slice(0, at), steps.slice(at + 1)];
    yield [...before, ...after];
    if (nearer !== undefined) yield [...before, ...after.map(nearer)];
  }
}

/** The failure, if the last of these steps is the first that shows something else: so it is most likely the same. */
async function breaks<Step, Sight>(
  { tried, reference }: Walks<Step, Sight>,
  steps: readonly Step[],
): Promise<Broken<Step> | undefined> {
  const seen: Sight[] = [];
  await reference?.(steps, (one) => seen.push(one));
  const found = await difference(tried, { steps, seen });
  return found !== undefined && found.at >= steps.length - 1 ? { steps, error: found.error } : undefined;
}
