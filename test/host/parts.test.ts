import { expect, test } from 'vitest';
import type { AskView } from '../../src/api.ts';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { fitted, fittedList, fittedVerdict, isTooLarge } from '../../src/host/fit.ts';
import { SIZES } from '../../src/limits.ts';
import { type Bench, COLOURS, call, openAsk, type Part, requestId, startBench, TestSocket } from './support.ts';

const OVER = 3;

async function crowded(count: number, question = { question: 'q' }): Promise<Bench & { ids: string[] }> {
  const bench = await startBench();
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await openAsk(bench.rig, question, { tab: `tab-${n}` })).askId);
  return { ...bench, ids };
}

test('[RQ-R59] a list that is too long comes in parts, oldest first, whole', { timeout: 60_000 }, async () => {
  const bench = await crowded(HOST_BOUNDS.openCards + OVER);
  const page = await new TestSocket(bench.host).open();
  expect(page.parts.map((part) => part.open_requests.length)).toEqual([HOST_BOUNDS.openCards, OVER]);
  expect(page.parts.map((part) => part.open_total)).toEqual([bench.ids.length, bench.ids.length]);
  expect(page.parts.map((part) => part.recent)).toEqual([[], undefined]);
  expect(page.listed.map(({ params }) => params.ask?.askId)).toEqual(bench.ids);
  await bench.close();
});

test('cards that close or open between two parts leave no other one out', { timeout: 60_000 }, async () => {
  const bench = await crowded(HOST_BOUNDS.openCards + OVER);
  const page = await new TestSocket(bench.host).greeted();
  const read = async (cursor?: string) =>
    (await page.request('desk.resume', { window: 'w1', ...(cursor === undefined ? {} : { cursor }) }))
      .result as unknown as Part;
  const first = await read();
  const { ids } = bench;
  for (const id of ids.slice(0, 2)) {
    const path = `/api/asks/${id}/withdraw`;
    expect((await call(bench.host, path, { method: 'POST', body: { reason: 'enough' } })).status).toBe(200);
  }
  const newest = (await openAsk(bench.rig, COLOURS, { tab: 'new' })).askId;
  const second = await read(first.more);
  expect(second.open_requests.map(({ id }) => id)).toEqual([...ids.slice(-OVER), newest].map(requestId));
  expect(second.more).toBeUndefined();
  await bench.close();
});

test('a cursor is good once, and for the list that it was given with', { timeout: 60_000 }, async () => {
  const bench = await crowded(HOST_BOUNDS.openCards + OVER);
  const page = await new TestSocket(bench.host).greeted();
  const resume = (cursor?: string) =>
    page.request('desk.resume', { window: 'w1', ...(cursor === undefined ? {} : { cursor }) });
  const more = async () => String((await resume()).result?.['more']);
  const first = await more();
  expect((await resume(first)).error).toBeUndefined();
  expect((await resume(first)).error?.code).toBe(4015);
  const [stale, fresh] = [await more(), await more()];
  expect((await resume(stale)).error).toMatchObject({ code: 4015, data: { field: 'params.cursor' } });
  expect((await resume(fresh)).error).toBeUndefined();
  await bench.close();
});

test('of two that name one cursor at once one gets the part; a list begun anew ends the one before', async () => {
  const bench = await crowded(HOST_BOUNDS.openCards + OVER);
  const page = await new TestSocket(bench.host).greeted();
  const resume = (cursor?: unknown) => page.request('desk.resume', { window: 'w1', cursor: cursor as string });
  const { result } = await resume();
  const both = await Promise.all([resume(result?.['more']), resume(result?.['more'])]);
  expect(both.map(({ error }) => error?.code)).toEqual([undefined, 4015]);
  const { list } = bench.rig.asking;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  bench.rig.asking.list = async (query) => {
    calls += 1;
    if (calls === 1) await held;
    return list.call(bench.rig.asking, query);
  };
  const slow = resume();
  const next = (await resume()).result?.['more'];
  release();
  const overtaken = (await slow).result?.['more'];
  expect((await resume(overtaken)).error?.code).toBe(4015);
  expect((await resume(next)).error).toBeUndefined();
  await bench.close();
});

test('no part is larger than a page reads, however long the questions are', { timeout: 60_000 }, async () => {
  const bench = await crowded(100, { question: '\u4e2d'.repeat(SIZES.question) });
  // Each frame is measured by the test socket; a larger one fails the bench when it closes.
  const page = await new TestSocket(bench.host).open();
  expect(page.parts.length).toBeGreaterThan(2);
  expect(page.listed.map(({ id }) => id)).toEqual(bench.ids.map(requestId));
  await bench.close();
});

test('[I9] a long answer is told to every page in frames that it reads, and is on file whole', async () => {
  const bench = await startBench();
  const [page, other] = [await new TestSocket(bench.host).open('w1'), await new TestSocket(bench.host).open('w2')];
  const text = '\u4e2d'.repeat(SIZES.answerText);
  for (let n = 0; n < 3; n += 1) {
    const { askId } = await openAsk(bench.rig, { question: `Paste ${n}` }, { tab: `tab-${n}` });
    const { result } = await page.request('request.answer', { id: requestId(askId), result: { text } });
    expect(result).toMatchObject({ status: 'ok', verdict: { verdict: 'accepted' } });
    const { ask } = await other.event('ask.changed', (payload) => payload.ask?.askId === askId);
    expect(ask?.answers[0]?.text).toMatch(/^\u4e2d+…$/);
    expect((await bench.rig.asking.show(askId))?.answers[0]?.reply.text).toBe(text);
    const conflict = await other.request('request.answer', { id: requestId(askId), result: { text: 'no' } });
    expect(conflict.result).toMatchObject({ status: 'expired', verdict: { verdict: 'conflict' } });
    expect((await other.request('ask.show', { ask_id: askId })).error).toBeUndefined();
  }
  const late = await new TestSocket(bench.host).open('w3');
  expect(late.parts[0]?.recent).toHaveLength(3);
  await bench.close();
});

const view = (text: string, question = 'q'): AskView => ({
  askId: 'pa-1',
  tab: 't',
  state: 'answered',
  awaited: false,
  question,
  header: '',
  options: [{ id: 'a', label: 'A', description: question }],
  multiSelect: false,
  freeText: true,
  from: '',
  openedAt: 0,
  answers: [{ token: 'aa1', reply: { text }, text, answeredAt: 0, receipt: 'saved' }],
});

test('what fits is shown as it is; of what does not, answers are cut first and the question last', () => {
  const small = view('short');
  expect(fitted(small, 10_000)).toBe(small);
  const answered = fitted(view('x'.repeat(100_000), 'y'.repeat(1_000)), 10_000);
  expect(isTooLarge(answered, 10_000)).toBe(false);
  expect(answered.question).toHaveLength(1_000);
  expect(answered.answers[0]?.text.endsWith('…')).toBe(true);
  const asked = fitted(view('x', '\u0000'.repeat(8_192)), 10_000);
  expect(isTooLarge(asked, 10_000)).toBe(false);
});

test('a text is never cut in the middle of a character', () => {
  for (const pad of ['', 'x']) {
    const cut = fitted(view(`${pad}${'🙂'.repeat(50_000)}`), 20_000);
    expect(cut.answers[0]?.text.isWellFormed()).toBe(true);
  }
});

test('in a list the short ones leave their room to the long ones', () => {
  const list = [view('x'.repeat(60_000)), view('a'), view('b')];
  expect(fittedList(list, 130_000)).toEqual(list);
  const cut = fittedList([view('x'.repeat(60_000)), view('a'), view('y'.repeat(60_000))], 60_000);
  expect(isTooLarge(cut, 60_000)).toBe(false);
  expect(cut[1]).toEqual(view('a'));
});

test('a verdict fits with the answer that won and the card beside it', () => {
  const ask = view('\u4e2d'.repeat(SIZES.answerText), '\u4e2d'.repeat(SIZES.question));
  const winner = ask.answers[0];
  if (winner === undefined) throw new Error('no answer');
  const verdict = { verdict: 'conflict', askId: 'pa-1', saved: false, message: 'm', ask, winner } as const;
  const told = fittedVerdict(verdict);
  expect(isTooLarge(told, SIZES.frame)).toBe(false);
  expect(told).toMatchObject({ verdict: 'conflict', askId: 'pa-1', saved: false, message: 'm' });
});
