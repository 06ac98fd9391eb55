import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { SIZES } from '../../src/limits.ts';
import { type Bench, COLOURS, openAsk, requestId, startBench, TestSocket, until } from './support.ts';

let bench: Bench;
let askId: string;
let page: TestSocket;
let other: TestSocket;
const log: string[] = [];
const note = (...args: unknown[]) => void log.push(args.map(String).join(' '));

beforeEach(async () => {
  log.length = 0;
  bench = await startBench({ logger: { debug: note, info: note, warn: note, error: note } });
  ({ askId } = await openAsk(bench.rig, COLOURS));
  page = await new TestSocket(bench.host).open('w1');
  other = await new TestSocket(bench.host).open('w2');
});

afterEach(async () => {
  // Whatever came, the connection and every other request are unharmed.
  expect((await page.request('ping', {})).result).toMatchObject({ now: expect.any(Number) });
  expect((await other.request('ping', {})).error).toBeUndefined();
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
  expect((await other.answer(askId, { selected: ['b'] })).verdict).toBe('accepted');
  await bench.close();
});

/** The replies that came to frames sent by hand: those without a method. */
async function repliesTo(...frames: unknown[]): Promise<TestSocket['messages']> {
  const before = page.messages.length;
  for (const frame of frames) page.send(frame);
  await page.request('ping', {}, 'after');
  return page.messages.slice(before).filter((one) => one.method === undefined && one.id !== 'after');
}

test.each([
  ['no JSON', 'nonsense', -32700],
  ['half a frame', '{"jsonrpc":', -32700],
  ['a list', '[]', -32600],
  ['a list of requests', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
  ['null', 'null', -32600],
  ['a number', '7', -32600],
  ['a text', '"ping"', -32600],
  ['no method', '{"jsonrpc":"2.0","id":null}', -32600],
  ['another version', '{"jsonrpc":"1.0","id":null,"method":"ping"}', -32600],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
])('bad frame, %s: an error without an id', async (_name, frame, code) => {
  expect(await repliesTo(frame)).toMatchObject([{ id: null, error: { code } }]);
});

test('a binary frame is no JSON text', async () => {
  page.ws.send(Buffer.from([1, 2, 3]));
  expect((await page.find((message) => message.error !== undefined)).error?.code).toBe(-32700);
});

test('params that are no object are -32602', async () => {
  expect(await repliesTo('{"jsonrpc":"2.0","id":"x","method":"ping","params":[]}')).toMatchObject([
    { id: 'x', error: { code: -32602 } },
  ]);
});

test('[E6] 0 and the empty text are ids like any other', async () => {
  for (const id of [0, '']) {
    expect(await page.request('ping', {}, id)).toMatchObject({ id, result: { now: expect.any(Number) } });
    expect(await page.request('nope', {}, id)).toMatchObject({ id, error: { code: -32601 } });
  }
});

test('[E6] an answer to 0, to the empty text, or to a number is an answer to nothing', async () => {
  const frames = [0, '', 7, null, {}, []].map((id) => ({ jsonrpc: '2.0', id, result: { selected: ['b'] } }));
  expect(await repliesTo(...frames)).toEqual([]);
  const { error } = await page.request('request.answer', { id: '', result: {} });
  expect(error).toMatchObject({ code: 4002, data: { field: 'params.id' } });
});

test('an unknown method is -32601, also one that every object has', async () => {
  for (const method of ['nope', 'hello', 'session.resume', 'constructor', 'toString', '__proto__']) {
    expect((await page.request(method, {})).error?.code).toBe(-32601);
  }
});

test('[G6] an answer to an unknown id is expired, and nothing is made of it', async () => {
  for (const id of ['srq-000000000000', 'pa-1', askId, 'x'.repeat(5_000)]) {
    expect((await page.request('request.answer', { id, result: { selected: ['b'] } })).result).toEqual({
      status: 'expired',
    });
  }
  const { result } = await page.request('ask.withdraw', { ask_id: 'pa-none', reason: 'no' });
  expect(result).toMatchObject({ verdict: 'unknown', saved: false });
  const lock = { request_id: requestId(askId), question_id: 'q1', answer: 'a' };
  expect((await page.request('clarify.lock', lock)).result).toEqual({ status: 'expired' });
});

test('[RQ-R33] error null beside a result is a result; result null is an answer without anything', async () => {
  const second = await openAsk(bench.rig, COLOURS, { tab: 'tab-2' });
  const id = requestId(second.askId);
  await repliesTo({ jsonrpc: '2.0', id, result: null }, { jsonrpc: '2.0', id, error: null });
  expect((await bench.rig.asking.show(second.askId))?.state).toBe('open');
  await repliesTo({ jsonrpc: '2.0', id, result: { selected: ['g'] }, error: null });
  await until(async () => (await bench.rig.asking.show(second.askId))?.state === 'answered');
});

test('an answer to a card that is settled tells what became of it, and changes nothing', async () => {
  const second = await openAsk(bench.rig, COLOURS, { tab: 'tab-2' });
  await other.answer(second.askId, { selected: ['g'] });
  expect(await page.answer(second.askId, { selected: ['r'] })).toMatchObject({ verdict: 'conflict', saved: false });
  expect(await repliesTo({ jsonrpc: '2.0', id: requestId(second.askId), result: { selected: ['r'] } })).toEqual([]);
  expect((await bench.rig.asking.show(second.askId))?.answers).toHaveLength(1);
});

test.each([
  ['desk.resume', { window: '' }, 4006, 'params.window'],
  ['desk.resume', { window: 'x'.repeat(HOST_BOUNDS.id + 1) }, -32602, 'params.window'],
  ['desk.resume', { window: 'w1', cursor: 'nope' }, 4015, 'params.cursor'],
  ['desk.resume', { window: 'w1', cursor: 5 }, -32602, 'params.cursor'],
  ['request.answer', undefined, 4002, 'params.id'],
  ['request.answer', { result: { text: 'x' } }, 4002, 'params.id'],
  ['request.answer', { id: 'ID' }, 4002, 'params.result'],
  ['request.answer', { id: 'ID', result: [] }, 4002, 'params.result'],
  ['request.answer', { id: 'ID', result: { text: 5 } }, 4002, 'params.result.text'],
  ['request.answer', { id: 'ID', result: { label: 'Blue' } }, 4002, 'params.result.label'],
  ['request.answer', { id: 'ID', result: { text: 'x'.repeat(SIZES.answerText + 1) } }, 4002, 'params.result.text'],
  [
    'request.answer',
    { id: 'ID', result: { selected: Array(SIZES.options + 1).fill('a') } },
    4002,
    'params.result.selected',
  ],
  ['request.answer', { id: 'ID', result: { selected: ['never offered'] } }, 4002, /^params\.result\.selected(\.0)?$/],
  ['request.answer', { id: 'ID', result: {} }, 4002, /^params\.result(\.text)?$/],
  ['clarify.lock', { question_id: 'q', answer: 'a' }, 4002, 'params.request_id'],
  ['clarify.lock', { request_id: 'srq-1', answer: 'a' }, 4002, 'params.question_id'],
  ['ask.withdraw', { ask_id: 'pa-1' }, -32602, 'params.reason'],
  ['ask.withdraw', { reason: 'no' }, 4006, 'params.ask_id'],
  ['ask.show', {}, 4006, 'params.ask_id'],
])('[RQ-R105] bad params of %s: the field is named %#', async (method, params, code, field) => {
  const sent: unknown = JSON.parse(JSON.stringify(params ?? null).replace('"ID"', JSON.stringify(requestId(askId))));
  const { error } = await page.request(method, sent ?? {});
  expect(error?.code).toBe(code);
  expect(error?.data?.field).toMatch(typeof field === 'string' ? new RegExp(`^${field}$`) : field);
  expect(error?.data).toMatchObject({ code: 'invalid_input', retry: false });
});

test.each([
  ['ping', { extra: 1 }, 'extra'],
  ['desk.resume', { window: 'w1', name: 'x' }, 'name'],
  ['request.answer', { id: 'x', result: {}, from: 'w9' }, 'from'],
  ['ask.withdraw', { ask_id: 'pa-1', reason: 'no', author: 'me' }, 'author'],
])('[RQ-R153] %s with an unknown key is 4000 and names it', async (method, params, key) => {
  const { error } = await page.request(method, params);
  expect(error?.code).toBe(4000);
  expect(error?.message).toContain(method);
  expect(error?.message).toContain(key);
});

test('a frame over the limit ends its socket with 1009, and no other', async () => {
  const big = await new TestSocket(bench.host).open('w3');
  big.send('x'.repeat(SIZES.frame + 1));
  expect(await big.closed).toBe(1009);
});

test('a value that is nested very deeply is refused, not followed', async () => {
  const depth = 100_000;
  const frame = `{"jsonrpc":"2.0","id":"deep","method":"request.answer","params":{"id":"x","result":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}}`;
  expect(await repliesTo(frame)).toMatchObject([{ id: 'deep', error: { code: -32602 } }]);
});

test('one request more than may run at once is refused, and may be sent again', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { show } = bench.rig.asking;
  bench.rig.asking.show = async (id) => {
    await held;
    return show.call(bench.rig.asking, id);
  };
  const all = Array.from({ length: HOST_BOUNDS.inFlight + 1 }, (_, n) =>
    page.request('ask.show', { ask_id: askId }, `many-${n}`),
  );
  const refused = await all[HOST_BOUNDS.inFlight];
  expect(refused?.error).toMatchObject({ code: -32000 });
  release();
  const replies = await Promise.all(all.slice(0, -1));
  expect(replies.every((one) => one.error === undefined)).toBe(true);
});

test('bare answers are bounded like requests', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const { answer } = bench.rig.asking;
  bench.rig.asking.answer = async (...args) => {
    calls += 1;
    await held;
    return answer.apply(bench.rig.asking, args);
  };
  const flood = Array.from({ length: HOST_BOUNDS.inFlight * 3 }, () => ({
    jsonrpc: '2.0',
    id: requestId(askId),
    result: { selected: ['never offered'] },
  }));
  await repliesTo(...flood);
  expect(calls).toBe(HOST_BOUNDS.inFlight);
  release();
  await page.request('ping', {});
});

test('an error of the coordinator comes as its code, and a crash as a crash that quotes nothing', async () => {
  const { show } = bench.rig.asking;
  bench.rig.asking.show = () => Promise.reject(new Error('secret-in-a-message'));
  const { error } = await page.request('ask.show', { ask_id: askId });
  expect(error?.code).toBe(-32000);
  expect(JSON.stringify(error)).not.toContain('secret-in-a-message');
  expect(log.join('\n')).toContain('ask.show crashed');
  expect(log.join('\n')).not.toContain('secret-in-a-message');
  bench.rig.asking.show = show;
});
