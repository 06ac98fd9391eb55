import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { joinSignals } from '../../src/signals.ts';

const pair = () => [new AbortController(), new AbortController()] as const;

test('a joined signal aborts with the first that does, once, and with its reason', () => {
  for (const first of [0, 1] as const) {
    const both = pair();
    const { signal } = joinSignals(both[0].signal, both[1].signal);
    let times = 0;
    signal.addEventListener('abort', () => {
      times += 1;
    });
    expect(signal.aborted).toBe(false);
    both[first].abort('the first');
    both[1 - first]?.abort('the second');
    expect([signal.reason, times]).toEqual(['the first', 1]);
  }
});

test('a joined signal of one that has aborted has aborted', () => {
  const [one, other] = pair();
  other.abort('before');
  expect(joinSignals(one.signal, other.signal).signal.reason).toBe('before');
  expect(getEventListeners(one.signal, 'abort')).toEqual([]);
});

test('a joined signal leaves nothing on those that live on, released or aborted', () => {
  const [call, process] = pair();
  const { signal, release } = joinSignals(call.signal, process.signal);
  joinSignals(call.signal, process.signal);
  release();
  expect(getEventListeners(process.signal, 'abort')).toHaveLength(1);
  call.abort();
  expect(signal.aborted).toBe(false);
  for (const one of [call, process]) expect(getEventListeners(one.signal, 'abort')).toEqual([]);
});
