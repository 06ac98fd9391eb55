/** `readback/store/sqlite`: everything on disk, in one file, owned by one process at a time. */
import { rmSync, statSync } from 'node:fs';
import type { AuditQuery, AuditRow } from '../api.ts';
import { invalid, ReadbackError } from '../errors.ts';
import { KEEP } from '../limits.ts';
import type { Database } from './driver.ts';
import { SqliteBook } from './sqlite-book.ts';
import {
  abandon,
  charts,
  codeOf,
  connect,
  IN_MEMORY,
  migrate,
  openError,
  own,
  signOwner,
  storeError,
} from './sqlite-file.ts';
import type { AuditNote, KeptRow, OutboxRow, Store, TabRow } from './store.ts';

export type { Database, Statement } from './driver.ts';

/** Rows pruned in one go, so that tidying never takes long. */
const PRUNE = 2_000;

export interface SqliteOptions {
  /** A handle of the shape of better-sqlite3, already open on `path`. Default: better-sqlite3 itself. */
  readonly database?: Database | undefined;
}

/**
 * Opens the store in the file at `path`, and makes the file if there is none.
 *
 * Promises that what `commit` has returned from survives the process and the machine (WAL, `synchronous=FULL`), and
 * that no second process can open the file meanwhile. Does not promise anything on network file systems.
 * Throws `store_owned`, `store_newer`, `store_unreadable` or `disk_full`; then nothing was opened.
 */
export function openSqliteStore(path: string, { database }: SqliteOptions = {}): Store {
  if (typeof path !== 'string' || path === '') throw invalid('path', 'must be the name of a file');
  let db: Database | undefined = database;
  try {
    db ??= connect(path);
    // Schema and charts are one transaction: a new file costs one commit, and there is no half-made one.
    migrate(db, own(db, path));
    const ids = charts(db, path);
    db.exec('COMMIT');
    const book = new SqliteBook(db, ids);
    signOwner(path);
    return new SqliteStore(db, book, path);
  } catch (cause) {
    if (db === database) abandon(db);
    else db?.close();
    throw openError(cause, path);
  }
}

class SqliteStore implements Store {
  readonly kind = 'sqlite';
  readonly book: SqliteBook;
  readonly #db: Database;
  readonly #path: string;
  #closed = false;
  #outboxIds: number;
  /** Which file it is; undefined for one that has no file, or whose handle was given. */
  readonly #inode: number | undefined;

  constructor(db: Database, book: SqliteBook, path: string) {
    this.#db = db;
    this.book = book;
    this.#path = path;
    this.#inode = statSync(path, { throwIfNoEntry: false })?.ino;
    this.#outboxIds = Number(book.sql('SELECT COALESCE(MAX(id), 0) FROM outbox').pluck().get());
  }

  get dirty(): boolean {
    return this.book.dirty;
  }

  commit(): void {
    try {
      if (this.book.dirty) this.#checkFile();
      this.book.commit();
    } catch (cause) {
      throw storeError(cause, this.#path);
    }
  }

  /** A file that was removed or replaced would take every answer along that is confirmed from now on. */
  #checkFile(): void {
    if (this.#inode === undefined) return;
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new ReadbackError(
      'store_unreadable',
      `The database ${this.#path} was removed or replaced while it was open.`,
    );
  }

  rollback(): void {
    this.book.rollback();
  }

  errorOf(cause: unknown): ReadbackError | undefined {
    if (cause instanceof ReadbackError) return cause;
    return codeOf(cause).startsWith('SQLITE_') ? storeError(cause, this.#path) : undefined;
  }

  note({ at, event, askId, token, tab, surface, who, digest, detail }: AuditNote): void {
    const { book } = this;
    const ask = askId === undefined ? null : book.askNumber(askId);
    // The digest of a card that was opened once stands in its ask already.
    const known = event === 'opened' && askId !== undefined && book.anyTicket(askId)?.at.context.reused === false;
    book.begin();
    book
      .sql(
        'INSERT INTO audit (at, event, ask, ask_id, token, tab, surface, who, digest, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        at,
        event,
        ask,
        ask === null ? (askId ?? null) : null,
        token ?? null,
        tab === undefined ? null : book.tabId(tab),
        surface ?? null,
        who ?? null,
        known ? null : (digest ?? null),
        detail ?? null,
      );
  }

  audit({ after, askId, token, tab, events, limit = 100 }: AuditQuery): AuditRow[] {
    const { book } = this;
    const number = askId === undefined ? null : book.askNumber(askId);
    const only: (readonly [condition: string, value: string | number])[] = [];
    if (askId !== undefined) only.push(number === null ? ['u.ask_id = ?', askId] : ['u.ask = ?', number]);
    if (token !== undefined) only.push(['u.token = ?', token]);
    if (tab !== undefined) only.push(['t.tab = ?', tab]);
    if (events !== undefined) only.push(['u.event IN (SELECT value FROM json_each(?))', JSON.stringify(events)]);
    const which = only.map(([condition]) => `AND ${condition}`).join(' ');
    const rows = book.sql(
      `SELECT * FROM (
         SELECT u.id, u.at, u.event, COALESCE(u.ask_id, a.ask_id, s.ask_id) AS askId, u.token, t.tab, u.surface, u.who,
           COALESCE(u.digest, CASE WHEN u.event = 'opened' AND a.reused = 0 THEN a.fingerprint END) AS digest, u.detail
         FROM audit u LEFT JOIN asks a ON a.id = u.ask LEFT JOIN spent s ON s.id = u.ask LEFT JOIN tabs t ON t.id = u.tab
         WHERE u.id > ? ${which} ORDER BY u.id ${after === undefined ? 'DESC' : ''} LIMIT ?) ORDER BY id`,
    );
    return (rows.all(after ?? 0, ...only.map(([, value]) => value), limit) as Record<string, unknown>[]).map(
      (row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as AuditRow,
    );
  }

  intend({ kind, token, tab, because }: Omit<OutboxRow, 'id'>): number {
    this.#outboxIds += 1;
    this.book.begin();
    this.book.sql('INSERT INTO outbox VALUES (?, ?, ?, ?, ?)').run(this.#outboxIds, kind, token, tab, because);
    return this.#outboxIds;
  }

  done(id: number): void {
    this.book.begin();
    this.book.sql('DELETE FROM outbox WHERE id = ?').run(id);
  }

  outbox(): OutboxRow[] {
    return this.book.sql('SELECT id, kind, token, tab, because FROM outbox ORDER BY id').all() as OutboxRow[];
  }

  tabs(): TabRow[] {
    const rows = this.book
      .sql('SELECT tab, epoch, gone, occupant FROM tabs WHERE epoch > 0 OR gone IS NOT NULL OR occupant IS NOT NULL')
      .all();
    return (rows as { tab: string; epoch: number; gone: string | null; occupant: string | null }[]).map((row) => ({
      ...row,
      gone: row.gone === null ? [] : (JSON.parse(row.gone) as string[]),
    }));
  }

  saveTab(tab: string, row: TabRow | undefined): void {
    this.book.saveTab(tab, row);
  }

  keep(kind: string, id: string, row: Omit<KeptRow, 'id'> | undefined): void {
    this.book.begin();
    if (row === undefined) this.book.sql('DELETE FROM kept WHERE kind = ? AND id = ?').run(kind, id);
    else {
      const put = this.book.sql(
        `INSERT INTO kept (kind, id, chart, body) VALUES (?, ?, ?, ?)
         ON CONFLICT (kind, id) DO UPDATE SET chart = excluded.chart, body = excluded.body`,
      );
      put.run(kind, id, row.chart, row.body);
    }
  }

  kept(kind: string): KeptRow[] {
    return this.book.sql('SELECT id, chart, body FROM kept WHERE kind = ? ORDER BY place').all(kind) as KeptRow[];
  }

  tidy(): void {
    if (this.dirty) return;
    try {
      this.#prune();
      this.book.commit();
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Tidying can wait: what is readable does not depend on it.
      this.book.rollback();
    }
  }

  #prune(): void {
    const { book } = this;
    const last = Number(book.sql('SELECT COALESCE(MAX(id), 0) FROM audit').pluck().get());
    const old = last - KEEP.auditRows;
    if (Number(book.sql('SELECT COUNT(*) FROM (SELECT 1 FROM audit WHERE id <= ? LIMIT 1)').pluck().get(old)) > 0) {
      book.begin();
      book
        .sql('DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id <= ? ORDER BY id LIMIT ?)')
        .run(old, PRUNE);
    }
    const finished = book.sql(
      `SELECT id, ask_id FROM asks WHERE id <= (SELECT MAX(id) FROM asks) - ? AND state NOT IN ('awaited', 'unattended')
       AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.ask_id = asks.ask_id) ORDER BY id LIMIT ?`,
    );
    for (const { id, ask_id } of finished.all(KEEP.finishedAsks, PRUNE) as { id: number; ask_id: string }[]) {
      book.begin();
      book.sql('INSERT OR REPLACE INTO spent VALUES (?, ?)').run(id, ask_id);
      book.sql('DELETE FROM asks WHERE id = ?').run(id);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    // Before the lock goes: afterwards the note may be the next owner's.
    if (this.#path !== IN_MEMORY) rmSync(`${this.#path}.owner`, { force: true });
    this.#db.close();
  }
}
