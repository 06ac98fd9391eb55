import { JOURNAL_LIMITS } from '../../limits.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { newText } from './debtor.ts';
import { type Harness, makeJournal, newId, print, QUESTION, TAB } from './harness.ts';

export const ticketBoundRules = new Chapter();
const { describe, test } = ticketBoundRules;

const LIMIT = { limits: { tickets: 3 } };
const open = (h: Harness, ids: readonly string[]): string[] => ids.filter((askId) => h.journal.ticketFor(askId));

test('[J-R199] after every opening at most 1024 tickets exist', () => {
  expect(JOURNAL_LIMITS.tickets).toBe(1024);
  const h = makeJournal();
  const ids = Array.from({ length: 1030 }, newId);
  for (const askId of ids) h.journal.openAsk(askId, { tabId: TAB, fingerprint: print(QUESTION), question: QUESTION });
  expect(open(h, ids)).toEqual(ids.slice(6));
});

describe('who goes', () => {
  test('[J-R200] the oldest that nobody awaits, even if older ones are awaited', () => {
    const h = makeJournal(LIMIT);
    const awaited = h.open();
    const unattended = [h.openAndClose(), h.openAndClose()];
    h.open();
    expect(open(h, [awaited, ...unattended])).toEqual([awaited, unattended[1]]);
  });

  test('[J-R200] the oldest of all if all are awaited', () => {
    const h = makeJournal(LIMIT);
    const ids = [h.open(), h.open(), h.open(), h.open()];
    expect(open(h, ids)).toEqual(ids.slice(1));
  });

  test('[J-R200] never the one that is being opened, and oldest is by the newest opening', () => {
    const h = makeJournal(LIMIT);
    const ids = [h.openAndClose(), h.openAndClose(), h.openAndClose()];
    h.openAndClose(TAB, QUESTION, ids[0]);
    ids.push(h.openAndClose());
    expect(open(h, ids)).toEqual([ids[0], ids[2], ids[3]]);
  });

  test('[J-R200] with all others awaited it is the oldest awaited, not the new one', () => {
    const h = makeJournal({ limits: { tickets: 1 } });
    const first = h.open();
    const second = h.open();
    expect(open(h, [first, second])).toEqual([second]);
  });
});

test('[J-R201] one error line for each, with the first 12 characters of its id', () => {
  const h = makeJournal(LIMIT);
  const ids = [h.openAndClose(), h.openAndClose(), h.openAndClose()];
  h.clear();
  h.open();
  expect(h.lines).toHaveLength(1);
  expect(h.at('error')[0]).toContain(ids[0]?.slice(0, 12));
});

test('[J-R201] also for one that somebody waits for', () => {
  const h = makeJournal({ limits: { tickets: 1 } });
  const askId = h.open();
  h.clear();
  h.open();
  expect(h.lines).toHaveLength(1);
  expect(h.at('error')[0]).toContain(askId.slice(0, 12));
});

describe('what it costs', () => {
  test('[J-R202] no entry changes', () => {
    const h = makeJournal({ limits: { tickets: 1 }, attacher: true });
    h.direct(newText());
    h.direct(newText());
    const before = h.visible().entries;
    h.open();
    expect(h.visible().entries).toEqual(before);
  });

  test('[J-R202] a later answer is stored, logged and counted, and never pushed, shown or recovered', () => {
    const h = makeJournal({ limits: { tickets: 1 }, attacher: true });
    const askId = h.openAndClose();
    h.open();
    h.clear();
    const entry = h.record(askId, newText());
    expect(entry).toMatchObject({
      correlation: { status: 'foreign' },
      provenance: 'unknown',
      fingerprint: null,
      question: null,
      delivery: 'none',
    });
    expect(h.at('warn').some((line) => line.includes(entry.answer))).toBe(true);
    h.journal.closeAsk(askId);
    expect(h.deliver().tokens).toEqual([]);
    expect(h.journal.mayDisclose(h.entry(entry.token))).toBe(false);
    expect(h.journal.recover(TAB, print(QUESTION))).toEqual({ status: 'unattributed', others: [], withheld: 1 });
    h.journal.markReturned(entry.token);
    expect(h.attached).toEqual([]);
    expect(h.journal.allOutstanding().map((one) => one.token)).toEqual([entry.token]);
  });

  test('[J-R202] of an id that had an earlier ticket too: the reopened card vouches for nothing', () => {
    const h = makeJournal({ limits: { tickets: 1 } });
    const { askId } = h.late(newText());
    h.journal.closeAsks(TAB);
    h.openAndClose(TAB, QUESTION, askId);
    h.openAndClose();
    expect(h.journal.ticketFor(askId)).toBeUndefined();
    const entry = h.record(askId, newText());
    expect(h.journal.mayDisclose(entry)).toBe(false);
    expect(h.deliver().tokens).toEqual([]);
  });
});
