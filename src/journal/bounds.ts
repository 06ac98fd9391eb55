/** The bounds of tickets and entries, and what hitting them does (4.25, 4.26). */
import { start } from '../../machines/shared/step.ts';
import { lossChart } from './charts.ts';
import type { Core } from './core.ts';
import type { Effects } from './operation.ts';
import { type EntryRow, isRetired, tokenOf } from './rows.ts';

/** At most so many open cards; never takes the one that was opened just now. */
export function boundTickets(core: Core, newest: string, fx: Effects): void {
  while (core.book.openTickets > core.limits.tickets) {
    const victim = core.book.ticketVictim(newest);
    if (victim === undefined) return;
    core.note?.('card_evicted', { askId: victim.askId });
    if (!core.stepTicket(victim, { type: 'TRIM' }, fx)) return;
  }
}

/** At most so many entries on a tab and in all; the newest goes only if it was born retired. */
export function boundEntries(core: Core, tab: string, newest: EntryRow | undefined, fx: Effects): void {
  const spared = newest !== undefined && !isRetired(newest) ? newest.n : 0;
  trim(core, tab, core.limits.entriesPerTab, spared, fx);
  trim(core, undefined, core.limits.entriesTotal, spared, fx);
}

function trim(core: Core, tab: string | undefined, limit: number, spared: number, fx: Effects): void {
  while (core.book.entryCount(tab) > limit) {
    const victim = core.book.entryVictim(tab, spared);
    if (victim === undefined) return;
    evict(core, victim, fx);
  }
}

function evict(core: Core, row: EntryRow, fx: Effects): void {
  const wasQueued = row.at.context.channel === 'queue';
  fx.lost = undefined;
  core.stepEntry(row, { type: 'EVICT' }, fx);
  const lost = fx.lost !== undefined;
  core.note?.('evicted', {
    askId: row.askId,
    token: tokenOf(row.n),
    tab: row.at.context.key,
    ...(lost || isRetired(row) ? { detail: row.answer } : {}),
  });
  core.book.dropEntry(row);
  if (lost) noteLoss(core, row, wasQueued, fx);
}

/** One loss, owed to the tab and occupant of the victim, whoever holds the tab now. */
function noteLoss(core: Core, row: EntryRow, wasQueued: boolean, fx: Effects): void {
  const { key, rides, endedBeside, returned, copyCarrier } = row.at.context;
  const tab = key.slice(0, 8);
  const reached = returned ? 'had been returned but not read back' : 'had reached nobody';
  // A loss of an occupant that is gone has no reader left: the log is told at once instead.
  if (row.occupant !== null && core.tabs.isGone(key, row.occupant) && core.peekOccupant(key) !== row.occupant) {
    fx.say(
      'error',
      `an answer of an occupant of tab ${tab} that is gone left the journal by its bound; it ${reached}: ${row.answer}`,
    );
    return;
  }
  const born = start(lossChart, {
    tab: key,
    occupant: row.occupant,
    of: tokenOf(row.n),
    rides,
    endedBeside,
    copyOut: wasQueued,
    copyCarrier,
  });
  const id = core.book.nextLoss();
  core.book.addLoss({ id, at: born.snapshot });
  core.watch?.tell?.(
    lossChart.id,
    `loss${id}`,
    undefined,
    { type: 'xstate.init', tab: key, token: tokenOf(row.n) },
    born,
  );
  fx.say(
    'error',
    `an answer on tab ${tab} left the journal by its bound and is owed as dropped; it ${reached}: ${row.answer}`,
  );
}
