import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Asking, AskView, Verdict } from '../../src/api.ts';
import { AskCards } from '../../src/host/ask-cards.ts';
import { AskIds } from '../../src/host/ask-ids.ts';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import type { Peer } from '../../src/requests/api.ts';
import type { RpcFrame } from '../../src/wire/json.ts';

const peer = (name: string): Peer => ({
  kind: 'websocket',
  closed: false,
  send: () => true,
  author: { surface: 'page', who: name },
});

const view = (askId: string, state: AskView['state'] = 'open'): AskView => ({
  askId,
  tab: `tab of ${askId}`,
  state,
  awaited: false,
  question: 'q',
  header: '',
  options: [],
  multiSelect: false,
  freeText: true,
  from: '',
  openedAt: 0,
  answers: [],
});

interface Told {
  readonly type: string;
  readonly id: unknown;
  readonly except: Peer | undefined;
  readonly reason: unknown;
}

/** Cards over a coordinator whose verdicts come when the test says so. */
function rig(listed: { open?: AskView[]; recent?: AskView[] } = {}, ids?: AskIds) {
  const told: Told[] = [];
  const waiting: ((verdict: Verdict | Error) => void)[] = [];
  const lists: string[] = [];
  const coordinator = {
    answer: () =>
      new Promise<Verdict>((resolve, reject) =>
        waiting.push((end) => (end instanceof Error ? reject(end) : resolve(end))),
      ),
    list: async ({ what = 'open' }: { what?: 'open' | 'recent' }) => {
      lists.push(what);
      return listed[what] ?? [];
    },
  } as unknown as Asking;
  const note = (frame: RpcFrame, except?: Peer) => {
    const { id, method, params } = frame as { id?: unknown; method?: string; params?: Record<string, unknown> };
    const payload = params?.['payload'] as Record<string, unknown> | undefined;
    told.push({
      type: String(params?.['type'] ?? method),
      id: payload?.['id'] ?? id,
      except,
      reason: payload?.['reason'],
    });
  };
  const cards = new AskCards(coordinator, { tell: note, ask: (frame) => note(frame), check: () => undefined }, ids);
  const change = (ask: AskView, cause = 'changed') => cards.change({ ask, cause, now: 0, json: '' });
  const verdict = (word: Verdict['verdict'], askId: string): Verdict => ({
    verdict: word,
    askId,
    saved: word === 'accepted',
    message: '',
  });
  return { cards, told, change, waiting, verdict, lists };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('two asks with the same digits have ids of their own, and each finds its own way back', () => {
  const ids = new AskIds((text) =>
    text.includes('#') ? `0000000000${text.slice(-2)}`.replace('#', '0') : '00000000000a',
  );
  const named = ['pa-1', 'pa-2', 'pa-3'].map((askId) => [askId, ids.of(askId)] as const);
  expect(new Set(named.map(([, id]) => id)).size).toBe(3);
  for (const [askId, id] of named) {
    expect(id).toMatch(/^srq-[0-9a-f]{12}$/);
    expect(ids.ask(id)).toBe(askId);
    expect(ids.of(askId)).toBe(id);
  }
  ids.forget('pa-1');
  expect(ids.ask('srq-00000000000a')).toBeUndefined();
  expect(ids.ask(named[1]?.[1] ?? '')).toBe('pa-2');
});

test('whatever digits asks have, an id never stands for two of them, and outlives a restart where there is no clash', () => {
  const asks = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(asks, fc.integer({ min: 1, max: 40 }), (list, spread) => {
      const narrow = new AskIds((text) =>
        String([...text].reduce((sum, one) => sum + one.charCodeAt(0), 0) % (spread * 50)),
      );
      const all = list.map((askId) => narrow.of(askId));
      expect(new Set(all).size).toBe(list.length);
      expect(all.map((id) => narrow.ask(id))).toEqual(list);
      const [before, after] = [new AskIds(), new AskIds()];
      const forth = list.map((askId) => before.of(askId));
      const back = [...list].reverse().map((askId) => after.of(askId));
      expect(back.reverse()).toEqual(forth);
    }),
  );
});

test('[RQ-R41] whichever comes first, verdict or change, and whoever else answers: one ending, without the winner', async () => {
  const plan = fc.record({
    order: fc.shuffledSubarray(['change', 'v0', 'v1', 'v2'] as const, { minLength: 4, maxLength: 4 }),
    winner: fc.constantFrom(0, 1, 2, undefined),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ order, winner, fails }) => {
      const { cards, told, change, waiting, verdict } = rig();
      change(view('pa-1'), 'opened');
      const pages = [peer('a'), peer('b'), peer('c')];
      for (const page of pages) cards.answer('pa-1', { text: 'x' }, page).catch(() => undefined);
      for (const step of order) {
        if (step === 'change') change(view('pa-1', 'answered'));
        else {
          const at = Number(step.slice(1));
          const lost = fails ? new Error('not now') : verdict('conflict', 'pa-1');
          waiting[at]?.(at === winner ? verdict('accepted', 'pa-1') : lost);
        }
        await settle();
      }
      const ends = told.filter(({ type }) => type === 'request.settled' || type === 'request.cancel');
      expect(ends).toHaveLength(1);
      expect(ends[0]).toMatchObject(
        winner === undefined ? { type: 'request.cancel', reason: 'resolved' } : { type: 'request.settled' },
      );
      expect(ends[0]?.except).toBe(winner === undefined ? undefined : pages[winner]);
      const types = told.map(({ type }) => type);
      expect(types.indexOf('ask')).toBe(0);
      expect(types.indexOf('ask.changed')).toBeLessThan(types.lastIndexOf(ends[0]?.type ?? ''));
    }),
    { numRuns: 60 },
  );
});

test('a card that was on file before is no news, and its end is told all the same', async () => {
  const { cards, told, change } = rig({ open: [view('pa-1')], recent: [view('pa-0', 'answered')] });
  expect(await cards.find(new AskIds().of('pa-0'))).toBe('pa-0');
  change({ ...view('pa-1'), awaited: true });
  expect(told.map(({ type }) => type)).toEqual(['ask.changed']);
  change(view('pa-1', 'expired'));
  expect(told.map(({ type, reason }) => [type, reason]).at(-1)).toEqual(['request.cancel', 'timeout']);
  change(view('pa-0', 'answered'));
  expect(told.filter(({ type }) => type === 'request.cancel')).toHaveLength(1);
});

test('[RQ-R125] an ask that is opened anew after its end is a new card, and its end is told too', () => {
  const { cards, told, change } = rig();
  const anew = (state: AskView['state'] = 'open') => ({ ...view('pa-1', state), openedAt: 5, reopened: true });
  change(view('pa-1'), 'opened');
  change(view('pa-1', 'withdrawn'));
  change(anew(), 'opened');
  change(anew('expired'));
  const [first, , ended, second, , last] = told;
  expect([first, ended, second, last].map((one) => one?.type)).toEqual([
    'ask',
    'request.cancel',
    'ask',
    'request.cancel',
  ]);
  expect([ended?.id, last?.id]).toEqual([first?.id, second?.id]);
  expect(second?.id).not.toBe(first?.id);
  expect([cards.known(String(first?.id)), cards.known(String(second?.id))]).toEqual([undefined, 'pa-1']);
});

test('what is on file is read once; a reading that fails is made again', async () => {
  const { cards, lists } = rig();
  await Promise.all([cards.find('srq-1'), cards.find('srq-2')]);
  await cards.find('srq-3');
  expect(lists.sort()).toEqual(['open', 'recent']);
  let fails = true;
  const coordinator = {
    list: async () => {
      if (fails) throw new Error('busy');
      return [];
    },
  } as unknown as Asking;
  const again = new AskCards(coordinator, { tell: () => undefined, ask: () => undefined, check: () => undefined });
  await expect(again.find('srq-1')).rejects.toThrow('busy');
  fails = false;
  expect(await again.find('srq-1')).toBeUndefined();
});

test('[RC-17] after a restart an answer to a card that is closed already finds its card', async () => {
  const id = new AskIds().of('pa-7');
  const { cards, waiting, verdict } = rig({ recent: [view('pa-7', 'answered')] });
  expect(cards.known(id)).toBeUndefined();
  expect(await cards.find(id)).toBe('pa-7');
  const told = cards.answer('pa-7', { text: 'x' }, peer('a'));
  waiting[0]?.({ ...verdict('duplicate', 'pa-7'), saved: true });
  expect(await told).toMatchObject({ verdict: 'duplicate' });
});

test('closed cards are forgotten beyond the bound, the oldest first, and open ones never', () => {
  const { cards, change } = rig();
  change(view('pa-open'), 'opened');
  const oldest = cards.idOf(view('pa-0'));
  for (let n = 0; n <= HOST_BOUNDS.closedCards; n += 1) change(view(`pa-${n}`, 'expired'));
  expect(cards.known(oldest)).toBeUndefined();
  expect(cards.known(cards.idOf(view(`pa-${HOST_BOUNDS.closedCards}`)))).toBe(`pa-${HOST_BOUNDS.closedCards}`);
  expect(cards.known(cards.idOf(view('pa-open')))).toBe('pa-open');
});
