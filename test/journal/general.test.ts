/** What holds for every operation (journal.md 4.1). Failing callbacks and loggers: faults.test.ts. */
import { expect, test, vi } from 'vitest';
import * as api from '../../src/journal.ts';
import { type Harness, newId, OTHER_TAB, print, QUESTION, TAB } from '../../src/testing/journal/harness.ts';
import { makeJournal } from './support.ts';

/** A bit of everything: answers in every state, a loss, a boundary, a rename, a receipt. */
function lifeOf(h: Harness): void {
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'ann');
  const queued = h.queued('queued');
  const riding = h.riding('riding');
  h.record(queued.askId, 'changed');
  h.open(TAB, QUESTION, riding.askId);
  h.returned('returned');
  for (let i = 0; i < 4; i += 1) h.late(`late-${i}`, OTHER_TAB);
  h.journal.reportDropped(OTHER_TAB);
  h.journal.ack(queued.token);
  h.journal.ack(riding.token, { carrier: 'someone else' });
  h.journal.release(riding.token, { carrier: 'turn-1' });
  h.record(newId(), 'stray');
  h.journal.closeAsks(OTHER_TAB);
  h.journal.moveKey(OTHER_TAB, 'tab-three');
  h.journal.retireDebt(TAB, 'ann');
  h.journal.recover(TAB, print(QUESTION), queued.askId);
  h.deliver();
}
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

test('[J-R005] the module exports prefix, window, the three pure functions, the class and one instance', () => {
  expect(api.ASK_ID_PREFIX).toBe('pa-');
  expect(api.RECOVERY_WINDOW_MS).toBe(600_000);
  for (const pure of [api.askFingerprint, api.answerText, api.preview]) expect(pure).toBeTypeOf('function');
  expect(api.journal).toBeInstanceOf(api.Journal);
  expect(api.createJournal()).toBeInstanceOf(api.Journal);
  expect(api.createJournal()).not.toBe(api.journal);
});
