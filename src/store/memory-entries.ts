/** Entries in memory, with an index for every look-up, so that no operation costs more because more is on file. */
import { type EntryRow, fingerprintOf, isLicensed, isOwed, victimClass, wasInterrupted } from '../journal/rows.ts';
import { Line } from './line.ts';
import { MemoryTickets } from './memory-tickets.ts';
import { OwedCounts } from './owed.ts';
import type { OwedGroup } from './store.ts';

/** Everything on file of one tab. */
interface TabFile {
  entries: Map<number, EntryRow>;
  /** False after a merge put an older number behind a newer one. */
  sorted: boolean;
  readonly pending: Line;
  readonly classes: readonly Line[];
  readonly prints: Map<string, EntryRow[]>;
}

const byArrival = (a: EntryRow, b: EntryRow): number => a.n - b.n;
const NONE: readonly EntryRow[] = Object.freeze([]);

export abstract class MemoryEntries extends MemoryTickets {
  readonly #entries = new Map<number, EntryRow>();
  readonly #byAsk = new Map<string, readonly EntryRow[]>();
  readonly #tabs = new Map<string, TabFile>();
  readonly #classes = this.#lines();
  readonly #owed = new OwedCounts();
  /** The largest arrival number so far. */
  #latest = 0;

  #lines(tab?: string): readonly Line[] {
    return [0, 1, 2, 3].map(
      (wanted) =>
        new Line((n) => {
          const row = this.#entries.get(n);
          return row !== undefined && victimClass(row) === wanted && (tab === undefined || row.at.context.key === tab);
        }),
    );
  }

  #tab(key: string): TabFile {
    let file = this.#tabs.get(key);
    if (file === undefined) {
      file = {
        entries: new Map(),
        sorted: true,
        pending: new Line((n) => {
          const row = this.#entries.get(n);
          return row !== undefined && row.at.value.delivery === 'pending' && row.at.context.key === key;
        }),
        classes: this.#lines(key),
        prints: new Map(),
      };
      this.#tabs.set(key, file);
    }
    return file;
  }

  entry(n: number): EntryRow | undefined {
    return this.#entries.get(n);
  }

  entriesOf(askId: string): readonly EntryRow[] {
    return this.#byAsk.get(askId) ?? NONE;
  }

  entriesOn(tab: string): EntryRow[] {
    const file = this.#tabs.get(tab);
    if (file === undefined) return [];
    if (!file.sorted) {
      file.entries = new Map([...file.entries].sort(([a], [b]) => a - b));
      file.sorted = true;
    }
    return [...file.entries.values()];
  }

  allEntries(): EntryRow[] {
    return [...this.#entries.values()].sort(byArrival);
  }

  recent(limit: number): EntryRow[] {
    return this.allEntries().slice(-limit).reverse();
  }

  *licensed(tab: string, fingerprint: string): Iterable<EntryRow> {
    const rows = this.#tabs.get(tab)?.prints.get(fingerprint);
    if (rows !== undefined) for (let i = rows.length - 1; i >= 0; i--) yield rows[i] as EntryRow;
  }

  pendingAfter(tab: string, n: number): EntryRow | undefined {
    const next = this.#tabs.get(tab)?.pending.after(n);
    return next === undefined ? undefined : this.#entries.get(next);
  }

  addEntry(row: EntryRow): void {
    this.#file(row);
    if (this.undo !== null) this.undo.push(() => this.#unfile(row));
  }

  dropEntry(row: EntryRow): void {
    this.#unfile(row);
    if (this.undo !== null) this.undo.push(() => this.#file(row));
  }

  #file(row: EntryRow): void {
    const last = row.n > this.#latest;
    this.#entries.set(row.n, row);
    const siblings = this.#byAsk.get(row.askId);
    if (siblings === undefined) this.#byAsk.set(row.askId, [row]);
    else {
      // A new list each time: callers may still hold the one from before this answer.
      const together = [...siblings, row];
      this.#byAsk.set(row.askId, last ? together : together.sort(byArrival));
    }
    this.#place(row);
    if (last) this.#latest = row.n;
  }

  #unfile(row: EntryRow): void {
    this.#displace(row, row.at);
    this.#entries.delete(row.n);
    const siblings = this.#byAsk.get(row.askId) ?? NONE;
    if (siblings.length <= 1) this.#byAsk.delete(row.askId);
    else
      this.#byAsk.set(
        row.askId,
        siblings.filter((sibling) => sibling !== row),
      );
    this.#leave(row, row.at.context.key, victimClass(row), row.at.value.delivery === 'pending');
  }

  /** Puts a row into the lists of its tab, class and state. */
  #place(row: EntryRow): void {
    const key = row.at.context.key;
    const file = this.#tab(key);
    if (file.sorted && file.entries.size > 0 && row.n <= this.#latest) file.sorted = false;
    file.entries.set(row.n, row);
    const rank = victimClass(row);
    (this.#classes[rank] as Line).add(row.n);
    (file.classes[rank] as Line).add(row.n);
    if (row.at.value.delivery === 'pending') file.pending.add(row.n);
    if (isOwed(row)) this.#owed.change(key, row.occupant, 1);
    const print = isLicensed(row) ? fingerprintOf(row) : null;
    if (print !== null) {
      const rows = file.prints.get(print);
      if (rows === undefined) file.prints.set(print, [row]);
      else {
        rows.push(row);
        if ((rows[rows.length - 2] as EntryRow).n > row.n) rows.sort(byArrival);
      }
    }
  }

  /** Takes a row out of the lists that hold the row itself; the lazy lines follow in `#leave`. */
  #displace(row: EntryRow, at: EntryRow['at']): void {
    const key = at.context.key;
    const file = this.#tab(key);
    file.entries.delete(row.n);
    if (isOwed(row)) this.#owed.change(key, row.occupant, -1);
    this.#unlicense(file, row);
  }

  #unlicense(file: TabFile, row: EntryRow): void {
    if (row.fingerprint === null) return;
    const rows = file.prints.get(row.fingerprint);
    const at = rows === undefined ? -1 : rows.lastIndexOf(row);
    if (rows === undefined || at < 0) return;
    if (rows.length === 1) file.prints.delete(row.fingerprint);
    else rows.splice(at, 1);
  }

  /** Counts a row out of the lines it was on; call it when the row no longer answers to them. */
  #leave(row: EntryRow, key: string, rank: number, pending: boolean): void {
    const file = this.#tab(key);
    (this.#classes[rank] as Line).leave();
    (file.classes[rank] as Line).leave();
    if (pending) file.pending.leave();
    if (file.entries.size === 0 && row.at.context.key !== key) this.#tabs.delete(key);
    else if (file.entries.size === 0 && !this.#entries.has(row.n)) this.#tabs.delete(key);
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
    const before = row.at;
    const key = before.context.key;
    const rank = victimClass(row);
    const pending = before.value.delivery === 'pending';
    if (at.context.key !== key) {
      this.#displace(row, before);
      row.at = at;
      this.#leave(row, key, rank, pending);
      this.#place(row);
      return;
    }
    const file = this.#tab(key);
    const owed = isOwed(row);
    const licensed = isLicensed(row) && !before.context.erased;
    row.at = at;
    const nextRank = victimClass(row);
    if (nextRank !== rank) {
      (this.#classes[rank] as Line).leave();
      (file.classes[rank] as Line).leave();
      (this.#classes[nextRank] as Line).add(row.n);
      (file.classes[nextRank] as Line).add(row.n);
    }
    const nowPending = at.value.delivery === 'pending';
    if (nowPending !== pending) {
      if (nowPending) file.pending.add(row.n);
      else file.pending.leave();
    }
    if (isOwed(row) !== owed) this.#owed.change(key, row.occupant, owed ? -1 : 1);
    if (licensed && !(isLicensed(row) && !at.context.erased)) this.#unlicense(file, row);
    else if (!licensed && isLicensed(row) && !at.context.erased) this.#relicense(file, row);
  }

  /** Only a rollback gives a licence back. */
  #relicense(file: TabFile, row: EntryRow): void {
    if (row.fingerprint === null) return;
    const rows = [...(file.prints.get(row.fingerprint) ?? []), row].sort(byArrival);
    file.prints.set(row.fingerprint, rows);
  }

  entryCount(tab?: string): number {
    return tab === undefined ? this.#entries.size : (this.#tabs.get(tab)?.entries.size ?? 0);
  }

  entryVictim(tab: string | undefined, except: number): EntryRow | undefined {
    const lines = tab === undefined ? this.#classes : (this.#tabs.get(tab)?.classes ?? []);
    for (const line of lines) {
      let n = line.first();
      if (n === except) n = line.after(n);
      if (n !== undefined) return this.#entries.get(n);
    }
    return undefined;
  }

  owedGroups(): Iterable<OwedGroup> {
    return this.#owed.groups();
  }

  pendingTabs(): string[] {
    return [...this.#tabs].filter(([, file]) => file.pending.first() !== undefined).map(([tab]) => tab);
  }

  get latestAge(): number {
    let latest = 0;
    for (const row of this.#entries.values()) latest = Math.max(latest, row.agedFrom);
    return latest;
  }

  interruptedEntries(): EntryRow[] {
    return this.allEntries().filter(wasInterrupted);
  }

  protected clearEntries(): void {
    for (const row of [...this.#entries.values()]) this.dropEntry(row);
  }
}
