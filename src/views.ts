/** What people see of an ask: its state and its receipts, in words. */
import type { AnswerView, AskView, CardState, Reply } from './api.ts';
import { replyText } from './card.ts';
import type { Core } from './journal/core.ts';
import {
  type AskCard,
  type EntryRow,
  isAmbiguous,
  isOfThisCard,
  isOpen,
  isProven,
  isRetired,
  type TicketRow,
  tokenOf,
} from './journal/rows.ts';

const NO_CARD: AskCard = Object.freeze({
  header: '',
  options: Object.freeze([]),
  multiSelect: false,
  freeText: true,
  from: '',
  expiresAt: null,
  batch: null,
});

export const cardOf = (ticket: TicketRow | undefined): AskCard => ticket?.card ?? NO_CARD;

/** A reply that came through the journal's own door is text and nothing else. */
export const replyOf = (row: EntryRow): Reply => row.reply ?? { text: row.answer };

export const textOf = (row: EntryRow, ticket: TicketRow | undefined): string =>
  row.reply === null || !isOfThisCard(row) ? row.answer : replyText(row.reply, cardOf(ticket));

type Receipt = Pick<AnswerView, 'receipt' | 'why'>;

const AMBIGUOUS = 'Its id was used or answered more than once, so it counts as the answer to no card.';

/** What is in the way of an answer is said first; else that it satisfies no question, however far it has come. */
function receiptOf(core: Core, row: EntryRow): Receipt {
  const standing = standingOf(core, row);
  return standing.why === undefined && isAmbiguous(row) ? { ...standing, why: AMBIGUOUS } : standing;
}

function standingOf(core: Core, row: EntryRow): Receipt {
  const { context, value } = row.at;
  const says = core.gate.says(row.askId);
  if (says === 'off') {
    return {
      receipt: 'retired',
      why: 'The conversation has left the branch that asked; it counts again if it comes back.',
    };
  }
  if (isProven(row)) {
    return context.proven === 'bound'
      ? { receipt: 'read_back', why: 'It was in front of the agent several times and counts as read.' }
      : { receipt: 'read_back' };
  }
  if (isRetired(row)) {
    return {
      receipt: 'retired',
      why: 'The conversation that asked has been replaced; no agent will be shown this answer.',
    };
  }
  if (row.provenance === 'unknown') {
    return {
      receipt: 'retired',
      why: 'It cannot be told which conversation this answer belongs to, so it is kept and not shown.',
    };
  }
  if (says === 'unsure' && value.delivery === 'pending') {
    return { receipt: 'saved', why: 'It is not proven yet that it belongs to the present branch of the conversation.' };
  }
  if (context.parked !== null) return { receipt: 'parked', why: context.parked };
  // One that was handed back is only saved again, although it has been out before.
  if (value.delivery === 'handed_off' || context.rides.length > 0) return { receipt: 'handed' };
  return { receipt: 'saved' };
}

function answerView(core: Core, row: EntryRow, ticket: TicketRow | undefined): AnswerView {
  return Object.freeze({
    token: tokenOf(row.n),
    reply: replyOf(row),
    text: textOf(row, ticket),
    answeredAt: row.answeredAt,
    ...receiptOf(core, row),
    ...(row.surface === null ? {} : { surface: row.surface }),
  });
}

const WHY: Partial<Record<CardState, string>> = {
  expired: 'Its time to answer has passed.',
  retired: 'The conversation that asked has been replaced.',
  lost: 'Too many cards were open; this one can no longer be answered.',
};

function stateOf(core: Core, ticket: TicketRow | undefined, answered: boolean): CardState {
  if (ticket === undefined || answered) return 'answered';
  const { value, context } = ticket.at;
  const live = context.openings.every((opening) => core.gate.isLive(ticket.askId, opening));
  if (isOpen(ticket)) return live ? 'open' : 'retired';
  if (value === 'withdrawn' || value === 'superseded' || value === 'expired') return value;
  return value === 'evicted' ? 'lost' : 'answered';
}

export function askView(core: Core, askId: string): AskView | undefined {
  const ticket = core.book.anyTicket(askId);
  const entries = core.book.entriesOf(askId);
  if (ticket === undefined && entries.length === 0) return undefined;
  const card = cardOf(ticket);
  const last = (ticket?.prints.length ?? 0) - 1;
  const state = stateOf(core, ticket, entries.some(isOfThisCard));
  const why = ticket?.at.context.why ?? WHY[state];
  const opening = ticket?.at.context.openings[last];
  return Object.freeze({
    askId,
    tab: opening?.tab ?? entries[0]?.at.context.key ?? '',
    state,
    awaited: ticket?.at.value === 'awaited' || core.isAttended(askId),
    question: ticket?.prints[last]?.question ?? entries[0]?.question ?? '',
    header: card.header,
    options: card.options,
    multiSelect: card.multiSelect,
    freeText: card.freeText,
    from: card.from,
    openedAt: ticket?.openedAt ?? entries[0]?.answeredAt ?? 0,
    ...(card.expiresAt === null ? {} : { expiresAt: card.expiresAt }),
    ...(ticket?.at.context.historyLost === true ? { reopened: true } : {}),
    ...(card.batch === null ? {} : { batch: card.batch }),
    ...(why === undefined ? {} : { why }),
    answers: Object.freeze(entries.map((row) => answerView(core, row, ticket))),
  });
}
