import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backlog } from '../../src/host/backlog.ts';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { type Bench, call, openAsk, startBench, TestSocket, until } from './support.ts';

const OVER = 3;

async function crowded(): Promise<Bench & { ids: string[] }> {
  const bench = await startBench();
  const ids: string[] = [];
  for (let n = 0; n < HOST_BOUNDS.openCards + OVER; n += 1) {
    ids.push((await openAsk(bench.rig, { question: `q${n}` }, { tab: `tab-${n}` })).askId);
  }
  return { ...bench, ids };
}

test('whatever closes in whatever order, each open card is told once, and none is left untold', () => {
  const plan = fc.record({
    total: fc.integer({ min: 0, max: 12 }),
    told: fc.integer({ min: 0, max: 8 }),
    closing: fc.array(fc.nat({ max: 11 }), { maxLength: 40 }),
  });
  fc.assert(
    fc.property(plan, ({ total, told, closing }) => {
      const ids = Array.from({ length: total }, (_, n) => `pa-${n}`);
      const backlog = new Backlog(ids, told);
      const open = new Set(ids);
      const known = new Set(ids.slice(0, told));
      for (const n of closing) {
        const askId = `pa-${n}`;
        if (n >= total) continue;
        open.delete(askId);
        known.add(askId);
        const next = backlog.heard(askId, false);
        if (next === undefined) continue;
        expect(known.has(next)).toBe(false);
        expect(open.has(next)).toBe(true);
        known.add(next);
      }
      expect(backlog.size).toBe([...open].filter((askId) => !known.has(askId)).length);
      if (told > 0 && [...open].every((askId) => !known.has(askId))) expect(open.size).toBe(0);
    }),
  );
});

test('a page is told how many cards are open, and of the next one when one closes', { timeout: 60_000 }, async () => {
  const bench = await crowded();
  const page = await new TestSocket(bench.host).open();
  const asks = await page.find((message) => message.method === 'asks');
  expect(asks.params?.open).toHaveLength(HOST_BOUNDS.openCards);
  expect(asks.params?.openTotal).toBe(bench.ids.length);
  const told = new Set(asks.params?.open?.map((ask) => ask.askId));
  const untold = bench.ids.filter((id) => !told.has(id));
  expect(untold).toHaveLength(OVER);
  const counts = () => page.messages.filter((one) => one.method === 'more').map((one) => one.params?.count);
  const heard = () => page.messages.filter((one) => one.method === 'ask').map((one) => one.params?.ask?.askId);
  await page.answer(bench.ids[0] ?? '', { text: 'one' });
  await until(() => heard().includes(untold[0]));
  // One that still waited for its turn ends elsewhere: it takes no turn.
  const path = `/api/asks/${untold[2]}/withdraw`;
  expect((await call(bench.host, path, { method: 'POST', body: { reason: 'enough' } })).status).toBe(200);
  await until(() => counts().length === 2);
  await page.answer(untold[0] ?? '', { text: 'two' });
  await until(() => heard().includes(untold[1]));
  expect(counts()).toEqual([2, 1, 0]);
  const next = page.messages.find((one) => one.params?.cause === 'next');
  expect(next?.params?.ask).toMatchObject({ askId: untold[0], state: 'open' });
  await bench.close();
});

test('a page that is told of everything is told so', async () => {
  const bench = await startBench();
  await openAsk(bench.rig, { question: 'only' });
  const page = await new TestSocket(bench.host).open();
  expect((await page.find((message) => message.method === 'asks')).params?.openTotal).toBe(1);
  await bench.close();
});
