/** Questions that are put together: read as one input, opened in one commit. In the journal each is a ticket of its own. */
import type { AskAllOptions, AskOptions, BatchPlace, Question } from './api.ts';
import { cardFingerprint, readName, readQuestion } from './card.ts';
import { invalid } from './errors.ts';
import { type OpenAsk, openAsk } from './journal/attribution.ts';
import type { Core } from './journal/core.ts';
import { lazy, type Op } from './journal/operation.ts';
import type { AskCard, TicketRow } from './journal/rows.ts';
import { ASK_ID_PREFIX } from './journal/text.ts';
import { SIZES } from './limits.ts';
import type { Runtime } from './runtime.ts';
import { endAsk } from './submit.ts';

export const BATCH_ID_PREFIX = 'pb-';

/** A question that was read and is not on file yet. */
export interface NewAsk {
  readonly askId: string;
  readonly ask: OpenAsk;
  readonly card: AskCard;
}

const WRONG = 'must be a number of milliseconds, from 0 up';

export function milliseconds(value: number | undefined, field: string): void {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw invalid(field, value === null || Number.isNaN(value) ? WRONG : `${WRONG}; it is ${String(value).slice(0, 32)}`);
}

type Common = Omit<AskOptions, 'supersedes' | 'onOpen'>;

/** When the questions of this call end, or null. */
function readOptions(options: Common, runtime: Runtime): number | null {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'are missing; name at least the tab');
  readName(options.tab, 'tab');
  milliseconds(options.timeoutMs, 'timeoutMs');
  milliseconds(options.expiresInMs, 'expiresInMs');
  const lasts = options.expiresInMs ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(lasts) ? runtime.now() + lasts : null;
}

export const newAskId = (runtime: Runtime): string => ASK_ID_PREFIX + runtime.id();

function read(
  question: Question,
  options: Common,
  expiresAt: number | null,
  askId: string,
  place?: BatchPlace,
): NewAsk {
  const { text, card } = readQuestion(question, options.from, expiresAt, place);
  const ask = { tabId: options.tab, fingerprint: cardFingerprint(text, card), question: text };
  return { askId, ask, card };
}

/** Reads one question that is put alone. */
export const readAlone = (
  question: Question,
  options: AskOptions,
  runtime: Runtime,
  askId = newAskId(runtime),
): NewAsk => read(question, options, readOptions(options, runtime), askId);

/** A list that one call may name or put; anything else is refused whole. */
export function readList<T>(list: readonly T[], field: string): readonly T[] {
  if (!Array.isArray(list)) throw invalid(field, 'must be a list');
  if (list.length === 0) throw invalid(field, 'must not be empty');
  if (list.length > SIZES.batch) throw invalid(field, `has ${list.length} members; at most ${SIZES.batch} are taken`);
  return list;
}

/** Reads the questions of one batch. */
export function readBatch(questions: readonly Question[], options: AskAllOptions, runtime: Runtime): readonly NewAsk[] {
  const expiresAt = readOptions(options, runtime);
  const of = readList(questions, 'questions').length;
  const id = BATCH_ID_PREFIX + runtime.id();
  const all = questions.map((each, i) => read(each, options, expiresAt, newAskId(runtime), { id, index: i + 1, of }));
  // An equal question is one question: an answer to either would be recovered for both.
  all.forEach(({ ask }, i) => {
    const first = all.findIndex((other) => other.ask.fingerprint === ask.fingerprint);
    if (first < i)
      throw invalid(`questions[${i}].question`, `is the same question as questions[${first}]; ask it once`);
  });
  return all;
}

/** Several operations as one: all of them decide before any of them waits, so that one commit holds all or none. */
export function* together(operations: readonly (() => Op<unknown>)[]): Op<void> {
  const waiting: Op<unknown>[] = [];
  for (const operation of operations) {
    const begun = lazy(operation);
    if (begun.next().done !== true) waiting.push(begun);
  }
  if (waiting.length > 0) yield;
  for (const begun of waiting) yield* begun;
}

/** Whether each opening of an ask is on this tab: one conversation cannot take the cards of another away. */
const isOf = (ticket: TicketRow, tab: string): boolean =>
  ticket.at.context.openings.every((opening) => opening.tab === tab);

const NAME_ANOTHER = 'name an open ask of this tab, or leave it out';

/** Why this id names nothing that the tab could replace. An ask that has ended meanwhile is no mistake, and no harm. */
export function wrongToReplace({ book }: Core, askId: string, tab: string): string | undefined {
  const open = book.ticket(askId);
  if (open !== undefined) return isOf(open, tab) ? undefined : `is an ask of another tab; ${NAME_ANOTHER}`;
  const isKnown = book.wasOpened(askId) || book.entriesOf(askId).length > 0;
  return isKnown ? undefined : `is the id of no ask; ${NAME_ANOTHER}`;
}

const AGAIN = 'It was asked again in another way.';

/** Opens cards and takes away those whose place they take: a card must not go because another came that is not on file. */
export function openCards(core: Core, cards: readonly NewAsk[], supersedes: readonly string[]): Op<void> {
  const replace = (askId: string, tab: string) => (): Op<unknown> => {
    const old = core.openTicket(askId);
    return old !== undefined && isOf(old, tab) ? endAsk(core, askId, { type: 'SUPERSEDE', why: AGAIN }) : together([]);
  };
  return together([
    ...supersedes.map((askId) => replace(askId, cards[0]?.ask.tabId ?? '')),
    ...cards.map(
      ({ askId, ask, card }) =>
        () =>
          openAsk(core, askId, ask, card),
    ),
  ]);
}
