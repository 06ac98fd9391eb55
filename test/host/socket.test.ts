import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AskView } from '../../src/api.ts';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { SIZES } from '../../src/limits.ts';
import { type Bench, COLOURS, openAsk, requestId, startBench, TestSocket, until } from './support.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.close());

const receipts = (page: TestSocket) => page.events('ask.changed').map(({ ask }) => ask?.answers[0]?.receipt);

test('[RQ-R63] [RQ-R118] a page is greeted, told what is open and recent, then of each change, in order', async () => {
  const first = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open();
  const [ready] = page.events('gateway.ready');
  expect(page.messages[0]?.params?.type).toBe('gateway.ready');
  expect(ready?.['heartbeat_ms']).toBe(HOST_BOUNDS.ping);
  expect(Math.abs(Number(ready?.['now']) - Date.now())).toBeLessThan(5_000);
  expect(page.listed).toMatchObject([
    { id: requestId(first.askId), method: 'ask', params: { session_id: 'tab-1', ask: { askId: first.askId } } },
  ]);
  expect(page.parts).toMatchObject([{ recent: [], open_total: 1 }]);
  const verdict = await page.answer(first.askId, { selected: ['b'] });
  expect(verdict).toMatchObject({ verdict: 'accepted', saved: true, askId: first.askId });
  await first.outcome;
  await until(() => receipts(page).at(-1) === 'handed');
  await bench.rig.asking.ack([verdict.token ?? ''], 'tab-1');
  await until(() => receipts(page).at(-1) === 'read_back');
  expect(receipts(page)).toEqual(['saved', 'handed', 'read_back']);
  const late = await new TestSocket(bench.host).open('w2');
  expect(late.listed).toEqual([]);
  expect(late.parts[0]?.recent?.[0]?.answers[0]?.receipt).toBe('read_back');
});

test('[RQ-R64] capabilities name every request that may come, sorted', async () => {
  const page = await new TestSocket(bench.host).greeted();
  const { result } = await page.request('client.capabilities', { server_requests: true });
  const names = result?.['server_requests'] as string[];
  expect(names).toEqual([...names].sort());
  for (const name of ['approval', 'ask', 'clarify', 'secret', 'sudo', 'vault.code']) expect(names).toContain(name);
});

test('a card that opens is asked of each page that answers requests, and of no other', async () => {
  const page = await new TestSocket(bench.host).open('w1');
  const deaf = await new TestSocket(bench.host).greeted();
  const { askId } = await openAsk(bench.rig, COLOURS);
  await until(() => page.asked.length === 1);
  expect(page.asked[0]).toMatchObject({ id: requestId(askId), method: 'ask', params: { session_id: 'tab-1' } });
  await page.answer(askId, { declined: true });
  await deaf.event('ask.changed');
  expect(deaf.asked).toEqual([]);
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

test('the status says whether the answer is on file, whatever the word of the verdict', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open();
  const answer = async (reply: unknown) =>
    (await page.request('request.answer', { id: requestId(askId), result: reply })).result;
  expect(await answer({ selected: ['b'] })).toMatchObject({ status: 'ok', verdict: { verdict: 'accepted' } });
  expect(await answer({ selected: ['b'] })).toMatchObject({ status: 'ok', verdict: { verdict: 'duplicate' } });
  expect(await answer({ selected: ['g'] })).toMatchObject({ status: 'expired', verdict: { verdict: 'conflict' } });
  const gone = await openAsk(bench.rig, COLOURS, { tab: 'tab-2' });
  await bench.rig.asking.withdraw(gone.askId, 'enough', { surface: 'test' });
  const late = await page.request('request.answer', { id: requestId(gone.askId), result: { selected: ['b'] } });
  expect(late.result).toMatchObject({ status: 'expired', verdict: { verdict: 'withdrawn', saved: false } });
});

test('[RQ-R40] a bare response frame for a card is taken, and nobody is replied to', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open();
  const before = page.messages.length;
  page.send({ jsonrpc: '2.0', id: requestId(askId), result: { selected: ['g'] }, error: null });
  await until(async () => (await bench.rig.asking.show(askId))?.state === 'answered');
  await page.request('ping', {});
  const since = page.messages.slice(before).filter((one) => one.method === undefined);
  expect(since).toHaveLength(1);
});

test('[RQ-R33] a page that cannot show a card leaves it open for others', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open();
  const error = { code: -32601, message: 'no handler' };
  page.send({ jsonrpc: '2.0', id: requestId(askId), error });
  page.send({ jsonrpc: '2.0', id: requestId(askId), error, result: { selected: ['b'] } });
  await page.request('ping', {});
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
  expect((await page.answer(askId, { selected: ['g'] })).verdict).toBe('accepted');
});

test('a page counts as something that shows cards once it answers requests and has named its window', async () => {
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
  const page = await new TestSocket(blind.host).greeted();
  await page.request('client.capabilities', { server_requests: true });
  expect(attached.size).toBe(0);
  await page.resume('w1');
  expect([...attached]).toEqual(['page:w1']);
  await page.request('client.capabilities', {});
  expect(attached.size).toBe(0);
  await page.request('client.capabilities', { server_requests: true });
  const nameless = await new TestSocket(blind.host).greeted();
  await nameless.resume('w9');
  expect([...attached]).toEqual(['page:w1']);
  const twin = await new TestSocket(blind.host).open('w1');
  await page.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([...attached]).toEqual(['page:w1']);
  await twin.close();
  await until(() => attached.size === 0);
  await blind.close();
});

test('[RQ-R65] a window is what its socket named first, and the next socket may name another', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const seen: unknown[] = [];
  const { answer } = bench.rig.asking;
  bench.rig.asking.answer = (id, reply, author) => {
    seen.push(author);
    return answer.call(bench.rig.asking, id, reply, author);
  };
  const page = await new TestSocket(bench.host).open('w1');
  const renamed = await page.request('desk.resume', { window: 'w2' });
  expect(renamed.error).toMatchObject({ code: -32602, data: { code: 'invalid_input', field: 'params.window' } });
  await page.answer(askId, { selected: ['b'] });
  expect(seen).toEqual([{ surface: 'page', who: 'w1' }]);
  await page.close();
  await (await new TestSocket(bench.host).open('w2')).close();
});

test.each([
  ['request.answer', (id: string) => ({ id: requestId(id), result: { selected: ['b'] } })],
  ['ask.withdraw', (id: string) => ({ ask_id: id, reason: 'no' })],
  ['clarify.lock', () => ({ request_id: 'srq-000000000000', question_id: 'q', answer: 'a' })],
])('before it has named its window a page cannot %s: 4006', async (method, params) => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).greeted();
  await page.request('client.capabilities', { server_requests: true });
  expect((await page.request(method, params(askId))).error).toMatchObject({
    code: 4006,
    data: { field: 'window', retry: true },
  });
  page.send({ jsonrpc: '2.0', id: requestId(askId), result: { selected: ['b'] } });
  await page.request('ping', {});
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
});

test('[I9] a long text arrives whole, with control characters, right-to-left text and emoji as they were', async () => {
  const { askId, outcome } = await openAsk(bench.rig, { question: 'Paste the log' });
  const page = await new TestSocket(bench.host).open();
  const odd = 'line\n · שלום עולם · 👩‍👩‍👧\u0000\u202e end';
  const text = odd + 'x'.repeat(SIZES.answerText - odd.length);
  expect((await page.answer(askId, { text })).verdict).toBe('accepted');
  expect(await outcome).toMatchObject({ reply: { text } });
});

test('half a character in an answer is refused, by name; the card stays open and takes the next one', async () => {
  const { askId } = await openAsk(bench.rig, { question: 'Paste the log' });
  const page = await new TestSocket(bench.host).open();
  const broken = { id: requestId(askId), result: { text: 'broken \ud83d here' } };
  const { error } = await page.request('request.answer', broken);
  expect(error).toMatchObject({ code: 4002, data: { field: 'params.result.text', retry: false } });
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
  expect((await page.answer(askId, { text: 'whole 🙂' })).saved).toBe(true);
});

test('what became of one card can be asked for, and an open one be withdrawn', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const page = await new TestSocket(bench.host).open();
  const withdrawn = await page.request('ask.withdraw', { ask_id: askId, reason: 'not needed' });
  expect(withdrawn.result).toMatchObject({ verdict: 'withdrawn', askId });
  const shown = (await page.request('ask.show', { ask_id: askId })).result as unknown as { ask: AskView };
  expect(shown.ask).toMatchObject({ state: 'withdrawn', why: 'not needed' });
  expect((await page.request('ask.show', { ask_id: 'pa-none' })).result).toEqual({ ask: null });
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
  expect((await reader.request('ping', {})).error).toBeUndefined();
});
