import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { cli, until } from './hand-io.ts';

let host: FakeHost;
let owner: ChildProcess;

beforeEach(async () => {
  owner = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20_000)']);
  host = await fakeHost({ pid: owner.pid ?? 0 });
});

afterEach(async () => {
  owner.kill();
  await host.close();
  rmSync(host.home, { recursive: true, force: true });
});

/** Stops the host, whose process ends when it is told to. */
async function stop(...argv: string[]): Promise<string> {
  const ran = cli(host.home, ['stop', ...argv]);
  await until('the order to stop', () => host.seen.includes('POST /api/stop'));
  owner.kill();
  const { code, out } = await ran;
  expect(code).toBe(0);
  return out;
}

describe('stop', () => {
  it('says who is connected, and that such a client starts a host again', async () => {
    host.clients.push({ name: 'claude-code', version: '2.1' }, { name: '\u001b[2Jx', version: '1' });
    const out = await stop();
    expect(out).toContain('claude-code 2.1');
    expect(out).toContain('\\x1b[2Jx');
    expect(out).toMatch(/starts a host again at its next call; to keep it off, end the client too/);
  });

  it('says nothing of clients when there are none', async () => {
    expect(await stop()).not.toMatch(/client|connected|still waits/i);
  });

  it('says that whoever still waits for an answer starts a host again, where a question is open', async () => {
    host.put({ question: 'Ship it?' });
    expect(await stop()).toContain('A "readback ask" that still waits starts a host again');
  });

  it('lists the clients as JSON', async () => {
    host.clients.push({ name: 'claude-code', version: '2.1' });
    expect(JSON.parse(await stop('--json'))).toMatchObject({
      stopped: true,
      pid: owner.pid,
      clients: [{ name: 'claude-code', version: '2.1' }],
    });
  });
});
