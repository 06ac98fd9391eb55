/** The doctor's checks of this machine: Node, the state folder, the database file. Nothing here changes anything. */

import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../store/migrations.ts';
import type { Check } from './doctor.ts';
import { databasePath } from './home.ts';

/** Better-sqlite3 and the language level need this much. */
const NODE = [20, 19] as const;

export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > NODE[0] || (major === NODE[0] && minor >= NODE[1]);
  const detail = `version ${version}`;
  if (enough) return { name: 'node', status: 'ok', detail };
  return { name: 'node', status: 'fail', detail, remedy: `install Node ${NODE.join('.')} or newer` };
}

export function folderCheck(folder: string): Check {
  const name = 'state folder';
  if (!existsSync(folder)) {
    return { name, status: 'warn', detail: `${folder} does not exist yet`, remedy: 'it is made by: readback serve' };
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      name,
      status: 'fail',
      detail: `${folder} cannot be written`,
      remedy: `chmod u+rwx ${folder}, or name another with --home`,
    };
  }
  const stat = statSync(folder);
  if (!stat.isDirectory())
    return {
      name,
      status: 'fail',
      detail: `${folder} is no folder`,
      remedy: 'move it away, or name another with --home',
    };
  const open = process.platform !== 'win32' && (stat.mode & 0o077) !== 0;
  if (!open) return { name, status: 'ok', detail: folder };
  const mode = (stat.mode & 0o777).toString(8);
  return {
    name,
    status: 'warn',
    detail: `${folder} is open to other users (mode ${mode})`,
    remedy: `chmod 700 ${folder}`,
  };
}

/** Opens, integrity, schema and owner of the database file; beside them what a commit of this build is worth. */
export async function databaseChecks(folder: string, hostPid: number | undefined): Promise<Check[]> {
  let Database: typeof import('better-sqlite3');
  try {
    Database = (await import('better-sqlite3')).default;
    new Database(':memory:').close();
  } catch (error) {
    const remedy = 'npm rebuild better-sqlite3 (npm 11 asks for its install script to be approved first)';
    return [
      { name: 'database', status: 'fail', detail: `better-sqlite3 does not load: ${(error as Error).message}`, remedy },
    ];
  }
  return [...fileChecks(Database, databasePath(folder), hostPid), await syncCheck(Database)];
}

function fileChecks(Database: typeof import('better-sqlite3'), path: string, hostPid: number | undefined): Check[] {
  const name = 'database';
  if (hostPid !== undefined) {
    return [
      {
        name,
        status: 'ok',
        detail: `open in the host, pid ${hostPid}, which owns it alone (integrity is checked when it is stopped)`,
      },
    ];
  }
  if (!existsSync(path)) {
    return [{ name, status: 'warn', detail: `${path} does not exist yet`, remedy: 'it is made by: readback serve' }];
  }
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 500 });
    try {
      return [integrity(db), { name: 'owner', status: 'ok', detail: 'nobody has it open' }];
    } finally {
      db.close();
    }
  } catch (error) {
    return [unopened(path, error)];
  }
}

function unopened(path: string, error: unknown): Check {
  const code = String((error as { code?: unknown }).code);
  if (!/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    const remedy = 'restore it from a backup, or move it away and start afresh';
    return { name: 'database', status: 'fail', detail: `${path} does not open: ${(error as Error).message}`, remedy };
  }
  const remedy = 'a host that host.json does not know of has it: end that process, then: readback serve';
  return { name: 'owner', status: 'fail', detail: `held by ${ownerOf(path)}`, remedy };
}

function ownerOf(path: string): string {
  try {
    return `pid ${String((JSON.parse(readFileSync(`${path}.owner`, 'utf8')) as { pid?: unknown }).pid)}`;
  } catch {
    return 'another process';
  }
}

function integrity(db: import('better-sqlite3').Database): Check {
  const name = 'database';
  const found = db.pragma('quick_check(5)') as { quick_check: string }[];
  const damage = found.map((row) => row.quick_check).filter((text) => text !== 'ok');
  if (damage.length > 0)
    return { name, status: 'fail', detail: `damaged: ${damage.join('; ')}`, remedy: 'restore it from a backup' };
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > MIGRATIONS.length) {
    const detail = `has schema ${version}; this readback knows ${MIGRATIONS.length}`;
    return { name, status: 'fail', detail, remedy: 'install the readback that wrote it, or a newer one' };
  }
  const bytes = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  return { name, status: 'ok', detail: `sound, schema ${version}, ${(bytes / 1_048_576).toFixed(1)} MiB` };
}

/** What the store sets on a file that it opens: asked of a scratch file, because the real one belongs to the host. */
async function syncCheck(Database: typeof import('better-sqlite3')): Promise<Check> {
  const name = 'sync';
  const folder = mkdtempSync(join(tmpdir(), 'readback-doctor-'));
  try {
    const { openSqliteStore } = await import('../store/sqlite.ts');
    const path = join(folder, 'scratch.db');
    const database = new Database(path);
    const store = openSqliteStore(path, { database });
    const mode = String(database.pragma('journal_mode', { simple: true }));
    const level = Number(database.pragma('synchronous', { simple: true }));
    store.close();
    const detail = `journal ${mode}, synchronous ${['off', 'normal', 'full', 'extra'][level] ?? level}`;
    if (mode === 'wal' && level >= 2)
      return { name, status: 'ok', detail: `${detail}: an answer is on disk before it is confirmed` };
    return { name, status: 'fail', detail, remedy: 'answers may be lost at a power cut: install readback again' };
  } catch (error) {
    return {
      name,
      status: 'fail',
      detail: (error as Error).message,
      remedy: 'check that the temporary folder can be written',
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
