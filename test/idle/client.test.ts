import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, test } from 'vitest';
import { askIdle, IDLE_CLIENT_BOUNDS, isProvenIdle, readIdle } from '../../src/idle-client.ts';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

async function serve(listener: RequestListener): Promise<string> {
  const made = createServer(listener);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

const IDLE = { ok: true, idle: true, reason: null };
const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_req, res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

test('[RQ-R145] [RQ-R146] true is what the host said, when it was asked with the token on the right path', async () => {
  const seen: unknown[] = [];
  const url = await serve((req, res) => {
    seen.push([req.method, req.url, req.headers.authorization]);
    reply(200, IDLE)(req, res);
  });
  expect(await isProvenIdle(url, 'the-token')).toBe(true);
  expect(await isProvenIdle(`${url}/`, 'the-token')).toBe(true);
  expect(seen).toEqual(Array.from({ length: 2 }, () => ['GET', '/api/health/idle', 'Bearer the-token']));
});

describe('whatever is not proven is busy', () => {
  it.each<[string, RequestListener]>([
    ['a turn in flight', reply(200, { ok: true, idle: false, reason: 'turn_in_flight' })],
    ['not proven', reply(200, { ok: true, idle: null, reason: 'input_probe_unavailable' })],
    ['a host without the route', reply(404, IDLE)],
    ['a refused token', reply(401, IDLE)],
    ['created', reply(201, IDLE)],
    ['not authoritative', reply(203, IDLE)],
    ['a redirection', (req, res) => reply(req.url === '/else' ? 200 : 302, IDLE, { location: '/else' })(req, res)],
    ['a failure', reply(500, IDLE)],
    ['a closing host', reply(503, IDLE)],
    ['no JSON', reply(200, '<html>idle</html>')],
    ['half of it', reply(200, '{"ok":true,"idle":true,')],
    ['nothing', reply(200, '')],
    ['null', reply(200, 'null')],
    ['a list', reply(200, [IDLE])],
    ['no idle member', reply(200, { ok: true, reason: null })],
    ['idle as a text', reply(200, { ok: true, idle: 'true', reason: null })],
    ['idle as a number', reply(200, { ok: true, idle: 1, reason: null })],
    ['not ok', reply(200, { ok: false, idle: true, reason: null })],
    ['idle with a reason against it', reply(200, { ok: true, idle: true, reason: 'turn_in_flight' })],
    ['an endless reply', reply(200, { ...IDLE, detail: 'x'.repeat(IDLE_CLIENT_BOUNDS.body) })],
    [
      'bytes that are no text',
      (_req, res) => void res.end(Buffer.from('{"ok":true,"idle":true,"reason":null,"x":"\xff"}', 'latin1')),
    ],
    ['a connection that is cut', (req) => void req.socket.destroy()],
    [
      'a reply that is cut',
      (_req, res) => {
        res.writeHead(200, { 'content-length': '100' });
        res.write(JSON.stringify(IDLE), () => res.destroy());
      },
    ],
  ])('[RQ-R145] %s', async (_what, listener) => {
    expect(await isProvenIdle(await serve(listener), 'the-token')).toBe(false);
  });

  it.each<[string, RequestListener]>([
    ['no reply', () => undefined],
    [
      'a reply that never ends',
      (_req, res) => {
        res.writeHead(200);
        res.write(JSON.stringify(IDLE));
      },
    ],
  ])('[RQ-R145] %s within the time', async (_what, listener) => {
    const url = await serve(listener);
    const begun = Date.now();
    expect(await askIdle(url, 'the-token', { timeoutMs: 80 })).toEqual({
      idle: null,
      reason: 'unreachable',
      why: 'no reply within 80 ms',
    });
    expect(Date.now() - begun).toBeLessThan(3_000);
  });

  it.each([
    ['nobody listens', 'http://127.0.0.1:9', 'the-token', 500],
    ['no URL', 'not a url', 'the-token', 500],
    ['a token that fits no header', 'http://127.0.0.1:9', 'two\nlines', 500],
  ])('[RQ-R145] %s', async (_what, url, token, timeoutMs) => {
    expect(await isProvenIdle(url, token, { timeoutMs })).toBe(false);
  });

  it.each([
    ['http://127.0.0.1:9', 'canary\nlines'],
    ['http://127.0.0.1:9', 'canary\0'],
    ['http://me:canary@127.0.0.1:9', 'the-token'],
  ])('[RQ-R145] and what cannot be sent is quoted nowhere: %j', async (url, token) => {
    const said = await askIdle(url, token);
    expect(said).toMatchObject({ idle: null, reason: 'unreachable' });
    expect(JSON.stringify(said)).not.toContain('canary');
  });
});

describe('the words of what did not come', () => {
  it.each([
    [401, 'refused the token'],
    [403, 'refused the token'],
    [404, 'no idle proof'],
    [500, 'status 500'],
  ])('[RQ-R145] status %s', async (status, words) => {
    const said = await askIdle(await serve(reply(status, IDLE)), 'the-token');
    expect(said).toMatchObject({ idle: null, reason: 'unreachable', why: expect.stringContaining(words) });
  });
});

describe('reading an answer', () => {
  it.each([
    { idle: false, reason: 'turn_in_flight', detail: { ledger: 'jobs', count: 2, owners: ['a'] } },
    { idle: false, reason: 'awaiting_human_input' },
    { idle: null, reason: 'turn_probe_unavailable', detail: { ledger: 'jobs' } },
    { idle: null, reason: 'input_probe_unavailable' },
    { idle: true, reason: null },
  ])('[RQ-R143] %j comes through', (answer) => {
    expect(readIdle({ ok: true, ...answer })).toEqual(answer);
  });

  it.each(['x', null, { ledger: 3 }, { count: 1 }])('[RQ-R147] a detail like %j is left out', (detail) => {
    const answer = { idle: false, reason: 'turn_in_flight' };
    expect(readIdle({ ok: true, ...answer, detail })).toEqual(answer);
  });

  it.each([
    { idle: false, reason: null },
    { idle: null, reason: 'turn_in_flight' },
    { idle: false, reason: 'turn_probe_unavailable' },
  ])('[RQ-R145] %j is no answer', (answer) => {
    expect(readIdle({ ok: true, ...answer })).toBeUndefined();
  });
});
