import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AskView, AuditRow, Outcome, Verdict } from '../../src/api.ts';
import type { Check } from '../../src/cli/doctor.ts';
import { alive, type HostFile } from '../../src/cli/home.ts';
import { pause } from '../../src/cli/io.ts';
import { buildCli, ENTRY, type Running, removeCli, World } from './process.ts';

let world: World;

beforeAll(buildCli);

afterAll(removeCli);

beforeEach(() => {
  world = new World();
});

afterEach(async () => {
  await world.end();
});

/** The only open ask, as soon as there is one. */
async function opened(): Promise<AskView> {
  for (let i = 0; i < 20; i += 1) {
    const { asks } = await world.json<{ asks: AskView[] }>(['list']);
    if (asks[0] !== undefined) return asks[0];
  }
  throw new Error('no ask was opened');
}

const CARD = ['--option', 'yes=Ship it::starts at once', '--option', 'no=Hold'];

describe('from a question to its receipt, with real processes', { timeout: 60_000 }, () => {
  it('a script asks, a person answers in a terminal, the script prints it, and it is read back', async () => {
    const host = await world.serve('--terminal');
    await host.says(/Questions are shown here, and on the page\./);
    const script = world.start(['ask', 'Ship 1.4?', ...CARD, '--from', 'ci']);
    await host.says(/Ship 1\.4\?/);
    await host.says(/readback answer pa-[0-9a-f]+ --option yes/);
    const ask = await opened();
    expect(ask).toMatchObject({ question: 'Ship 1.4?', from: 'ci', state: 'open' });
    const given = await world.run(['answer', ask.askId.slice(0, 12), '--option', 'yes']);
    expect(given).toMatchObject({ code: 0, err: '' });
    expect(await script.done).toEqual({ code: 0, out: 'yes\n', err: '' });
    expect((await world.json<AskView>(['show', ask.askId])).answers).toMatchObject([
      { receipt: 'read_back', reply: { selected: ['yes'] } },
    ]);
    expect((await world.run(['list', '--recent'])).out).toMatch(/read back +Ship it/);
    const { rows } = await world.json<{ rows: AuditRow[] }>(['log', '--ask', ask.askId]);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(rows.map((row) => row.id)).toEqual(rows.map((row) => row.id).sort((a, b) => a - b));
    expect(rows.some((row) => row.surface === 'terminal')).toBe(true);
    expect((await world.run(['log'])).out).toContain(ask.askId.slice(0, 11));
  });

  it('[G6] [G7] [B1] gives each submission its verdict', async () => {
    await world.serve('--terminal');
    const script = world.start(['ask', 'Ship?', ...CARD]);
    const { askId } = await opened();
    expect((await world.run(['answer', 'pa-00000000-dead-4000-8000-000000000000', '--text', 'x'])).code).toBe(18);
    const first = await world.json<Verdict>(['answer', askId, '--option', 'no']);
    // Late where the script happens to be between two waits; on file either way.
    expect(['accepted', 'late_accepted']).toContain(first.verdict);
    expect((await script.done).out).toBe('no\n');
    expect(await world.json<Verdict>(['answer', askId, '--option', 'no'])).toMatchObject({
      verdict: 'duplicate',
      token: first.token,
    });
    const other = await world.run(['answer', askId, '--option', 'yes', '--json']);
    expect(other.code).toBe(17);
    expect(JSON.parse(other.out)).toMatchObject({ verdict: 'conflict', saved: false });
  });

  it('[I9] carries every kind of text whole, and shows none of it raw', async () => {
    await world.serve('--terminal');
    const script = world.start(['ask', '\u001b[2J שלום?']);
    const { askId } = await opened();
    const text = `👩‍👩‍👧 שלום\n\u001b]0;x\u0007 ${'y'.repeat(50_000)}`;
    expect((await world.run(['answer', askId, '--text', '-'], { stdin: `${text}\n` })).code).toBe(0);
    expect(await script.done).toMatchObject({ code: 0, out: `${text}\n` });
    const shown = await world.run(['show', askId]);
    expect(shown.out).toContain('\\x1b[2J');
    expect(shown.out).not.toContain('\u001b');
  });

  it('[I13] [G1] with nothing to show it, an ask ends at once as undeliverable', async () => {
    await world.serve();
    const begun = Date.now();
    const { code, out, err } = await world.run(['ask', 'Ship?', ...CARD]);
    expect({ code, out }).toEqual({ code: 13, out: '' });
    expect(err).toContain('?token=');
    expect(Date.now() - begun).toBeLessThan(8_000);
  });

  it('a script that has to start a host says so, and how to end it', async () => {
    const ran = await world.run(['ask', 'Anybody?']);
    expect(ran).toMatchObject({ code: 13, out: '' });
    expect(ran.err).toMatch(/started a host in the background \(pid \d+\); it ends after 10 min without use/);
    expect(ran.err).toContain('readback stop');
    expect((await world.run(['ask', 'Anybody?'])).err).not.toContain('started a host');
    expect((await world.run(['stop'])).code).toBe(0);
  });

  it('a decline, a withdrawal and a time limit each have an exit code', async () => {
    await world.serve('--terminal');
    const declined = world.start(['ask', 'One?']);
    await world.run(['answer', (await opened()).askId, '--decline']);
    expect(await declined.done).toMatchObject({ code: 10, out: '' });
    const withdrawn = world.start(['ask', 'Two?']);
    const two = await opened();
    expect((await world.run(['withdraw', two.askId, '--reason', 'found it'])).code).toBe(0);
    expect(await withdrawn.done).toMatchObject({ code: 14, out: '' });
    expect((await world.run(['answer', two.askId, '--text', 'late'])).code).toBe(14);
    const limited = await world.run(['ask', 'Three?', '--timeout', '300ms', '--json']);
    expect(limited.code).toBe(11);
    expect(JSON.parse(limited.out)).toMatchObject({ outcome: 'pending' });
    const late = world.start(['ask', '--await', (JSON.parse(limited.out) as Outcome).askId]);
    await world.run(['answer', (await opened()).askId, '--text', 'three']);
    expect(await late.done).toMatchObject({ code: 0, out: 'three\n' });
    expect((await world.run(['ask', 'Four?', '--expires', '400ms'])).code).toBe(12);
  });
});

describe('the life of a host', { timeout: 60_000 }, () => {
  it('[F1] right after a restart an ask waits for the page of the host before, and is not undeliverable', async () => {
    const ask = async (): Promise<Outcome> => {
      const { url, token } = world.hostFile() as HostFile;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ question: { question: 'Already?' }, timeoutMs: 50 });
      const asked = fetch(`${url}/api/asks`, { method: 'POST', headers, body });
      await pause(200);
      const gone = new AbortController();
      await fetch(`${url}/api/events?surface=terminal`, { headers, signal: gone.signal });
      const outcome = (await (await asked).json()) as Outcome;
      gone.abort();
      return outcome;
    };
    const first = await world.serve();
    expect(await ask()).toMatchObject({ outcome: 'undeliverable' });
    expect((await world.run(['stop'])).code).toBe(0);
    await first.done;
    await world.serve();
    expect(await ask()).toMatchObject({ outcome: 'pending' });
  });

  it('[F1] [F10] an open question survives a restart; its script waits on and prints the answer', async () => {
    const first = await world.serve('--terminal');
    const address = world.hostFile();
    const script = world.start(['ask', 'Ship?', ...CARD]);
    const { askId } = await opened();
    expect((await world.run(['stop'])).code).toBe(0);
    expect((await first.done).code).toBe(0);
    await world.serve('--terminal');
    // The page of the first host finds the second one, because that listens where the first one did.
    expect(world.hostFile()).toMatchObject({ url: address?.url, token: address?.token });
    expect(await opened()).toMatchObject({ askId, state: 'open' });
    await world.run(['answer', askId, '--option', 'yes']);
    expect(await script.done).toMatchObject({ code: 0, out: 'yes\n' });
  });

  it('[F10] and a killed host: its stale host.json misleads nobody', async () => {
    const first = await world.serve('--terminal');
    const asked = await world.run(['ask', 'Ship?', ...CARD, '--timeout', '300ms']);
    expect(asked.code).toBe(11);
    first.kill('SIGKILL');
    await first.done;
    const down = await world.run(['list']);
    expect(down.code).toBe(3);
    expect(down.err).toContain('no longer running');
    await world.serve('--terminal');
    const { askId } = await opened();
    const script = world.start(['ask', '--await', askId]);
    await world.run(['answer', askId, '--option', 'no']);
    expect(await script.done).toMatchObject({ code: 0, out: 'no\n' });
  });

  it('refuses a second owner, naming the first and the way to it', async () => {
    const first = await world.serve();
    const second = await world.run(['serve']);
    expect(second).toMatchObject({ code: 4, out: '' });
    expect(second.err).toContain(`pid ${first.pid}`);
    expect(second.err).toContain(`?token=${world.hostFile()?.token}`);
    expect(world.hostFile()?.pid).toBe(first.pid);
    const asJson = await world.run(['serve', '--json']);
    expect(JSON.parse(asJson.err)).toMatchObject({ error: { code: 'store_owned' } });
    // Without a host.json that is to be believed, the database itself names its owner.
    const dead = 2 ** 22 + 1;
    writeFileSync(join(world.home, 'host.json'), JSON.stringify({ ...world.hostFile(), pid: dead }));
    const third = await world.run(['serve']);
    expect(third.code).toBe(4);
    expect(third.err).toContain(String(first.pid));
    expect(third.err).not.toContain(String(dead));
  });

  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    '[I1] %s ends it in bounded time, with calls running, and cancels no question',
    async (signal) => {
      const host = await world.serve('--terminal');
      const script = world.start(['ask', 'Ship?']);
      await opened();
      const following = world.start(['list', '--follow', '--json']);
      await following.says(/listed/);
      const begun = Date.now();
      host.kill(signal);
      expect((await host.done).code).toBe(0);
      expect(Date.now() - begun).toBeLessThan(6_000);
      expect(existsSync(join(world.home, 'host.json'))).toBe(false);
      script.kill('SIGINT');
      expect((await script.done).code).toBe(14);
      following.kill('SIGINT');
      expect((await following.done).code).toBe(0);
      await world.serve();
      expect(await opened()).toMatchObject({ question: 'Ship?', state: 'open' });
    },
  );

  it('ends itself when idle, and not while somebody looks', async () => {
    const host = await world.serve('--exit-when-idle', '1s');
    const following = world.start(['list', '--follow', '--terminal']);
    await following.says(/Nothing is open/);
    await pause(2_500);
    expect(alive(host.pid)).toBe(true);
    following.kill('SIGINT');
    expect(await host.done).toMatchObject({ code: 0 });
    expect(existsSync(join(world.home, 'host.json'))).toBe(false);
  });

  it('several asks at once without a host start one and share it', async () => {
    const scripts = Array.from({ length: 3 }, () => world.start(['ask', 'Ship?', '--json']));
    const done = await Promise.all(scripts.map((script: Running) => script.done));
    expect(done.map(({ code }) => code)).toEqual([13, 13, 13]);
    const host = world.hostFile();
    expect(host !== undefined && alive(host.pid)).toBe(true);
    expect(existsSync(join(world.home, 'host.starting'))).toBe(false);
    expect((await world.run(['stop'])).code).toBe(0);
    expect(host !== undefined && alive(host.pid)).toBe(false);
  });

  it('keeps its folder, its secret and its database for this user', async () => {
    await world.serve();
    expect(statSync(world.home).mode & 0o077).toBe(0);
    for (const file of ['host.json', 'address.json', 'readback.db']) {
      expect([file, statSync(join(world.home, file)).mode & 0o077]).toEqual([file, 0]);
    }
  });

  it('refuses a port that is taken, and a port that is none', async () => {
    await world.serve();
    const { url } = world.hostFile() ?? { url: '' };
    const other = new World();
    try {
      const taken = await other.run(['serve', '--port', new URL(url).port]);
      expect(taken).toMatchObject({ code: 2, out: '' });
      expect(taken.err).toContain('--port');
      expect((await other.run(['serve', '--port', 'x'])).code).toBe(2);
      expect((await other.run(['serve', '--hold', 'soon'])).code).toBe(2);
    } finally {
      await other.end();
    }
  });
});

describe('mcp', { timeout: 60_000 }, () => {
  /** An agent's client of its own process, on this state folder. */
  async function agent(name: string): Promise<Client> {
    const client = new Client({ name, version: '1.2.3' });
    const env = { ...(process.env as Record<string, string>), READBACK_HOME: world.home };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [ENTRY, 'mcp'], env, stderr: 'ignore' }),
    );
    return client;
  }

  it('joins the host that runs; the doctor sees its client, and an answer in the terminal reaches it', async () => {
    await world.serve('--terminal');
    const client = await agent('tester');
    try {
      expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('ask_user');
      const call = client.callTool({
        name: 'ask_user',
        arguments: { question: 'Ship?', options: [{ id: 'yes', label: 'Ship it' }] },
      });
      const { askId } = await opened();
      const { checks } = await world.json<{ checks: Check[] }>(['doctor']);
      expect(checks.find((check) => check.name === 'client')?.detail).toContain('tester 1.2.3');
      expect((await world.run(['answer', askId, '--option', 'yes'])).code).toBe(0);
      expect(JSON.stringify((await call).content)).toContain('Ship it');
      expect((await world.json<AskView>(['show', askId])).answers[0]?.receipt).toBe('handed');
    } finally {
      await client.close();
    }
  });

  it('several agents at once start one host and share it', async () => {
    const agents = await Promise.all(['one', 'two', 'three'].map(agent));
    try {
      const asks = agents.map((client) => client.callTool({ name: 'ask_user', arguments: { question: 'Ship?' } }));
      const results = await Promise.all(asks);
      for (const result of results) expect(JSON.stringify(result)).toContain('undeliverable');
      const host = world.hostFile();
      expect(host !== undefined && alive(host.pid)).toBe(true);
      const { checks } = await world.json<{ checks: Check[] }>(['doctor']);
      expect(checks.filter((check) => check.name === 'client')).toHaveLength(3);
    } finally {
      await Promise.all(agents.map((client) => client.close()));
    }
  });

  it('ends when its client does, and refuses a flag that it does not know', async () => {
    expect(await world.run(['mcp'])).toMatchObject({ code: 0, out: '' });
    const wrong = await world.run(['mcp', '--frob']);
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.err).toContain('--frob');
  });
});

describe('doctor', { timeout: 60_000 }, () => {
  const named = (checks: readonly Check[], name: string): Check | undefined =>
    checks.find((check) => check.name === name);

  it('finds nothing broken beside a host, and warns that no page is open', async () => {
    await world.serve();
    const { ok, checks } = await world.json<{ ok: boolean; checks: Check[] }>(['doctor']);
    expect(checks.filter((check) => check.status === 'fail' && check.name !== 'page')).toEqual([]);
    expect(named(checks, 'round trip')?.detail).toContain('read back');
    expect(named(checks, 'sync')).toMatchObject({ status: 'ok', detail: expect.stringContaining('synchronous full') });
    expect(named(checks, 'database')?.detail).toContain('pid');
    expect(JSON.stringify(checks)).not.toContain(world.hostFile()?.token);
    expect(typeof ok).toBe('boolean');
  });

  it('checks the file itself when no host has it', async () => {
    await world.serve();
    await world.run(['stop']);
    const { checks } = await world.json<{ checks: Check[] }>(['doctor']);
    expect(named(checks, 'database')).toMatchObject({ status: 'ok', detail: expect.stringContaining('sound') });
    expect(named(checks, 'host')?.status).toBe('warn');
  });

  it('fails on a damaged file, with a remedy', async () => {
    writeFileSync(
      join(world.home, 'readback.db'),
      'this is no database, but it is long enough to be looked at '.repeat(40),
    );
    const { code, out } = await world.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/fail +database/);
    expect(out).toContain('backup');
  });
});
