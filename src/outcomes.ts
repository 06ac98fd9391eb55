/** Outcomes without an answer, in words: what happened, and what happens next. None of them is a "no". */
import type { BatchWord, Outcome } from './api.ts';
import { isOpen, type TicketRow } from './journal/rows.ts';

type Ended = Extract<Outcome, { readonly reason: string }>;

const NOT_GIVEN = {
  ambiguous: 'Its id was used or answered more than once, so no answer is given as the one.',
  replaced: 'The conversation that asked has been replaced; its answer is on file and not shown here.',
  occupant: 'Another occupant holds the tab now; the answer is on file and not shown here.',
} as const;

/** An answer is on file, and this caller must not be given it. */
export const notGiven = (askId: string, why: keyof typeof NOT_GIVEN): Ended => ({
  outcome: 'superseded',
  askId,
  reason: NOT_GIVEN[why],
});

const NOT_ASKED = {
  unseen: ['undeliverable', 'No page or terminal is open that could show the question, so nobody was asked.'],
  closing: ['undeliverable', 'The coordinator is closing, so nobody was asked. Ask again once it is open.'],
  aborted: ['cancelled', 'This call was cancelled before the question was put, so nobody was asked.'],
  replaced: ['superseded', 'The conversation was replaced before the question could be shown, so nobody was asked.'],
} as const;

/** Nothing was opened, and nobody has seen anything. */
export function notAsked(askId: string, why: keyof typeof NOT_ASKED): Ended {
  const [outcome, reason] = NOT_ASKED[why];
  return { outcome, askId, reason };
}

/** How an ask has ended that nobody answered, or whose conversation is gone. */
export function endedOutcome(askId: string, ticket: TicketRow): Ended {
  const { value, context } = ticket.at;
  const end = (outcome: Ended['outcome'], reason: string): Ended => ({ outcome, askId, reason });
  if (isOpen(ticket))
    return end('superseded', 'The conversation that asked has been replaced, so no answer is given here.');
  switch (value) {
    case 'expired':
      return end('expired', 'The time to answer has passed and nobody answered. That is no "no".');
    case 'superseded':
      return end('superseded', context.why ?? 'Another ask took its place.');
    case 'withdrawn':
      return end('cancelled', `The question was withdrawn: ${context.why ?? 'no reason was given'}.`);
    case 'evicted':
      return end('cancelled', 'Too many cards were open and this one was taken off; ask again.');
    default:
      return end('cancelled', 'It was answered and read back long ago; the answer is no longer on file.');
  }
}

/** The call was ended while it waited. */
export const cutShort = (askId: string): Ended => ({
  outcome: 'cancelled',
  askId,
  reason: 'This call was cancelled. The question stays open; withdraw it if it is no longer wanted.',
});

/** Nothing of this id is on file. */
export const unheardOf = (askId: string): Ended => ({
  outcome: 'unknown',
  askId,
  reason: 'There is no ask with this id.',
});

/** One word for several outcomes. It says `answered` only when each question has an answer (A7, C10). */
export function batchWord(outcomes: readonly Outcome[]): BatchWord {
  const words = new Set(outcomes.map(({ outcome }) => (outcome === 'recovered' ? 'answered' : outcome)));
  const [word = 'unanswered'] = words;
  if (words.size <= 1) return word;
  if (words.has('answered')) return 'partly_answered';
  return words.has('pending') ? 'pending' : 'unanswered';
}
