import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bench, COLOURS, call, openAsk, startBench, TestSocket, until } from './support.ts';

const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let bench: Bench;

beforeEach(async () => {
  for (const level of Object.values(log)) level.mockReset();
  bench = await startBench({ logger: log });
});

afterEach(() => bench.close());

/** A POST in chunks, without a length. */
function chunked(path: string, body: unknown): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${bench.host.token}`, 'content-type': 'application/json' };
    const req = request({ host: '127.0.0.1', port: bench.host.port, path, method: 'POST', headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text }));
    });
    req.on('error', reject);
    const json = JSON.stringify(body);
    req.write(json.slice(0, 3));
    req.write(json.slice(3));
    req.end();
  });
}

test('a body in chunks is taken on every route', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const other = await openAsk(bench.rig, COLOURS, { tab: 'tab-2' });
  const asked = await chunked('/api/asks', { question: { question: 'In parts?' }, timeoutMs: 0 });
  expect(asked).toMatchObject({ status: 200, text: expect.stringContaining('"pending"') });
  expect(await chunked(`/api/asks/${askId}/await`, { timeoutMs: 0 })).toMatchObject({ status: 200 });
  expect(await chunked(`/api/asks/${askId}/answer`, { reply: { selected: ['b'] } })).toMatchObject({ status: 200 });
  expect(await chunked(`/api/asks/${other.askId}/withdraw`, { reason: 'enough' })).toMatchObject({ status: 200 });
  expect(await chunked('/api/ack', { tokens: [] })).toEqual({ status: 200, text: '{"acks":[]}' });
  expect((await bench.rig.asking.show(askId))?.state).toBe('answered');
  expect(log.error).not.toHaveBeenCalled();
});

test.each([
  ['PUT', '/api/asks', 'GET, POST'],
  ['OPTIONS', '/api/asks', 'GET, POST'],
  ['DELETE', '/api/asks/pa-1', 'GET'],
  ['PATCH', '/api/asks/pa-1/answer', 'POST'],
  ['GET', '/api/ack', 'POST'],
  ['POST', '/api/health', 'GET'],
  ['POST', '/api/events', 'GET'],
])('%s %s is 405, and says what the path takes', async (method, path, allow) => {
  for (const body of [undefined, {}]) {
    const reply = await call(bench.host, path, { method, body });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe(allow);
    expect(reply.json().error.code).toBe('method_not_allowed');
  }
  expect(log.error).not.toHaveBeenCalled();
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'index.html'])(
  'GET /%s is no file of the page',
  async (name) => {
    expect((await call(bench.host, `/${name}`)).status).toBe(404);
  },
);

test('a client that goes away while it sends is no error of the host', async () => {
  const socket = connect(bench.host.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head = [
    'POST /api/asks HTTP/1.1',
    `Host: 127.0.0.1:${bench.host.port}`,
    `Authorization: Bearer ${bench.host.token}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"question":`);
  await until(() => log.debug.mock.calls.some(([text]) => String(text).includes('POST /api/asks')));
  socket.destroy();
  await until(() => log.debug.mock.calls.some(([text]) => String(text).includes('went away while it was sending')));
  expect(log.error).not.toHaveBeenCalled();
  expect(log.warn).not.toHaveBeenCalled();
  expect(String(log.debug.mock.calls)).not.toContain('    at ');
});

test('half a character is refused where a person or a log would be shown it', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open('w \u{1f642}');
  const withdraw = await page.request('ask.withdraw', { ask_id: askId, reason: 'broken \ud83d' });
  expect(withdraw.error?.data?.field).toBe('params.reason');
  const other = await new TestSocket(bench.host).greeted();
  expect((await other.request('desk.resume', { window: '\udc00' })).error?.data?.field).toBe('params.window');
  const post = (path: string, body: unknown) => call(bench.host, path, { method: 'POST', body });
  const withdrawn = await post(`/api/asks/${askId}/withdraw`, { reason: '\ud83d' });
  expect([withdrawn.status, withdrawn.json().error.field]).toEqual([400, 'body.reason']);
  const asked = await post('/api/asks', { question: { question: 'Q' }, from: '\ud83d', timeoutMs: 0 });
  expect([asked.status, asked.json().error.field]).toEqual([400, 'body.from']);
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
});
