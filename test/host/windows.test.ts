import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Verdict } from '../../src/api.ts';
import { type Bench, COLOURS, call, openAsk, requestId, startBench, TestSocket, until } from './support.ts';

let bench: Bench;
let one: TestSocket;
let two: TestSocket;

beforeEach(async () => {
  bench = await startBench();
  one = await new TestSocket(bench.host).open('w1');
  two = await new TestSocket(bench.host).open('w2');
});
afterEach(() => bench.close());

/** All that a page was told of the end of one card. */
async function endings(page: TestSocket, askId: string): Promise<unknown[]> {
  await page.request('ping', {});
  return page.messages
    .filter(({ params }) => params?.type === 'request.settled' || params?.type === 'request.cancel')
    .map(({ params }) => ({ type: params?.type, ...params?.payload }))
    .filter((payload) => 'id' in payload && payload.id === requestId(askId));
}

const settled = (askId: string) => [{ type: 'request.settled', id: requestId(askId), method: 'ask', by: 'response' }];
const cancelled = (askId: string, reason: string) => [
  { type: 'request.cancel', id: requestId(askId), method: 'ask', reason },
];

test('[RQ-R41] [E8] answered in one window: every other one is told once, after the change', async () => {
  const three = await new TestSocket(bench.host).open('w3');
  const { askId } = await openAsk(bench.rig, COLOURS);
  await one.answer(askId, { selected: ['b'] });
  expect(await endings(one, askId)).toEqual([]);
  for (const page of [two, three]) {
    await until(() => page.events('request.settled').length === 1);
    expect(await endings(page, askId)).toEqual(settled(askId));
    const types = page.messages.map((message) => message.params?.type);
    expect(types.indexOf('ask.changed')).toBeLessThan(types.indexOf('request.settled'));
  }
});

test('[RQ-R41] a second socket of the same window is another page and is told', async () => {
  const twin = await new TestSocket(bench.host).open('w1');
  const { askId } = await openAsk(bench.rig, COLOURS);
  await one.answer(askId, { selected: ['b'] });
  await until(() => twin.events('request.settled').length === 1);
  expect(await endings(one, askId)).toEqual([]);
});

test('[RQ-R41] a bare response frame settles for the others too', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  one.send({ jsonrpc: '2.0', id: requestId(askId), result: { selected: ['b'] } });
  await until(() => two.events('request.settled').length === 1);
  expect(await endings(two, askId)).toEqual(settled(askId));
  expect(await endings(one, askId)).toEqual([]);
});

test('[B1] of two windows that answer at once the one that won is not told, the other one is', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const verdicts = await Promise.all([one.answer(askId, { selected: ['b'] }), two.answer(askId, { selected: ['g'] })]);
  const [winner, loser] = verdicts[0]?.verdict === 'accepted' ? [one, two] : [two, one];
  expect(await endings(loser, askId)).toEqual(settled(askId));
  expect(await endings(winner, askId)).toEqual([]);
});

test('[E6] withdrawn: taken away on every page, with the change before it', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  await bench.rig.asking.withdraw(askId, 'the plan changed', { surface: 'test' });
  for (const page of [one, two]) {
    const { ask } = await page.event('ask.changed', (payload) => payload.ask?.state === 'withdrawn');
    expect(ask?.why).toBe('the plan changed');
    expect(await endings(page, askId)).toEqual(cancelled(askId, 'session_closed'));
  }
});

test('withdrawn by a page: that page is told as well, for it answered nothing', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  await one.request('ask.withdraw', { ask_id: askId, reason: 'no' });
  for (const page of [one, two]) expect(await endings(page, askId)).toEqual(cancelled(askId, 'session_closed'));
});

test('answered in a terminal: taken away on every page as resolved', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  await call(bench.host, `/api/asks/${askId}/answer`, { method: 'POST', body: { reply: { selected: ['b'] } } });
  for (const page of [one, two]) {
    await until(() => page.events('request.cancel').length === 1);
    expect(await endings(page, askId)).toEqual(cancelled(askId, 'resolved'));
  }
});

test('expired, superseded and retired each have their reason', async () => {
  const expired = await openAsk(bench.rig, COLOURS, { tab: 'a', expiresInMs: 30 });
  const old = await openAsk(bench.rig, COLOURS, { tab: 'b' });
  const next = await openAsk(bench.rig, COLOURS, { tab: 'b', supersedes: old.askId });
  await bench.rig.replaceConversation('b');
  await until(() => one.events('request.cancel').length === 3);
  expect(await endings(one, expired.askId)).toEqual(cancelled(expired.askId, 'timeout'));
  expect(await endings(one, old.askId)).toEqual(cancelled(old.askId, 'session_closed'));
  expect(await endings(one, next.askId)).toEqual(cancelled(next.askId, 'session_closed'));
});

test('one ending a card, whatever its receipts still do', async () => {
  const { askId, outcome } = await openAsk(bench.rig, COLOURS);
  const { token } = await one.answer(askId, { selected: ['b'] });
  await outcome;
  await bench.rig.asking.ack([token ?? ''], 'tab-1');
  await two.event('ask.changed', ({ ask }) => ask?.answers[0]?.receipt === 'read_back');
  await bench.rig.asking.withdraw(askId, 'late', { surface: 'test' });
  expect(await endings(two, askId)).toEqual(settled(askId));
});

test('[E3] a card that ended while its page was away comes back as ended, with the reason', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  await until(() => one.asked.length === 1);
  await one.close();
  await bench.rig.asking.withdraw(askId, 'the turn was cancelled', { surface: 'test' });
  const back = await new TestSocket(bench.host).open('w1');
  expect(back.listed).toEqual([]);
  expect(back.asked).toEqual([]);
  const { result } = await back.request('ask.show', { ask_id: askId });
  expect(result).toMatchObject({ ask: { state: 'withdrawn', why: 'the turn was cancelled' } });
});

test('[E12] a reload finds the card again, under the same id', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  await one.close();
  const back = await new TestSocket(bench.host).open('w1');
  expect(back.listed.map(({ id }) => id)).toEqual([requestId(askId)]);
  expect((await back.answer(askId, { selected: ['b'] })).verdict).toBe('accepted');
});

test('an answer that was given elsewhere while a page’s own is under way is not taken for the page’s', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { answer } = bench.rig.asking;
  let begun = false;
  bench.rig.asking.answer = async (id, reply, author) => {
    begun ||= author.surface === 'page';
    if (author.surface === 'page') await held;
    return answer.call(bench.rig.asking, id, reply, author);
  };
  const slow = one.answer(askId, { selected: ['b'] });
  await until(() => begun);
  await bench.rig.asking.answer(askId, { selected: ['g'] }, { surface: 'terminal' });
  await two.event('ask.changed', ({ ask }) => ask?.state === 'answered');
  expect(await endings(two, askId)).toEqual([]);
  release();
  expect((await slow).verdict).toBe('conflict');
  for (const page of [one, two]) expect(await endings(page, askId)).toEqual(cancelled(askId, 'resolved'));
});

test('an answer whose commit fails ends nothing, and is told as such', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  const { answer } = bench.rig.asking;
  bench.rig.asking.answer = (): Promise<Verdict> => Promise.reject(new Error('disk'));
  await expect(one.answer(askId, { selected: ['b'] })).rejects.toThrow('-32000');
  expect(await endings(two, askId)).toEqual([]);
  bench.rig.asking.answer = answer;
  await one.answer(askId, { selected: ['b'] });
  await until(() => two.events('request.settled').length === 1);
  expect(await endings(two, askId)).toEqual(settled(askId));
});

test('a page that was answered for, and left, keeps nobody from being told', async () => {
  const { askId } = await openAsk(bench.rig, COLOURS);
  one.send({
    jsonrpc: '2.0',
    id: 1_000,
    method: 'request.answer',
    params: { id: requestId(askId), result: { selected: ['b'] } },
  });
  one.ws.close();
  await until(() => two.events('request.settled').length === 1);
  expect(await endings(two, askId)).toEqual(settled(askId));
});
