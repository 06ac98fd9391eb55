/** A person's submission, and what ends a card without one. Each gets exactly one verdict (design 5). */
import type { Author, Reply, Verdict, VerdictWord } from './api.ts';
import { readReply, replyText, sameReply } from './card.ts';
import { ReadbackError } from './errors.ts';
import { type RecordMeta, record } from './journal/attribution.ts';
import type { Core } from './journal/core.ts';
import { HostFailure, type Op } from './journal/operation.ts';
import { type EntryRow, isMatched, isOfThisCard, isOpen, isRetired, type TicketRow, tokenOf } from './journal/rows.ts';
import { askView, cardOf, replyOf } from './views.ts';

const MESSAGES: Record<VerdictWord, string> = {
  accepted: 'Saved; the agent is waiting for it.',
  late_accepted: 'Saved; nobody is waiting just now. The agent gets it when its conversation asks for it.',
  duplicate: 'This very answer is on file already.',
  conflict: 'Another answer was given before; this one was not taken.',
  superseded: 'Another question took the place of this one; the answer was not taken.',
  retired: 'The conversation that asked has been replaced; the answer is kept, and no agent will be shown it.',
  expired: 'The time to answer this question has passed; the answer was not taken.',
  withdrawn: 'The question was withdrawn.',
  unknown: 'There is no such question; nothing was taken.',
  undetermined: 'The answer is kept, but it can no longer be told which card it belongs to, so it satisfies none.',
  invalid: 'The answer does not fit the question; nothing was taken.',
};

const say = (core: Core, askId: string, verdict: VerdictWord, extra: Partial<Verdict> = {}): Verdict => {
  const ask = askView(core, askId);
  return Object.freeze({
    verdict,
    askId,
    saved: false,
    message: MESSAGES[verdict],
    ...(ask === undefined ? {} : { ask }),
    ...extra,
  });
};

/** The verdict that a card gives which takes no answer any more, or undefined while it does. */
function closedVerdict(ticket: TicketRow): VerdictWord | undefined {
  switch (ticket.at.value) {
    case 'withdrawn':
    case 'superseded':
    case 'expired':
      return ticket.at.value;
    default:
      return undefined;
  }
}

const refused = (core: Core, askId: string, error: unknown): Verdict => {
  if (!(error instanceof ReadbackError) || error.code !== 'invalid_input') throw error;
  return say(core, askId, 'invalid', { field: error.field, message: error.message });
};

/** What an earlier answer makes of this one: the same receipt again, or who won. */
function judgeAgain(core: Core, askId: string, reply: Reply, entries: readonly { n: number }[]): Verdict {
  const ask = askView(core, askId);
  const same = core.book.entriesOf(askId).find((row) => sameReply(replyOf(row), reply));
  if (same !== undefined) return say(core, askId, 'duplicate', { saved: true, token: tokenOf(same.n) });
  const winner = ask?.answers.find(({ token }) => token === tokenOf(entries[0]?.n ?? 0));
  return say(core, askId, 'conflict', winner === undefined ? {} : { winner });
}

/** `waited`: some call waits for this ask although it is not the one that asked. */
export function* submit(core: Core, askId: string, reply: Reply, author: Author, waited = false): Op<Verdict> {
  let ticket = core.book.anyTicket(askId);
  const entries = core.book.entriesOf(askId);
  if (ticket === undefined && entries.length === 0) {
    core.note?.('unknown_submission', { askId: askId.slice(0, 64), surface: author.surface, who: author.who });
    return say(core, askId, 'unknown');
  }
  // The deadline is decided here and now, not when its timer happens to run.
  if (ticket?.card?.expiresAt != null && ticket.card.expiresAt <= core.now() && !entries.some(isOfThisCard)) {
    yield* endAsk(core, askId, { type: 'DEADLINE' });
    ticket = core.book.anyTicket(askId);
  }
  const closed = ticket === undefined ? undefined : closedVerdict(ticket);
  if (closed !== undefined) {
    core.note?.(`submission_${closed}`, { askId, surface: author.surface, who: author.who });
    return say(core, askId, closed);
  }
  let read: Reply;
  try {
    read = readReply(reply, cardOf(ticket));
  } catch (error) {
    return refused(core, askId, error);
  }
  if (entries.length > 0 && ticket?.at.context.reused !== true) {
    const verdict = judgeAgain(core, askId, read, entries);
    core.note?.(`submission_${verdict.verdict}`, { askId, surface: author.surface, who: author.who });
    return verdict;
  }
  // Afterwards the log is asked anew, and nothing is said until it has answered.
  const isOff = core.gate.says(askId) === 'off';
  const awaited = ticket?.at.value === 'awaited';
  const tabId = ticket?.at.context.openings[ticket.at.context.openings.length - 1]?.tab ?? '';
  const row = yield* recorded(core, askId, replyText(read, cardOf(ticket)), tabId, { author, reply: read });
  const verdict =
    isRetired(row) || isOff
      ? 'retired'
      : !isMatched(row)
        ? 'undetermined'
        : awaited || waited
          ? 'accepted'
          : 'late_accepted';
  return say(core, askId, verdict, { saved: true, token: tokenOf(row.n) });
}

/** A flusher that fails is a fault of the host; the answer is on file, and its giver is told so. */
function* recorded(core: Core, askId: string, text: string, tabId: string, meta: RecordMeta): Op<EntryRow> {
  try {
    return yield* record(core, askId, text, { tabId }, meta);
  } catch (error) {
    const row = core.book.entriesOf(askId).at(-1);
    if (!(error instanceof HostFailure) || row === undefined) throw error;
    core.say('warn', `the flusher failed after an answer was saved (${String(error.cause)})`);
    return row;
  }
}

type Ending = { type: 'WITHDRAW'; why: string } | { type: 'SUPERSEDE'; why: string } | { type: 'DEADLINE' };

const ANSWERED = 'It was answered before; the answer stands.';
const WORDS = { WITHDRAW: 'withdrawn', SUPERSEDE: 'superseded', DEADLINE: 'expired' } as const;

/** Takes an unanswered card off the surfaces. One that was answered stays as it is, and the verdict says so. */
export function* endAsk(core: Core, askId: string, event: Ending, author?: Author): Op<Verdict> {
  const ticket = core.book.anyTicket(askId);
  const entries = core.book.entriesOf(askId);
  if (ticket === undefined && entries.length === 0) return say(core, askId, 'unknown');
  // One that was opened anew is an open card, whatever became of the card that its id named before.
  const first = ticket === undefined ? entries[0] : entries.find(isOfThisCard);
  if (first !== undefined) {
    const winner = askView(core, askId)?.answers.find(({ token }) => token === tokenOf(first.n));
    return say(core, askId, 'conflict', {
      message: ANSWERED,
      ...(winner === undefined ? {} : { winner }),
    });
  }
  const fx = core.effects();
  if (ticket !== undefined && isOpen(ticket)) {
    core.stepTicket(ticket, event, fx);
    core.note?.(WORDS[event.type], {
      askId,
      surface: author?.surface,
      who: author?.who,
      detail: 'why' in event ? event.why : undefined,
    });
    yield;
    yield* core.perform(fx);
    return say(core, askId, WORDS[event.type]);
  }
  if (ticket === undefined) return say(core, askId, 'unknown');
  const closed = closedVerdict(ticket);
  if (closed !== undefined) return say(core, askId, closed);
  if (ticket.at.value !== 'evicted') return say(core, askId, 'conflict', { message: ANSWERED });
  return say(core, askId, 'undetermined', { message: 'Too many cards were open and this one was taken off before.' });
}
