import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AskView } from '../../src/api.ts';
import { SIZES } from '../../src/limits.ts';
import { type Bench, COLOURS, openAsk, startBench, TestSocket, until } from './support.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.close());

test('a page is told what is open and recent, then of each change, in order', async () => {
  const first = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open();
  const asks = await page.find((message) => message.method === 'asks');
  expect(asks.params?.open?.map((ask) => ask.askId)).toEqual([first.askId]);
  expect(asks.params?.recent).toEqual([]);
  expect(Math.abs((asks.params?.now ?? 0) - Date.now())).toBeLessThan(5_000);
  const verdict = await page.answer(first.askId, { selected: ['b'] });
  expect(verdict).toMatchObject({ verdict: 'accepted', saved: true, askId: first.askId });
  await first.outcome;
  const receipts = () =>
    page.messages
      .filter((message) => message.method === 'ask')
      .map((message) => message.params?.ask?.answers[0]?.receipt);
  await until(() => receipts().at(-1) === 'handed');
  await bench.rig.asking.ack([verdict.token ?? ''], 'tab-1');
  await until(() => receipts().at(-1) === 'read_back');
  expect(receipts()).toEqual(['saved', 'handed', 'read_back']);
  const late = await new TestSocket(bench.host).open('w2');
  const list = await late.find((message) => message.method === 'asks');
  expect(list.params?.open).toEqual([]);
  expect(list.params?.recent?.[0]?.answers[0]?.receipt).toBe('read_back');
});

test('[B2] the same answer twice has one effect and two equal receipts', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open();
  const [one, two] = await Promise.all([
    page.answer(askId, { selected: ['b'] }),
    page.answer(askId, { selected: ['b'] }),
  ]);
  expect([one.verdict, two.verdict]).toEqual(['accepted', 'duplicate']);
  expect(two.token).toBe(one.token);
  expect((await bench.rig.asking.show(askId))?.answers).toHaveLength(1);
});

test('[B1] two windows, two answers: one is accepted, the other is told who won and with what', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const [a, b] = await Promise.all([new TestSocket(bench.host).open('a'), new TestSocket(bench.host).open('b')]);
  const verdicts = await Promise.all([a.answer(askId, { selected: ['b'] }), b.answer(askId, { selected: ['g'] })]);
  expect(verdicts.map((one) => one.verdict).sort()).toEqual(['accepted', 'conflict']);
  const lost = verdicts.find((one) => one.verdict === 'conflict');
  expect(lost?.saved).toBe(false);
  expect(lost?.winner?.reply.selected).toHaveLength(1);
});

test('[C4] [C5] each of two cards takes its own answer, in either order', async () => {
  const [a, b] = [await openAsk(bench.rig, COLOURS), await openAsk(bench.rig, COLOURS, { tab: 'tab-2' })];
  const page = await new TestSocket(bench.host).open();
  await page.answer(b.askId, { selected: ['g'] });
  expect((await bench.rig.asking.show(a.askId))?.state).toBe('open');
  await page.answer(a.askId, { selected: ['r'] });
  expect(await a.outcome).toMatchObject({ reply: { selected: ['r'] } });
  expect(await b.outcome).toMatchObject({ reply: { selected: ['g'] } });
});

test('a page counts as something that shows cards from hello until its socket ends', async () => {
  const blind = await startBench({ seen: false });
  const attached = new Set<string>();
  const { attachSurface } = blind.rig.asking;
  blind.rig.asking.attachSurface = (surface) => {
    const detach = attachSurface.call(blind.rig.asking, surface);
    const key = `${surface.kind}:${surface.id}`;
    attached.add(key);
    return () => {
      attached.delete(key);
      detach();
    };
  };
  const page = new TestSocket(blind.host);
  await page.find((message) => message.method === 'asks');
  expect(attached.size).toBe(0);
  await page.open('w1');
  expect([...attached]).toEqual(['page:w1']);
  const twin = await new TestSocket(blind.host).open('w1');
  await page.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([...attached]).toEqual(['page:w1']);
  await twin.close();
  await until(() => attached.size === 0);
  await blind.close();
});

test.each([
  ['no JSON', 'nonsense', -32700],
  ['half a frame', '{"jsonrpc":', -32700],
  ['a batch', '[]', -32600],
  ['no version', '{"id":1,"method":"hello"}', -32600],
  ['no id, so no reply could be given', '{"jsonrpc":"2.0","method":"answer","params":{}}', -32600],
  ['null', 'null', -32600],
])('bad frame, %s: an error, and the socket stays open', async (_name, frame, code) => {
  const page = await new TestSocket(bench.host).open();
  const before = page.messages.length;
  page.ws.send(frame);
  await until(() => page.messages.length > before);
  const reply = page.messages.at(-1);
  expect(reply?.error?.code).toBe(code);
  if (code === -32700) expect(reply?.id).toBeNull();
  expect((await page.request('hello', { window: 'w1' })).error).toBeUndefined();
});

test('a binary frame is no JSON text', async () => {
  const page = await new TestSocket(bench.host).open();
  page.ws.send(Buffer.from([1, 2, 3]));
  expect((await page.find((message) => message.error !== undefined)).error?.code).toBe(-32700);
});

test('an unknown method is -32601, also one that every object has', async () => {
  const page = await new TestSocket(bench.host).open();
  for (const method of ['nope', 'constructor', 'toString', '__proto__']) {
    expect((await page.request(method, {})).error?.code).toBe(-32601);
  }
});

test.each([
  ['hello', { window: '' }, 'params.window'],
  ['answer', undefined, 'params'],
  ['answer', { reply: { text: 'x' } }, 'params.askId'],
  ['answer', { askId: 'pa-1' }, 'params.reply'],
  ['answer', { askId: 'pa-1', reply: { text: 5 } }, 'params.reply.text'],
  ['answer', { askId: 'pa-1', reply: { label: 'Blue' } }, 'params.reply.label'],
  ['answer', { askId: 'pa-1', reply: { text: 'x'.repeat(SIZES.answerText + 1) } }, 'params.reply.text'],
  ['answer', { askId: 'pa-1', reply: { selected: Array(SIZES.options + 1).fill('a') } }, 'params.reply.selected'],
  ['withdraw', { askId: 'pa-1' }, 'params.reason'],
])('bad params of %s: -32602 names the field %#', async (method, params, field) => {
  const page = await new TestSocket(bench.host).open();
  const { error } = await page.request(method, params);
  expect(error?.code).toBe(-32602);
  expect(error?.data?.field).toBe(field);
  expect(error?.message).toContain('Nothing was changed');
});

test('a page that did not say hello cannot answer, and cannot change its name', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = new TestSocket(bench.host);
  await page.find((message) => message.method === 'asks');
  expect((await page.request('answer', { askId, reply: { selected: ['b'] } })).error?.message).toMatch(/says hello/);
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
  await page.open('w1');
  expect((await page.request('hello', { window: 'w2' })).error?.data?.field).toBe('params.window');
});

test('a frame over the limit ends the socket with 1009, and no other', async () => {
  const [big, other] = [await new TestSocket(bench.host).open(), await new TestSocket(bench.host).open('w2')];
  big.ws.send('x'.repeat(SIZES.frame + 1));
  expect(await big.closed).toBe(1009);
  expect((await other.request('hello', { window: 'w2' })).error).toBeUndefined();
});

test('[I9] a long text arrives whole, with control characters, right-to-left text and emoji as they were', async () => {
  const { askId, outcome } = await openAsk(bench.rig, { question: 'Paste the log' });
  const page = await new TestSocket(bench.host).open();
  const odd = 'line\n · שלום עולם · 👩‍👩‍👧\u0000\u202e end';
  const text = odd + 'x'.repeat(SIZES.answerText - odd.length);
  expect((await page.answer(askId, { text })).verdict).toBe('accepted');
  expect(await outcome).toMatchObject({ reply: { text } });
});

test('half a character in an answer is invalid, by name; the card stays open and takes the next one', async () => {
  const { askId } = await openAsk(bench.rig, { question: 'Paste the log' });
  const page = await new TestSocket(bench.host).open();
  const verdict = await page.answer(askId, { text: 'broken \ud83d here' });
  expect(verdict).toMatchObject({ verdict: 'invalid', saved: false });
  expect(verdict.field).toMatch(/text/);
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
  expect((await page.answer(askId, { text: 'whole 🙂' })).saved).toBe(true);
});

test('what became of one card can be asked for', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  await bench.rig.asking.withdraw(askId, 'not needed', { surface: 'test' });
  const page = await new TestSocket(bench.host).open();
  expect(((await page.request('show', { askId })).result as { ask: AskView }).ask.state).toBe('withdrawn');
  expect((await page.request('show', { askId: 'pa-none' })).result).toEqual({ ask: null });
});

test('a socket that never reads is dropped when its buffer passes the bound; others go on', async () => {
  const { host, rig } = bench;
  const socket = connect(host.port, '127.0.0.1');
  socket.pause();
  let gone = false;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    gone = true;
  });
  socket.write(
    `GET /ws?token=${host.token} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  const reader = await new TestSocket(host).open();
  const description = '\u4e2d'.repeat(SIZES.optionDescription);
  const options = Array.from({ length: SIZES.options }, (_, n) => ({ id: `o${n}`, label: 'l', description }));
  for (let n = 0; n < 80 && !gone; n += 1) {
    const { askId } = await openAsk(rig, { question: `q${n}`, options });
    await rig.asking.withdraw(askId, 'enough', { surface: 'test' });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  socket.resume();
  await until(() => gone);
  expect((await reader.request('hello', { window: 'w1' })).error).toBeUndefined();
});
