/** Generated paths as tests: what a sequence of steps takes, and what is to be seen after each. */
import { Chapter } from './rules.ts';
import { follow, type Walk } from './shrink.ts';

/** A sequence that takes one transition of a chart with its last step. */
export interface ChartPath<Step, Sight> {
  /**
   * Chart, place, event and target: `answer: delivery.pending on OFFER_TAKEN[0] -> delivery.handed_off`. `[0]`: the first
   * of the transitions that the place has for this event; their guards are tried in order. `-> nowhere`: it stays where
   * it is, and what is done is all.
   */
  readonly takes: string;
  /** Ids of the rules that the chart names at that transition. */
  readonly rules: readonly string[];
  readonly steps: readonly Step[];
  /** What is to be seen after each step; and afterwards, where that says more. */
  readonly seen: readonly Sight[];
}

type WalkOf<Path extends ChartPath<unknown, unknown>> = (
  path: Path,
  look: (seen: Path['seen'][number]) => void,
) => Promise<void>;

/** What shows what is wanted after fewer steps than a path has; with it, a path that breaks can be shortened. */
export interface Reference<Path extends ChartPath<unknown, unknown>> {
  readonly walk: WalkOf<Path>;
  readonly nearer?: (step: Path['steps'][number]) => Path['steps'][number];
}

/** One test for each path; `walk` takes its steps on the subject of the running test, and tells what it sees after each. */
export function pathChapter<Path extends ChartPath<unknown, unknown>>(
  paths: readonly Path[],
  walk: WalkOf<Path>,
  reference?: Reference<Path>,
): Chapter {
  const chapter = new Chapter();
  for (const path of paths) {
    const ids = path.rules.map((id) => `[${id}] `).join('');
    const on =
      (one: WalkOf<Path>): Walk<unknown, unknown> =>
      (steps, look) =>
        one({ ...path, steps }, look);
    chapter.test(`${ids}path to ${path.takes}`, () =>
      follow({ ...reference, tried: on(walk), reference: reference && on(reference.walk) }, path),
    );
  }
  return chapter;
}
