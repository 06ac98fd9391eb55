/** `readback/store/sqlite`: everything on disk, in one file, owned by one process at a time. */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { AuditQuery, AuditRow } from '../api.ts';
import { invalid, ReadbackError } from '../errors.ts';
import { answerChart, debtChart, lossChart, ticketChart } from '../journal/charts.ts';
import { KEEP } from '../limits.ts';
import { nodeRuntime } from '../runtime.ts';
import type { Database } from './driver.ts';
import { MIGRATIONS } from './migrations.ts';
import { SqliteBook } from './sqlite-book.ts';
import type { ChartIds } from './sqlite-rows.ts';
import type { AuditNote, OutboxRow, Store, TabRow } from './store.ts';

export type { Database, Statement } from './driver.ts';

/** Marks the file as ours: "rdbk". */
const APPLICATION_ID = 0x7264626b;
/** SQLite's own name for a database without a file. */
const IN_MEMORY = ':memory:';
/** Rows pruned in one go, so that tidying never takes long. */
const PRUNE = 2_000;

export interface SqliteOptions {
  /** A handle of the shape of better-sqlite3, already open on `path`. Default: better-sqlite3 itself. */
  readonly database?: Database | undefined;
}

const message = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

/** What a failure of the driver means to the caller. */
function storeError(cause: unknown, path: string): ReadbackError {
  if (cause instanceof ReadbackError) return cause;
  const code = codeOf(cause);
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') {
    return new ReadbackError('disk_full', `The disk that holds ${path} is full.`, { cause });
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new ReadbackError('store_busy', `The database ${path} is locked.`, { cause });
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new ReadbackError('store_unreadable', `${path} is no database that can be read (${message(cause)}).`, {
      cause,
    });
  }
  return new ReadbackError('commit_failed', `The database ${path} refused the change (${message(cause)}).`, { cause });
}

/** The same while opening, where there is no change that could be made again. */
function openError(cause: unknown, path: string): ReadbackError {
  const error = storeError(cause, path);
  if (error.code !== 'commit_failed') return error;
  return new ReadbackError('store_unreadable', `The database ${path} cannot be opened (${message(cause)}).`, { cause });
}

function holder(path: string): string {
  try {
    const { pid, since } = JSON.parse(readFileSync(`${path}.owner`, 'utf8')) as { pid?: unknown; since?: unknown };
    const who = pid === process.pid ? `this very process (${process.pid})` : `process ${String(pid)}`;
    return `${who}, which opened it at ${String(since)}`;
  } catch {
    return 'another process';
  }
}

/** Says who holds the file, for the message of a second opener; the lock itself is SQLite's. */
function signOwner(path: string): void {
  if (path === IN_MEMORY) return;
  const since = new Date(nodeRuntime.now()).toISOString();
  writeFileSync(`${path}.owner`, JSON.stringify({ pid: process.pid, since }), { mode: 0o600 });
}

/** Where the driver's binary usually is: naming it spares the search for it, which costs more than loading it. */
function nativeBinding(require: NodeJS.Require): { nativeBinding?: string } {
  try {
    return { nativeBinding: require.resolve('better-sqlite3/build/Release/better_sqlite3.node') };
  } catch {
    return {};
  }
}

function connect(path: string): Database {
  if (path !== IN_MEMORY) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Made here, because the driver would let others read it; its log takes its mode from it.
    closeSync(openSync(path, 'a', 0o600));
  }
  // Loaded here and not at the top, so that a program that brings its own driver needs no other.
  const require = createRequire(import.meta.url);
  const Driver = require('better-sqlite3') as new (path: string, options: object) => Database;
  return new Driver(path, { timeout: 0, ...nativeBinding(require) });
}

/** Whose file it is, and how old. Asked before anything is changed, for it may be somebody else's. */
function schemaOf(db: Database, path: string): number {
  const version = Number(db.pragma('user_version', { simple: true }));
  const application = Number(db.pragma('application_id', { simple: true }));
  const isEmpty = Number(db.prepare('SELECT COUNT(*) FROM sqlite_schema').pluck().get()) === 0;
  if (application === APPLICATION_ID && version > MIGRATIONS.length) {
    const found = `has schema ${version}, and this readback knows ${MIGRATIONS.length}`;
    throw new ReadbackError('store_newer', `The database ${path} ${found}.`);
  }
  if (application === APPLICATION_ID || (application === 0 && version === 0 && isEmpty)) return version;
  throw new ReadbackError('store_unreadable', `${path} is a database of another program.`);
}

/** Takes the file for this process alone and begins a transaction; the lock ends with the process, however it ends. */
function own(db: Database, path: string): number {
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    const version = schemaOf(db, path);
    db.pragma('journal_mode = WAL');
    // The driver's default under WAL is NORMAL, which may forget the last commits when the power fails.
    db.pragma('synchronous = FULL');
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('trusted_schema = OFF');
    db.exec('BEGIN EXCLUSIVE');
    return version;
  } catch (cause) {
    const code = codeOf(cause);
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
      throw new ReadbackError('store_owned', `The database ${path} is owned by ${holder(path)}.`, { cause });
    }
    throw openError(cause, path);
  }
}

function migrate(db: Database, version: number): void {
  if (version === MIGRATIONS.length) return;
  for (const step of MIGRATIONS.slice(version)) db.exec(step);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${MIGRATIONS.length}`);
}

/** A chart is what it does: its words may be bettered without a migration. */
const behaviour = (key: string, value: unknown): unknown =>
  key === 'description' || key === 'meta' ? undefined : value;

/** Each row names the chart that wrote it; a chart that this version does not have refuses to open (design 4). */
function charts(db: Database, path: string): ChartIds {
  const known = db.prepare('SELECT id, machine, version, hash FROM charts').all() as {
    id: number;
    machine: string;
    version: string;
    hash: string;
  }[];
  const idOf = (chart: { id: string; version: string; config: unknown }): number => {
    const hash = createHash('sha256').update(JSON.stringify(chart.config, behaviour)).digest('hex').slice(0, 16);
    const stored = known.filter((row) => row.machine === chart.id);
    const other = stored.find((row) => row.hash !== hash);
    if (other !== undefined) {
      const wrote = `was written by chart ${chart.id} ${other.version} (${other.hash})`;
      throw new ReadbackError(
        'store_newer',
        `The database ${path} ${wrote}; this readback has ${chart.version} (${hash}).`,
      );
    }
    if (stored[0] !== undefined) return stored[0].id;
    const add = db.prepare('INSERT INTO charts (machine, version, hash) VALUES (?, ?, ?)');
    return Number(add.run(chart.id, chart.version, hash).lastInsertRowid);
  };
  return { answer: idOf(answerChart), ticket: idOf(ticketChart), loss: idOf(lossChart), debt: idOf(debtChart) };
}

/** Leaves a handle that is not ours as it was given. */
function abandon(db: Database | undefined): void {
  try {
    db?.exec('ROLLBACK');
  } catch {
    // There was no transaction to leave.
  }
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

  constructor(db: Database, book: SqliteBook, path: string) {
    this.#db = db;
    this.book = book;
    this.#path = path;
    this.#outboxIds = Number(book.sql('SELECT COALESCE(MAX(id), 0) FROM outbox').pluck().get());
  }

  get dirty(): boolean {
    return this.book.dirty;
  }

  commit(): void {
    try {
      this.book.commit();
    } catch (cause) {
      throw storeError(cause, this.#path);
    }
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

  audit({ after = 0, askId, limit = 100 }: AuditQuery): AuditRow[] {
    const { book } = this;
    const number = askId === undefined ? null : book.askNumber(askId);
    const which = askId === undefined ? '' : number === null ? 'AND u.ask_id = ?' : 'AND u.ask = ?';
    const rows = book.sql(
      `SELECT * FROM (
         SELECT u.id, u.at, u.event, COALESCE(u.ask_id, a.ask_id, s.ask_id) AS askId, u.token, t.tab, u.surface, u.who,
           COALESCE(u.digest, CASE WHEN u.event = 'opened' AND a.reused = 0 THEN a.fingerprint END) AS digest, u.detail
         FROM audit u LEFT JOIN asks a ON a.id = u.ask LEFT JOIN spent s ON s.id = u.ask LEFT JOIN tabs t ON t.id = u.tab
         WHERE u.id > ? ${which} ORDER BY u.id DESC LIMIT ?) ORDER BY id`,
    );
    const params = askId === undefined ? [after, limit] : [after, number ?? askId, limit];
    return (rows.all(...params) as Record<string, unknown>[]).map(
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
