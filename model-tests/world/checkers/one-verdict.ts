/** Every submission gets exactly one verdict, or a typed error that says that nothing has changed. */
import type { Verdict } from '../../../src/api.ts';
import { isError } from '../truth.ts';
import type { World } from '../world.ts';
import { sameReply } from './nothing-lost.ts';

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
  const heard = new Map<string, Heard>();
  return world.truth.verdicts.flatMap(({ ask, kind, text, verdict }) => {
    // What was forgotten is on file no more, so a later answer to the same card finds nothing before it.
    if (world.truth.emptied.has(ask)) return [];
    const before = heard.get(verdict.askId) ?? {};
    heard.set(verdict.askId, hear(before, kind, verdict));
    const again = kind === 'answer' ? repetitions(text, verdict) : [];
    return [...contradictions(before, kind, verdict), ...again].map((fault) => `ask ${ask.number}: ${fault}`);
  });
}

/** The same answer again is a duplicate, and only another one is a conflict. */
function repetitions(text: string, { verdict, winner }: Verdict): string[] {
  const isSame = winner !== undefined && sameReply(JSON.parse(text), winner.reply);
  return verdict === 'conflict' && isSame ? [`${text} is said to be in conflict with itself`] : [];
}

/** What was said of one ask so far. */
interface Heard {
  readonly token?: string | undefined;
  readonly taken?: boolean;
  readonly ended?: string | undefined;
}

const tokenIn = (verdict: Verdict): string | undefined => verdict.token ?? verdict.winner?.token;
const takes = (kind: string, { verdict }: Verdict): boolean => kind === 'answer' && ANSWERED.has(verdict);

const hear = ({ token, taken, ended }: Heard, kind: string, verdict: Verdict): Heard => ({
  token: token ?? tokenIn(verdict),
  taken: taken === true || takes(kind, verdict),
  ended: ended ?? (ENDED.has(verdict.verdict) ? verdict.verdict : undefined),
});

function contradictions({ token, taken = false, ended }: Heard, kind: string, verdict: Verdict): string[] {
  const word = verdict.verdict;
  const named = tokenIn(verdict);
  const isTaken = takes(kind, verdict);
  const isEnd = ENDED.has(word);
  const wrong: readonly (readonly [boolean, string])[] = [
    [token !== undefined && named !== undefined && named !== token, `receipts ${token} and ${named}`],
    [isTaken && taken, 'answered twice'],
    [isTaken && ended !== undefined, `took an answer after it was ${ended}`],
    [isTaken && !verdict.saved, `${word}, and not saved`],
    [isEnd && taken, `${word} after it was answered`],
    [isEnd && ended !== undefined && ended !== word, `${ended} and then ${word}`],
  ];
  return wrong.flatMap(([isWrong, what]) => (isWrong ? [what] : []));
}
