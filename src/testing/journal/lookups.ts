/** orphansFor(), entriesFor(), ticketFor(): diagnostic only (journal.md 4.13). */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { makeJournal, newId, OTHER_TAB, only, TAB } from './harness.ts';

export const lookupsRules = new Chapter();
const { test } = lookupsRules;

/** One entry of every kind on TAB. */
function crowd() {
  const h = makeJournal({ attacher: true, resolver: true, revoker: false });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'ann');
  const retired = h.late('retired');
  h.journal.closeAsks(TAB);
  const queued = h.queued('queued');
  const stray = h.record(newId(), 'stray');
  const returned = h.returned('returned');
  const riding = h.riding('riding');
  const acked = h.late('acked');
  h.journal.markReturned(acked.token);
  h.journal.ack(acked.token, { carrier: 'turn-1' });
  h.occupants.set(TAB, 'bob');
  const bobs = h.late('bobs');
  h.occupants.set(TAB, 'ann');
  const awaited = h.direct('awaited');
  h.late('elsewhere', OTHER_TAB);
  const all = [retired, queued, stray, returned, riding, acked, bobs, awaited].map((entry) => entry.token);
  return { h, all, orphans: [retired, queued, stray, bobs, awaited].map((entry) => entry.token) };
}

test('[J-R101] orphansFor lists what was never returned, whatever its standing, in arrival order', () => {
  const { h, orphans } = crowd();
  expect(h.journal.orphansFor(TAB).map((entry) => entry.token)).toEqual(orphans);
  expect(only([...h.journal.orphansFor(OTHER_TAB)]).answer).toBe('elsewhere');
  expect(h.journal.orphansFor('tab-nobody-knows')).toEqual([]);
});

test('[J-R101] a retired orphan that goes into a result is an orphan no more', () => {
  const h = makeJournal();
  const entry = h.late();
  h.journal.closeAsks(TAB);
  expect(h.journal.orphansFor(TAB)).toHaveLength(1);
  h.journal.markReturned(entry.token);
  expect(h.journal.orphansFor(TAB)).toEqual([]);
});

test('[J-R102] entriesFor lists every entry of the tab, in arrival order', () => {
  const { h, all } = crowd();
  expect(h.journal.entriesFor(TAB).map((entry) => entry.token)).toEqual(all);
  expect(only([...h.journal.entriesFor(OTHER_TAB)]).answer).toBe('elsewhere');
  expect(h.journal.entriesFor('tab-nobody-knows')).toEqual([]);
});

test('[J-R103] ticketFor gives the ticket of the id, or undefined', () => {
  const h = makeJournal();
  const askId = h.open();
  expect(h.journal.ticketFor(askId)).toMatchObject({ askId, tabId: TAB });
  expect(h.journal.ticketFor(newId())).toBeUndefined();
  expect(h.journal.ticketFor(h.late().askId)).toBeUndefined();
  expect(h.journal.ticketFor('__proto__')).toBeUndefined();
});

test('[J-R101] [J-R102] [J-R103] looking changes nothing and says nothing', () => {
  const { h } = crowd();
  h.clear();
  const before = h.visible();
  h.journal.orphansFor(TAB);
  h.journal.entriesFor(TAB);
  for (const askId of h.askIds) h.journal.ticketFor(askId);
  expect(h.count('log', 'flush', 'attach', 'revoke')).toBe(0);
  expect(h.visible()).toEqual(before);
});
