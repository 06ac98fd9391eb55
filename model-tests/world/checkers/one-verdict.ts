/** Every submission gets exactly one verdict, or a typed error that says that nothing has changed. */
import { isError } from '../truth.ts';
import type { World } from '../world.ts';

export const ERRORS: ReadonlySet<string> = new Set(['disk_full', 'commit_failed', 'closed']);
const ANSWERED: ReadonlySet<string> = new Set(['accepted', 'late_accepted', 'retired', 'undetermined']);
const ENDED: ReadonlySet<string> = new Set(['withdrawn', 'expired', 'superseded']);

export function oneVerdict(world: World): string[] {
  const faults: string[] = [];
  const { submissions, crashed } = world.truth;
  for (const { ask, kind, run, endings } of submissions) {
    const most = crashed.has(run) ? [0, 1] : [1];
    if (!most.includes(endings.length)) faults.push(`${kind} to ask ${ask.number} got ${endings.length} verdicts`);
    for (const ending of endings) {
      if (isError(ending) && !ERRORS.has(ending.error)) faults.push(`${kind} to ask ${ask.number}: ${ending.error}`);
      if (!isError(ending) && ending.message === '') faults.push(`${kind} to ask ${ask.number}: no word for a person`);
    }
  }
  return [...faults, ...verdictsAgree(world)];
}

/** One answer to an ask, one receipt for it, and none after the card was taken away. */
function verdictsAgree(world: World): string[] {
  const faults: string[] = [];
  const token = new Map<string, string>();
  const ended = new Map<string, string>();
  const taken = new Set<string>();
  // What was forgotten is on file no more, so a later answer to the same card finds nothing before it.
  for (const { ask, kind, verdict } of world.truth.verdicts) {
    if (world.truth.emptied.has(ask)) continue;
    const id = verdict.askId;
    const word = verdict.verdict;
    const named = verdict.token ?? verdict.winner?.token;
    if (named !== undefined) {
      if (token.has(id) && token.get(id) !== named) faults.push(`ask ${ask.number}: ${named} and ${token.get(id)}`);
      token.set(id, named);
    }
    if (kind === 'answer' && ANSWERED.has(word)) {
      if (taken.has(id)) faults.push(`ask ${ask.number} was answered twice`);
      if (ended.has(id)) faults.push(`ask ${ask.number} took an answer after it was ${ended.get(id)}`);
      if (!verdict.saved) faults.push(`ask ${ask.number}: ${word}, and not saved`);
      taken.add(id);
    }
    if (ENDED.has(word)) {
      if (taken.has(id)) faults.push(`ask ${ask.number} was ${word} after it was answered`);
      if (ended.has(id) && ended.get(id) !== word) faults.push(`ask ${ask.number} was ${word} and ${ended.get(id)}`);
      ended.set(id, word);
    }
  }
  return faults;
}
