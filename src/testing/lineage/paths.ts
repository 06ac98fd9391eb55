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

/** Walks a path with a check of lineage, as far as `look` wants. */
export async function walk(
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

export const pathRules = pathChapter(lineagePaths, (path, look) => walk(subjectOf<LineageSubject>(), path, look), {
  walk: (path, look) => walk({ lineage }, path, look),
});
