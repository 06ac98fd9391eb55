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

/** Walks a path on a registry, as far as `look` wants. */
export async function walk(
  subject: RequestsSubject,
  { steps, errorQuorum }: Pick<RequestPath, 'steps' | 'errorQuorum'>,
  look: (seen: RequestSight, at: number) => void,
): Promise<void> {
  const world = new RequestWorld(subject, errorQuorum);
  for (const [at, step] of steps.entries()) look(await world.take(step), at);
}

export const pathRules = pathChapter(requestPaths, (path, look) => walk(subjectOf<RequestsSubject>(), path, look), {
  walk: (path, look) => walk({ create: createServerRequests }, path, look),
});
