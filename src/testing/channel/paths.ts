/** A short sequence to each transition of the chart of a card, and what a channel shows of it after each step. */
import { createChannel } from '../../wire/channel.ts';
import { type ChartPath, pathChapter } from '../paths.ts';
import { subjectOf } from '../rules.ts';
import type { ChannelSubject } from './hand.ts';
import data from './paths.json' with { type: 'json' };
import type { CardSight } from './sight.ts';
import { afterwards, type CardStep, CardWorld } from './walk.ts';

/** What is seen at last is what comes of `cardAfterwards(steps)`. */
export type CardPath = ChartPath<CardStep, CardSight>;

/** The generated paths of questions in a window, as data: for a runner of your own. */
export const cardPaths = data as readonly CardPath[];

/**
 * Takes the steps on a new channel, and calls `look` with what is to be seen after each, and after those of
 * `cardAfterwards(steps)`.
 *
 * Promises no verdict: compare with `seen` of the path, or with what the same steps show on the reference. Rejects with
 * what making a channel throws, and with what `look` throws, which ends the walk. Needs no runner.
 */
export async function walkCardPath(
  subject: ChannelSubject,
  { steps }: Pick<CardPath, 'steps'>,
  look: (seen: CardSight, at: number) => void,
): Promise<void> {
  const world = new CardWorld(subject);
  for (const [at, step] of [...steps, ...afterwards(steps)].entries()) look(await world.take(step), at);
}

export const pathRules = pathChapter(cardPaths, (path, look) => walkCardPath(subjectOf<ChannelSubject>(), path, look), {
  walk: (path, look) => walkCardPath({ create: createChannel }, path, look),
});
