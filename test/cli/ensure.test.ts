import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureHost } from '../../src/cli/ensure.ts';
import { alive, type HostFile } from '../../src/cli/home.ts';
import type { Problem } from '../../src/cli/problem.ts';
import { fakeHost } from './fake-host.ts';
import { until } from './hand-io.ts';

const entry = fileURLToPath(new URL('fake-serve.mjs', import.meta.url));
/** Larger than any process id of this machine. */
const DEAD = 2 ** 22 + 1;
let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'readback-ensure-'));
  folder = root;
});

afterEach(async () => {
  const pids = starts().map((row) => Number(row.split(' ')[0]));
  for (const pid of pids) if (alive(pid)) process.kill(pid, 'SIGTERM');
  await until('the end of what was started', () => pids.every((pid) => !alive(pid)));
  rmSync(root, { recursive: true, force: true });
});

function starts(): string[] {
  const log = join(folder, 'starts.log');
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
}

const plan = (what: Record<string, unknown>): void => writeFileSync(join(folder, 'plan.json'), JSON.stringify(what));
const hostJson = (file: Partial<HostFile>): void => writeFileSync(join(folder, 'host.json'), JSON.stringify(file));
const ensure = (timeoutMs = 10_000): Promise<HostFile> => ensureHost({ folder, entry, timeoutMs });

describe('joining or starting the host', () => {
  it('joins the one that runs, and starts nothing', async () => {
    const host = await fakeHost({ home: folder });
    const started: HostFile[] = [];
    const onStarted = (file: HostFile) => void started.push(file);
    expect(await ensureHost({ folder, entry, onStarted })).toMatchObject({ url: host.url, token: host.token });
    expect(started).toEqual([]);
    expect(starts()).toEqual([]);
    await host.close();
  });

  it('starts one that ends itself when idle, in a folder for this user only', async () => {
    const deep = join(folder, 'a', 'b');
    mkdirSync(join(folder, 'a'));
    const started: HostFile[] = [];
    const onStarted = (file: HostFile) => void started.push(file);
    const host = await ensureHost({ folder: deep, entry, idleSeconds: 7, onStarted });
    folder = deep;
    expect(started).toEqual([host]);
    expect(alive(host.pid)).toBe(true);
    expect(starts()[0]).toContain(`serve --home ${deep} --exit-when-idle 7`);
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    expect(existsSync(join(deep, 'host.starting'))).toBe(false);
  });

  it('many at once start one and join the same', async () => {
    plan({ slow: 300 });
    const hosts = await Promise.all(Array.from({ length: 8 }, () => ensure()));
    expect(new Set(hosts.map((host) => host.pid)).size).toBe(1);
    expect(starts()).toHaveLength(1);
  });

  it.each<[string, Partial<HostFile>]>([
    ['whose process is dead', { url: 'http://127.0.0.1:1', token: 'x', pid: DEAD }],
    ['whose process id went to another program', { url: 'http://127.0.0.1:1', token: 'x', pid: process.pid }],
    ['that was half written', { url: 'http://127.0.0.1:1' }],
  ])('starts one over a host.json %s', async (_what, file) => {
    hostJson(file);
    expect((await ensure()).pid).not.toBe(file.pid);
    expect(starts()).toHaveLength(1);
  });

  it('does not take a stranger on the old port for the host', async () => {
    const stranger = await fakeHost({ home: folder, pid: DEAD });
    stranger.writeHostFile({ pid: process.pid });
    expect((await ensure()).url).not.toBe(stranger.url);
    await stranger.close();
  });

  it.each([
    ['whose owner is dead', String(DEAD), 0],
    ['that was never filled', '', 5_000],
    ['that is far too old', String(process.pid), 60_000],
  ])('breaks a start lock %s', async (_what, owner, age) => {
    const lock = join(folder, 'host.starting');
    writeFileSync(lock, owner);
    const then = (Date.now() - age) / 1_000;
    utimesSync(lock, then, then);
    await ensure();
    expect(starts()).toHaveLength(1);
  });

  it('waits for one that somebody else is starting', async () => {
    writeFileSync(join(folder, 'host.starting'), String(process.pid));
    const waiting = ensure();
    const host = await fakeHost({ home: folder });
    expect((await waiting).url).toBe(host.url);
    expect(starts()).toEqual([]);
    await host.close();
  });

  it('losing the database to another host is no failure: it joins that one', async () => {
    mkdirSync(join(folder, 'owned'));
    const waiting = ensure();
    await until('a start that lost', () => starts().length > 0);
    const host = await fakeHost({ home: folder });
    expect((await waiting).url).toBe(host.url);
    await host.close();
  });

  it('starts again when the one that held the database ends without a host', async () => {
    mkdirSync(join(folder, 'owned'));
    const waiting = ensure();
    await until('a start that lost', () => starts().length > 0);
    rmSync(join(folder, 'owned'), { recursive: true });
    expect(alive((await waiting).pid)).toBe(true);
  });

  it('tells what the host said when it could not start', async () => {
    plan({ crash: true });
    const problem = (await ensure().catch((error: unknown) => error)) as Problem;
    expect(problem).toMatchObject({ code: 'start_failed' });
    expect(problem.message).toContain('the disk is on fire');
    expect(problem.remedy).toContain('readback serve');
    expect(existsSync(join(folder, 'host.starting'))).toBe(false);
  });

  it('gives up after its time, and says so', async () => {
    plan({ slow: 20_000 });
    expect(await ensure(600).catch((error: unknown) => error)).toMatchObject({ code: 'start_timeout', exit: 3 });
  });
});
