import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type Host, startHost } from '../../src/host/index.ts';
import { type FakeRig, fakeRig } from '../host/fake-coordinator.ts';
import { type HandLedger, ledger } from '../idle/support.ts';
import { cli, steers } from './hand-io.ts';

let home: string;
let jobs: HandLedger;
let rig: FakeRig;
let host: Host;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'readback-idle-'));
  jobs = ledger('jobs', 'turn');
  rig = fakeRig([jobs]);
  host = await startHost({ coordinator: rig.asking });
  hostFile({});
});
afterEach(async () => {
  await host.close();
  await rig.close();
  rmSync(home, { recursive: true, force: true });
});

function hostFile(patch: Record<string, unknown>): void {
  const file = { url: host.url, token: host.token, pid: process.pid, version: '0.1.0', startedAt: 1, ...patch };
  writeFileSync(join(home, 'host.json'), JSON.stringify(file));
}

const busy = { count: 1, owners: ['job-7'] };
const broken = (): never => {
  throw new Error('locked');
};

describe('idle', () => {
  it.each<[string, unknown, number, string, unknown]>([
    ['idle', 0, 0, 'Idle: nothing runs, and nobody is asked.\n', { idle: true, reason: null }],
    [
      'busy',
      busy,
      1,
      'Not idle: something runs [jobs: 1 (job-7)].\n',
      { idle: false, reason: 'turn_in_flight', detail: { ledger: 'jobs', ...busy } },
    ],
    [
      'unreadable',
      broken,
      2,
      'Not proven: whether something runs cannot be read [jobs]. Treat it as busy.\n',
      { idle: null, reason: 'turn_probe_unavailable', detail: { ledger: 'jobs' } },
    ],
  ])('[RQ-R143] [RQ-R145] %s: one line, or one document, and an exit code', async (_what, says, code, out, json) => {
    jobs.says = says;
    expect(await cli(home, ['idle'])).toEqual({ code, out, err: '' });
    const told = await cli(home, ['idle', '--json']);
    expect(told).toMatchObject({ code, err: '' });
    expect(told.out.endsWith('\n')).toBe(true);
    expect(JSON.parse(told.out)).toEqual(json);
  });

  test('[RQ-R145] nothing but a proof is exit code 0, nor does what hinders one look like an answer', async () => {
    const stranger = createServer((req, res) => {
      res.writeHead(req.url === '/api/health/idle' ? 404 : 200).end('{"ok":true,"idle":true,"reason":null}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    for (const patch of [{ url }, { token: 'x'.repeat(43) }, { url: 'http://127.0.0.1:9' }, { pid: 2 ** 22 + 1 }]) {
      hostFile(patch);
      const ran = await cli(home, ['idle']);
      expect(ran).toMatchObject({ code: 2, out: '' });
      expect(ran.err).toMatch(/^readback: /);
      expect(ran.err).not.toContain(host.token);
      const told = await cli(home, ['idle', '--json']);
      expect(told).toMatchObject({ code: 2, out: '' });
      expect(JSON.parse(told.err).error).toHaveProperty('remedy');
    }
    stranger.closeAllConnections();
    await new Promise((resolve) => stranger.close(resolve));
  });

  test('[RQ-R145] where no host was ever started the exit code is 2 as well', async () => {
    rmSync(join(home, 'host.json'));
    expect(await cli(home, ['idle'])).toMatchObject({ code: 2, out: '' });
  });

  test('[RQ-R145] a word too many is refused, and is no answer', async () => {
    expect(await cli(home, ['idle', 'now'])).toMatchObject({ code: 2, out: '' });
    expect(jobs.reads).toBe(0);
  });

  test('[RQ-R147] an owner id cannot steer a terminal', async () => {
    jobs.says = { count: 1, owners: ['\u001b[2J\u202ejob'] };
    const { out } = await cli(home, ['idle']);
    expect(steers(out)).toBe(false);
    expect(out).toContain('\\x1b');
  });

  test('[RQ-R145] its help says what each exit code means', async () => {
    const { code, out } = await cli(home, ['idle', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/0 idle · 1 not idle · 2 not proven/);
  });
});
