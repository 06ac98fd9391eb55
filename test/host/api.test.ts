import { request } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AskView, Outcome, Verdict } from '../../src/api.ts';
import { SIZES } from '../../src/limits.ts';
import { type Bench, COLOURS, call, openAsk, startBench, until } from './support.ts';

let bench: Bench;
const stopped = vi.fn();
beforeEach(async () => {
  stopped.mockReset();
  bench = await startBench({
    onStop: stopped,
    clients: () => [{ name: 'claude-code', version: '2.0', limitMs: 60_000 }],
    about: { version: '1.2.3', store: 'memory' },
  });
});
afterEach(() => bench.close());

const open = async () => (await call(bench.host, '/api/asks')).json<{ asks: AskView[] }>().asks;
const post = (path: string, body: unknown) => call(bench.host, path, { method: 'POST', body });

async function theOnlyAsk(): Promise<AskView> {
  await until(async () => (await open()).length === 1);
  return (await open())[0] as AskView;
}

test('an ask from a shell waits, is answered by id, and is acked by its token', async () => {
  const waiting = post('/api/asks', { question: COLOURS, from: 'deploy.sh' });
  const ask = await theOnlyAsk();
  expect(ask).toMatchObject({ from: 'deploy.sh', state: 'open', header: 'Colour' });
  expect(ask.tab).toMatch(/^cli:/);
  const verdict = (await post(`/api/asks/${ask.askId}/answer`, { reply: { selected: ['g'] } })).json<Verdict>();
  expect(verdict).toMatchObject({ verdict: 'accepted', saved: true });
  const outcome = (await waiting).json<Outcome & { token: string }>();
  expect(outcome).toMatchObject({ outcome: 'answered', reply: { selected: ['g'] }, token: verdict.token });
  const acks = await post('/api/ack', { tokens: [outcome.token, 'stranger'] });
  expect(acks.json()).toEqual({
    acks: [
      { token: outcome.token, accepted: true },
      { token: 'stranger', accepted: false },
    ],
  });
  const shown = (await call(bench.host, `/api/asks/${ask.askId}`)).json<{ ask: AskView }>().ask;
  expect(shown.answers[0]?.receipt).toBe('read_back');
});

test('[A2] a client that went away before its reply has taken nothing with it', async () => {
  const req = request({
    host: '127.0.0.1',
    port: bench.host.port,
    path: '/api/asks',
    method: 'POST',
    headers: { authorization: `Bearer ${bench.host.token}` },
  });
  req.on('error', () => undefined);
  req.end(JSON.stringify({ question: { question: 'Still there?' } }));
  const ask = await theOnlyAsk();
  req.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const verdict = (await post(`/api/asks/${ask.askId}/answer`, { reply: { text: 'yes' } })).json<Verdict>();
  expect(verdict).toMatchObject({ verdict: 'late_accepted', saved: true });
  const shown = (await call(bench.host, `/api/asks/${ask.askId}`)).json<{ ask: AskView }>().ask;
  expect(shown.answers[0]?.receipt).toBe('saved');
});

test('[A1] an ask that was not answered in time is pending, and a later await brings the answer', async () => {
  const pending = (await post('/api/asks', { question: { question: 'When?' }, timeoutMs: 20 })).json<Outcome>();
  expect(pending.outcome).toBe('pending');
  const waiting = post(`/api/asks/${pending.askId}/await`, {});
  await post(`/api/asks/${pending.askId}/answer`, { reply: { text: 'tomorrow' } });
  const outcome = (await waiting).json<Outcome & { token: string }>();
  expect(outcome).toMatchObject({ outcome: 'answered', reply: { text: 'tomorrow' } });
  expect((await post('/api/ack', { tokens: [outcome.token] })).json()).toEqual({
    acks: [{ token: outcome.token, accepted: true }],
  });
});

test('[I13] with nothing that can show it, an ask is undeliverable at once', async () => {
  const blind = await startBench({ seen: false });
  const reply = await call(blind.host, '/api/asks', { method: 'POST', body: { question: { question: 'Anyone?' } } });
  expect(reply.json<Outcome>().outcome).toBe('undeliverable');
  await blind.close();
});

test('[G6] an answer to an unknown id says unknown', async () => {
  const verdict = (await post('/api/asks/pa-none/answer', { reply: { text: 'x' } })).json<Verdict>();
  expect(verdict).toMatchObject({ verdict: 'unknown', saved: false });
  expect((await call(bench.host, '/api/asks/pa-none')).status).toBe(404);
});

test('a withdrawal takes the card away and says so', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const verdict = (await post(`/api/asks/${askId}/withdraw`, { reason: 'solved otherwise' })).json<Verdict>();
  expect(verdict.verdict).toBe('withdrawn');
  expect(await open()).toEqual([]);
});

test('health names the process, its clients and what is open', async () => {
  await openAsk(bench.rig, COLOURS);
  expect((await call(bench.host, '/api/health')).json()).toMatchObject({
    ok: true,
    pid: process.pid,
    version: '1.2.3',
    store: 'memory',
    pages: 0,
    open: 1,
    clients: [{ name: 'claude-code', version: '2.0', limitMs: 60_000 }],
  });
});

test('stop answers first and then calls back', async () => {
  expect((await post('/api/stop', {})).json()).toEqual({ ok: true });
  await until(() => stopped.mock.calls.length === 1);
});

const LONG = 'x'.repeat(SIZES.question + 1);
const WRONG: [string, string, unknown, string][] = [
  ['no question', '/api/asks', {}, 'body.question'],
  ['empty question', '/api/asks', { question: { question: '' } }, 'body.question.question'],
  ['long question', '/api/asks', { question: { question: LONG } }, 'body.question.question'],
  ['text for a number', '/api/asks', { question: { question: 'q' }, timeoutMs: '5' }, 'body.timeoutMs'],
  ['unknown field', '/api/asks', { question: { question: 'q', colour: 1 } }, 'body.question.colour'],
  [
    'option without id',
    '/api/asks',
    { question: { question: 'q', options: [{ label: 'L' }] } },
    'body.question.options.0.id',
  ],
  [
    'two options with one id',
    '/api/asks',
    {
      question: {
        question: 'q',
        options: [
          { id: 'a', label: 'A' },
          { id: 'a', label: 'B' },
        ],
      },
    },
    'body.question.options',
  ],
  ['answer by label', '/api/asks/pa-1/answer', { reply: { label: 'Blue' } }, 'body.reply.label'],
  ['answer by position', '/api/asks/pa-1/answer', { reply: { selected: [0] } }, 'body.reply.selected.0'],
  ['long text', '/api/asks/pa-1/answer', { reply: { text: 'x'.repeat(SIZES.answerText + 1) } }, 'body.reply.text'],
  ['no reason', '/api/asks/pa-1/withdraw', {}, 'body.reason'],
  ['tokens that are none', '/api/ack', { tokens: [1] }, 'body.tokens.0'],
  ['a list for a body', '/api/ack', [], 'body'],
  ['no JSON', '/api/ack', '{"tokens":', 'body'],
];
test.each(WRONG)('bad body, %s: 400 names the field and the remedy', async (_name, path, body, field) => {
  const reply = await post(path, body);
  expect(reply.status).toBe(400);
  expect(reply.json().error).toMatchObject({ code: 'invalid_input', field, retry: false });
  expect(reply.json().error.message).toContain(`${field}: `);
  expect(reply.json().error.message).toContain('Nothing was changed');
  expect(await open()).toEqual([]);
});

test.each([
  ['/api/asks?what=all', 'query.what'],
  ['/api/asks?limit=0', 'query.limit'],
  ['/api/asks?limit=1e3', 'query.limit'],
  ['/api/asks?limt=5', 'query.limt'],
  ['/api/audit?after=-1', 'query.after'],
  ['/api/events?surface=page', 'query.surface'],
])('bad query %s: 400 names %s', async (path, field) => {
  const reply = await call(bench.host, path);
  expect(reply.status).toBe(400);
  expect(reply.json().error).toMatchObject({ code: 'invalid_input', field });
});

test('a body over the limit is 413, with and without a length', async () => {
  const body = JSON.stringify({ reply: { text: 'x'.repeat(SIZES.frame) } });
  expect((await post('/api/asks/pa-1/answer', body)).status).toBe(413);
  const chunked = await new Promise<number>((resolve, reject) => {
    const req = request(
      {
        host: '127.0.0.1',
        port: bench.host.port,
        path: '/api/asks/pa-1/answer',
        method: 'POST',
        headers: { authorization: `Bearer ${bench.host.token}`, 'transfer-encoding': 'chunked' },
      },
      (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      },
    );
    req.on('error', reject);
    req.end(body);
  });
  expect(chunked).toBe(413);
});

test('a failure inside is logged, and not shown to the caller', async () => {
  const errors: string[] = [];
  const quiet = () => undefined;
  const rig = bench.rig.asking;
  const broken = Object.create(rig) as typeof rig;
  broken.list = () => Promise.reject(new Error('secret detail'));
  broken.subscribe = () => quiet;
  const { startHost } = await import('../../src/host/index.ts');
  const logger = { debug: quiet, info: quiet, warn: quiet, error: (line: unknown) => void errors.push(String(line)) };
  const host = await startHost({ coordinator: broken, logger });
  const reply = await call(host, '/api/asks');
  expect(reply.status).toBe(500);
  expect(reply.json().error.code).toBe('internal');
  expect(reply.text).not.toContain('secret detail');
  expect(errors.join()).toContain('secret detail');
  await host.close();
});
