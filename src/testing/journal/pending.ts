import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { makeJournal, newId, OTHER_TAB, only, TAB } from './harness.ts';

export const pendingRules = new Chapter();
const { test } = pendingRules;

test('[J-R104] pending lists exactly the pending entries of the tab, in arrival order', () => {
  const h = makeJournal({ attacher: true });
  h.queued('queued');
  h.riding('riding');
  h.direct('awaited');
  h.returned('returned');
  h.record(newId(), 'stray');
  h.late('elsewhere', OTHER_TAB);
  const a = h.late('a');
  const closed = h.direct('armed by the end of its handler');
  const b = h.late('b');
  h.journal.closeAsk(closed.askId);
  expect(h.journal.pending(TAB)).toEqual([a, closed, b].map((entry) => h.entry(entry.token)));
  expect(h.journal.pending('tab-nobody-knows')).toEqual([]);
});

test('[J-R104] an entry of another occupant is held back, and holds nothing back', () => {
  const h = makeJournal({ resolver: true });
  h.late('nobodys');
  h.occupants.set(TAB, 'ann');
  const anns = h.late('anns');
  h.occupants.set(TAB, 'bob');
  const bobs = h.late('bobs');
  expect(only([...h.journal.pending(TAB)]).token).toBe(bobs.token);
  expect(h.deliver().tokens).toEqual([bobs.token]);
  h.occupants.set(TAB, 'ann');
  expect(only([...h.journal.pending(TAB)]).token).toBe(anns.token);
  h.occupants.delete(TAB);
  expect(h.journal.pending(TAB)).toEqual([]);
});

test('[J-R104] a retired entry is never pending', () => {
  const h = makeJournal();
  h.late('a');
  h.journal.closeAsks(TAB);
  expect(h.journal.pending(TAB)).toEqual([]);
  expect(only(h.entries()).delivery).toBe('none');
});

test('[J-R104] looking changes nothing and says nothing', () => {
  const h = makeJournal({ resolver: true, attacher: true, revoker: true });
  h.occupants.set(TAB, 'ann');
  h.late('a');
  h.clear();
  const before = h.visible();
  h.journal.pending(TAB);
  expect(h.count('log', 'flush', 'attach', 'revoke')).toBe(0);
  expect(h.visible()).toEqual(before);
});
