/** A shortest sequence to each transition of the mirror chart, and what a mirror shows after each step. */
import { createMirror, createServerRequests } from '../../requests.ts';
import { type ChartPath, pathChapter } from '../paths.ts';
import { subjectOf, Untried } from '../rules.ts';
import data from './mirror-paths.json' with { type: 'json' };
import { type MirrorSight, type MirrorStep, MirrorWorld } from './mirror-walk.ts';
import type { RequestsSubject } from './rig.ts';

export type MirrorPath = ChartPath<MirrorStep, MirrorSight>;

/** The generated paths of questions that a child process asks, as data: for a runner of your own. */
export const mirrorPaths = data as readonly MirrorPath[];

/**
 * Takes the steps on a new mirror, and calls `look` with what is to be seen after each.
 *
 * Promises no verdict: compare with `seen` of the path, or with what the same steps show on the reference. Rejects with
 * what making a mirror throws (a step that throws is seen), and with what `look` throws, which ends the walk. Needs no runner.
 */
export async function walkMirrorPath(
  subject: RequestsSubject,
  { steps }: Pick<MirrorPath, 'steps'>,
  look: (seen: MirrorSight, at: number) => void,
): Promise<void> {
  const { mirror } = subject;
  if (mirror === undefined) throw new Untried('it has no mirror');
  const world = new MirrorWorld(subject, (options) => mirror.call(subject, options));
  for (const [at, step] of steps.entries()) look(await world.take(step), at);
}

export const mirrorPathRules = pathChapter(
  mirrorPaths,
  (path, look) => walkMirrorPath(subjectOf<RequestsSubject>(), path, look),
  { walk: (path, look) => walkMirrorPath({ create: createServerRequests, mirror: createMirror }, path, look) },
);
