/** What holds for every operation (journal.md 4.1). Failing callbacks and loggers: faults.test.ts. */
import { expect, test, vi } from 'vitest';
import * as api from '../../src/journal.ts';
import { lifeOf } from '../../src/testing/journal/general.ts';
import { TAB } from '../../src/testing/journal/harness.ts';
import { makeJournal } from './support.ts';

const crowded = () => makeJournal({ attacher: true, resolver: true, revoker: false, limits: { entriesPerTab: 3 } });

test('[J-R001] every operation is synchronous, starts no timer, and reads no other clock', () => {
  vi.useFakeTimers();
  const wall = vi.spyOn(Date, 'now').mockImplementation(() => {
    throw new Error('the wall clock was read');
  });
  try {
    const h = crowded();
    lifeOf(h);
    expect(vi.getTimerCount()).toBe(0);
    const { journal } = h;
    const results = [
      journal.closeAsk(h.open()),
      journal.markReturned('aa1'),
      journal.deliverPending(TAB, () => true),
      journal.recover(TAB, 'f'),
      journal.reportDropped(TAB),
      journal.forget(TAB),
      journal.reset(),
    ];
    for (const result of results) expect(result).not.toBeInstanceOf(Promise);
  } finally {
    wall.mockRestore();
    vi.useRealTimers();
  }
});

/** What has something of the name that makes a promise of it. */
const named = (then: unknown): object => Object.fromEntries([['then', then]]);

test.each<[string, () => unknown]>([
  ['promises', () => Promise.reject(new Error('planted'))],
  [
    'answers with what can be waited for',
    () => named((_done: unknown, fail: (why: Error) => void) => fail(new Error('planted'))),
  ],
])('[J-R009] a flusher that %s and fails later is heard at warn, and ends nothing', async (_how, answer) => {
  const h = makeJournal({ flusher: false });
  h.journal.setFlusher(answer as () => undefined);
  h.late();
  expect(h.at('warn')).toEqual([]);
  await vi.waitFor(() => expect(h.at('warn')).toHaveLength(1));
  expect(h.at('warn')[0]).toContain('planted');
  expect(h.journal.pending(TAB)).toHaveLength(1);
});

test.each<unknown>([null, 5, {}, named(1)])('[J-R009] a flusher that answers %j has not failed', async (answer) => {
  const h = makeJournal({ flusher: false });
  h.journal.setFlusher((() => answer) as () => undefined);
  expect(h.late().delivery).toBe('pending');
  await Promise.resolve();
  expect(h.at('warn')).toEqual([]);
});

test('[J-R005] the module exports prefix, window, the three pure functions, the class and one instance', () => {
  expect(api.ASK_ID_PREFIX).toBe('pa-');
  expect(api.RECOVERY_WINDOW_MS).toBe(600_000);
  for (const pure of [api.askFingerprint, api.answerText, api.preview]) expect(pure).toBeTypeOf('function');
  expect(api.journal).toBeInstanceOf(api.Journal);
  expect(api.createJournal()).toBeInstanceOf(api.Journal);
  expect(api.createJournal()).not.toBe(api.journal);
});
