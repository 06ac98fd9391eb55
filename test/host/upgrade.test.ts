/** Clients that offer another protocol with each request (Java's by default, curl with --http2) are served as if they had not. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Host } from '../../src/host/index.ts';
import { type Bench, openAsk, startBench, TestSocket } from './support.ts';

let bench: Bench;
const served: string[] = [];

/** Takes its time, and more in one piece than a socket takes at once. */
async function slow(req: IncomingMessage, res: ServerResponse): Promise<void> {
  served.push(`${req.url} ${req.socket.timeout ?? 0}`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  if (!res.write('x'.repeat(4_000_000))) await once(res, 'drain');
  res.end(`slow ${req.url}`);
}

beforeEach(async () => {
  bench = await startBench({
    mounts: [
      { path: '/own', handle: async (req, res) => void res.end(`mounted ${req.headers.connection}`) },
      { path: '/slow', handle: slow },
    ],
  });
  served.splice(0);
});
afterEach(() => bench.close());

const OFFER = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk'];

/** Writes the parts with a pause between them, and gives all that comes back until `ends`. */
function raw(host: Host, parts: readonly string[], ends: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(host.port, '127.0.0.1');
    let said = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (ends.test(said)) socket.destroy();
    });
    socket.on('close', () => resolve(said)).on('error', reject);
    for (const [n, part] of parts.entries()) setTimeout(() => socket.write(part), n * 40);
    setTimeout(() => socket.destroy(), 3_000).unref();
  });
}

const head = (host: Host, line: string, more: readonly string[], token = host.token, offers = OFFER): string =>
  [
    `${line} HTTP/1.1`,
    `Host: 127.0.0.1:${host.port}`,
    `Authorization: Bearer ${token}`,
    ...offers,
    ...more,
    '',
    '',
  ].join('\r\n');

test('a request is answered, and the next one on the same connection too', async () => {
  const { host } = bench;
  const warned: Error[] = [];
  const warn = (warning: Error): void => void warned.push(warning);
  process.on('warning', warn);
  const gets = Array.from({ length: 14 }, () => head(host, 'GET /own', []));
  const said = await raw(host, gets, /(mounted.*){14}/s);
  process.off('warning', warn);
  expect(said.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(14);
  expect(warned).toEqual([]);
  expect(await raw(host, [head(host, 'GET /own', [])], /mounted/)).toContain('mounted');
});

test('a body arrives whole, in whatever parts', async () => {
  const { host } = bench;
  const { askId, outcome } = await openAsk(bench.rig, { question: 'Which?' });
  const body = JSON.stringify({ reply: { text: 'this one: ✓' } });
  const more = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  const whole = head(host, `POST /api/asks/${askId}/answer`, more) + body;
  for (const parts of [[whole], [whole.slice(0, -9), whole.slice(-9)], whole.match(/.{1,150}/gs) ?? []]) {
    expect(await raw(host, parts, /"verdict":"\w+"/)).toMatch(/"verdict":"(accepted|late_accepted|duplicate)"/);
  }
  expect(await outcome).toMatchObject({ text: 'this one: ✓' });
});

test('the guard is asked like of any other, and a WebSocket is opened where there is one, and nowhere else', async () => {
  const { host } = bench;
  expect(await raw(host, [head(host, 'GET /api/health', [], 'wrong')], /\}\}/)).toContain('HTTP/1.1 401');
  expect(await raw(host, [head(host, 'GET /api/health', ['Origin: https://evil.example'])], /\}\}/)).toContain('403');
  await (await new TestSocket(host).open()).close();
  const stranger = head(host, 'GET /api/health', []).replace('Upgrade: h2c', 'Upgrade: WebSocket');
  expect(await raw(host, [stranger], /\}\}/)).toContain('404');
});

test('one that is sent before the answers to those in front of it is answered after them, in whatever pieces they leave', async () => {
  const { host } = bench;
  for (const offers of [[], OFFER]) {
    served.splice(0);
    const first = head(host, 'GET /slow/1', [], host.token, offers) + head(host, 'GET /own', [], host.token, offers);
    const said = await raw(
      host,
      [first + head(host, 'GET /slow/2', []) + head(host, 'GET /own', [])],
      /slow.2.*mounted/s,
    );
    expect(said.match(/slow .slow.\d|mounted/g)).toEqual(['slow /slow/1', 'mounted', 'slow /slow/2', 'mounted']);
    expect(served).toEqual(['/slow/1 0', '/slow/2 0']);
  }
});
