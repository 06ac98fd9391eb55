/** Lists of asks and answers, as surfaces and agents are given them. */
import type { AskView, ListQuery, Reply } from './api.ts';
import type { Core } from './journal/core.ts';
import { mayRepeat } from './journal/queries.ts';
import { isProven, isRetired, tokenOf } from './journal/rows.ts';
import { answerOf } from './outcome.ts';
import { askView, replyOf, textOf } from './views.ts';

/** The first cards that people may answer. Those of replaced conversations are on file too and take no place here. */
function openCards(core: Core, limit: number, tab: string | undefined): AskView[] {
  for (let reach = limit; ; reach *= 4) {
    const rows = core.book.open(reach, tab);
    const cards: AskView[] = [];
    for (const { askId } of rows) {
      const view = askView(core, askId);
      if (view?.state === 'open' && (tab === undefined || view.tab === tab)) cards.push(view);
    }
    if (cards.length >= limit || rows.length < reach) return cards.slice(0, limit);
  }
}

export function listAsks(core: Core, { tab, what = 'open', limit = 100 }: ListQuery): AskView[] {
  if (limit < 1) return [];
  if (what === 'open') return openCards(core, limit, tab);
  const rows = tab === undefined ? core.book.recent(limit) : core.book.entriesOn(tab).slice(-limit).reverse();
  const ended = core.book.ended(tab === undefined ? limit : limit * ENDED_REACH);
  const ids = new Set([...rows, ...ended].map((row) => row.askId));
  const views = [...ids]
    .map((askId) => askView(core, askId))
    .filter((view) => view !== undefined)
    // An ask that was opened anew is among the open ones, although an answer of it is on file.
    .filter(({ state }) => state !== 'open');
  const here = tab === undefined ? views : views.filter((view) => view.tab === tab);
  return here.sort((a, b) => lastOf(b) - lastOf(a)).slice(0, limit);
}

/** How many ended cards of all tabs are looked through for those of one. */
const ENDED_REACH = 8;

/** When something was last said about a card: its latest answer, or its opening. */
const lastOf = (ask: AskView): number => answerOf(ask)?.answeredAt ?? ask.openedAt;

export interface Unread {
  readonly token: string;
  readonly askId: string;
  readonly question: string | null;
  readonly text: string;
  readonly reply: Reply;
  readonly answeredAt: number;
  readonly possibleRepeat: boolean;
  readonly handedTo: readonly string[];
}

/** What an agent may be shown and has not proven to have read, oldest first. What is parked waits to be asked for. */
export function unreadOn(core: Core, tab: string): Unread[] {
  const occupant = core.peekOccupant(tab);
  return core.book
    .entriesOn(tab)
    .filter(
      (row) =>
        core.reaches(row, occupant) &&
        !core.gate.isKept(row) &&
        !isProven(row) &&
        !isRetired(row) &&
        row.at.context.parked === null,
    )
    .filter((row) => row.at.value.delivery !== 'none' || row.at.context.returned)
    .map((row) => ({
      token: tokenOf(row.n),
      askId: row.askId,
      question: row.question,
      text: textOf(row, core.book.anyTicket(row.askId)),
      reply: replyOf(row),
      answeredAt: row.answeredAt,
      possibleRepeat: mayRepeat(core, row),
      handedTo: row.at.context.rides,
    }));
}
