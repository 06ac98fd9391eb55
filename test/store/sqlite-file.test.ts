import { fork } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadbackError } from '../../src/errors.ts';
import { type Database as Handle, openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { newEntry, newTicket } from '../../src/testing/rows.ts';
import { type Place, place } from './place.ts';

let here: Place;
const open: { close(): unknown }[] = [];
/** Closed when the test is over, however it ends. */
const later = <T extends { close(): unknown }>(one: T): T => {
  open.push(one);
  return one;
};

beforeEach(() => {
  here = place();
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  here.end();
});

const openHere = (database?: Handle): Store =>
  later(openSqliteStore(here.path, database === undefined ? {} : { database }));
/** A handle of our own on the file, to look and to spoil. */
const raw = (): Database.Database => later(new Database(here.path, { timeout: 0 }));

function refusal(act: () => unknown): ReadbackError {
  try {
    act();
  } catch (error) {
    if (error instanceof ReadbackError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('the file of the SQLite store', () => {
  it('is in WAL mode, syncs in full, and is never checkpointed behind our back', () => {
    const handle = raw();
    openHere(handle);
    const pragma = (name: string): unknown => handle.pragma(name, { simple: true });
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('wal_autocheckpoint')).toBe(0);
    expect(pragma('locking_mode')).toBe('exclusive');
  });

  it('is made with its directory, for the owner alone', () => {
    const path = join(here.dir, 'deeper', 'still', 'readback.db');
    const store = later(openSqliteStore(path));
    store.note({ at: 1, event: 'e' });
    store.commit();
    const mode = (file: string): number => statSync(file).mode & 0o777;
    expect(mode(join(here.dir, 'deeper', 'still'))).toBe(0o700);
    for (const file of [path, `${path}-wal`, `${path}.owner`]) expect([file, mode(file)]).toEqual([file, 0o600]);
  });

  it('lets what is closed be opened again, with what was committed', () => {
    const store = openHere();
    const { n } = newEntry(store.book, 'pa-1', { answer: 'kept' });
    store.commit();
    store.close();
    expect(existsSync(`${here.path}.owner`)).toBe(false);
    expect(openHere().book.entry(n)?.answer).toBe('kept');
  });

  it('writes no note of an owner for a database in memory', () => {
    const store = later(openSqliteStore(':memory:'));
    expect(existsSync(':memory:.owner')).toBe(false);
    newEntry(store.book, 'pa-1');
    store.commit();
    expect(store.book.entryCount()).toBe(1);
  });

  it('takes a handle of the same shape that is no better-sqlite3', () => {
    const real = raw();
    const foreign: Handle = {
      prepare: (sql) => real.prepare(sql),
      exec: (sql) => real.exec(sql),
      pragma: (sql, options) => real.pragma(sql, options),
      close: () => real.close(),
    };
    const store = openHere(foreign);
    newTicket(store.book, 'pa-1');
    store.commit();
    store.close();
    expect(openHere().book.ticket('pa-1')?.askId).toBe('pa-1');
  });
});

describe('a file that is not opened', () => {
  it('a second owner is refused, and told who holds it', () => {
    openHere();
    const error = refusal(() => openSqliteStore(here.path));
    expect([error.code, error.retry]).toEqual(['store_owned', false]);
    expect(error.message).toContain(`this very process (${process.pid})`);
    expect(JSON.parse(readFileSync(`${here.path}.owner`, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('an owner stays the owner when it has tried to open the file again itself', async () => {
    openHere();
    expect(refusal(() => openSqliteStore(here.path)).code).toBe('store_owned');
    const child = fork(join(import.meta.dirname, 'owner-child.ts'), [here.path], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.on('data', (text) => {
      said += String(text);
    });
    const ended = await new Promise((resolve) => {
      child.once('message', resolve);
      child.once('close', resolve);
    });
    child.kill('SIGKILL');
    expect([ended, said]).toEqual([1, expect.stringContaining('store_owned')]);
  });

  it('makes the file that a link names, for the owner alone', () => {
    const target = join(here.dir, 'elsewhere.db');
    symlinkSync(target, here.path);
    openHere();
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  it('a second process is refused, and a file whose owner was killed is free', async () => {
    const child = fork(join(import.meta.dirname, 'owner-child.ts'), [here.path], { execArgv: ['--import', 'tsx'] });
    try {
      const told = await new Promise((resolve, reject) => {
        child.once('message', resolve);
        child.once('exit', (code) => reject(new Error(`the owner ended with ${code}`)));
      });
      expect(told).toBe('open');
      const error = refusal(() => openSqliteStore(here.path));
      expect(error.code).toBe('store_owned');
      expect(error.message).toContain(`process ${child.pid}`);
    } finally {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    expect(openHere().book.entryCount()).toBe(1);
  });

  it('an older schema is brought forward, and nothing on file is changed', () => {
    const store = openHere();
    newTicket(store.book, 'a');
    store.commit();
    store.close();
    const handle = raw();
    handle.exec('DROP TABLE kept');
    handle.pragma('user_version = 1');
    handle.close();
    const again = openHere();
    expect(again.book.ticket('a')?.askId).toBe('a');
    again.keep('request', 'srq-1', { chart: 'request 1 aa', body: '{}' });
    again.commit();
    expect(again.kept('request')).toHaveLength(1);
  });

  it('a newer schema is refused, naming both', () => {
    openHere().close();
    const handle = raw();
    handle.pragma('user_version = 42');
    handle.close();
    const error = refusal(() => openSqliteStore(here.path));
    expect([error.code, error.retry]).toEqual(['store_newer', false]);
    expect(error.message).toMatch(/schema 42.*knows 2/);
  });

  it('a chart that is not ours is refused, naming both, whatever rows there are', () => {
    openHere().close();
    const handle = raw();
    const [{ hash }] = handle.prepare("SELECT hash FROM charts WHERE machine = 'answer'").all() as [{ hash: string }];
    handle.prepare("UPDATE charts SET version = '9', hash = 'feedfacefeedface' WHERE machine = 'answer'").run();
    handle.close();
    const error = refusal(() => openSqliteStore(here.path));
    expect(error.code).toBe('store_newer');
    expect(error.message).toContain('chart answer 9 (feedfacefeedface)');
    expect(error.message).toContain(hash);
  });

  it.each([
    ['is no database', () => writeFileSync(here.path, 'a letter, and a long one at that. '.repeat(300))],
    ['is the database of another program', () => raw().exec('CREATE TABLE theirs (a)')],
    ['is a directory', () => mkdirSync(here.path)],
  ])('what %s is refused and left as it was', (_, make) => {
    make();
    for (const one of open.splice(0)) one.close();
    const before = statSync(here.path).isFile() ? readFileSync(here.path) : undefined;
    expect(refusal(() => openSqliteStore(here.path)).code).toBe('store_unreadable');
    if (before !== undefined) expect(readFileSync(here.path).equals(before)).toBe(true);
    expect(existsSync(`${here.path}.owner`)).toBe(false);
  });

  it('a row in a state that no chart has is refused as unreadable, and says which', () => {
    const store = openHere();
    const { n } = newEntry(store.book, 'pa-1');
    newTicket(store.book, 'pa-1');
    store.commit();
    store.close();
    const handle = raw();
    handle.exec("UPDATE entries SET delivery = 'lost in the post'; UPDATE asks SET context = '{'");
    handle.close();
    const again = openHere();
    expect(refusal(() => again.book.entry(n))).toMatchObject({ code: 'store_unreadable' });
    expect(refusal(() => again.book.entry(n)).message).toContain(`aa${n}`);
    expect(refusal(() => again.book.ticket('pa-1')).message).toContain('pa-1');
  });

  it.each([
    ['removed', () => rmSync(here.path)],
    ['replaced', () => renameSync(join(here.dir, 'theirs.db'), here.path)],
  ])('a file that was %s while it was open is noticed within a moment of commits', async (_, spoil) => {
    const store = openHere();
    const commit = (): void => {
      newTicket(store.book, `pa-${commits++}`);
      store.commit();
    };
    let commits = 0;
    commit();
    writeFileSync(join(here.dir, 'theirs.db'), '');
    spoil();
    await vi.waitFor(() => expect(refusal(commit).code).toBe('store_unreadable'), 1_000);
    store.rollback();
    expect(refusal(commit).code).toBe('store_unreadable');
  });
});

describe('a disk that is full, and a file that is locked', () => {
  it('a full disk is said so, nothing is lost, and the same succeeds when there is room', () => {
    const handle = raw();
    const store = openHere(handle);
    const kept = newEntry(store.book, 'pa-kept');
    store.commit();
    const pages = Number(handle.pragma('page_count', { simple: true }));
    handle.pragma(`max_page_count = ${pages + 1}`);
    const fill = (): number => {
      const row = newEntry(store.book, 'pa-big', { answer: 'x'.repeat(200_000) });
      store.commit();
      return row.n;
    };
    const error = refusal(fill);
    expect([error.code, error.retry]).toEqual(['disk_full', true]);
    store.rollback();
    expect([store.dirty, store.book.entryCount(), store.book.entriesOf('pa-big').length]).toEqual([false, 1, 0]);
    expect(store.book.entry(kept.n)?.answer).toBe(kept.answer);
    handle.pragma('max_page_count = 100000');
    const n = fill();
    expect(n).toBeGreaterThan(kept.n + 1);
    store.close();
    expect(openHere().book.entryCount()).toBe(2);
  });

  it('a failure of any call is named, and a fault of the program is not taken for one', () => {
    const store = openHere();
    const failed = (code: string): ReadbackError | undefined =>
      store.errorOf?.(Object.assign(new Error('x'), { code }));
    expect(failed('SQLITE_FULL')?.code).toBe('disk_full');
    expect(failed('SQLITE_BUSY_SNAPSHOT')?.code).toBe('store_busy');
    expect(failed('SQLITE_IOERR_WRITE')?.code).toBe('commit_failed');
    expect(failed('SQLITE_CORRUPT_INDEX')?.code).toBe('store_unreadable');
    expect(store.errorOf?.(new TypeError('x'))).toBeUndefined();
  });

  it('a file that another program has locked is not opened', () => {
    openHere().close();
    const other = raw();
    other.exec('BEGIN EXCLUSIVE');
    expect(refusal(() => openSqliteStore(here.path))).toMatchObject({ code: 'store_owned', retry: false });
    other.exec('ROLLBACK');
    other.close();
    expect(openHere().dirty).toBe(false);
  });

  it('a commit that finds the file locked is busy, and the same succeeds afterwards', () => {
    const real = raw();
    let locked = false;
    const handle: Handle = {
      prepare: (sql) => {
        const statement = real.prepare(sql);
        if (sql !== 'COMMIT') return statement;
        const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
        const run = statement.run.bind(statement);
        return Object.assign(statement, {
          run: (...params: unknown[]) => {
            if (locked) throw busy;
            return run(...params);
          },
        });
      },
      exec: (sql) => real.exec(sql),
      pragma: (sql, options) => real.pragma(sql, options),
      close: () => real.close(),
    };
    const store = openHere(handle);
    newEntry(store.book, 'pa-1');
    locked = true;
    expect(refusal(() => store.commit())).toMatchObject({ code: 'store_busy', retry: true });
    store.rollback();
    expect([store.dirty, store.book.entryCount(), real.inTransaction]).toEqual([false, 0, false]);
    locked = false;
    newEntry(store.book, 'pa-1');
    store.commit();
    expect(store.book.entryCount()).toBe(1);
  });

  it('a directory that cannot be made is refused', () => {
    writeFileSync(join(here.dir, 'file'), '');
    chmodSync(join(here.dir, 'file'), 0o400);
    expect(refusal(() => openSqliteStore(join(here.dir, 'file', 'x.db'))).code).toBe('store_unreadable');
  });
});
