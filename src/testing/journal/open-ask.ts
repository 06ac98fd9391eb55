import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { at, type Entry, makeJournal, newId, OTHER_TAB, only, print, QUESTION, TAB } from './harness.ts';

export const openAskRules = new Chapter();
const { test } = openAskRules;

const NEXT = 'And which colour shall the roof have?';

/** What a reopening must leave alone. */
const untouched = (entry: Entry) => {
  const { question, answer, key, retired, delivery, returned, acked, attempts, channel, token, incarnation } = entry;
  return { question, answer, key, retired, delivery, returned, acked, attempts, channel, token, incarnation };
};
const blurred = { ambiguousId: true, recoverable: false, fingerprint: null, correlation: { status: 'foreign' } };

test('[J-R039] the first opening of an id creates a ticket, and says nothing', () => {
  const h = makeJournal();
  const first = h.open();
  h.now += 5_000;
  h.journal.closeAsks(TAB);
  h.clear();
  const second = h.open(TAB, NEXT);
  expect(h.calls).toEqual([]);
  expect(h.journal.ticketFor(first)).toMatchObject({
    askId: first,
    tabId: TAB,
    epoch: 0,
    awaiting: true,
    reused: false,
  });
  const ticket = h.journal.ticketFor(second);
  expect(ticket).toMatchObject({
    askId: second,
    tabId: TAB,
    fingerprint: print(NEXT),
    question: NEXT,
    openedAt: h.now,
    epoch: 1,
    awaiting: true,
    reused: false,
    historyLost: false,
  });
  expect(ticket?.openings).toHaveLength(1);
  expect(ticket?.seq).toBeGreaterThan(h.journal.ticketFor(first)?.seq ?? 0);
});

test('[J-R040] an id that has a ticket is reopened', () => {
  const h = makeJournal();
  const askId = h.openAndClose();
  h.open(TAB, NEXT, askId);
  expect(h.journal.ticketFor(askId)).toMatchObject({ reused: true, historyLost: false });
});

test('[J-R040] an id that an entry carries is reopened, ticket or not', () => {
  const h = makeJournal();
  const late = h.late();
  expect(h.journal.ticketFor(late.askId)).toBeUndefined();
  h.open(TAB, NEXT, late.askId);
  expect(h.journal.ticketFor(late.askId)?.reused).toBe(true);

  const stray = h.record(newId());
  h.open(TAB, NEXT, stray.askId);
  expect(h.journal.ticketFor(stray.askId)?.reused).toBe(true);
});

test('[J-R041] reuse is remembered when ticket and entries are gone: eviction, release, forget, rename', () => {
  const h = makeJournal({ limits: { tickets: 2, entriesPerTab: 1 } });
  const forgotten = h.late().askId;
  h.journal.forget(TAB);
  const displaced = h.late().askId;
  const moved = h.late().askId;
  h.journal.moveKey(TAB, OTHER_TAB);
  h.journal.forget(OTHER_TAB);
  const trimmed = h.openAndClose();
  h.openAndClose();
  h.openAndClose();
  expect(h.journal.ticketFor(trimmed)).toBeUndefined();
  expect(h.entries()).toEqual([]);
  for (const askId of [forgotten, displaced, moved, trimmed]) {
    h.open(TAB, QUESTION, askId);
    expect(h.journal.ticketFor(askId)).toMatchObject({ reused: true, historyLost: true });
  }
});

test('[J-R042] a reopening keeps one ticket, with the data of the newest opening, reused for good', () => {
  const h = makeJournal();
  const askId = h.openAndClose();
  const seq = h.journal.ticketFor(askId)?.seq ?? 0;
  h.journal.closeAsks(OTHER_TAB);
  h.now += 60_000;
  h.open(OTHER_TAB, NEXT, askId);
  const ticket = h.journal.ticketFor(askId);
  expect(ticket).toMatchObject({
    askId,
    tabId: OTHER_TAB,
    fingerprint: print(NEXT),
    question: NEXT,
    openedAt: h.now,
    epoch: 1,
    awaiting: true,
    reused: true,
  });
  expect(ticket?.seq).toBeGreaterThan(seq);
  h.journal.closeAsk(askId);
  h.record(askId, 'a', OTHER_TAB);
  h.open(TAB, QUESTION, askId);
  h.journal.closeAsk(askId);
  h.journal.moveKey(TAB, 'tab-three');
  expect(h.journal.ticketFor(askId)).toMatchObject({ reused: true, tabId: 'tab-three' });
});

test('[J-R043] the ticket remembers tab, epoch, occupant, fingerprint and question of every opening', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'bob');
  const askId = h.openAndClose();
  h.journal.closeAsks(TAB);
  h.occupants.set(TAB, 'cat');
  h.open(TAB, NEXT, askId);
  h.open(OTHER_TAB, QUESTION, askId);
  h.open('tab-nobody-known', QUESTION, askId);
  const [asked, next] = [
    { fingerprint: print(QUESTION), question: QUESTION },
    { fingerprint: print(NEXT), question: NEXT },
  ];
  expect(h.journal.ticketFor(askId)?.openings).toEqual([
    { tab: TAB, epoch: 0, occupant: 'ann', ...asked },
    { tab: TAB, epoch: 1, occupant: 'cat', ...next },
    { tab: OTHER_TAB, epoch: 0, occupant: 'bob', ...asked },
    { tab: 'tab-nobody-known', epoch: 0, occupant: null, ...asked },
  ]);
  expect(h.journal.ticketFor(askId)?.historyLost).toBe(false);
});

test('[J-R043] a lost history stays lost', () => {
  const h = makeJournal();
  const askId = h.late().askId;
  h.open(TAB, QUESTION, askId);
  expect(h.journal.ticketFor(askId)?.historyLost).toBe(true);
  h.open(TAB, QUESTION, askId);
  h.journal.closeAsk(askId);
  expect(h.journal.ticketFor(askId)?.historyLost).toBe(true);
});

test('[J-R044] a reopening blurs every entry of the id and touches nothing else of it', () => {
  const h = makeJournal({ attacher: true });
  const bystander = h.late();
  const askId = newId();
  const acked = h.queued('acked', TAB, QUESTION, askId);
  h.journal.ack(acked.token);
  const changed = h.record(askId, 'changed my mind');
  const retired = h.late('retired', OTHER_TAB);
  h.journal.closeAsks(OTHER_TAB);
  const ridden = h.riding('ridden');
  const before = [acked, changed, retired, ridden].map((entry) => untouched(h.entry(entry.token)));
  for (const id of [askId, retired.askId, ridden.askId]) h.open('tab-three', NEXT, id);
  const after = [acked, changed, retired, ridden].map((entry) => h.entry(entry.token));
  expect(after.map(untouched)).toEqual(before);
  for (const entry of after) expect(entry).toMatchObject(blurred);
  expect(h.entry(bystander.token)).toMatchObject({ ambiguousId: false, recoverable: true });
});

test('[J-R045] an unread copy worded matched is fetched back, and goes out again worded foreign', () => {
  const h = makeJournal({ revoker: true });
  const entry = h.queued();
  h.clear();
  h.open(OTHER_TAB, NEXT, entry.askId);
  expect(h.revoked).toEqual([entry.token]);
  expect(h.flushed).toEqual([TAB]);
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'pending', state: 'pending', channel: 'none', shown: 0 });
  const offer = only(h.deliver().offers);
  expect(offer.payload).toMatchObject({ ask_correlation: 'foreign', ask_question: QUESTION, replayed: true });
});

test('[J-R045] a copy that cannot be fetched back stays where it is', () => {
  for (const revoker of [false, undefined]) {
    const h = makeJournal(revoker === undefined ? {} : { revoker });
    const entry = h.queued();
    h.clear();
    h.open(TAB, NEXT, entry.askId);
    expect(h.flushed).toEqual([]);
    expect(untouched(h.entry(entry.token))).toEqual(untouched(entry));
    expect(h.entry(entry.token)).toMatchObject(blurred);
    expect(h.deliver().offers).toEqual([]);
  }
});

test('[J-R045] only copies worded matched are fetched back', () => {
  const h = makeJournal({ revoker: true, attacher: true });
  const first = h.queued('first');
  const second = h.record(first.askId, 'second');
  h.deliver();
  expect(h.entry(second.token).correlation.status).toBe('foreign');
  const pending = h.late('pending');
  const ridden = h.riding('ridden');
  h.clear();
  for (const entry of [second, pending, ridden]) h.open(TAB, NEXT, entry.askId);
  expect(h.revoked).toEqual([]);
  expect(h.flushed).toEqual([]);
});

test('[J-R045] a retired copy is not armed again, whatever the recall says', () => {
  let here = false;
  const h = makeJournal({ revoker: () => here });
  const entry = h.queued();
  h.journal.closeAsks(TAB);
  here = true;
  h.open(TAB, NEXT, entry.askId);
  expect(h.entry(entry.token)).toMatchObject({ retired: true, state: 'retired', delivery: 'none' });
  expect(h.deliver().offers).toEqual([]);
});

test('[J-R046] each opening adds one handler', () => {
  const h = makeJournal();
  const askId = h.open();
  h.open(TAB, QUESTION, askId);
  h.open(TAB, QUESTION, askId);
  for (const awaiting of [true, true, false]) {
    h.journal.closeAsk(askId);
    expect(h.journal.ticketFor(askId)?.awaiting).toBe(awaiting);
  }
});

test('[J-R047] a reopened ticket is the newest for the ticket bound', () => {
  const h = makeJournal({ limits: { tickets: 2 } });
  const reopened = h.openAndClose();
  const older = h.openAndClose();
  h.openAndClose(TAB, QUESTION, reopened);
  h.journal.closeAsk(reopened);
  expect(h.journal.ticketFor(reopened)?.awaiting).toBe(false);
  h.open();
  expect(h.journal.ticketFor(older)).toBeUndefined();
  expect(h.journal.ticketFor(reopened)).toBeDefined();
});

test('[J-R048] a reopening logs one warn line with the first 12 characters of the id', () => {
  const h = makeJournal();
  const entry = h.late();
  h.clear();
  h.open(TAB, NEXT, entry.askId);
  expect(only(h.lines)).toMatchObject({ level: 'warn', text: expect.stringContaining(entry.askId.slice(0, 12)) });
});

test('[J-R048] by the time that line is written every entry of the id is blurred', () => {
  const h = makeJournal();
  const first = h.late('first');
  h.record(first.askId, 'second');
  const seen: Entry[] = [];
  h.onCall = (call) => {
    if (call.kind === 'log') seen.push(...h.entries());
  };
  h.open(TAB, NEXT, first.askId);
  expect(seen).toHaveLength(2);
  for (const entry of seen) expect(entry).toMatchObject(blurred);
});

test('[J-R049] a ticket created or reopened by the call is never the victim of its own bound', () => {
  const h = makeJournal({ limits: { tickets: 1 } });
  const first = h.open();
  const second = h.open();
  expect(h.journal.ticketFor(first)).toBeUndefined();
  expect(h.journal.ticketFor(second)).toBeDefined();
  h.open(TAB, QUESTION, first);
  expect(h.journal.ticketFor(second)).toBeUndefined();
  expect(h.journal.ticketFor(first)).toMatchObject({ reused: true, historyLost: true });
});

test('[J-R049] the bound is enforced last', () => {
  const h = makeJournal({ limits: { tickets: 1 } });
  const entry = h.late();
  const victim = h.openAndClose();
  h.clear();
  h.open(TAB, NEXT, entry.askId);
  expect(h.lines.map((line) => line.level)).toEqual(['warn', 'error']);
  expect(at(h.lines, 1).text).toContain(victim.slice(0, 12));
});
