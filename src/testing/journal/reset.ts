import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, warn } from './debtor.ts';
import { makeJournal, OTHER_TAB, print, QUESTION, TAB } from './harness.ts';

export const resetRules = new Chapter();
const { test } = resetRules;

test('[J-R214] tickets, entries, debt, footnotes and epochs are gone', () => {
  const h = makeDebtor();
  const askId = h.open(OTHER_TAB);
  lose(h, 3);
  h.deliver();
  const { token } = lose(h, 1);
  const footnote = warn(h, 'turn-a');
  h.journal.closeAsks(OTHER_TAB);
  h.journal.reset();
  expect(h.journal.ticketFor(askId)).toBeUndefined();
  expect(h.journal.allOutstanding()).toEqual([]);
  expect(h.journal.outstandingDebt()).toEqual([]);
  expect(h.journal.hasOutstanding()).toBe(false);
  expect(h.journal.recover(TAB, print(QUESTION))).toEqual({ status: 'none' });
  const next = h.open(OTHER_TAB);
  expect(h.journal.ticketFor(next)?.epoch).toBe(0);
  lose(h, 1);
  h.journal.ack(footnote.token, { carrier: 'turn-a' });
  h.journal.ack(token);
  expect(h.journal.droppedFor(TAB)).toBe(1);
});

test('[J-R214] callbacks stay', () => {
  const h = makeJournal({ attacher: true, revoker: true, resolver: true });
  h.occupants.set(TAB, 'x');
  h.journal.reset();
  h.clear();
  const queued = h.queued(newText());
  expect(h.flushed).toEqual([TAB]);
  h.journal.markReturned(queued.token);
  expect(h.attached).toHaveLength(1);
  expect(h.revoked).toEqual([queued.token]);
  expect(h.entry(queued.token).incarnation).toBe('x');
});
