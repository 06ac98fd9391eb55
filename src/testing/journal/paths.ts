/** A shortest sequence to each transition of the journal's charts, and what a journal shows after each step. */
import { createJournal } from '../../journal.ts';
import { Chapter, noteStep, subjectOf, Untried } from '../rules.ts';
import { follow, type Walk } from '../shrink.ts';
import data from './paths.json' with { type: 'json' };
import type { JournalSubject, LaterJournalSubject } from './subject.ts';
import { perform, type Sight, type Step, sight, type WalkedJournal, WalkWorld } from './walk.ts';

/** A sequence that takes one transition of a chart with its last step. */
export interface JournalPath {
  /** Chart, place, event and target: `answer: pending on OFFER_TAKEN[0] -> handed_off`. */
  readonly takes: string;
  /** Ids of the rules that the chart names at that transition. */
  readonly rules: readonly string[];
  /** Whether the host knows the occupants of tabs. */
  readonly occupants: boolean;
  readonly steps: readonly Step[];
  /** What is to be seen after each step. */
  readonly seen: readonly Sight[];
}

/** The generated paths, as data: for a runner of your own. */
export const journalPaths = data as readonly JournalPath[];

/** Walks a path on a journal, as far as `look` wants. */
export async function walk(
  subject: JournalSubject | LaterJournalSubject,
  { steps, occupants }: Pick<JournalPath, 'steps' | 'occupants'>,
  look: (seen: Sight) => void,
): Promise<void> {
  const { done = (work) => Promise.resolve(work), end } = subject as LaterJournalSubject;
  const world = new WalkWorld();
  const made = subject.create(world.options);
  // A journal is not waited for: one behind a proxy may look like a promise.
  const journal = ('isLater' in subject ? await done(made) : made) as WalkedJournal;
  try {
    world.wire(journal, occupants);
    for (const step of steps) {
      noteStep(JSON.stringify(step));
      await done(perform(journal, world, step));
      look(await sight(journal, world, done));
    }
  } finally {
    await end?.(journal);
  }
}

/** What every path uses. */
const NEEDED = ['limits', 'occupants', 'turns', 'recall'] as const;

const nearer = (step: Step): Step => ('token' in step && step.token > 0 ? { ...step, token: step.token - 1 } : step);

export const pathRules = new Chapter();

for (const path of journalPaths) {
  const ids = path.rules.map((id) => `[${id}] `).join('');
  pathRules.test(`${ids}path to ${path.takes}`, () => {
    const subject = subjectOf<JournalSubject>();
    const lacking = NEEDED.find((ability) => subject.has?.[ability] === false);
    if (lacking !== undefined) throw new Untried(`it does not claim: ${lacking}`);
    const on =
      (one: typeof subject): Walk<Step, Sight> =>
      (steps, look) =>
        walk(one, { ...path, steps }, look);
    return follow({ tried: on(subject), reference: on({ create: createJournal }), nearer }, path);
  });
}
