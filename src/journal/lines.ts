/** The words of the log lines that a step orders. What each must hold is in SPEC.md; the rest is free. */
import type { AnswerEvent } from '../../machines/journal/answer-facts.ts';
import type { Effects } from './operation.ts';
import { type EntryRow, type TicketRow, warningTokenOf } from './rows.ts';
import { preview } from './text.ts';

export function sayStep(what: string, row: EntryRow, event: AnswerEvent, fx: Effects): void {
  // The everyday line: a proven answer leaves by its bound. It is kept cheap.
  if (what === 'logDropped')
    return fx.say('debug', `the proven answer ${row.at.context.token} left the journal by its bound`);
  const tab = row.at.context.key.slice(0, 8);
  const named = `"${preview(row.question)}"`;
  switch (what) {
    case 'warnRefused': {
      const from = event.type === 'RECEIPT' ? event.carrier : null;
      const may = readersOf(row).join(', ') || 'nobody, for it is not handed over';
      return fx.say(
        'warn',
        `receipt for the answer to ${named} refused: it came from ${from ?? 'no carrier'}; accepted from ${may}`,
      );
    }
    case 'warnSettled': {
      const times = row.at.context.carriedReleases;
      return fx.say('warn', `the answer to ${named} was handed back as carried ${times} times and now counts as read`);
    }
    case 'logRetired':
      return fx.say(
        'error',
        `an answer of a replaced conversation on tab ${tab} left the journal by its bound, undelivered: ${row.answer}`,
      );
    default:
      return fx.say(
        'warn',
        `the conversation on tab ${tab} was replaced before the answer to ${named} was read: ${row.answer}`,
      );
  }
}

/** Whose receipt would prove it. Of a copy for which the queue named no turn only the host can say that it was read. */
function readersOf(row: EntryRow): readonly string[] {
  const { rides, channel, copyOut, copyCarrier } = row.at.context;
  if (channel !== 'queue' && !copyOut) return rides;
  if (copyCarrier === null) return [...rides, 'whoever the host vouches for'];
  return rides.includes(copyCarrier) ? rides : [...rides, copyCarrier];
}

export function sayTicket(effect: string, row: TicketRow, fx: Effects): void {
  const id = row.askId.slice(0, 12);
  if (effect === 'warnReopened') {
    fx.say('warn', `ask ${id} was opened again; its answers no longer name one card`);
  } else if (effect === 'logTrimmed') {
    fx.say('error', `the bound of open cards took ask ${id}; an answer to it will be kept but cannot be attributed`);
  }
}

export function sayWarningRefused(n: number, from: string | null, may: string | null, fx: Effects): void {
  const came = `it came from ${from ?? 'no carrier'}; accepted from ${may}`;
  fx.say('warn', `receipt for warning ${warningTokenOf(n)} refused: ${came}`);
}

export function recallLine(row: EntryRow, recalled: boolean): string {
  const queued = `the conversation was replaced; the queued answer to "${preview(row.question)}"`;
  return recalled ? `${queued} was recalled: ${row.answer}` : `${queued} could not be recalled and may still be read`;
}
