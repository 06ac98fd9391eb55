import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, unchanged, warn } from './debtor.ts';
import { makeJournal, OTHER_TAB, TAB } from './harness.ts';

export const gateRules = new Chapter();
const { describe, test } = gateRules;

describe('debt', () => {
  test('[J-R158] droppedFor counts all losses of the tab: all occupants, displayed ones included', () => {
    const h = makeDebtor({ resolver: true });
    lose(h, 1);
    h.occupants.set(TAB, 'x');
    lose(h, 2);
    h.occupants.set(TAB, 'y');
    lose(h, 2);
    expect(h.journal.droppedFor(TAB)).toBe(5);
    expect(h.deliver().offers[0]?.payload.dropped_answers).toBe(3);
    expect(h.journal.droppedFor(TAB)).toBe(5);
    expect(h.journal.droppedFor(OTHER_TAB)).toBe(0);
  });

  test('[J-R159] outstandingDebt names each tab that owes once, with the count of droppedFor', () => {
    const h = makeDebtor();
    lose(h, 2);
    lose(h, 3, OTHER_TAB);
    h.late(newText(), 'tab-three');
    const debts = [...h.journal.outstandingDebt()].sort((a, b) => a.count - b.count);
    expect(debts).toEqual([
      { key: TAB, count: 2 },
      { key: OTHER_TAB, count: 3 },
    ]);
  });
});

describe('the restart gate', () => {
  test('[J-R160] is shut while a loss is owed or displayed, and open once it is told', () => {
    const h = makeDebtor();
    lose(h, 1);
    h.deliver();
    for (const { token } of h.entries()) h.journal.ack(token);
    expect(h.journal.hasOutstanding()).toBe(false);
    const returned = h.returned(newText());
    h.journal.ack(returned.token, { carrier: 'turn-1' });
    h.returned(newText(), OTHER_TAB);
    h.returned(newText(), OTHER_TAB);
    expect(h.journal.hasOutstanding()).toBe(true);
    const { token } = warn(h, 'turn-a', OTHER_TAB);
    expect(h.journal.hasOutstanding()).toBe(true);
    h.journal.ack(token, { carrier: 'turn-a' });
    expect(h.journal.hasOutstanding()).toBe(false);
  });

  test('[J-R161] is shut while an answer that is not retired is pending or in a queue', () => {
    const h = makeJournal({ attacher: true });
    const { token } = h.late();
    expect(h.journal.hasOutstanding()).toBe(true);
    h.deliver();
    expect(h.journal.hasOutstanding()).toBe(true);
    h.journal.ack(token);
    expect(h.journal.hasOutstanding()).toBe(false);
  });

  test('[J-R161] a copy that a replaced conversation still reads does not shut it', () => {
    const h = makeJournal({ revoker: false });
    h.queued();
    h.journal.closeAsks(TAB);
    expect(h.journal.hasOutstanding()).toBe(false);
  });

  test('[J-R161] an answer that only waits for its own occupant shuts it', () => {
    const h = makeJournal({ resolver: true });
    h.occupants.set(TAB, 'x');
    h.late();
    h.occupants.set(TAB, 'y');
    expect(h.journal.pending(TAB)).toEqual([]);
    expect(h.journal.hasOutstanding()).toBe(true);
  });

  test('[J-R162] is shut while an orphan rides a result that took its push over', () => {
    const h = makeJournal({ attacher: true });
    const { token } = h.riding();
    expect(h.journal.hasOutstanding()).toBe(true);
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.journal.hasOutstanding()).toBe(false);
  });

  test('[J-R163] does not wait for an answer whose occupant nobody knows, where occupants are known', () => {
    const h = makeJournal({ resolver: true });
    h.late();
    expect(h.journal.hasOutstanding()).toBe(false);
    const blind = makeJournal();
    blind.late();
    expect(blind.journal.hasOutstanding()).toBe(true);
  });

  test('[J-R163] waits for a gone occupant again while he holds the tab', () => {
    const h = makeJournal({ resolver: true });
    h.occupants.set(TAB, 'x');
    h.late();
    h.occupants.set(TAB, 'y');
    h.journal.retireDebt(TAB, 'x');
    expect(h.journal.hasOutstanding()).toBe(false);
    h.occupants.set(TAB, 'x');
    expect(h.journal.hasOutstanding()).toBe(true);
  });

  test('[J-R164] does not wait for an answer that was returned and never owed a push', () => {
    const h = makeJournal({ attacher: true });
    expect(h.returned()).toMatchObject({ returned: true, acked: false, delivery: 'none' });
    expect(h.journal.hasOutstanding()).toBe(false);
  });
});

test('[J-R165] allOutstanding is everything not proven, retired and old answers too, in arrival order', () => {
  const h = makeJournal({ attacher: true });
  const list = [h.late(newText()), h.direct(newText(), OTHER_TAB), h.returned(newText()), h.queued(newText())];
  const proven = h.returned(newText());
  h.journal.ack(proven.token, { carrier: 'turn-1' });
  const foreign = h.record('pa-never-opened', newText(), OTHER_TAB);
  h.now += 100 * 600_000;
  h.journal.closeAsks(TAB);
  const tokens = [...list, foreign].map((entry) => entry.token);
  expect(h.journal.allOutstanding().map((entry) => entry.token)).toEqual(tokens);
});

test('[J-R166] the four change nothing and log nothing', () => {
  const h = makeDebtor({ resolver: true });
  h.occupants.set(TAB, 'x');
  lose(h, 2);
  h.deliver();
  h.clear();
  const { before, after } = unchanged(h, () => {
    h.journal.droppedFor(TAB);
    h.journal.outstandingDebt();
    h.journal.hasOutstanding();
    h.journal.allOutstanding();
  });
  expect(after).toEqual(before);
  expect(h.lines).toEqual([]);
  expect(h.count('flush', 'revoke', 'attach')).toBe(0);
});
