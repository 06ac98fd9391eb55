/** The result of a call that waited for several questions: each by its id, and no answer in the place of another (C10). */
import type { BatchOutcome, Outcome } from '../api.ts';
import type { Hold, Other, Worded } from './wording.ts';
import {
  count,
  ended,
  FAILURES,
  quote,
  REMEDIES,
  receipt,
  said,
  shortened,
  withheldLine,
  withLosses,
  wordOne,
} from './wording.ts';

/** The longest quotation of a question, UTF-16 units; its agent knows it, and the data hold it whole. */
const QUOTED = 200;

export interface BatchHold extends Hold {
  /** True when the receipt of this answer came from this very session. */
  readonly isOwn: (token: string) => boolean;
}

/** `questions`: the text of each, or null where none is on file. */
export function wordBatch(
  batch: BatchOutcome,
  questions: readonly (string | null)[],
  hold: BatchHold,
  now: number,
): Worded {
  const { outcomes } = batch;
  const open = outcomes.filter(({ outcome }) => outcome === 'pending').map(({ askId }) => askId);
  const tokens = outcomes.flatMap((each) => ('token' in each && !each.readBack ? [each.token] : []));
  const withheld = Math.max(0, ...outcomes.map((each) => (each.outcome === 'pending' ? each.withheld : 0)));
  const lines = [
    headOf(outcomes),
    ...outcomes.map((each, i) => `${i + 1}. ${oneOf(each, questions[i] ?? null, hold, now)}`),
    ...remediesOf(outcomes),
    ...goOn(open),
    ...(open.length > 0 ? shortened(hold) : []),
    ...withheldLine(withheld),
    ...(tokens.length > 0 ? [receipt(...tokens)] : []),
  ];
  const data = {
    outcome: batch.outcome,
    questions: outcomes.map((each, i) => ({ ...asked(questions[i]), ...wordOne(each, hold, now).data })),
    ...(open.length > 0 ? { pending_ask_ids: open } : {}),
    ...(tokens.length > 0 ? { tokens } : {}),
    waited_ms: Math.round(hold.waitedMs),
  };
  const isError = outcomes.every(({ outcome }) => FAILURES.has(outcome));
  const worded = { text: lines.join('\n'), data, isError, others: othersOf(outcomes) };
  return withLosses(worded, batch.dropped?.count ?? 0, hold);
}

const asked = (question: string | null | undefined): { question?: string } => (question == null ? {} : { question });

const are = (many: number, what: string): string => `${many} ${many === 1 ? 'is' : 'are'} ${what}`;

function headOf(outcomes: readonly Outcome[]): string {
  const many = (...words: readonly Outcome['outcome'][]): number =>
    outcomes.filter(({ outcome }) => words.includes(outcome)).length;
  const all = outcomes.length;
  const [answered, declined, open] = [many('answered', 'recovered'), many('declined'), many('pending')];
  const rest = all - answered - declined - open;
  if (answered === all) return `All of it is answered (${count(all, 'question')}):`;
  const parts = [
    are(answered, 'answered'),
    ...(declined > 0 ? [are(declined, 'declined')] : []),
    ...(open > 0 ? [are(open, 'still open')] : []),
    ...(rest > 0 ? [`${rest} ended without an answer`] : []),
  ];
  const partly = answered > 0 ? ' What is answered is no answer to the rest.' : '';
  const waiting = open > 0 ? ' Nobody said no to what is open.' : '';
  return `Of ${count(all, 'question')} ${parts.join(', ')}.${partly}${waiting}`;
}

function oneOf(outcome: Outcome, question: string | null, hold: BatchHold, now: number): string {
  const short =
    question === null || question.length <= QUOTED ? question : `${question.slice(0, QUOTED).toWellFormed()}…`;
  const head = `${quote(short)} (${outcome.askId}):`;
  switch (outcome.outcome) {
    case 'answered':
    case 'recovered':
    case 'declined':
      return `${head} ${said(outcome, hold.isOwn(outcome.token), now).join('\n')}`;
    case 'pending':
      return `${head} pending, not answered yet.`;
    default:
      return `${head} ${ended(outcome)}`;
  }
}

/** What to do about those that ended, each advice once. */
function remediesOf(outcomes: readonly Outcome[]): string[] {
  const remedies = outcomes.map(({ outcome }) => REMEDIES[outcome]).filter((remedy) => remedy !== undefined);
  return [...new Set(remedies)];
}

function goOn(open: readonly string[]): string[] {
  if (open.length === 0) return [];
  const ids = open.map((askId) => JSON.stringify(askId)).join(', ');
  return [
    `Call await_answer with ask_ids [${ids}] to go on waiting for what is open. Do not ask it again.`,
    'You may do other work first: an answer given meanwhile rides on the next result of any readback tool.',
  ];
}

/** Each pending question of one conversation quotes the same ones. */
function othersOf(outcomes: readonly Outcome[]): readonly Other[] {
  const all = outcomes.flatMap((each) => (each.outcome === 'pending' ? each.others : []));
  return [...new Map(all.map((other) => [JSON.stringify(other), other])).values()];
}
