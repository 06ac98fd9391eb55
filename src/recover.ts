/**
 * What a start does before the doors open: fence, fold, arm. A restart is no conversation boundary, no denial and no
 * answer: what was handed off is handed back, and what was awaited is unattended.
 */
import type { Core } from './journal/core.ts';
import type { Effects, Op } from './journal/operation.ts';
import { isMatched, numberIn } from './journal/rows.ts';
import type { Store } from './store/store.ts';

/** Tickets folded in one go; the rest follow while the coordinator is idle. */
export const FOLD_AT_ONCE = 256;

/** Hands back what was handed off when the last process ended, and says which tabs have something to deliver. */
export function* fold(core: Core, store: Store): Op<void> {
  const fx: Effects = core.effects();
  const interrupted = core.book.interruptedEntries();
  // One row for the whole start: which answers and cards it changed follows from where they stood.
  if (interrupted.length > 0 || core.book.awaitedTickets(core.book.latestSeq, 1).length > 0)
    core.note?.('restarted', {});
  for (const row of interrupted) core.stepEntry(row, { type: 'RESTART' }, fx);
  foldOffers(core, store, fx);
  yield;
}

/**
 * Offers that were begun and whose end is not on file. The agent may have taken them, so each counts as taken by a
 * queue that is gone, and comes again with its label.
 */
export function foldOffers(core: Core, store: Store, fx: Effects): void {
  for (const { id, kind, token } of store.outbox()) {
    if (kind !== 'offer') continue;
    const row = core.book.entry(numberIn(token, 'aa'));
    if (row?.at.value.delivery === 'pending') {
      const worded = isMatched(row) ? 'matched' : 'foreign';
      core.stepEntry(row, { type: 'OFFER_TAKEN', losses: [], worded, carrier: null }, fx);
      core.stepEntry(row, { type: 'RESTART' }, fx);
    }
    store.done(id);
  }
}

/** Makes tickets unattended that a process awaited which is gone; true while there are more. */
export function* foldTickets(core: Core, upTo: number): Op<boolean> {
  const rows = core.book.awaitedTickets(upTo, FOLD_AT_ONCE);
  const fx = core.effects();
  for (const row of rows) {
    const entries = core.book.entriesOf(row.askId);
    core.stepTicket(row, { type: 'RESTART', answered: entries.length > 0 }, fx);
    // The doors may be open: what was handed off meanwhile is held by somebody who lives.
    for (const entry of entries) if (entry.at.value.delivery === 'none') core.stepEntry(entry, { type: 'RESTART' }, fx);
  }
  if (rows.length > 0) yield;
  return rows.length === FOLD_AT_ONCE;
}

/** Recalls that were decided but not known to be performed. */
export function* redo(core: Core, store: Store): Op<void> {
  const fx = core.effects();
  const recalls = store.outbox().filter(({ kind }) => kind === 'recall');
  for (const { id, token, tab, because } of recalls) {
    core.recalled(token, because as Parameters<Core['recalled']>[1], core.recall(tab, token), fx);
    store.done(id);
  }
  for (const tab of core.book.pendingTabs()) fx.addFlush(tab);
  // Who waits for a commit counts as work: a process that found nothing to do is idle from the start.
  if (recalls.length === 0 && fx.flush.length === 0) return;
  yield;
  core.flushAll(fx);
}
