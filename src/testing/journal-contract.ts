/** The contract of the answer journal, as suites that any journal can be run through. */
import { ackRules } from './journal/ack.ts';
import { answerTextRules } from './journal/answer-text.ts';
import { closeAskRules } from './journal/close-ask.ts';
import { closeAsksRules } from './journal/close-asks.ts';
import { deliverPendingRules } from './journal/deliver-pending.ts';
import { deliverReentryRules } from './journal/deliver-reentry.ts';
import { entryBoundsRules } from './journal/entry-bounds.ts';
import { faultsRules } from './journal/faults.ts';
import { fingerprintRules } from './journal/fingerprint.ts';
import { forgetRules } from './journal/forget.ts';
import { gateRules } from './journal/gate.ts';
import { generalRules } from './journal/general.ts';
import { liveConversationRules } from './journal/live-conversation.ts';
import { lookupsRules } from './journal/lookups.ts';
import { markReturnedRules } from './journal/mark-returned.ts';
import { moveKeyRules } from './journal/move-key.ts';
import { openAskRules } from './journal/open-ask.ts';
import { pathRules } from './journal/paths.ts';
import { pendingRules } from './journal/pending.ts';
import { protectFirstRules } from './journal/protect-first.ts';
import { reachRules } from './journal/reach.ts';
import { recordRules } from './journal/record.ts';
import { recordStandingRules } from './journal/record-standing.ts';
import { recoverRules } from './journal/recover.ts';
import { releaseRules } from './journal/release.ts';
import { reportDroppedRules } from './journal/report-dropped.ts';
import { resetRules } from './journal/reset.ts';
import { retireDebtRules } from './journal/retire-debt.ts';
import type { JournalSubject, LaterJournalSubject } from './journal/subject.ts';
import { ticketBoundRules } from './journal/ticket-bound.ts';
import { register, type Suite } from './rules.ts';

export const journalChapters = [
  ackRules,
  answerTextRules,
  closeAskRules,
  closeAsksRules,
  deliverPendingRules,
  deliverReentryRules,
  entryBoundsRules,
  faultsRules,
  fingerprintRules,
  forgetRules,
  gateRules,
  generalRules,
  liveConversationRules,
  lookupsRules,
  markReturnedRules,
  moveKeyRules,
  openAskRules,
  pathRules,
  pendingRules,
  protectFirstRules,
  reachRules,
  recordStandingRules,
  recordRules,
  recoverRules,
  releaseRules,
  reportDroppedRules,
  resetRules,
  retireDebtRules,
  ticketBoundRules,
] as const;

/**
 * Runs a journal through the rules of the contract, each test with a journal of its own.
 *
 * Promises that a journal that passes does what the rules in the titles say, over the calls that the tests make. Rules
 * that need what the journal does not claim are skipped; one whose operations return promises walks the paths alone.
 */
export function journalContract(
  name: string,
  make: JournalSubject['create'] | JournalSubject | LaterJournalSubject,
  suite: Suite,
): void {
  const subject = typeof make === 'function' ? { create: make } : make;
  const chapters = 'isLater' in subject ? [pathRules] : journalChapters;
  register(`the contract of a journal: ${name}`, subject, chapters, suite);
}
