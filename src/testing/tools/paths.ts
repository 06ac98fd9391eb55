/** A short sequence to each transition of the charts of a tool tracker, and what comes out of a tracker after each step. */
import { createToolTracker } from '../../tools.ts';
import { type ChartPath, pathChapter } from '../paths.ts';
import { noteStep, subjectOf } from '../rules.ts';
import data from './paths.json' with { type: 'json' };
import { macrotask, type ToolsSubject } from './rig.ts';
import { afterwards, type ToolSight, type ToolStep, ToolWorld } from './walk.ts';

/** The last thing seen is what comes of `toolAfterwards(steps)`. */
export type ToolPath = ChartPath<ToolStep, ToolSight>;

/** The generated paths, as data: for a runner of your own. */
export const toolPaths = data as readonly ToolPath[];

/**
 * Takes the steps on a new tracker, and calls `look` with what is to be seen after each, and once more after `toolAfterwards(steps)`.
 *
 * Promises no verdict: compare with `seen` of the path, or with what the same steps show on the reference. Rejects with
 * what the subject throws, and with what `look` throws, which ends the walk. Needs no runner.
 */
export async function walkToolPath(
  subject: ToolsSubject,
  { steps }: Pick<ToolPath, 'steps'>,
  look: (seen: ToolSight, at: number) => void,
): Promise<void> {
  const world = new ToolWorld(subject);
  for (const [at, step] of steps.entries()) {
    noteStep(JSON.stringify(step));
    const returned = world.perform(step);
    // After the last one all has its turn: what it leads to is to be seen.
    if (!step.hurried || at === steps.length - 1) await macrotask();
    look(world.look(returned), at);
  }
  for (const list of afterwards(steps)) {
    for (const step of list) world.perform(step);
    await macrotask();
  }
  look(world.look(undefined), steps.length);
}

export const pathRules = pathChapter(toolPaths, (path, look) => walkToolPath(subjectOf<ToolsSubject>(), path, look), {
  walk: (path, look) => walkToolPath({ create: createToolTracker }, path, look),
});
