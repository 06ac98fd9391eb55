/** A short sequence to each transition of the chart of a verdict, and what a check of lineage finds. */
import { lineage } from '../../seats.ts';
import { type ChartPath, pathChapter } from '../paths.ts';
import { noteStep, subjectOf } from '../rules.ts';
import data from './paths.json' with { type: 'json' };
import type { LineageSubject } from './subject.ts';
import { type LineageSight, type LineageStep, LineageWorld } from './walk.ts';

export type LineagePath = ChartPath<LineageStep, LineageSight>;

/** The generated paths, as data: for a runner of your own. */
export const lineagePaths = data as readonly LineagePath[];

/**
 * Takes the steps on a new log with a check of lineage, and calls `look` with what is to be seen after each.
 *
 * Promises no verdict: compare with `seen` of the path, or with what the same steps show on the reference. Rejects with
 * what the subject throws, and with what `look` throws, which ends the walk. Needs no runner.
 */
export async function walkLineagePath(
  subject: LineageSubject,
  { steps }: Pick<LineagePath, 'steps'>,
  look: (seen: LineageSight, at: number) => void,
): Promise<void> {
  const world = new LineageWorld(subject);
  for (const [at, step] of steps.entries()) {
    noteStep(JSON.stringify(step));
    look(await world.perform(step), at);
  }
}

export const pathRules = pathChapter(
  lineagePaths,
  (path, look) => walkLineagePath(subjectOf<LineageSubject>(), path, look),
  {
    walk: (path, look) => walkLineagePath({ lineage }, path, look),
  },
);
