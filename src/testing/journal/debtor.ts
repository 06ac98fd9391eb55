/** Journals that owe their readers something: losses made by small bounds, and the warnings that count them. */
import type { JournalLimits } from '../../limits.ts';
import { at, type Entry, type Harness, type HarnessOptions, makeJournal, only, TAB } from './harness.ts';

/** One entry per tab: every further answer on a tab displaces the one before it. */
export const ONE_PER_TAB: Partial<JournalLimits> = { entriesPerTab: 1, entriesTotal: 100 };

/** A journal with one entry per tab, and an attacher that names `h.turn`. */
export const makeDebtor = (options: HarnessOptions = {}): Harness =>
  makeJournal({ limits: ONE_PER_TAB, attacher: true, ...options });

let texts = 0;
/** A text that no other answer contains. */
export const newText = (): string => `[answer ${++texts}]`;

/** Loses `n` answers of the present occupant of a tab; returns the one that is still on file, which is pending. */
export function lose(h: Harness, n: number, tab = TAB): Entry {
  if (h.journal.entriesFor(tab).length === 0) h.late(newText(), tab);
  for (let i = 0; i < n; i++) h.late(newText(), tab);
  return only(h.journal.entriesFor(tab));
}

/** A footnote in one turn: how many losses it counted, and the token a receipt names. */
export function warn(h: Harness, turn: string, tab = TAB): { count: number; token: string } {
  const turnBefore = h.turn;
  h.turn = turn;
  const before = h.attached.length;
  const count = h.journal.reportDropped(tab);
  h.turn = turnBefore;
  return { count, token: at(h.attached, before).token };
}

/** The entry with this text, wherever it is. */
export const named = (h: Harness, text: string): Entry => only(h.entries().filter((entry) => entry.answer === text));

/** Runs `change` and shows that no entry, ticket or debt is another one afterwards. */
export function unchanged(h: Harness, change: () => void): { before: unknown; after: unknown } {
  const before = h.visible();
  change();
  return { before, after: h.visible() };
}
