import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { SIZES } from '../../src/limits.ts';
import { createMcpHttp } from '../../src/mcp/http.ts';
import type { McpStdio } from '../../src/mcp/stdio.ts';
import { serveMcpStdio } from '../../src/mcp/stdio.ts';
import { COORDINATORS, withPage } from './coordinators.ts';
import { FakeCoordinator } from './fake-coordinator.ts';
import { INITIALIZE, TestHost, TOKEN } from './host.ts';
import { Agent, answer, card, free, handed, PATIENT, receipt } from './rig.ts';

const CHILD = fileURLToPath(new URL('./stdio-child.ts', import.meta.url));
const quiet = () => undefined;
const QUIET = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** A stdio server in this process, with the client's end of its pipes. */
class Piped {
  readonly lines: Record<string, unknown>[] = [];
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  served: McpStdio | undefined;

  static async start(connect: () => Promise<{ url: string; token: string }>): Promise<Piped> {
    const piped = new Piped();
    let rest = '';
    piped.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      piped.lines.push(
        ...parts.filter((part) => part !== '').map((part) => JSON.parse(part) as Record<string, unknown>),
      );
    });
    piped.served = await serveMcpStdio({ connect, stdin: piped.stdin, stdout: piped.stdout, logger: QUIET });
    piped.send(INITIALIZE);
    piped.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await piped.response(0);
    return piped;
  }

  send(message: unknown): void {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  tool(id: unknown, name: string, args: Record<string, unknown> = {}, meta: Record<string, unknown> = {}): void {
    this.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: meta } });
  }

  response(id: unknown): Promise<Record<string, unknown>> {
    return vi.waitFor(
      () => {
        const found = this.lines.find((line) => line.id === id && !('method' in line));
        if (found === undefined) throw new Error(`no response ${JSON.stringify(id)} yet`);
        return found;
      },
      { timeout: 5_000 },
    );
  }

  async data(id: unknown): Promise<Record<string, unknown>> {
    const { result } = (await this.response(id)) as { result?: { structuredContent?: Record<string, unknown> } };
    return result?.structuredContent ?? {};
  }
}

describe('a stdio server whose host is nowhere', () => {
  it('answers initialize, ping and tools/list by itself and starts no host for them', async () => {
    const connect = vi.fn(async () => ({ url: 'http://127.0.0.1:1', token: 'none' }));
    const piped = await Piped.start(connect);
    piped.send({ jsonrpc: '2.0', id: '', method: 'tools/list' });
    piped.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(await piped.response('')).toMatchObject({ result: { tools: { length: 5 } } });
    expect(await piped.response(2)).toMatchObject({ result: {} });
    expect(connect).not.toHaveBeenCalled();
    piped.tool(3, 'ask_user', { question: 'Anyone?' });
    expect(await piped.data(3)).toMatchObject({ outcome: 'failed', retry: true });
    expect(connect).toHaveBeenCalled();
    await piped.served?.close();
  });

  it.each([
    ['question', { question: 'x'.repeat(2 * SIZES.frame) }, SIZES.question],
    ['header', { question: 'Long header?', header: 'x'.repeat(SIZES.frame) }, SIZES.frame],
  ])('refuses a call with too large a %s by name and limit, once and for all', async (field, args, limit) => {
    const connect = vi.fn(async () => ({ url: 'http://127.0.0.1:1', token: 'none' }));
    const piped = await Piped.start(connect);
    piped.tool(1, 'ask_user', args);
    const data = await piped.data(1);
    expect(data).toMatchObject({ outcome: 'invalid', field, retry: false });
    expect(data.reason).toContain(String(limit));
    expect(data.remedy).toContain(field);
    expect(JSON.stringify(await piped.response(1))).not.toContain('call again');
    expect(connect).not.toHaveBeenCalled();
    await piped.served?.close();
  });

  it.each([[[]], ['text'], [7]])(
    'refuses arguments that are no object (%j) by name, and starts no host',
    async (args) => {
      const connect = vi.fn(async () => ({ url: 'http://127.0.0.1:1', token: 'none' }));
      const piped = await Piped.start(connect);
      piped.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask_user', arguments: args } });
      const data = await piped.data(1);
      expect(data).toMatchObject({ outcome: 'invalid', field: 'arguments', reason: 'must be an object', retry: false });
      expect(data.remedy).toContain('arguments');
      expect(connect).not.toHaveBeenCalled();
      await piped.served?.close();
    },
  );

  it('passes on the refusal of a host that takes no call of this size', async () => {
    const { coordinator } = await withPage(async () => new FakeCoordinator());
    const mcp = createMcpHttp({ coordinator, logger: QUIET });
    let refused = 0;
    const server = createServer((req, res) => {
      if (Number(req.headers['content-length'] ?? 0) < 4_000) return void mcp.handle(req, res);
      refused += 1;
      req.resume();
      req.once('end', () => res.writeHead(413, { 'content-type': 'application/json' }).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const piped = await Piped.start(async () => ({ url: `http://127.0.0.1:${port}`, token: TOKEN }));
    piped.tool(1, 'ask_user', { question: 'x'.repeat(8_000) });
    expect(await piped.data(1)).toMatchObject({ outcome: 'invalid', field: 'question', retry: false });
    expect(refused).toBe(1);
    await piped.served?.close();
    await mcp.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('ends when its client closes the pipe', async () => {
    const piped = await Piped.start(async () => ({ url: 'http://127.0.0.1:1', token: 'none' }));
    piped.stdin.end();
    await piped.served?.closed;
  });
});

describe.each(COORDINATORS)('a stdio server before a host over %s', (_name, make) => {
  let coordinator: Asking;
  let host: TestHost;
  let piped: Piped;

  beforeEach(async () => {
    ({ coordinator } = await withPage(make));
    host = await TestHost.start(coordinator, { graceMs: 500 });
    piped = await Piped.start(async () => ({ url: host.url, token: TOKEN }));
  });

  afterEach(async () => {
    await piped.served?.close();
    await host.stop();
    await coordinator.close();
  });

  it.each([0, '', 'x'])('[A1] forwards call %j with its progress and its answer', async (id) => {
    const start = piped.lines.length;
    piped.tool(id, 'ask_user', { question: 'Forwarded?', hold_seconds: 5 }, { progressToken: 'p' });
    const { askId, from } = await answer(coordinator, 'Forwarded?', { text: 'yes' });
    expect(from).toBe('raw');
    await vi.waitFor(() => expect(piped.lines.slice(start).filter((line) => line.id === id)).toHaveLength(1), PATIENT);
    const after = piped.lines.slice(start);
    const reports = after.filter((line) => line.method === 'notifications/progress');
    expect(reports.length).toBeGreaterThan(0);
    for (const report of reports)
      expect(report.params).toMatchObject({ progressToken: 'p', progress: expect.any(Number) });
    expect(after.at(-1)).toMatchObject({ id, result: { structuredContent: { outcome: 'answered', answer: 'yes' } } });
    await handed(coordinator, askId);
  });

  it.each([0, '', 9])(
    '[A2] forwards the cancellation of call %j; the answer is late and rides on the next result',
    async (id) => {
      const start = piped.lines.length;
      piped.tool(id, 'ask_user', { question: 'Stop?', hold_seconds: 30 });
      const { askId } = await card(coordinator, 'Stop?');
      piped.send({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason: 'Request timed out' },
      });
      await vi.waitFor(async () => expect((await coordinator.show(askId))?.awaited).toBe(false), PATIENT);
      expect(host.mcp.sessions()[0]?.limitMs).toBeGreaterThanOrEqual(0);
      await answer(coordinator, 'Stop?', { text: 'late' });
      piped.tool('next', 'list_asks');
      expect((await piped.data('next')).earlier_answers).toMatchObject([{ ask_id: askId, answer: 'late', late: true }]);
      expect(piped.lines.slice(start).filter((line) => line.id === id)).toEqual([]);
    },
  );

  it('[A2] a result that crossed a cancellation is handed back on the host at once', async () => {
    piped.tool(1, 'ask_user', { question: 'Too late?', hold_seconds: 30 });
    const { askId } = await answer(coordinator, 'Too late?', { text: 'c' });
    await piped.data(1);
    await handed(coordinator, askId);
    piped.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await free(coordinator, askId);
    expect(host.mcp.sessions()).toHaveLength(1);
  });

  it('what was not proven when the client went away is handed back on the host', async () => {
    piped.tool(1, 'ask_user', { question: 'Crossing?', hold_seconds: 30 });
    const { askId } = await answer(coordinator, 'Crossing?', { text: 'c' });
    await piped.data(1);
    await handed(coordinator, askId);
    await piped.served?.close();
    await free(coordinator, askId);
    expect(host.mcp.sessions()).toEqual([]);
  });

  it('[F1] a host that was restarted between two calls is joined again, in the same conversation', async () => {
    piped.tool(1, 'ask_user', { question: 'Restart?', hold_seconds: 0.02 });
    const { ask_id: askId } = await piped.data(1);
    await host.crash();
    await answer(coordinator, 'Restart?', { text: 'after all' });
    host = await TestHost.start(coordinator);
    piped.tool(2, 'list_asks');
    expect((await piped.data(2)).earlier_answers).toMatchObject([{ ask_id: askId, answer: 'after all' }]);
    expect((await coordinator.show(String(askId)))?.tab).toMatch(/^mcp:[0-9a-f-]{36}$/);
  });

  it('[F1] a host that goes away under a held question: the wait goes on at the next host, with one card', async () => {
    piped.tool(1, 'ask_user', { question: 'Under way?', hold_seconds: 10 }, { progressToken: 'up' });
    const { askId } = await card(coordinator, 'Under way?');
    await host.crash();
    host = await TestHost.start(coordinator);
    await vi.waitFor(() => expect(host.mcp.sessions()).toHaveLength(1), PATIENT);
    expect((await coordinator.list({ what: 'open' })).map((ask) => ask.askId)).toEqual([askId]);
    await answer(coordinator, 'Under way?', { text: 'still here' });
    expect(await piped.data(1)).toMatchObject({ outcome: 'answered', ask_id: askId, answer: 'still here' });
    const reports = piped.lines.filter((line) => line.method === 'notifications/progress');
    const steps = reports.map((line) => (line.params as { progress: number }).progress);
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
  });

  it('[F1] [C10] so does a batch, of which one was answered before, beside one that looks like it', async () => {
    const questions = [{ question: 'First?' }, { question: 'Second?' }];
    piped.tool(1, 'ask_user', { questions: [{ question: 'Second?' }, { question: 'First?' }], hold_seconds: 10 });
    await vi.waitFor(async () => expect(await coordinator.list()).toHaveLength(2), PATIENT);
    piped.tool(2, 'ask_user', { questions, hold_seconds: 10 });
    await vi.waitFor(async () => expect(await coordinator.list()).toHaveLength(4), PATIENT);
    const open = await coordinator.list();
    const member = (question: string, index: number) =>
      open.find((ask) => ask.question === question && ask.batch?.index === index)?.askId ?? '';
    await coordinator.answer(member('Second?', 2), { text: 'early' }, { surface: 'page' });
    await host.crash();
    host = await TestHost.start(coordinator);
    await vi.waitFor(() => expect(host.mcp.sessions()).toHaveLength(1), PATIENT);
    await coordinator.answer(member('First?', 1), { text: 'one' }, { surface: 'page' });
    expect(await piped.data(2)).toMatchObject({
      outcome: 'answered',
      questions: [
        { ask_id: member('First?', 1), answer: 'one' },
        { ask_id: member('Second?', 2), answer: 'early' },
      ],
    });
    expect((await coordinator.list()).map(({ askId }) => askId)).toEqual([member('Second?', 1), member('First?', 2)]);
  });

  it('[A2] a batch that crossed a cancellation is handed back on the host, every answer of it', async () => {
    piped.tool(1, 'ask_user', { questions: [{ question: 'Left?' }, { question: 'Right?' }], hold_seconds: 30 });
    const left = await answer(coordinator, 'Left?', { text: 'l' });
    const right = await answer(coordinator, 'Right?', { text: 'r' });
    await piped.data(1);
    for (const { askId } of [left, right]) await handed(coordinator, askId);
    piped.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    for (const { askId } of [left, right]) await free(coordinator, askId);
  });

  it('a host that closes in order is told as little as one that crashed: the call goes on elsewhere', async () => {
    piped.tool(1, 'ask_user', { question: 'In order?', hold_seconds: 10 });
    await card(coordinator, 'In order?');
    await host.stop();
    host = await TestHost.start(coordinator);
    await answer(coordinator, 'In order?', { text: 'yes' });
    expect(await piped.data(1)).toMatchObject({ outcome: 'answered', answer: 'yes' });
  });
});

describe('a stdio server as a process of its own', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'readback-mcp-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('[A1] serves the client of the SDK, from question to receipt, and ends with it', async () => {
    const [, make] = COORDINATORS[0] ?? [];
    if (make === undefined) throw new Error('no coordinator to test over');
    const { coordinator } = await withPage(make);
    const host = await TestHost.start(coordinator);
    const file = join(folder, 'host.json');
    writeFileSync(file, JSON.stringify({ url: host.url, token: TOKEN }));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--import', 'tsx', CHILD],
      env: { ...(process.env as Record<string, string>), TEST_HOST_FILE: file },
    });
    const client = new Client({ name: 'child-agent', version: '1' });
    await client.connect(transport);
    const agent = new Agent(client, 'child-agent');
    expect((await client.listTools()).tools).toHaveLength(5);
    const asked = agent.ask('Through a process?', 10_000);
    const { askId, from } = await answer(coordinator, 'Through a process?', { text: 'yes' });
    expect(from).toBe('child-agent');
    const { token } = await asked;
    await agent.call('ack_answers', { tokens: [token] });
    expect(await receipt(coordinator, askId)).toBe('read_back');
    const pid = transport.pid ?? -1;
    await client.close();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), PATIENT);
    expect(host.mcp.sessions()).toEqual([]);
    await host.stop();
  });

  it('loads nothing heavy before the first call', async () => {
    const probe = `
      import { register } from 'node:module';
      const hook = 'export async function resolve(s, c, n) { const r = await n(s, c); process.stderr.write(r.url + "\\\\n"); return r; }';
      register('data:text/javascript,' + encodeURIComponent(hook));
      process.argv[1] = ${JSON.stringify(CHILD)};
      await import(${JSON.stringify(CHILD)});
    `;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', probe], {
      cwd: process.cwd(),
    });
    let loaded = '';
    let out = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (loaded += chunk));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    child.stdin.write(
      `${JSON.stringify(INITIALIZE)}\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`,
    );
    await vi.waitFor(() => expect(out).toContain('ack_answers'), { timeout: 15_000 });
    child.stdin.end();
    await new Promise((resolve) => child.once('exit', resolve));
    expect(loaded).toContain('sdk/dist/esm/server/index.js');
    expect(loaded).not.toMatch(/better-sqlite3|\/xstate\/|\/hono\/|node-server|sdk\/dist\/esm\/client/);
  });
});
