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

/** Walks a path on a channel, as far as `look` wants. */
export async function walk(
  subject: ChannelSubject,
  { steps }: Pick<CardPath, 'steps'>,
  look: (seen: CardSight, at: number) => void,
): Promise<void> {
  const world = new CardWorld(subject);
  for (const [at, step] of [...steps, ...afterwards(steps)].entries()) look(await world.take(step), at);
}

export const pathRules = pathChapter(cardPaths, (path, look) => walk(subjectOf<ChannelSubject>(), path, look), {
  walk: (path, look) => walk({ create: createChannel }, path, look),
});
