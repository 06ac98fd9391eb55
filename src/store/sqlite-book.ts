/** The journal's rows on SQLite: what one tick has changed is written together, and taken back together. */
import type { Database } from './driver.ts';
import { SqliteEntries } from './sqlite-entries.ts';
import type { ChartIds } from './sqlite-rows.ts';
import type { Book } from './store.ts';

export class SqliteBook extends SqliteEntries implements Book {
  constructor(db: Database, charts: ChartIds) {
    super(db, charts);
    this.countTickets();
    this.countEntries();
  }

  get dirty(): boolean {
    return this.inTransaction || this.dirtyTickets + this.dirtyEntries > 0;
  }

  flush(): void {
    if (this.dirtyTickets + this.dirtyEntries === 0) return;
    this.begin();
    this.flushTickets();
    this.flushEntries();
  }

  commit(): void {
    this.flush();
    this.endTransaction('COMMIT');
    this.undo = [];
    this.shrinkTickets();
    this.shrinkEntries();
    this.shrinkNames();
  }

  rollback(): void {
    this.endTransaction('ROLLBACK');
    this.forgetTickets();
    this.forgetEntries();
    this.undoRows();
    this.countTickets();
    this.countEntries();
  }

  clear(): void {
    this.begin();
    this.clearDebts();
    for (const table of ['asks', 'entries', 'spent']) this.sql(`DELETE FROM ${table}`).run();
    this.forgetTickets();
    this.forgetEntries();
    this.forgetAsks();
    this.countTickets();
    this.countEntries();
  }
}
