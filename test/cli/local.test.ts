import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { watched } from '../../src/cli/activity.ts';
import { lastAddress, rememberAddress } from '../../src/cli/address.ts';
import { hasDisplay, openBrowser } from '../../src/cli/browser.ts';
import { databaseChecks, folderCheck, nodeCheck } from '../../src/cli/doctor-local.ts';
import { shortIds } from '../../src/cli/find.ts';
import { pageLink, stateFolder } from '../../src/cli/home.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'readback-local-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the state folder', () => {
  it.each([
    ['/a', { READBACK_HOME: '/b', XDG_STATE_HOME: '/c' }, '/a'],
    [undefined, { READBACK_HOME: '/b', XDG_STATE_HOME: '/c' }, '/b'],
    [undefined, { READBACK_HOME: '', XDG_STATE_HOME: '/c' }, '/c/readback'],
    [undefined, { XDG_STATE_HOME: 'relative' }, join(homedir(), '.local/state/readback')],
    [undefined, {}, join(homedir(), '.local/state/readback')],
  ])('--home %s with %j is %s', (home, env, path) => {
    expect(stateFolder(home, env)).toBe(path);
  });

  it('makes a link of address and secret', () => {
    expect(pageLink({ url: 'http://127.0.0.1:1/', token: 'a_b-c' })).toBe('http://127.0.0.1:1/?token=a_b-c');
  });

  it('remembers the last address, and takes nothing else for one', () => {
    expect(lastAddress(folder)).toBeUndefined();
    const address = { port: 4711, token: 'x'.repeat(43) };
    rememberAddress(folder, address);
    expect(lastAddress(folder)).toEqual(address);
    for (const wrong of ['', '{', 'null', '{"port":"1","token":"x"}', '{"port":1,"token":"short"}']) {
      writeFileSync(join(folder, 'address.json'), wrong);
      expect(lastAddress(folder)).toBeUndefined();
    }
  });
});

describe('short ids', () => {
  const hex = fc.string({ unit: fc.constantFrom('0', '1', 'a', '-'), minLength: 8, maxLength: 20 });

  it('each still names one ask alone', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hex, { maxLength: 12 }), (parts) => {
        const asks = parts.map((part) => ({ askId: `pa-${part}-x${part.length}` }));
        for (const [id, short] of shortIds(asks)) {
          const fits = asks.filter((ask) => ask.askId.startsWith(short));
          expect(fits.map((ask) => ask.askId)).toEqual([id]);
        }
      }),
    );
  });
});

describe('idleness', () => {
  it('begins when the last call has ended, not when it began', async () => {
    let now = 0;
    let answerIt: (value: readonly never[]) => void = () => undefined;
    const idle = { list: () => new Promise((resolve) => (answerIt = resolve)) };
    const every = new Proxy(idle, { get: (target, name) => Reflect.get(target, name) ?? (() => undefined) });
    const { asking, idleFor } = watched(every as unknown as Asking, () => now);
    now = 1_000;
    expect(idleFor()).toBe(1_000);
    const call = asking.list();
    now = 9_000;
    expect(idleFor()).toBe(0);
    answerIt([]);
    await call;
    await Promise.resolve();
    now = 9_500;
    expect(idleFor()).toBe(500);
    asking.hasSurface();
    now = 10_000;
    expect(idleFor()).toBe(1_000);
    now = 0;
    expect(idleFor()).toBe(0);
  });
});

describe('a browser', () => {
  it('is opened only where there is a display', () => {
    if (process.platform === 'linux') expect(openBrowser('http://127.0.0.1:1/', {}, folder)).toBe(false);
    expect(existsSync(join(folder, 'open.html'))).toBe(false);
    expect(hasDisplay({ DISPLAY: ':0' }, 'linux')).toBe(true);
    expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
    expect(hasDisplay({ DISPLAY: '' }, 'linux')).toBe(false);
    expect(hasDisplay({ SSH_CONNECTION: '1 2 3 4' }, 'darwin')).toBe(false);
  });
});

describe('the doctor, on this machine', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['20.20.2', 'ok'],
    ['24.0.0', 'ok'],
    ['20.18.9', 'fail'],
    ['18.20.0', 'fail'],
  ])('Node %s is %s', (version, status) => {
    expect(nodeCheck(version).status).toBe(status);
  });

  it('warns of a folder that others may read, and of one that is not there', () => {
    chmodSync(folder, 0o755);
    expect(folderCheck(folder)).toMatchObject({ status: 'warn', remedy: `chmod 700 ${folder}` });
    chmodSync(folder, 0o700);
    expect(folderCheck(folder).status).toBe('ok');
    expect(folderCheck(join(folder, 'none')).status).toBe('warn');
    writeFileSync(join(folder, 'file'), '');
    expect(folderCheck(join(folder, 'file')).status).toBe('fail');
  });

  it('fails on what is no database, on a newer one and on one that somebody holds; leaves each as it was', async () => {
    const { default: Database } = await import('better-sqlite3');
    const path = join(folder, 'readback.db');
    writeFileSync(path, 'no database at all, though it is long enough for a header '.repeat(30));
    expect((await databaseChecks(folder, undefined))[0]).toMatchObject({ name: 'database', status: 'fail' });
    rmSync(path);
    const db = new Database(path);
    db.pragma('user_version = 999');
    expect((await databaseChecks(folder, undefined))[0]).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('999'),
    });
    db.pragma('user_version = 1');
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE; CREATE TABLE t (x); COMMIT');
    writeFileSync(`${path}.owner`, '{"pid":4242}');
    expect((await databaseChecks(folder, undefined))[0]).toMatchObject({
      name: 'owner',
      status: 'fail',
      detail: 'held by pid 4242',
    });
    db.close();
    expect((await databaseChecks(folder, undefined))[0]?.status).toBe('ok');
  });
});
