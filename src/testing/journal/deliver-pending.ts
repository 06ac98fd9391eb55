/** deliverPending(): order, payload and losses (journal.md 4.15). Callbacks that call back: deliver-reentry.test.ts. */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { at, makeJournal, newId, OTHER_TAB, only, QUESTION, TAB } from './harness.ts';

export const deliverPendingRules = new Chapter();
const { test } = deliverPendingRules;

const plain = (answer: string, answeredAt: number) => ({
  kind: 'ask_answer',
  ask_question: QUESTION,
  ask_answer: answer,
  ask_correlation: 'matched',
  ask_answered_at: answeredAt,
});

test('[J-R105] entries are offered in arrival order, up to the first refusal', () => {
  for (let accept = 0; accept <= 4; accept += 1) {
    const h = makeJournal();
    h.late('elsewhere', OTHER_TAB);
    const tokens = ['a', 'b', 'c'].map((answer) => h.late(answer).token);
    const result = h.deliver(TAB, accept);
    expect(result.tokens).toEqual(tokens.slice(0, accept + 1));
    expect(result.delivered).toBe(Math.min(accept, 3));
    expect(result.blockedOn?.token ?? null).toBe(tokens[accept] ?? null);
  }
});

test('[J-R106] an ordinary payload has exactly five members', () => {
  const h = makeJournal();
  h.now = 1_234_567;
  h.late('green');
  h.now += 1_000;
  const { payload } = only(h.deliver().offers);
  expect(payload).toStrictEqual(plain('green', 1_234_567));
  expect(Object.keys(payload).sort()).toEqual(Object.keys(plain('', 0)).sort());
});

test('[J-R106] replayed says that it was offered before, refusals included', () => {
  const h = makeJournal();
  const entry = h.late('green');
  h.deliver(TAB, 0);
  expect(only(h.deliver().offers).payload).toStrictEqual({ ...plain('green', entry.answeredAt), replayed: true });
  h.journal.release(entry.token);
  expect(only(h.deliver().offers).payload).toStrictEqual({ ...plain('green', entry.answeredAt), replayed: true });
});

test('[J-R106] possible_repeat says that it was returned, surfaced or handed back as carried', () => {
  const returned = makeJournal();
  returned.journal.markReturned(returned.late('a').token);
  expect(only(returned.deliver().offers).payload).toStrictEqual({ ...plain('a', returned.now), possible_repeat: true });

  const surfaced = makeJournal();
  surfaced.journal.markSurfaced(surfaced.late('a').token);
  expect(only(surfaced.deliver().offers).payload).toStrictEqual({ ...plain('a', surfaced.now), possible_repeat: true });

  const ridden = makeJournal({ attacher: true });
  ridden.journal.release(ridden.riding('a').token, { carrier: 'turn-1' });
  expect(only(ridden.deliver().offers).payload).toStrictEqual({ ...plain('a', ridden.now), possible_repeat: true });

  const carried = makeJournal();
  carried.journal.release(carried.queued('a').token, { carried: true });
  expect(only(carried.deliver().offers).payload).toStrictEqual({
    ...plain('a', carried.now),
    replayed: true,
    possible_repeat: true,
  });
});

test('[J-R106] the wording is that of the label at this moment; a card nobody can name has no question', () => {
  const h = makeJournal();
  const askId = newId();
  h.open(TAB, QUESTION, askId);
  h.open(TAB, 'Which roof?', askId);
  h.record(askId, 'green');
  h.journal.closeAsk(askId);
  h.journal.closeAsk(askId);
  expect(only(h.deliver().offers).payload).toStrictEqual({
    ...plain('green', h.now),
    ask_question: null,
    ask_correlation: 'foreign',
  });
});

test('[J-R107] taken: one more attempt, handed off in the queue, counted', () => {
  const h = makeJournal();
  const entry = h.late();
  expect(h.deliver()).toMatchObject({ delivered: 1, blockedOn: null });
  expect(h.entry(entry.token)).toMatchObject({
    attempts: 1,
    delivery: 'handed_off',
    channel: 'queue',
    state: 'handed_off',
    returned: false,
    acked: false,
  });
  expect(h.deliver().offers).toEqual([]);
});

test('[J-R108] refused, by any falsy result: one more attempt, still pending, and the call says on whom', () => {
  const h = makeJournal();
  const entry = h.late();
  h.late('behind it');
  for (const [i, no] of [false, undefined, null, 0, ''].entries()) {
    const result = h.journal.deliverPending(TAB, () => no as unknown as boolean);
    expect(result).toEqual({ delivered: 0, blockedOn: h.entry(entry.token) });
    expect(h.entry(entry.token)).toMatchObject({ attempts: i + 1, delivery: 'pending', channel: 'none' });
  }
});

test('[J-R109] nothing refused means nothing blocked', () => {
  const h = makeJournal();
  expect(h.journal.deliverPending(TAB, () => true)).toEqual({ delivered: 0, blockedOn: null });
  h.late('a');
  h.late('b');
  expect(h.journal.deliverPending(TAB, () => true)).toEqual({ delivered: 2, blockedOn: null });
});

test('[J-R110] if inject throws, the entry is as it was and what was taken stays taken', () => {
  for (let n = 0; n < 3; n += 1) {
    const h = makeJournal();
    const tokens = ['a', 'b', 'c'].map((answer) => h.late(answer).token);
    const before = tokens.map((token) => h.entry(token));
    let offered = 0;
    const inject = (): boolean => {
      if (offered++ === n) throw new Error('planted');
      return true;
    };
    expect(() => h.journal.deliverPending(TAB, inject)).toThrow('planted');
    expect(tokens.map((token) => h.entry(token).delivery)).toEqual(
      tokens.map((_, i) => (i < n ? 'handed_off' : 'pending')),
    );
    expect(tokens.slice(n).map((token) => h.entry(token))).toEqual(before.slice(n));
    expect(h.deliver().tokens).toEqual(tokens.slice(n));
  }
});

/** `lost` answers of TAB displaced by others, then one pending entry. Bounds: one entry per tab. */
function withLosses(lost: number) {
  const h = makeJournal({ limits: { entriesPerTab: 1 } });
  for (let i = 0; i < lost; i += 1) h.late(`lost-${i}`);
  return { h, entry: h.late('kept') };
}

test('[J-R111] the first payload of a flush shows all losses that no copy displays yet', () => {
  const { h, entry } = withLosses(2);
  const first = only(h.deliver().offers);
  expect(first.payload).toStrictEqual({ ...plain('kept', entry.answeredAt), dropped_answers: 2 });
  expect(h.entry(entry.token).shown).toBe(2);

  const many = makeJournal({ limits: { entriesPerTab: 3 } });
  for (const answer of ['a', 'b', 'c', 'd', 'e']) many.late(answer);
  const shown = many.deliver().offers.map((offer) => offer.payload.dropped_answers);
  expect(shown).toEqual([2, undefined, undefined]);
  many.late('f');
  expect(only(many.deliver().offers).payload.dropped_answers).toBe(3);
});

test('[J-R111] a loss is shown to its own occupant, and one of an unknown occupant to whoever holds the tab', () => {
  const h = makeJournal({ resolver: true, limits: { entriesPerTab: 1 } });
  h.late('nobodys');
  h.occupants.set(TAB, 'ann');
  h.late('anns');
  h.occupants.set(TAB, 'bob');
  h.late('bobs');
  h.late('kept');
  expect(h.journal.droppedFor(TAB)).toBe(3);
  expect(only(h.deliver().offers).payload.dropped_answers).toBe(2);
  h.journal.ack(only(h.entries()).token);
  expect(h.journal.droppedFor(TAB)).toBe(1);
  h.occupants.set(TAB, 'ann');
  h.late('anns again');
  expect(only(h.deliver().offers).payload.dropped_answers).toBe(1);
});

test('[J-R111] the losses of another tab are not shown', () => {
  const { h } = withLosses(2);
  h.late('there', OTHER_TAB);
  expect(only(h.deliver(OTHER_TAB).offers).payload).not.toHaveProperty('dropped_answers');
});

test('[J-R112] taken, the losses are displayed by this copy and not settled', () => {
  const { h } = withLosses(2);
  h.deliver();
  expect(h.journal.droppedFor(TAB)).toBe(2);
  expect(h.journal.reportDropped(TAB)).toBe(0);
  expect(h.journal.hasOutstanding()).toBe(true);
});

test('[J-R112] refused, they are owed as before', () => {
  const { h, entry } = withLosses(2);
  expect(only(h.deliver(TAB, 0).offers).payload.dropped_answers).toBe(2);
  expect(h.entry(entry.token).shown).toBe(0);
  expect(h.journal.reportDropped(TAB)).toBe(2);
  expect(only(h.deliver().offers).payload.dropped_answers).toBe(2);
  expect(h.journal.reportDropped(TAB)).toBe(0);
});

test('[J-R112] a throwing inject leaves them owed as well', () => {
  const { h, entry } = withLosses(1);
  expect(() =>
    h.journal.deliverPending(TAB, () => {
      throw new Error('planted');
    }),
  ).toThrow('planted');
  expect(h.entry(entry.token).shown).toBe(0);
  expect(h.journal.reportDropped(TAB)).toBe(1);
});

test('[J-R113] label and question come from the entry, not from the tickets of today', () => {
  const h = makeJournal();
  const first = h.late('first');
  h.open(TAB, 'Quite another question?', first.askId);
  const { payload } = only(h.deliver().offers);
  expect(payload).toMatchObject({ ask_question: QUESTION, ask_correlation: 'foreign' });

  const kept = makeJournal({ limits: { tickets: 1 } });
  const direct = kept.direct('a');
  kept.open(OTHER_TAB);
  kept.open(OTHER_TAB);
  expect(kept.journal.ticketFor(direct.askId)).toBeUndefined();
  kept.journal.closeAsk(direct.askId);
  expect(only(kept.deliver().offers).payload).toMatchObject({ ask_question: QUESTION, ask_correlation: 'matched' });
});

test('[J-R116] an empty answer is a payload like any other', () => {
  const h = makeJournal();
  const hardly: unknown[] = ['', undefined, null, () => '', 'after them'];
  const tokens = hardly.map((answer) => h.journal.record(h.openAndClose(), answer, { tabId: TAB }).token);
  const result = h.deliver();
  expect(result.tokens).toEqual(tokens);
  expect(at(result.offers, 0).payload.ask_answer).toBe('');
  for (const offer of result.offers) expect(typeof offer.payload.ask_answer).toBe('string');
});

test('[J-R117] it logs nothing, taken, refused or thrown', () => {
  const { h } = withLosses(1);
  h.clear();
  h.deliver(TAB, 0);
  expect(() =>
    h.journal.deliverPending(TAB, () => {
      throw new Error('planted');
    }),
  ).toThrow();
  h.deliver();
  h.deliver();
  expect(h.lines).toEqual([]);
});
