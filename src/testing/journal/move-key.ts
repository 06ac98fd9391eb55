import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, ONE_PER_TAB, unchanged, warn } from './debtor.ts';
import { makeJournal, newId, OTHER_TAB, print, QUESTION, TAB } from './harness.ts';

export const moveKeyRules = new Chapter();
const { describe, test } = moveKeyRules;

const NEW = 'tab-new-name';

test('[J-R167] equal names: nothing happens', () => {
  const h = makeDebtor();
  const askId = h.open();
  lose(h, 1);
  h.journal.closeAsks(TAB);
  h.clear();
  const { before, after } = unchanged(h, () => h.journal.moveKey(TAB, TAB));
  expect(after).toEqual(before);
  expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  expect(h.calls).toEqual([]);
});

test('[J-R168] every entry changes its tab and nothing else', () => {
  const h = makeJournal({ attacher: true, revoker: false });
  const queued = h.queued(newText());
  h.journal.markReturned(queued.token);
  h.direct(newText());
  h.riding(newText());
  h.record(newId(), newText());
  h.journal.closeAsks(TAB);
  h.late(newText());
  const before = h.journal.entriesFor(TAB);
  h.journal.moveKey(TAB, NEW);
  expect(h.journal.entriesFor(TAB)).toEqual([]);
  expect(h.journal.entriesFor(NEW)).toEqual(before.map((entry) => ({ ...entry, key: NEW })));
});

describe('tickets', () => {
  test('[J-R169] follow, and a live one is live there', () => {
    const h = makeJournal();
    h.journal.closeAsks(NEW);
    const askId = h.openAndClose();
    h.journal.moveKey(TAB, NEW);
    expect(h.journal.ticketFor(askId)).toMatchObject({ tabId: NEW, openings: [{ tab: NEW }] });
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
    expect(h.record(askId, newText(), NEW)).toMatchObject({ key: NEW, delivery: 'pending', retired: false });
  });

  test('[J-R169] one of a replaced conversation is live never again, whatever epochs follow', () => {
    const h = makeJournal();
    const dead = h.openAndClose();
    h.journal.closeAsks(TAB);
    h.journal.moveKey(TAB, NEW);
    for (let boundary = 0; boundary < 4; boundary++) {
      expect(h.journal.askBelongsToLiveConversation(dead)).toBe(false);
      h.journal.closeAsks(NEW);
    }
    expect(h.record(dead, newText(), NEW)).toMatchObject({ retired: true });
  });

  test('[J-R169] each opening of a reused id follows the tab it was on', () => {
    const h = makeJournal();
    const askId = h.open(TAB);
    h.open(OTHER_TAB, QUESTION, askId);
    h.journal.moveKey(TAB, NEW);
    const ticket = h.journal.ticketFor(askId);
    expect(ticket?.tabId).toBe(OTHER_TAB);
    expect(ticket?.openings.map((opening) => opening.tab)).toEqual([NEW, OTHER_TAB]);
  });

  test('[J-R170] the old name begins anew: what was replaced there does not touch the next holder', () => {
    const h = makeJournal();
    h.journal.closeAsks(TAB);
    h.journal.closeAsks(TAB);
    const moved = h.openAndClose();
    h.journal.moveKey(TAB, NEW);
    const next = h.openAndClose();
    expect(h.journal.ticketFor(next)?.epoch).toBe(0);
    expect(h.journal.askBelongsToLiveConversation(next)).toBe(true);
    h.journal.closeAsks(TAB);
    expect(h.journal.askBelongsToLiveConversation(next)).toBe(false);
    expect(h.journal.askBelongsToLiveConversation(moved)).toBe(true);
  });

  test('[J-R170] the epoch of the new name does not change: its own cards stay as they are', () => {
    const h = makeJournal();
    const dead = h.openAndClose(OTHER_TAB);
    h.journal.closeAsks(OTHER_TAB);
    const live = h.openAndClose(OTHER_TAB);
    const epoch = h.journal.ticketFor(live)?.epoch;
    h.journal.moveKey(TAB, OTHER_TAB);
    expect(h.journal.askBelongsToLiveConversation(live)).toBe(true);
    expect(h.journal.askBelongsToLiveConversation(dead)).toBe(false);
    expect(h.journal.ticketFor(h.openAndClose(OTHER_TAB))?.epoch).toBe(epoch);
  });
});

describe('debt', () => {
  test('[J-R171] is owed under the new name, to the same occupant; what was settled stays settled', () => {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(TAB, 'x');
    lose(h, 2);
    const told = warn(h, 'turn-a');
    h.journal.ack(told.token, { carrier: 'turn-a' });
    lose(h, 3);
    h.journal.moveKey(TAB, NEW);
    expect([h.journal.droppedFor(TAB), h.journal.droppedFor(NEW)]).toEqual([0, 3]);
    h.occupants.set(NEW, 'y');
    expect(h.journal.reportDropped(NEW)).toBe(0);
    h.occupants.set(NEW, 'x');
    expect(h.journal.reportDropped(NEW)).toBe(3);
  });

  test('[J-R172] after a merge a footnote settles what it counted: four are left', () => {
    const h = makeDebtor();
    lose(h, 2);
    const { token } = warn(h, 'turn-a');
    lose(h, 3, OTHER_TAB);
    h.journal.moveKey(TAB, OTHER_TAB);
    // The merged tab holds one answer too many: that is the fourth.
    expect(h.journal.droppedFor(OTHER_TAB)).toBe(6);
    h.journal.ack(token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(OTHER_TAB)).toBe(4);
  });

  test('[J-R172] footnotes of both tabs together settle both, each its own', () => {
    const h = makeDebtor({ limits: { entriesPerTab: 2, entriesTotal: 100 } });
    for (const tab of [TAB, OTHER_TAB]) for (let i = 0; i < 4; i++) h.late(newText(), tab);
    for (const tab of [TAB, OTHER_TAB]) {
      h.deliver(tab);
      for (const { token } of h.journal.entriesFor(tab)) h.journal.release(token);
    }
    const here = warn(h, 'turn-a');
    const there = warn(h, 'turn-b', OTHER_TAB);
    expect([here.count, there.count]).toEqual([2, 2]);
    h.journal.moveKey(TAB, OTHER_TAB);
    const evicted = h.journal.droppedFor(OTHER_TAB) - 4;
    h.journal.ack(there.token, { carrier: 'turn-b' });
    expect(h.journal.droppedFor(OTHER_TAB)).toBe(evicted + 2);
    h.journal.ack(here.token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(OTHER_TAB)).toBe(evicted);
  });

  test.each([
    ['a', 'a\u0000x'],
    ['a|x', 'a'],
    ['a:x', 'a'],
    ['["a","x"]', 'a'],
    ['a/x', 'a'],
    ['__proto__', 'constructor'],
  ])('[J-R173] tab keys are opaque: %j and %j do not share debt', (one, other) => {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(one, 'x').set(other, 'x');
    lose(h, 2, one);
    lose(h, 1, other);
    expect([h.journal.droppedFor(one), h.journal.droppedFor(other)]).toEqual([2, 1]);
    h.journal.moveKey(one, NEW);
    expect([h.journal.droppedFor(one), h.journal.droppedFor(other), h.journal.droppedFor(NEW)]).toEqual([0, 1, 2]);
    h.journal.retireDebt(other, 'x');
    expect(h.journal.droppedFor(NEW)).toBe(2);
  });
});

test('[J-R174] the bound per tab holds on the new name at once', () => {
  const h = makeJournal({ limits: { entriesPerTab: 3, entriesTotal: 100 } });
  for (let i = 0; i < 3; i++) h.late(newText(), TAB);
  for (let i = 0; i < 3; i++) h.late(newText(), OTHER_TAB);
  const kept = h.journal.entriesFor(OTHER_TAB).map((entry) => entry.token);
  h.clear();
  h.journal.moveKey(TAB, OTHER_TAB);
  expect(h.journal.entriesFor(OTHER_TAB).map((entry) => entry.token)).toEqual(kept);
  expect(h.journal.droppedFor(OTHER_TAB)).toBe(3);
  expect(h.at('error')).toHaveLength(3);
});

test('[J-R175] no flusher is called and nothing is logged but evictions', () => {
  const h = makeDebtor();
  lose(h, 1);
  h.open();
  h.clear();
  h.journal.moveKey(TAB, NEW);
  expect(h.calls).toEqual([]);
  const merged = makeJournal({ limits: ONE_PER_TAB });
  merged.late(newText(), TAB);
  merged.late(newText(), OTHER_TAB);
  merged.clear();
  merged.journal.moveKey(TAB, OTHER_TAB);
  expect(merged.calls.map((call) => call.kind)).toEqual(['log']);
});

test('[J-R168] the answer is recovered under the new name, and not under the old', () => {
  const h = makeJournal();
  const { token } = h.late();
  h.journal.moveKey(TAB, NEW);
  expect(h.journal.recover(NEW, print(QUESTION))).toMatchObject({ status: 'recovered', entry: { token } });
  expect(h.journal.recover(TAB, print(QUESTION))).toEqual({ status: 'none' });
});
