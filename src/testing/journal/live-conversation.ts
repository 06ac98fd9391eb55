import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { newText } from './debtor.ts';
import { makeJournal, newId, OTHER_TAB, QUESTION, TAB } from './harness.ts';

export const liveConversationRules = new Chapter();
const { describe, test } = liveConversationRules;

describe('with a ticket', () => {
  test('[J-R183] true while its conversation is the one on the tab, and never again', () => {
    const h = makeJournal();
    const askId = h.open();
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
    h.journal.closeAsk(askId);
    h.journal.closeAsks(OTHER_TAB);
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
    h.journal.closeAsks(TAB);
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
    h.open();
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  });

  test('[J-R183] of a reused id every opening must be live', () => {
    const h = makeJournal();
    const askId = h.open();
    h.open(OTHER_TAB, QUESTION, askId);
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
    h.journal.closeAsks(TAB);
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
    h.open(TAB, QUESTION, askId);
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  });

  test('[J-R183] a ticket with lost history never counts as live', () => {
    const h = makeJournal();
    const askId = h.openAndClose();
    h.record(askId);
    expect(h.journal.ticketFor(askId)).toBeUndefined();
    h.open(TAB, QUESTION, askId);
    expect(h.journal.ticketFor(askId)).toMatchObject({ historyLost: true, reused: true });
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  });
});

test('[J-R184] true for an id that was never opened', () => {
  const h = makeJournal();
  const askId = newId();
  expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
  h.record(askId);
  expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
});

describe('opened once, and the ticket is gone', () => {
  test('[J-R185] true while a live answer of known provenance is on file', () => {
    const h = makeJournal();
    const { askId } = h.late();
    expect(h.journal.ticketFor(askId)).toBeUndefined();
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
    h.journal.closeAsks(TAB);
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  });

  test('[J-R185] false once the answer has gone', () => {
    const h = makeJournal({ limits: { entriesPerTab: 1 } });
    const { askId } = h.late(newText());
    h.late(newText());
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  });

  test('[J-R185] false if the answer is ambiguous', () => {
    const h = makeJournal();
    const { askId } = h.late(newText());
    h.record(askId, newText());
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  });

  test('[J-R185] false if its provenance is unknown, or nothing was ever answered', () => {
    const h = makeJournal({ limits: { tickets: 1 } });
    const silent = h.openAndClose();
    const answered = h.openAndClose();
    h.openAndClose();
    h.record(answered);
    expect(h.journal.askBelongsToLiveConversation(silent)).toBe(false);
    expect(h.journal.askBelongsToLiveConversation(answered)).toBe(false);
  });

  test('[J-R185] every answer on file must vouch for it', () => {
    const h = makeJournal();
    const { askId } = h.late(newText());
    h.record(askId, newText(), OTHER_TAB);
    expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  });
});
