import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { makeJournal, newId, OTHER_TAB, QUESTION, TAB } from './harness.ts';

export const closeAskRules = new Chapter();
const { test } = closeAskRules;

test('[J-R072] the ticket is no longer awaited once every opening is closed', () => {
  const h = makeJournal();
  const once = h.open();
  h.journal.closeAsk(once);
  expect(h.journal.ticketFor(once)?.awaiting).toBe(false);
  const twice = h.open();
  h.open(TAB, QUESTION, twice);
  h.journal.closeAsk(twice);
  expect(h.journal.ticketFor(twice)?.awaiting).toBe(true);
  h.journal.closeAsk(twice);
  expect(h.journal.ticketFor(twice)?.awaiting).toBe(false);
});

test('[J-R072] closing more often than opening has no effect, then or later', () => {
  const h = makeJournal();
  const askId = h.open();
  for (let i = 0; i < 4; i += 1) h.journal.closeAsk(askId);
  h.open(TAB, QUESTION, askId);
  expect(h.journal.ticketFor(askId)?.awaiting).toBe(true);
  expect(h.record(askId).delivery).toBe('none');
  h.journal.closeAsk(askId);
  expect(h.journal.ticketFor(askId)?.awaiting).toBe(false);
});

test('[J-R073] an answer nobody returned is armed when its handler ends', () => {
  const h = makeJournal();
  const entry = h.direct();
  expect(entry.delivery).toBe('none');
  h.journal.closeAsk(entry.askId);
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'pending', state: 'pending', channel: 'none' });
});

test('[J-R073] a returned, a retired and an unattributable answer are not armed', () => {
  const h = makeJournal({ attacher: true });
  const returned = h.direct('returned');
  h.journal.markReturned(returned.token);
  const acked = h.direct('acked');
  h.journal.markReturned(acked.token);
  h.journal.ack(acked.token, { carrier: 'turn-1' });
  const retired = h.direct('retired', OTHER_TAB);
  h.journal.closeAsks(OTHER_TAB);
  const shared = h.open(OTHER_TAB);
  h.open(OTHER_TAB, QUESTION, shared);
  const unknown = h.record(shared, 'unknown', TAB);
  expect(unknown).toMatchObject({ provenance: 'unknown', returned: false });
  h.clear();
  for (const entry of [returned, acked, retired, unknown, unknown]) {
    expect(h.journal.closeAsk(entry.askId)).toBeNull();
    expect(h.entry(entry.token).delivery).toBe('none');
  }
  expect(h.calls).toEqual([]);
});

test('[J-R073] an answer returned with no turn to ride is returned all the same, and not armed', () => {
  const h = makeJournal();
  const entry = h.direct();
  h.journal.markReturned(entry.token);
  expect(h.journal.closeAsk(entry.askId)).toBeNull();
  expect(h.entry(entry.token)).toMatchObject({ returned: true, delivery: 'none' });
});

test('[J-R073] nothing is armed while another handler of the id still waits', () => {
  const h = makeJournal();
  const askId = h.open();
  h.open(TAB, QUESTION, askId);
  const entry = h.record(askId);
  expect(h.journal.closeAsk(askId)).toBeNull();
  expect(h.entry(entry.token).delivery).toBe('none');
  expect(h.journal.closeAsk(askId)?.token).toBe(entry.token);
  expect(h.entry(entry.token).delivery).toBe('pending');
});

test('[J-R073] every unreturned entry of the id is armed, and no entry of another id', () => {
  const h = makeJournal();
  const first = h.direct('first');
  const second = h.record(first.askId, 'second');
  const third = h.record(first.askId, 'third');
  const bystander = h.direct('bystander');
  h.journal.markReturned(second.token);
  h.journal.closeAsk(first.askId);
  expect(h.journal.pending(TAB).map((entry) => entry.token)).toEqual([first.token, third.token]);
  expect(h.entry(bystander.token).delivery).toBe('none');
});

test('[J-R074] the ticket of an answered card is released; an unanswered card keeps its own', () => {
  const h = makeJournal({ attacher: true });
  const answered = h.direct();
  const returned = h.direct();
  h.journal.markReturned(returned.token);
  const unanswered = h.open();
  for (const askId of [answered.askId, returned.askId, unanswered]) h.journal.closeAsk(askId);
  expect(h.journal.ticketFor(answered.askId)).toBeUndefined();
  expect(h.journal.ticketFor(returned.askId)).toBeUndefined();
  expect(h.journal.ticketFor(unanswered)).toMatchObject({ awaiting: false });
});

test('[J-R074] the ticket of a reused id is kept, as is one that is still awaited', () => {
  const h = makeJournal();
  const askId = h.open();
  h.open(TAB, QUESTION, askId);
  h.record(askId);
  h.journal.closeAsk(askId);
  expect(h.journal.ticketFor(askId)).toMatchObject({ reused: true, awaiting: true });
  h.journal.closeAsk(askId);
  expect(h.journal.ticketFor(askId)).toMatchObject({ reused: true, awaiting: false });
});

test('[J-R074] a retired answer releases its ticket as well', () => {
  const h = makeJournal();
  const entry = h.direct();
  h.journal.closeAsks(TAB);
  h.journal.closeAsk(entry.askId);
  expect(h.journal.ticketFor(entry.askId)).toBeUndefined();
});

test('[J-R075] [J-R076] each tab with an armed entry is flushed once; the last armed entry is returned', () => {
  const h = makeJournal();
  const askId = h.open();
  h.open(OTHER_TAB, QUESTION, askId);
  const armed = [
    h.record(askId, 'here', TAB),
    h.record(askId, 'there', OTHER_TAB),
    h.record(askId, 'here again', TAB),
    h.record(askId, 'there again', OTHER_TAB),
  ];
  h.journal.closeAsk(askId);
  expect(h.flushed).toEqual([]);
  h.clear();
  const seen: number[] = [];
  h.onCall = () => seen.push(h.entries().filter((entry) => entry.delivery === 'pending').length);
  expect(h.journal.closeAsk(askId)?.token).toBe(armed.at(-1)?.token);
  expect([...h.flushed].sort()).toEqual([TAB, OTHER_TAB].sort());
  expect(seen).toEqual([4, 4]);
});

test('[J-R075] the ticket is settled before the flush', () => {
  const h = makeJournal();
  const entry = h.direct();
  const tickets: unknown[] = [];
  h.onCall = () => tickets.push(h.journal.ticketFor(entry.askId));
  h.journal.closeAsk(entry.askId);
  expect(tickets).toEqual([undefined]);
});

test('[J-R076] the entry returned is the last one armed, not the last one on file', () => {
  const h = makeJournal();
  const first = h.direct('first');
  const second = h.record(first.askId, 'second');
  h.journal.markReturned(second.token);
  const armed = h.journal.closeAsk(first.askId);
  expect(armed).toEqual(h.entry(first.token));
  expect(armed?.delivery).toBe('pending');
});

test('[J-R077] a second call in a row changes nothing and returns null', () => {
  const h = makeJournal();
  const asks = [h.direct().askId, h.open(), h.late().askId];
  const reused = h.open();
  h.open(TAB, QUESTION, reused);
  h.record(reused);
  h.journal.closeAsk(reused);
  for (const askId of [...asks, reused]) {
    h.journal.closeAsk(askId);
    h.clear();
    const before = h.visible();
    expect(h.journal.closeAsk(askId)).toBeNull();
    expect(h.calls).toEqual([]);
    expect(h.visible()).toEqual(before);
  }
});

test('[J-R077] it does not arm again what has been delivered, handed back or read', () => {
  const h = makeJournal();
  const queued = h.queued();
  const acked = h.queued('x', OTHER_TAB);
  h.journal.ack(acked.token);
  const before = h.visible();
  expect(h.journal.closeAsk(queued.askId)).toBeNull();
  expect(h.journal.closeAsk(acked.askId)).toBeNull();
  expect(h.visible()).toEqual(before);
});

test('[J-R078] it logs nothing', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann');
  const first = h.direct('first');
  h.record(first.askId, 'second');
  h.clear();
  h.journal.closeAsk(first.askId);
  h.journal.closeAsk(h.open());
  h.journal.closeAsk(newId());
  expect(h.lines).toEqual([]);
});
