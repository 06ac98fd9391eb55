/** Entries on SQLite: read when they are asked for, kept while they are in use, written just before the commit. */
import { assert } from '../../machines/shared/assert.ts';
import { type EntryRow, fingerprintOf, isLicensed, isOwed } from '../journal/rows.ts';
import { type EntryColumns, packEntry, unpackEntry } from './codec.ts';
import { OwedCounts } from './owed.ts';
import { CACHED_ROWS } from './sqlite-rows.ts';
import { SqliteTickets } from './sqlite-tickets.ts';
import type { OwedGroup } from './store.ts';

const ENTRY = 'SELECT e.*, t.tab AS key FROM entries e JOIN tabs t ON t.id = e.tab';
const ONE = `${ENTRY} WHERE e.n = ?`;
const OF_ASK = `${ENTRY} WHERE e.ask_id = ? ORDER BY e.n`;
const INSERT = 'INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const UPDATE =
  'UPDATE entries SET chart = ?, delivery = ?, label = ?, tab = ?, rank = ?, licensed = ?, context = ? WHERE n = ?';
const STEP = 'UPDATE entries SET chart = ?, delivery = ?, rank = ?, context = ? WHERE n = ?';
const PER_TAB =
  'SELECT t.tab, c.n FROM (SELECT tab, COUNT(*) AS n FROM entries GROUP BY tab) c JOIN tabs t ON t.id = c.tab';
const OWED = `SELECT t.tab, c.occupant, c.n FROM (SELECT tab, occupant, COUNT(*) AS n FROM entries
  WHERE delivery IN ('pending', 'handed_off') GROUP BY tab, occupant) c JOIN tabs t ON t.id = c.tab`;

export abstract class SqliteEntries extends SqliteTickets {
  readonly #entries = new Map<number, EntryRow>();
  readonly #byAsk = new Map<string, readonly EntryRow[]>();
  readonly #dirty = new Set<EntryRow>();
  readonly #fresh = new Set<EntryRow>();
  /** Changed in their tab, label or licence too. Naming fewer columns spares their indexes. */
  readonly #whole = new Set<EntryRow>();
  readonly #owed = new OwedCounts();
  readonly #perTab = new Map<string, number>();
  #total = 0;

  protected get dirtyEntries(): number {
    return this.#dirty.size;
  }

  protected countEntries(): void {
    this.#owed.clear();
    this.#perTab.clear();
    this.#total = 0;
    for (const { tab, n } of this.sql(PER_TAB).all() as { tab: string; n: number }[]) {
      this.#perTab.set(tab, n);
      this.#total += n;
    }
    for (const { tab, occupant, n } of this.sql(OWED).all() as { tab: string; occupant: string | null; n: number }[]) {
      this.#owed.change(tab, occupant, n);
    }
  }

  protected forgetEntries(): void {
    this.#entries.clear();
    this.#byAsk.clear();
    this.#dirty.clear();
    this.#fresh.clear();
    this.#whole.clear();
  }

  /** Forgets the least recently used; nothing is dirty when it is called. */
  protected shrinkEntries(): void {
    for (const [n, row] of this.#entries) {
      if (this.#entries.size <= CACHED_ROWS) break;
      this.#entries.delete(n);
      this.#byAsk.delete(row.askId);
    }
    if (this.#byAsk.size > 2 * CACHED_ROWS) this.#byAsk.clear();
  }

  protected flushEntries(): void {
    for (const row of this.#dirty) this.#write(row);
    this.#dirty.clear();
    this.#fresh.clear();
    this.#whole.clear();
  }

  #write(row: EntryRow): void {
    const c = packEntry(row, this.tabId(row.at.context.key), this.charts.answer);
    if (this.#fresh.has(row)) this.#insert(c);
    else if (this.#whole.has(row)) {
      this.sql(UPDATE).run(c.chart, c.delivery, c.label, c.tab, c.rank, c.licensed, c.context, c.n);
    } else this.sql(STEP).run(c.chart, c.delivery, c.rank, c.context, c.n);
  }

  // biome-ignore format: one line for each list of the statement
  #insert(c: EntryColumns): void {
    this.sql(INSERT).run(
      c.n, c.ask_id, c.chart, c.delivery, c.label, c.tab, c.rank, c.licensed, c.fingerprint, c.question, c.answer,
      c.answered_at, c.aged_from, c.occupant, c.provenance, c.ticket_seq, c.surface, c.reply, c.context,
    );
  }

  #adoptEntry(columns: unknown): EntryRow {
    const read = columns as EntryColumns & { key: string };
    const kept = this.#entries.get(read.n);
    if (kept !== undefined) return kept;
    const row = unpackEntry(read, read.key);
    this.#entries.set(row.n, row);
    return row;
  }

  #adoptEntries(rows: unknown[]): EntryRow[] {
    return rows.map((columns) => this.#adoptEntry(columns));
  }

  entry(n: number): EntryRow | undefined {
    const kept = this.#entries.get(n);
    if (kept !== undefined) {
      this.#entries.delete(n);
      this.#entries.set(n, kept);
      return kept;
    }
    if (n === 0) return undefined;
    const columns = this.sql(ONE).get(n);
    return columns === undefined ? undefined : this.#adoptEntry(columns);
  }

  entriesOf(askId: string): readonly EntryRow[] {
    const kept = this.#byAsk.get(askId);
    if (kept !== undefined) return kept;
    const rows = this.#adoptEntries(this.query(OF_ASK).all(askId));
    this.#byAsk.set(askId, rows);
    return rows;
  }

  entriesOn(tab: string): EntryRow[] {
    return this.#adoptEntries(this.query(`${ENTRY} WHERE e.tab = ? ORDER BY e.n`).all(this.findTab(tab)));
  }

  allEntries(): EntryRow[] {
    return this.#adoptEntries(this.query(`${ENTRY} ORDER BY e.n`).all());
  }

  recent(limit: number): EntryRow[] {
    return this.#adoptEntries(this.query(`${ENTRY} ORDER BY e.n DESC LIMIT ?`).all(limit));
  }

  *licensed(tab: string, fingerprint: string): Iterable<EntryRow> {
    const rows = this.query(`${ENTRY} WHERE e.tab = ? AND e.fingerprint = ? AND e.licensed = 1 ORDER BY e.n DESC`);
    for (const columns of rows.all(this.findTab(tab), fingerprint)) yield this.#adoptEntry(columns);
  }

  pendingAfter(tab: string, n: number): EntryRow | undefined {
    const next = this.query(`${ENTRY} WHERE e.tab = ? AND e.delivery = 'pending' AND e.n > ? ORDER BY e.n LIMIT 1`);
    const columns = next.get(this.findTab(tab), n);
    return columns === undefined ? undefined : this.#adoptEntry(columns);
  }

  addEntry(row: EntryRow): void {
    this.#entries.set(row.n, row);
    this.#byAsk.set(row.askId, [...this.entriesOf(row.askId), row]);
    this.#fresh.add(row);
    this.#dirty.add(row);
    this.#countEntry(row, 1);
    if (isOwed(row)) this.#owed.change(row.at.context.key, row.occupant, 1);
  }

  setEntry(row: EntryRow, at: EntryRow['at']): void {
    assert(this.#entries.get(row.n) === row, 'an entry that is stepped is the one on file');
    const moved = at.context.key !== row.at.context.key;
    const licensed = isLicensed(row) && fingerprintOf(row) !== null;
    const { label } = row.at.value;
    const owed = isOwed(row);
    if (owed) this.#owed.change(row.at.context.key, row.occupant, -1);
    if (moved) this.#countEntry(row, -1);
    row.at = at;
    if (isOwed(row)) this.#owed.change(at.context.key, row.occupant, 1);
    if (moved) this.#countEntry(row, 1);
    if (moved || at.value.label !== label || (isLicensed(row) && fingerprintOf(row) !== null) !== licensed)
      this.#whole.add(row);
    this.#dirty.add(row);
  }

  dropEntry(row: EntryRow): void {
    this.#countEntry(row, -1);
    if (isOwed(row)) this.#owed.change(row.at.context.key, row.occupant, -1);
    this.#entries.delete(row.n);
    this.#byAsk.delete(row.askId);
    this.#dirty.delete(row);
    if (this.#fresh.delete(row)) return;
    this.begin();
    this.sql('DELETE FROM entries WHERE n = ?').run(row.n);
  }

  #countEntry(row: EntryRow, by: 1 | -1): void {
    const { key } = row.at.context;
    const count = (this.#perTab.get(key) ?? 0) + by;
    if (count === 0) this.#perTab.delete(key);
    else this.#perTab.set(key, count);
    this.#total += by;
  }

  entryCount(tab?: string): number {
    return tab === undefined ? this.#total : (this.#perTab.get(tab) ?? 0);
  }

  entryVictim(tab: string | undefined, except: number): EntryRow | undefined {
    const here = tab === undefined ? '' : 'e.tab = ? AND';
    const params = tab === undefined ? [except] : [this.findTab(tab), except];
    const columns = this.query(`${ENTRY} WHERE ${here} e.n <> ? ORDER BY e.rank, e.n LIMIT 1`).get(...params);
    return columns === undefined ? undefined : this.#adoptEntry(columns);
  }

  owedGroups(): Iterable<OwedGroup> {
    return this.#owed.groups();
  }

  pendingTabs(): string[] {
    const rows = this.query(
      `SELECT tab FROM tabs WHERE id IN (SELECT DISTINCT tab FROM entries WHERE delivery = 'pending')`,
    );
    return rows.pluck().all() as string[];
  }

  /** The latest instant on the steady clock that any entry was recorded at. */
  get latestAge(): number {
    return Number(
      this.sql('SELECT COALESCE((SELECT aged_from FROM entries ORDER BY n DESC LIMIT 1), 0)').pluck().get(),
    );
  }

  interruptedEntries(): EntryRow[] {
    const held = this.query(`${ENTRY} WHERE e.delivery = 'handed_off' ORDER BY e.n`).all();
    const awaited = this.query(`${ENTRY} WHERE e.delivery = 'none' AND e.rank = 3 ORDER BY e.n`).all();
    const out = "e.delivery = 'retired' AND json_extract(e.context, '$.copyOut') = 1";
    const read = this.query(`${ENTRY} WHERE ${out} ORDER BY e.n`).all();
    return this.#adoptEntries([...held, ...awaited, ...read]);
  }
}
