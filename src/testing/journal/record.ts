import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { at, makeJournal, newId, OTHER_TAB, only, print, QUESTION, TAB } from './harness.ts';

export const recordRules = new Chapter();
const { test } = recordRules;

const ambiguous = { ambiguousId: true, recoverable: false, correlation: { status: 'foreign' } };

test('[J-R050] it is one entry still when the first is delivered, acked, retired or foreign', () => {
  const h = makeJournal({ attacher: true });
  const acked = h.queued('acked');
  h.journal.ack(acked.token);
  const retired = h.late('retired', OTHER_TAB);
  h.journal.closeAsks(OTHER_TAB);
  const list = [acked, retired, h.queued('queued'), h.riding('riding'), h.record(newId(), 'stray')];
  h.clear();
  h.tabs.add('tab-three');
  const before = h.visible();
  for (const entry of list) {
    expect(h.record(entry.askId, entry.answer, TAB).token).toBe(entry.token);
    expect(h.record(entry.askId, entry.answer, 'tab-three').token).toBe(entry.token);
  }
  expect(h.calls).toEqual([]);
  expect(h.visible()).toEqual(before);
});

test('[J-R028] an answer is on file, recovered and delivered to its last character', () => {
  const answer = `${'a long answer, '.repeat(400)}and its last words 👩‍👩‍👧‍👦`;
  const h = makeJournal();
  const entry = h.late(answer);
  expect(entry.answer).toBe(answer);
  expect(h.entry(entry.token).answer).toBe(answer);
  expect(h.journal.recover(TAB, print(QUESTION))).toMatchObject({ status: 'recovered', entry: { answer } });
  expect(only(h.deliver().offers).payload).toMatchObject({ ask_answer: answer });
});

test('[J-R051] equal texts are two answers once the entry is ambiguous', () => {
  const h = makeJournal();
  const first = h.late('green');
  const second = h.record(first.askId, 'blue');
  const third = h.record(first.askId, 'green');
  const fourth = h.record(first.askId, 'blue');
  expect(new Set([first, second, third, fourth].map((entry) => entry.token)).size).toBe(4);
  expect(h.journal.entriesFor(TAB).map((entry) => entry.answer)).toEqual(['green', 'blue', 'green', 'blue']);
});

test('[J-R051] equal texts are two answers once the ticket is reused', () => {
  const h = makeJournal();
  const askId = h.open();
  h.open(TAB, QUESTION, askId);
  expect(h.record(askId, 'green').token).not.toBe(h.record(askId, 'green').token);
});

test('[J-R053] [J-R054] the first answer of a ticket is matched, and takes tab and question from the ticket', () => {
  const h = makeJournal();
  const askId = h.open(TAB, QUESTION);
  const entry = h.record(askId, 'green', OTHER_TAB);
  expect(entry).toMatchObject({
    askId,
    key: TAB,
    fingerprint: print(QUESTION),
    question: QUESTION,
    answer: 'green',
    correlation: { status: 'matched', askId },
    recoverable: true,
    ambiguousId: false,
    retired: false,
  });
  expect(h.journal.entriesFor(OTHER_TAB)).toEqual([]);
});

test('[J-R053] [J-R055] without a ticket, under a reused one, or as a second answer it is foreign', () => {
  const h = makeJournal();
  const stray = h.record(newId(), 'stray', OTHER_TAB);
  const reused = h.open();
  h.open(TAB, QUESTION, reused);
  const underReused = h.record(reused, 'reused', OTHER_TAB);
  const open = h.open();
  h.record(open, 'first');
  const second = h.record(open, 'second', OTHER_TAB);
  for (const entry of [stray, underReused, second]) {
    expect(entry).toMatchObject({
      key: OTHER_TAB,
      fingerprint: null,
      correlation: { status: 'foreign', askId: entry.askId },
    });
    expect(entry.recoverable).toBe(false);
  }
});

test('[J-R056] the question is that of a ticket in single use; otherwise none', () => {
  const h = makeJournal();
  const open = h.open();
  h.record(open, 'first');
  expect(h.record(open, 'second').question).toBe(QUESTION);
  expect(h.record(open, 'third', OTHER_TAB).question).toBe(QUESTION);
  const reused = h.open();
  h.open(TAB, QUESTION, reused);
  expect(h.record(reused, 'a').question).toBeNull();
  expect(h.record(newId(), 'stray').question).toBeNull();
});

test('[J-R057] with no ticket, the question of an earlier, so far unambiguous entry of the same tab is used', () => {
  const h = makeJournal();
  const first = h.late('first');
  const second = h.record(first.askId, 'second');
  expect(second.question).toBe(QUESTION);
  expect(h.record(first.askId, 'third').question).toBeNull();

  const other = h.late('first');
  expect(h.record(other.askId, 'second', OTHER_TAB).question).toBeNull();
});

test('[J-R058] a second answer is ambiguous and unlicensed, and makes every earlier one so', () => {
  const h = makeJournal({ attacher: true });
  for (const first of [h.direct('a', 'tab-a'), h.late('b', 'tab-b'), h.queued('c', 'tab-c'), h.riding('d', 'tab-d')]) {
    const second = h.record(first.askId, 'second', first.key);
    const third = h.record(first.askId, 'third', first.key);
    const { fingerprint, question, delivery, channel, key, returned } = first;
    expect(h.entry(first.token)).toMatchObject({
      ...ambiguous,
      fingerprint,
      question,
      delivery,
      channel,
      key,
      returned,
    });
    expect(h.entry(second.token)).toMatchObject({ ...ambiguous, question: second.question, delivery: second.delivery });
    expect(third).toMatchObject(ambiguous);
  }
});

test('[J-R059] an unread copy of an earlier answer is fetched back when a second answer comes', () => {
  for (const revoker of [true, false]) {
    const h = makeJournal({ revoker });
    const first = h.queued('first');
    h.clear();
    const second = h.record(first.askId, 'second');
    expect(h.revoked).toEqual([first.token]);
    expect(h.entry(first.token).delivery).toBe(revoker ? 'pending' : 'handed_off');
    expect(new Set(h.flushed)).toEqual(new Set([TAB]));
    const offers = h.deliver().offers;
    expect(offers.map((offer) => offer.token)).toEqual(revoker ? [first.token, second.token] : [second.token]);
    for (const offer of offers) expect(offer.payload.ask_correlation).toBe('foreign');
  }
});

test('[J-R060] even the first answer under a reused ticket is ambiguous', () => {
  const h = makeJournal();
  const askId = h.open();
  h.open(TAB, QUESTION, askId);
  expect(h.record(askId, 'only')).toMatchObject({ ...ambiguous, fingerprint: null });
});

test('[J-R067] a new entry starts with a clean sheet', () => {
  const h = makeJournal({ attacher: true });
  h.now += 1_234;
  const untouched = {
    returned: false,
    acked: false,
    attempts: 0,
    carriedReleases: 0,
    answeredAt: h.now,
    replayHint: false,
    shown: 0,
    channel: 'none',
    copyOut: false,
    rides: [],
  };
  const first = h.late();
  for (const entry of [first, h.direct(), h.record(newId()), h.record(first.askId, 'b')]) {
    expect(entry).toMatchObject(untouched);
  }
});

test('[J-R068] the ticket is released exactly if nobody awaits it and it is not reused', () => {
  const h = makeJournal();
  const late = h.openAndClose();
  const awaited = h.open();
  const reused = h.openAndClose();
  h.openAndClose(TAB, QUESTION, reused);
  h.journal.closeAsk(reused);
  expect(h.journal.ticketFor(reused)?.awaiting).toBe(false);
  for (const askId of [late, awaited, reused]) h.record(askId);
  expect(h.journal.ticketFor(late)).toBeUndefined();
  expect(h.journal.ticketFor(awaited)).toMatchObject({ awaiting: true });
  expect(h.journal.ticketFor(reused)).toMatchObject({ reused: true });
});

test('[J-R069] the tab is trimmed first, then the whole; the new entry stays', () => {
  const h = makeJournal({ limits: { entriesPerTab: 2, entriesTotal: 3 } });
  const elsewhere = h.late('oldest of all', OTHER_TAB);
  const [a, b, c] = [h.late('a'), h.late('b'), h.late('c')];
  expect(
    h
      .entries()
      .map((entry) => entry.token)
      .sort(),
  ).toEqual([elsewhere, b, c].map((entry) => entry.token).sort());
  expect(h.find(a.token)).toBeUndefined();
  const d = h.late('d', 'tab-three');
  expect(h.find(elsewhere.token)).toBeUndefined();
  expect(
    h
      .entries()
      .map((entry) => entry.token)
      .sort(),
  ).toEqual([b, c, d].map((entry) => entry.token).sort());
});

test('[J-R069] with a bound of one it is always the newest that stays', () => {
  const h = makeJournal({ limits: { entriesPerTab: 1, entriesTotal: 1 } });
  for (const [answer, tab] of [
    ['a', TAB],
    ['b', TAB],
    ['c', OTHER_TAB],
  ] as const) {
    const entry = h.late(answer, tab);
    expect(only(h.entries()).token).toBe(entry.token);
  }
  const unknown = h.record(newId());
  expect(only(h.entries()).token).toBe(unknown.token);
});

test('[J-R069] only an entry born retired may be its own victim', () => {
  const h = makeJournal({ limits: { entriesPerTab: 1 } });
  const stale = h.openAndClose();
  h.journal.closeAsks(TAB);
  const live = h.late('live');
  const born = h.record(stale, 'too late');
  expect(born).toMatchObject({ retired: true, answer: 'too late', state: 'retired' });
  expect(only(h.entries()).token).toBe(live.token);
});

test('[J-R070] the flusher is called once, with the tab of the entry, exactly if it is pending', () => {
  const h = makeJournal();
  const late = h.openAndClose(OTHER_TAB);
  const awaited = h.open();
  const stale = h.openAndClose('tab-three');
  h.journal.closeAsks('tab-three');
  h.clear();
  h.record(late, 'late', TAB);
  expect(h.flushed).toEqual([OTHER_TAB]);
  h.clear();
  h.record(awaited, 'awaited');
  h.record(stale, 'stale', 'tab-three');
  h.record(newId(), 'stray');
  expect(h.flushed).toEqual([]);
});

test('[J-R070] the flush comes last: the entry can be delivered, the ticket is gone, the bounds hold', () => {
  const h = makeJournal({ limits: { entriesPerTab: 1 } });
  h.late('old');
  const askId = h.openAndClose();
  const seen: unknown[] = [];
  h.onCall = (call) => {
    if (call.kind !== 'flush') return;
    seen.push(h.journal.ticketFor(askId), h.journal.entriesFor(call.key).length, ...h.deliver().offers);
  };
  const entry = h.record(askId, 'new');
  expect(seen.slice(0, 2)).toEqual([undefined, 1]);
  expect(at(seen, 2)).toMatchObject({ token: entry.token });
  expect(h.entry(entry.token).delivery).toBe('handed_off');
});

test('[J-R071] the new entry is returned', () => {
  const h = makeJournal();
  for (const entry of [h.late(), h.direct(), h.record(newId())]) expect(h.entry(entry.token)).toEqual(entry);
});
