/** A shortest sequence to each transition of the request chart, and what a registry shows after each step. */
import { createServerRequests } from '../../requests.ts';
import { type ChartPath, pathChapter } from '../paths.ts';
import { subjectOf } from '../rules.ts';
import data from './paths.json' with { type: 'json' };
import type { RequestsSubject } from './rig.ts';
import type { RequestSight } from './sight.ts';
import { type RequestStep, RequestWorld } from './walk.ts';

export interface RequestPath extends ChartPath<RequestStep, RequestSight> {
  /** Whether `-32601` of one of several capable clients is a decline. */
  readonly errorQuorum: boolean;
}

/** The generated paths, as data: for a runner of your own. */
export const requestPaths = data as readonly RequestPath[];

/**
 * Takes the steps on a new registry, and calls `look` with what is to be seen after each.
 *
 * Promises no verdict: compare with `seen` of the path, or with what the same steps show on the reference. Rejects with
 * what making a registry throws (a step that throws is seen), and with what `look` throws, which ends the walk. Needs no runner.
 */
export async function walkRequestPath(
  subject: RequestsSubject,
  { steps, errorQuorum }: Pick<RequestPath, 'steps' | 'errorQuorum'>,
  look: (seen: RequestSight, at: number) => void,
): Promise<void> {
  const world = new RequestWorld(subject, errorQuorum);
  for (const [at, step] of steps.entries()) look(await world.take(step), at);
}

export const pathRules = pathChapter(
  requestPaths,
  (path, look) => walkRequestPath(subjectOf<RequestsSubject>(), path, look),
  {
    walk: (path, look) => walkRequestPath({ create: createServerRequests }, path, look),
  },
);
