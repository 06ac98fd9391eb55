/** Entries in memory, with an index for every look-up, so that no operation costs more because more is on file. */
import { type EntryRow, fingerprintOf, isLicensed, isOwed, victimClass, wasInterrupted } from '../journal/rows.ts';
import { type AskFile, CLASSES, classLines, type Filed, LICENSED, ON_FILE, OWED, PENDING } from './memory-files.ts';
import { MemoryTickets } from './memory-tickets.ts';
import { Numbered } from './numbered.ts';
import { OwedCounts } from './owed.ts';
import type { OwedGroup } from './store.ts';

const byArrival = (a: EntryRow, b: EntryRow): number => a.n - b.n;
/** Not frozen: loops over a frozen list are slower than all else that is done with it. */
const NONE: readonly EntryRow[] = [];

/** The lines that an entry belongs on as it stands. */
function linesOf(row: EntryRow): number {
  return (
    ON_FILE |
    (1 << victimClass(row)) |
    (row.at.value.delivery === 'pending' ? PENDING : 0) |
    (isOwed(row) ? OWED : 0) |
    (isLicensed(row) && fingerprintOf(row) !== null ? LICENSED : 0)
  );
}

export abstract class MemoryEntries extends MemoryTickets {
  readonly #entries = new Numbered<Filed>();
  readonly #classes = classLines();
  readonly #owed = new OwedCounts();

  entry(n: number): EntryRow | undefined {
    return this.#entries.get(n)?.row;
  }

  entriesOf(askId: string): readonly EntryRow[] {
    return this.asks.get(askId)?.entries ?? NONE;
  }

  entriesOn(tab: string): EntryRow[] {
    const filed = this.tabs.get(tab)?.entries.all() ?? [];
    return filed.map(({ row }) => row);
  }

  allEntries(): EntryRow[] {
    return this.#rows().sort(byArrival);
  }

  #rows(): EntryRow[] {
    return Array.from(this.#entries.values(), ({ row }) => row);
  }

  recent(limit: number): EntryRow[] {
    return this.allEntries().slice(-limit).reverse();
  }

  *licensed(tab: string, fingerprint: string): Iterable<EntryRow> {
    const filed = this.tabs.get(tab)?.licensed(fingerprint) ?? [];
    for (let i = filed.length - 1; i >= 0; i--) yield (filed[i] as Filed).row;
  }

  pendingAfter(tab: string, n: number): EntryRow | undefined {
    return this.tabs.get(tab)?.pending.after(n)?.row;
  }

  addEntry(row: EntryRow): void {
    this.#file(row);
    if (this.undo !== null) this.#undoAdd(row);
  }

  #undoAdd(row: EntryRow): void {
    this.undo?.push(() => this.#unfile(row));
  }

  dropEntry(row: EntryRow): void {
    this.#unfile(row);
    if (this.undo !== null) this.#undoDrop(row);
  }

  #undoDrop(row: EntryRow): void {
    this.undo?.push(() => this.#file(row));
  }

  #file(row: EntryRow): void {
    const file = this.asks.own(row.askId);
    const siblings = file.entries;
    // A new list each time: callers may still hold the one from before this answer.
    file.entries = siblings.length === 0 ? [row] : [...siblings, row].sort(byArrival);
    this.#place(row, file);
  }

  #unfile(row: EntryRow): void {
    const filed = this.#entries.get(row.n);
    if (filed === undefined) return;
    this.#entries.delete(row.n);
    this.#displace(filed);
    const { file } = filed;
    file.entries = file.entries.length <= 1 ? NONE : file.entries.filter((sibling) => sibling !== row);
    this.asks.tidy(row.askId, file);
  }

  #place(row: EntryRow, file: AskFile): void {
    const filed: Filed = { n: row.n, row, file, tab: this.tabFile(row.at.context.key), on: 0 };
    this.#entries.set(row.n, filed);
    filed.tab.entries.add(filed);
    this.#stand(filed, linesOf(row));
  }

  #displace(filed: Filed): void {
    const { tab } = filed;
    this.#stand(filed, 0);
    tab.entries.leave();
    if (tab.empty) this.tabs.delete(tab.key);
  }

  /** Takes an entry from the lines it was on to those that are named. */
  #stand(filed: Filed, on: number): void {
    const { tab, row } = filed;
    const left = filed.on & ~on;
    const joined = on & ~filed.on;
    filed.on = on;
    if ((left & CLASSES) !== 0) {
      const rank = 31 - Math.clz32(left & CLASSES);
      this.#classes[rank]?.leave();
      tab.classes[rank]?.leave();
    }
    if ((joined & CLASSES) !== 0) {
      const rank = 31 - Math.clz32(joined & CLASSES);
      this.#classes[rank]?.add(filed);
      tab.classes[rank]?.add(filed);
    }
    if ((left & PENDING) !== 0) tab.pending.leave();
    else if ((joined & PENDING) !== 0) tab.pending.add(filed);
    if ((left & OWED) !== 0) this.#owed.change(tab.key, row.occupant, -1);
    else if ((joined & OWED) !== 0) this.#owed.change(tab.key, row.occupant, 1);
    if ((left & LICENSED) !== 0) tab.unlicense(filed);
    else if ((joined & LICENSED) !== 0) tab.license(filed);
  }

  setEntry(row: EntryRow, at: EntryRow['at']): void {
    if (this.undo !== null) this.#undoSetEntry(row);
    this.#restate(row, at);
  }

  #undoSetEntry(row: EntryRow): void {
    const before = row.at;
    this.undo?.push(() => this.#restate(row, before));
  }

  #restate(row: EntryRow, at: EntryRow['at']): void {
    const filed = this.#entries.get(row.n);
    row.at = at;
    // A row that was removed while a host was called steps on by itself.
    if (filed === undefined || filed.row !== row) return;
    if (at.context.key !== filed.tab.key) {
      this.#displace(filed);
      this.#place(row, filed.file);
      return;
    }
    const on = linesOf(row);
    if (on !== filed.on) this.#stand(filed, on);
  }

  entryCount(tab?: string): number {
    return tab === undefined ? this.#entries.size : (this.tabs.get(tab)?.entries.size ?? 0);
  }

  entryVictim(tab: string | undefined, except: number): EntryRow | undefined {
    const lines = tab === undefined ? this.#classes : (this.tabs.get(tab)?.classes ?? []);
    for (let rank = 0; rank < lines.length; rank += 1) {
      let filed = lines[rank]?.first();
      if (filed?.n === except) filed = lines[rank]?.after(except);
      if (filed !== undefined) return filed.row;
    }
    return undefined;
  }

  owedGroups(): Iterable<OwedGroup> {
    return this.#owed.groups();
  }

  pendingTabs(): string[] {
    return [...this.tabs.values()].filter((file) => file.pending.size > 0).map((file) => file.key);
  }

  get latestAge(): number {
    let latest = 0;
    for (const { row } of this.#entries.values()) latest = Math.max(latest, row.agedFrom);
    return latest;
  }

  interruptedEntries(): EntryRow[] {
    return this.allEntries().filter(wasInterrupted);
  }

  protected clearEntries(): void {
    for (const row of this.#rows()) this.dropEntry(row);
  }
}
