/** What an embedder gives a host to call may fail in any way: no process ends, and nobody else is kept waiting. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHost } from '../../src/host/index.ts';
import type { ServerRequests } from '../../src/requests/api.ts';
import { call, startBench, TestSocket } from './support.ts';

const unheard: string[] = [];
const note = (error: unknown): void => void unheard.push(String(error));
const EVENTS = ['unhandledRejection', 'uncaughtException'] as const;
beforeEach(() => {
  for (const event of EVENTS) process.on(event, note);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const event of EVENTS) process.off(event, note);
  expect(unheard.splice(0)).toEqual([]);
});

const throws = (): never => {
  throw new Error('of the embedder');
};
const rejects = (): never => Promise.reject(new Error('of the embedder')) as never;

test('a logger that throws changes no reply', async () => {
  const bench = await startBench({ logger: { debug: throws, info: throws, warn: throws, error: throws } });
  bench.rig.asking.audit = throws;
  expect((await call(bench.host, '/api/asks')).status).toBe(200);
  expect((await call(bench.host, '/api/asks', { token: 'wrong' })).status).toBe(401);
  expect((await call(bench.host, '/api/audit')).status).toBe(500);
  const page = await new TestSocket(bench.host).open();
  page.send({ jsonrpc: '2.0', id: 'srq-000000000000', result: {} });
  expect((await page.request('ping', {})).result).toMatchObject({ now: expect.any(Number) });
  await page.close();
  await bench.close();
});

test.each([throws, rejects])('a stop, and a mount whose end fails: %s', async (fails) => {
  const mounts = [{ path: '/own', handle: async () => undefined, close: fails }];
  const bench = await startBench({ mounts, onStop: fails });
  const page = await new TestSocket(bench.host).open();
  expect((await call(bench.host, '/api/stop', { method: 'POST', body: {} })).status).toBe(200);
  await bench.close();
  expect(await page.closed).toBe(1001);
  await expect(call(bench.host, '/api/health')).rejects.toThrow();
});

test.each([throws, rejects, () => 'no list' as never])('clients that cannot be named: %s', async (clients) => {
  const lines: string[] = [];
  const quiet = () => undefined;
  const error = (line: unknown): void => void lines.push(String(line));
  const bench = await startBench({ clients, logger: { debug: quiet, info: quiet, warn: quiet, error } });
  const health = await call(bench.host, '/api/health');
  expect(health.status).toBe(200);
  expect(health.json()).toMatchObject({ ok: true, clients: [] });
  expect(lines.join()).toContain('clients');
  await bench.close();
});

test('a mount that fails in the middle of its reply: the reply ends, and nobody waits for the rest', async () => {
  const handle = (_req: IncomingMessage, res: ServerResponse): Promise<void> => {
    res.write('one half');
    return rejects();
  };
  const bench = await startBench({ mounts: [{ path: '/own', handle }] });
  await expect(call(bench.host, '/own')).rejects.toThrow(/aborted|hang up/);
  expect((await call(bench.host, '/api/health')).status).toBe(200);
  await bench.close();
});

test('a host that cannot be made listens no more', async () => {
  const bench = await startBench();
  const free = await freePort();
  await expect(startHost({ coordinator: { ...bench.rig.asking, subscribe: throws }, port: free })).rejects.toThrow(
    'of the embedder',
  );
  await expect(reached(free)).resolves.toBe(false);
  await bench.close();
});

test('a listener that fails again and again ends no process', async () => {
  const bench = await startBench();
  let server: Server | undefined;
  const see = (message: unknown): void => {
    server = (message as { server: Server }).server;
  };
  subscribe('http.server.request.start', see);
  await call(bench.host, '/api/health');
  unsubscribe('http.server.request.start', see);
  for (let n = 0; n < 3; n += 1) server?.emit('error', new Error('EMFILE'));
  expect((await call(bench.host, '/api/health')).status).toBe(200);
  await bench.close();
});

test('a surface that cannot be attached leaves no stream behind that nobody ends', async () => {
  const bench = await startBench();
  bench.rig.asking.attachSurface = throws;
  const reply = await Promise.race([
    call(bench.host, '/api/events?surface=terminal').then(({ status }) => status),
    new Promise((resolve) => setTimeout(() => resolve('hangs'), 1_000)),
  ]);
  expect(reply).toBe(500);
  await bench.close();
});

test('a registry that takes no page ends the page, not the process', async () => {
  const requests = { attach: throws } as unknown as ServerRequests;
  const bench = await startBench({ requests });
  const page = new TestSocket(bench.host);
  expect(
    await Promise.race([page.closed, new Promise((resolve) => setTimeout(() => resolve('open'), 1_000))]),
  ).not.toBe('open');
  expect((await call(bench.host, '/api/health')).json()).toMatchObject({ pages: 0 });
  await bench.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function reached(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
