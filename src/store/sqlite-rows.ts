/** What every part of the SQLite book stands on: statements, the transaction of a tick, names of tabs and asks, counters. */
import type { LossRow, WarningRow } from '../journal/rows.ts';
import { type DebtColumns, packDebt, unpackLoss, unpackWarning } from './codec.ts';
import { Debts } from './debts.ts';
import type { Database, Statement } from './driver.ts';
import type { TabRow } from './store.ts';

/** Rows kept in memory for their next use. A row that is not here costs one look-up. */
export const CACHED_ROWS = 1_024;
/** Counters are reserved in blocks, so that a commit does not write them each time. */
const BLOCK = 4_096;
/** No row has this number: what a name that is not on file is looked up as. */
const NOBODY = 0;
const ASK_NUMBER = 'SELECT id FROM asks WHERE ask_id = ? UNION ALL SELECT id FROM spent WHERE ask_id = ?';

export interface ChartIds {
  readonly answer: number;
  readonly ticket: number;
  readonly loss: number;
  readonly debt: number;
}

export abstract class SqliteRows extends Debts {
  protected readonly charts: ChartIds;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #tabIds = new Map<string, number>();
  /** Numbers in `asks`, which the audit names asks by. */
  readonly #askIds = new Map<string, number>();
  /** The id that was last looked up in vain: one that is opened is looked up several times in a row. */
  #unknownAsk: string | undefined;
  readonly #counters = { number: { next: 0, end: 0 }, seq: { next: 0, end: 0 } };
  #inTransaction = false;

  constructor(db: Database, charts: ChartIds) {
    super();
    this.#db = db;
    this.charts = charts;
    this.undo = [];
    for (const name of ['number', 'seq'] as const) {
      const value = Number(this.sql('SELECT value FROM counters WHERE name = ?').pluck().get(name) ?? 0);
      this.#counters[name] = { next: value, end: value };
    }
    const debts = (table: string, id: string): DebtColumns[] =>
      this.sql(`SELECT ${id} AS id, state, context FROM ${table} ORDER BY ${id}`).all() as DebtColumns[];
    this.loadDebts(debts('losses', 'id').map(unpackLoss), debts('warnings', 'n').map(unpackWarning));
  }

  /** Writes what has changed into the open transaction. */
  abstract flush(): void;

  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** A statement that reads through an index; what is staged must be in it. */
  protected query(text: string): Statement {
    this.flush();
    return this.sql(text);
  }

  /** Starts the transaction of this tick, if it has not started. */
  begin(): void {
    if (this.#inTransaction) return;
    this.sql('BEGIN IMMEDIATE').run();
    this.#inTransaction = true;
  }

  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  protected endTransaction(how: 'COMMIT' | 'ROLLBACK'): void {
    if (!this.#inTransaction) return;
    try {
      this.sql(how).run();
    } catch (error) {
      if (how === 'COMMIT' || !this.#hasNoTransaction()) throw error;
    }
    this.#inTransaction = false;
  }

  /** SQLite rolls back by itself when the disk is full, for example; then a new transaction can begin. */
  #hasNoTransaction(): boolean {
    try {
      this.sql('BEGIN IMMEDIATE').run();
    } catch {
      return false;
    }
    this.sql('ROLLBACK').run();
    return true;
  }

  /** Undoes what is kept in memory of a transaction that was rolled back. */
  protected undoRows(): void {
    const undo = this.undo ?? [];
    this.undo = null;
    for (const step of undo.reverse()) step();
    this.undo = [];
    this.#tabIds.clear();
    this.#askIds.clear();
    this.#unknownAsk = undefined;
    // The block that was reserved may have been rolled back with the rest: reserve again.
    for (const counter of Object.values(this.#counters)) counter.end = counter.next;
  }

  protected shrinkNames(): void {
    for (const kept of [this.#tabIds, this.#askIds]) if (kept.size > 2 * CACHED_ROWS) kept.clear();
  }

  protected forgetAsks(): void {
    this.#askIds.clear();
  }

  /** The number of a tab; a tab that is not on file is put there. */
  tabId(tab: string): number {
    const known = this.findTab(tab);
    if (known !== NOBODY) return known;
    this.begin();
    const id = Number(this.sql('INSERT INTO tabs (tab) VALUES (?)').run(tab).lastInsertRowid);
    this.#tabIds.set(tab, id);
    return id;
  }

  /** The number of a tab, or one that no row has. */
  protected findTab(tab: string): number {
    const known = this.#tabIds.get(tab);
    if (known !== undefined) return known;
    const stored = this.sql('SELECT id FROM tabs WHERE tab = ?').pluck().get(tab);
    if (stored === undefined) return NOBODY;
    this.#tabIds.set(tab, Number(stored));
    return Number(stored);
  }

  saveTab(tab: string, row: TabRow | undefined): void {
    this.begin();
    const gone = row === undefined || row.gone.length === 0 ? null : JSON.stringify(row.gone);
    const update = this.sql('UPDATE tabs SET epoch = ?, gone = ?, occupant = ? WHERE id = ?');
    update.run(row?.epoch ?? 0, gone, row?.occupant ?? null, this.tabId(tab));
  }

  protected nameAsk(askId: string, id: number): void {
    this.#unknownAsk = undefined;
    this.#askIds.set(askId, id);
  }

  /** The number of an ask in the audit, or null for an id that was never opened. */
  askNumber(askId: string): number | null {
    const known = this.#askIds.get(askId);
    if (known !== undefined) return known;
    this.flush();
    let id: unknown = this.#askIds.get(askId);
    if (id === undefined && askId !== this.#unknownAsk) id = this.sql(ASK_NUMBER).pluck().get(askId, askId);
    if (id === undefined) {
      this.#unknownAsk = askId;
      return null;
    }
    this.#askIds.set(askId, Number(id));
    return Number(id);
  }

  protected override saveLoss(id: number, row: LossRow | undefined): void {
    this.#saveDebt('losses', 'id', id, this.charts.loss, row);
  }

  protected override saveWarning(n: number, row: WarningRow | undefined): void {
    this.#saveDebt('warnings', 'n', n, this.charts.debt, row);
  }

  #saveDebt(table: string, key: string, id: number, chart: number, row: LossRow | WarningRow | undefined): void {
    this.begin();
    if (row === undefined) this.sql(`DELETE FROM ${table} WHERE ${key} = ?`).run(id);
    else {
      const { state, context } = packDebt(id, row.at);
      this.sql(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?)`).run(id, chart, state, context);
    }
  }

  #next(name: 'number' | 'seq'): number {
    const counter = this.#counters[name];
    if (counter.next >= counter.end) {
      this.begin();
      this.sql('INSERT OR REPLACE INTO counters VALUES (?, ?)').run(name, counter.next + BLOCK);
      counter.end = counter.next + BLOCK;
    }
    counter.next += 1;
    return counter.next;
  }

  nextNumber(): number {
    return this.#next('number');
  }

  nextSeq(): number {
    return this.#next('seq');
  }

  get latestSeq(): number {
    return this.#counters.seq.next;
  }
}
