/** What ends or renames a conversation: boundaries, forgotten tabs, absent occupants, renamed tabs (4.19 to 4.24). */
import { boundEntries } from './bounds.ts';
import type { Core } from './core.ts';
import { surface } from './debt.ts';
import type { Effects, Op } from './operation.ts';
import { type EntryRow, isOwed, type LossRow, tokenOf } from './rows.ts';
import { preview } from './text.ts';

/** What is left of these losses, also on another tab: a callback may have renamed theirs. */
const stillOwed = (core: Core, rows: readonly LossRow[]): readonly LossRow[] =>
  rows.filter((row) => core.book.loss(row.id) === row);

/** The conversation on this tab has been replaced: protect, recall and report, surface the debt. */
export function* closeAsks(core: Core, tab: string): Op<void> {
  const fx = core.effects();
  core.tabs.send({ type: 'BOUNDARY', tab });
  core.note?.('boundary', { tab });
  core.gate.lineage?.leafChanged(tab);
  for (const row of core.book.entriesOn(tab)) {
    // Where the log speaks, a boundary is only a hint to ask it again.
    if (core.gate.isPlaced(row.askId)) continue;
    const wasOwed = isOwed(row);
    if (core.stepEntry(row, { type: 'BOUNDARY' }, fx) && wasOwed) {
      core.note?.('retired', { askId: row.askId, token: tokenOf(row.n), tab, detail: row.answer });
    }
  }
  const owed = core.book.losses(tab);
  if (fx.speaks) {
    yield;
    yield* core.perform(fx);
  }
  const occupant = core.occupant(tab);
  const isPresent = (row: LossRow): boolean => row.at.context.occupant === occupant;
  const losses = stillOwed(core, owed);
  surface(core, tab, losses.filter(isPresent), 'its conversation was replaced', fx);
  surface(
    core,
    tab,
    losses.filter((row) => !isPresent(row)),
    'its conversation was replaced, and they were owed to others',
    fx,
  );
  if (fx.speaks) {
    yield;
    yield* core.perform(fx);
  }
}

/** The tab is gone for good: its answers are written to the log and leave. */
export function* forget(core: Core, tab: string): Op<void> {
  const fx = core.effects();
  core.tabs.send({ type: 'BOUNDARY', tab });
  core.note?.('forgotten', { tab });
  // Only what was there when the tab went: a callback may put new answers on file meanwhile, and they stay.
  const rows = core.book.entriesOn(tab);
  const owed = core.book.losses(tab);
  for (const row of rows) core.stepEntry(row, { type: 'FORGET' }, fx);
  const unwritten = core.durable === undefined ? writeForgotten(core, fx) : noteForgotten(core, fx);
  for (const row of rows) {
    if (!unwritten.has(row) && core.book.entry(row.n) === row) core.book.dropEntry(row);
  }
  let failure: { error: unknown } | undefined;
  try {
    surface(core, tab, stillOwed(core, owed), 'the tab is gone', fx);
  } catch (error) {
    failure = { error };
  }
  if (fx.speaks) {
    yield;
    yield* core.perform(fx);
  }
  if (failure !== undefined) throw failure.error;
}

const farewell = (row: EntryRow): string => {
  const tab = row.at.context.key.slice(0, 8);
  const proof = row.at.context.returned ? ' (it had been returned, which is no proof that it was read)' : '';
  return `tab ${tab} is gone; the answer to "${preview(row.question)}"${proof} leaves the journal: ${row.answer}`;
};

/** In memory the line is the report: an entry whose line could not be written is not removed. */
function writeForgotten(core: Core, fx: Effects): Set<EntryRow> {
  const unwritten = new Set<EntryRow>();
  for (const row of fx.forgotten.splice(0)) {
    try {
      core.report('warn', farewell(row));
    } catch {
      unwritten.add(row);
    }
  }
  return unwritten;
}

/** With a store the audit row is the report, in the same commit as the removal. */
function noteForgotten(core: Core, fx: Effects): Set<EntryRow> {
  for (const row of fx.forgotten.splice(0)) {
    core.note?.('forgotten_answer', {
      askId: row.askId,
      token: tokenOf(row.n),
      tab: row.at.context.key,
      detail: row.answer,
    });
    fx.say('warn', farewell(row));
  }
  return new Set();
}

/** An occupant has been absent for its grace time: what is owed to it is told to the log. */
export function* retireDebt(core: Core, tab: string, occupant: string | null): Op<void> {
  const fx = core.effects();
  const owed = core.book.losses(tab).filter((row) => row.at.context.occupant === occupant);
  if (occupant !== null) {
    core.tabs.send({ type: 'GONE', tab, occupant });
    core.note?.('occupant_gone', { tab, who: occupant });
    for (const row of core.book.entriesOn(tab)) {
      if (row.occupant !== occupant || !isOwed(row)) continue;
      core.note?.('unreachable', { askId: row.askId, token: tokenOf(row.n), tab, detail: row.answer });
      fx.say(
        'warn',
        `the occupant of tab ${tab.slice(0, 8)} is gone and no longer waited for; its answer: ${row.answer}`,
      );
    }
    if (fx.speaks) {
      yield;
      yield* core.perform(fx);
    }
  }
  surface(core, tab, stillOwed(core, owed), 'the tab disconnected', fx);
  if (fx.speaks) {
    yield;
    yield* core.perform(fx);
  }
}

/** A renamed tab: everything on the old key is on the new one, and what was settled stays settled. */
export function* moveKey(core: Core, from: string, to: string): Op<void> {
  if (from === to) return;
  const { book, tabs } = core;
  const fx = core.effects();
  const move = { type: 'MOVE', from, to, live: tabs.epoch(from), liveThere: tabs.epoch(to) } as const;
  const tickets = book.ticketsOn(from);
  const entries = book.entriesOn(from);
  const losses = book.losses(from);
  for (const row of tickets) core.stepTicket(row, move, fx);
  for (const row of entries) core.stepEntry(row, move, fx);
  for (const row of losses) core.stepLoss(row, move, fx);
  for (const row of book.warnings()) if (row.at.context.tab === from) core.stepWarning(row, move, fx);
  tabs.send({ type: 'MOVE', from, to });
  core.gate.lineage?.moved(from, to);
  if (entries.length > 0) boundEntries(core, to, undefined, fx);
  core.note?.('moved', { tab: to, detail: from });
  if (fx.speaks) {
    yield;
    yield* core.perform(fx);
  }
}
