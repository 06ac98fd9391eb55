/** A disk that fails whatever is asked of it, also while the store takes back what was staged. */
import { createRequire } from 'node:module';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import type { Database, Statement } from '../../src/store/driver.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { KeptLog } from '../../src/testing/index.ts';
import { type Place, place } from '../store/place.ts';
import { COLOUR, HUMAN, TAB } from './rig.ts';

const Driver = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => Database;

/** What the disk does: nothing works while it is broken. */
class Disk {
  isBroken = false;

  readonly #check = (): void => {
    if (this.isBroken) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
  };

  database(path: string): Database {
    const db = new Driver(path);
    const check = this.#check;
    const broken = (statement: Statement): Statement =>
      new Proxy(statement, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            check();
            const made: unknown = Reflect.apply(member, target, args);
            return made === target ? broken(target) : made;
          };
        },
      });
    return new Proxy(db, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (name === 'prepare') return (sql: string) => broken(target.prepare(sql));
        return (...args: unknown[]) => Reflect.apply(member, target, args) as unknown;
      },
    });
  }
}

let here: Place | undefined;
let c: Coordinator | undefined;
afterEach(async () => {
  await c?.close();
  here?.end();
});

it('tells every caller that nothing was changed, ends no process, and goes on when the disk does', async () => {
  here = place();
  const disk = new Disk();
  const store = openSqliteStore(here.path, { database: disk.database(here.path) });
  c = await openCoordinator({ store, alwaysVisible: true, logger: new KeptLog() });
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const opened = await c.ask({ ...COLOUR, question: `${COLOUR.question} ${i}` }, { tab: TAB, timeoutMs: 0 });
    ids.push(opened.askId);
  }
  const kept = await c.answer(ids[0] ?? '', { selected: ['g'] }, HUMAN);
  expect(kept.saved).toBe(true);
  await setTimeout(100);
  // Decided while the disk still worked, and one after it broke.
  const lost: Promise<unknown>[] = [c.answer(ids[1] ?? '', { selected: ['g'] }, HUMAN), c.journal.closeAsks(TAB)];
  disk.isBroken = true;
  lost.push(c.answer(ids[2] ?? '', { selected: ['g'] }, HUMAN), c.journal.hasOutstanding());
  const ends = await Promise.allSettled(lost);
  expect(ends.map((end) => (end.status === 'rejected' ? (end.reason as { code: string }).code : end.value))).toEqual(
    Array(4).fill('commit_failed'),
  );
  await setTimeout(600);
  await expect(c.journal.hasOutstanding()).rejects.toMatchObject({ code: 'commit_failed' });
  await setImmediate();
  disk.isBroken = false;
  expect(await c.journal.hasOutstanding()).toBe(true);
  expect((await c.journal.entriesFor(TAB)).map(({ token, retired }) => [token, retired])).toEqual([
    [kept.token, false],
  ]);
  expect(await c.answer(ids[1] ?? '', { selected: ['b'] }, HUMAN)).toMatchObject({ saved: true });
});

it('[I1] closes all the same, and leaves the file to the next one with what was saved in it', async () => {
  here = place();
  const disk = new Disk();
  const store = openSqliteStore(here.path, { database: disk.database(here.path) });
  c = await openCoordinator({ store, alwaysVisible: true, logger: new KeptLog() });
  const { askId } = await c.ask(COLOUR, { tab: TAB, timeoutMs: 0 });
  await c.answer(askId, { selected: ['g'] }, HUMAN);
  await setTimeout(100);
  disk.isBroken = true;
  const lost = c.journal.closeAsks(TAB);
  lost.catch(() => undefined);
  await c.close();
  await expect(lost).rejects.toMatchObject({ code: 'commit_failed' });
  c = await openCoordinator({ store: openSqliteStore(here.path), alwaysVisible: true, logger: new KeptLog() });
  expect(await c.journal.entriesFor(TAB)).toMatchObject([{ askId, retired: false }]);
});
