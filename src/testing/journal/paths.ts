/** A shortest sequence to each transition of the journal's charts, and what a journal shows after each step. */
import { createJournal } from '../../journal.ts';
import { type ChartPath, pathChapter } from '../paths.ts';
import { noteStep, subjectOf, Untried } from '../rules.ts';
import data from './paths.json' with { type: 'json' };
import type { JournalSubject, LaterJournalSubject } from './subject.ts';
import { perform, type Sight, type Step, sight, type WalkedJournal, WalkWorld } from './walk.ts';

export interface JournalPath extends ChartPath<Step, Sight> {
  /** Whether the host knows the occupants of tabs. */
  readonly occupants: boolean;
}

/** The generated paths, as data: for a runner of your own. */
export const journalPaths = data as readonly JournalPath[];

/**
 * Takes the steps on a new journal, and calls `look` with what is to be seen after each.
 *
 * Promises no verdict: compare with `seen` of the path, or with what the same steps show on the reference. Rejects with
 * what the subject throws, and with what `look` throws, which ends the walk. Needs no runner.
 */
export async function walkJournalPath(
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

export const pathRules = pathChapter(
  journalPaths,
  async (path, look) => {
    const subject = subjectOf<JournalSubject>();
    const lacking = NEEDED.find((ability) => subject.has?.[ability] === false);
    if (lacking !== undefined) throw new Untried(`it does not claim: ${lacking}`);
    await walkJournalPath(subject, path, look);
  },
  { walk: (path, look) => walkJournalPath({ create: createJournal }, path, look), nearer },
);
