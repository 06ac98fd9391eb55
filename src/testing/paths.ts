/** Generated paths as tests: what a sequence of steps takes, and what is to be seen after each. */
import { expect } from './expect.ts';
import { Chapter } from './rules.ts';

/** A sequence that takes one transition of a chart with its last step. */
export interface ChartPath<Step, Sight> {
  /** Chart, place, event and target: `answer: pending on OFFER_TAKEN[0] -> handed_off`. */
  readonly takes: string;
  /** Ids of the rules that the chart names at that transition. */
  readonly rules: readonly string[];
  readonly steps: readonly Step[];
  /** What is to be seen after each step; and afterwards, where that says more. */
  readonly seen: readonly Sight[];
}

/** One test for each path; `walk` takes its steps on the subject of the running test, and tells what it sees after each. */
export function pathChapter<Path extends ChartPath<unknown, unknown>>(
  paths: readonly Path[],
  walk: (path: Path, look: (seen: Path['seen'][number], at: number) => void) => Promise<void>,
): Chapter {
  const chapter = new Chapter();
  for (const path of paths) {
    const ids = path.rules.map((id) => `[${id}] `).join('');
    chapter.test(`${ids}path to ${path.takes}`, () =>
      walk(path, (seen, at) => {
        const { length } = path.steps;
        expect(seen, at < length ? `after step ${at + 1} of ${length}` : 'afterwards').toEqual(path.seen[at]);
      }),
    );
  }
  return chapter;
}
