import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { makeJournal, newId, OTHER_TAB, TAB } from './harness.ts';

export const reachRules = new Chapter();
const { test } = reachRules;

test('[J-R034] nothing remembered, evicted or reset changes which ids are tracked', () => {
  const h = makeJournal({ limits: { tickets: 1, entriesPerTab: 1 } });
  const ids = [newId(), newId(), newId(), 'card-7', ''];
  const expected = ids.map((id) => id.startsWith('pa-'));
  const tracked = (): boolean[] => ids.map((id) => h.journal.tracks(id));
  expect(tracked()).toEqual(expected);
  for (const id of ids) h.late('x', TAB, 'Which?', id);
  expect(tracked()).toEqual(expected);
  h.journal.closeAsks(TAB);
  h.journal.forget(TAB);
  expect(tracked()).toEqual(expected);
  h.journal.reset();
  expect(tracked()).toEqual(expected);
});

test('[J-R035] with no resolver every entry belongs to the occupant of its tab', () => {
  const h = makeJournal();
  expect(h.journal.mayDisclose(h.late())).toBe(true);
  expect(h.journal.mayDisclose(h.direct('x', OTHER_TAB))).toBe(true);
});

test('[J-R036] with a resolver both occupants must be known and equal', () => {
  for (const given of ['ann', 'bob', undefined]) {
    for (const now of ['ann', 'bob', undefined]) {
      const h = makeJournal({ resolver: (key) => (key === TAB ? seen : 'someone') });
      let seen: string | undefined = given;
      const entry = h.late();
      seen = now;
      expect(h.journal.mayDisclose(h.entry(entry.token))).toBe(given !== undefined && given === now);
      expect(h.journal.pending(TAB)).toHaveLength(given !== undefined && given === now ? 1 : 0);
    }
  }
});

test('[J-R036] the occupant of one tab says nothing about another', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'ann');
  const here = h.late();
  const there = h.late('x', OTHER_TAB);
  h.occupants.set(TAB, 'bob');
  expect(h.journal.mayDisclose(h.entry(here.token))).toBe(false);
  expect(h.journal.mayDisclose(h.entry(there.token))).toBe(true);
});

test('[J-R037] a retired entry and one of unknown provenance reach no live turn', () => {
  const h = makeJournal();
  const retired = h.late();
  h.journal.closeAsks(TAB);
  const unknown = h.record(newId());
  expect(unknown.provenance).toBe('unknown');
  expect(h.journal.mayDisclose(h.entry(retired.token))).toBe(false);
  expect(h.journal.mayDisclose(unknown)).toBe(false);
  expect(h.journal.pending(TAB)).toEqual([]);
});

test('[J-R037] an occupant that comes back may be shown its answers again', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann');
  const entry = h.late();
  h.occupants.set(TAB, 'bob');
  expect(h.journal.mayDisclose(h.entry(entry.token))).toBe(false);
  h.occupants.delete(TAB);
  expect(h.journal.mayDisclose(h.entry(entry.token))).toBe(false);
  h.occupants.set(TAB, 'ann');
  expect(h.journal.mayDisclose(h.entry(entry.token))).toBe(true);
});

test('[J-R038] the public gate is the same gate as every outlet uses; neither delivery nor label moves it', () => {
  const h = makeJournal({ attacher: true, revoker: false });
  const states = [h.direct(), h.late('b'), h.returned('c'), h.riding('d'), h.queued('e', OTHER_TAB)];
  const foreign = h.late('f');
  h.record(foreign.askId, 'g');
  h.journal.ack(h.queued('h', 'tab-three').token);
  for (const entry of h.entries()) expect(h.journal.mayDisclose(entry)).toBe(true);
  expect(states.map((entry) => entry.state)).toEqual(['none', 'pending', 'none', 'handed_off', 'handed_off']);
  expect(h.entry(foreign.token).correlation.status).toBe('foreign');
  h.journal.closeAsks(TAB);
  for (const entry of h.entries()) expect(h.journal.mayDisclose(entry)).toBe(entry.key !== TAB);
});

test('[J-R038] what may not be shown is still counted', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann');
  const entry = h.late();
  h.occupants.set(TAB, 'bob');
  expect(h.journal.recover(TAB, 'f')).toMatchObject({ status: 'unattributed', others: [], withheld: 1 });
  expect(h.journal.allOutstanding().map((e) => e.token)).toEqual([entry.token]);
  expect(h.journal.hasOutstanding()).toBe(true);
});
