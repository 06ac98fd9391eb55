/** The file of the SQLite store: making, owning and recognising it, and what its failures mean. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { ReadbackError } from '../errors.ts';
import { answerChart, debtChart, lossChart, ticketChart } from '../journal/charts.ts';
import { nodeRuntime } from '../runtime.ts';
import { chartHash } from './chart-hash.ts';
import type { Database } from './driver.ts';
import { MIGRATIONS } from './migrations.ts';
import type { ChartIds } from './sqlite-rows.ts';

export type { Database, Statement } from './driver.ts';

/** Marks the file as ours: "rdbk". */
const APPLICATION_ID = 0x7264626b;
/** SQLite's own name for a database without a file. */
export const IN_MEMORY = ':memory:';

const message = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
export const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

/** What a failure of the driver means to the caller. */
export function storeError(cause: unknown, path: string): ReadbackError {
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
export function openError(cause: unknown, path: string): ReadbackError {
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
export function signOwner(path: string): void {
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

/** Made here, because the driver would let others read it; its log takes its mode from it. */
function make(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (cause) {
    // What is there is left alone: a process that closes a file gives up all its locks on it, also those by which it owns it.
    if (codeOf(cause) !== 'EEXIST') throw cause;
    // A link to a file that is still to be made.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  }
}

export function connect(path: string): Database {
  if (path !== IN_MEMORY) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    make(path);
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
export function own(db: Database, path: string): number {
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    const version = schemaOf(db, path);
    // An empty file needs no way back while its header is written, and its first ask does not wait for one to be synced.
    if (version === 0) db.pragma('journal_mode = MEMORY');
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

export function migrate(db: Database, version: number): void {
  if (version === MIGRATIONS.length) return;
  for (const step of MIGRATIONS.slice(version)) db.exec(step);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${MIGRATIONS.length}`);
}

/** Each row names the chart that wrote it; a chart that this version does not have refuses to open (design 4). */
export function charts(db: Database, path: string): ChartIds {
  const known = db.prepare('SELECT id, machine, version, hash FROM charts').all() as {
    id: number;
    machine: string;
    version: string;
    hash: string;
  }[];
  const idOf = (chart: { id: string; version: string; config: unknown }): number => {
    const hash = chartHash(chart.config);
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
export function abandon(db: Database | undefined): void {
  try {
    db?.exec('ROLLBACK');
  } catch {
    // There was no transaction to leave.
  }
}
