import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, ONE_PER_TAB, unchanged, warn } from './debtor.ts';
import { type Call, makeJournal, OTHER_TAB, QUESTION, TAB } from './harness.ts';

export const forgetRules = new Chapter();
const { describe, test } = forgetRules;

test('[J-R176] tickets stay: a late click is still named, and is born retired', () => {
  const h = makeJournal();
  const askId = h.openAndClose();
  h.journal.forget(TAB);
  expect(h.journal.ticketFor(askId)).toMatchObject({ question: QUESTION });
  expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  expect(h.record(askId, newText())).toMatchObject({
    question: QUESTION,
    correlation: { status: 'matched' },
    retired: true,
    delivery: 'none',
  });
});

test('[J-R177] raising the epoch and retiring come first: no line and no recall sees a live answer', () => {
  const h = makeDebtor({ limits: { entriesPerTab: 3, entriesTotal: 100 }, revoker: true });
  const askId = h.openAndClose();
  h.queued(newText());
  h.late(newText());
  h.returned(newText());
  const seen: boolean[] = [];
  h.onCall = () => {
    if (h.journal.entriesFor(TAB).some((entry) => !entry.retired)) seen.push(true);
    if (h.journal.askBelongsToLiveConversation(askId)) seen.push(true);
  };
  h.journal.forget(TAB);
  expect(seen).toEqual([]);
  expect(h.journal.entriesFor(TAB)).toEqual([]);
});

test('[J-R178] one warn line for each answer: text, preview, tab, and for a returned one that this is no proof', () => {
  const h = makeJournal({ attacher: true, revoker: true });
  const returned = h.returned(newText());
  const acked = h.returned(newText());
  h.journal.ack(acked.token, { carrier: 'turn-1' });
  const pending = h.late(newText());
  h.clear();
  h.journal.forget(TAB);
  expect(h.at('warn')).toHaveLength(3);
  const lineOf = (text: string): string => h.at('warn').find((line) => line.includes(text)) ?? '';
  for (const { answer } of [returned, acked, pending]) {
    expect(lineOf(answer)).toContain(QUESTION);
    expect(lineOf(answer)).toContain(TAB.slice(0, 8));
  }
  const said = (text: string): string => lineOf(text).replace(text, '');
  expect(said(returned.answer)).not.toBe(said(pending.answer));
  expect(said(returned.answer)).toMatch(/proof|prove|proven/i);
  expect(said(pending.answer)).not.toMatch(/no proof/i);
});

test('[J-R178] wherever the answer is: with its handler, in a queue, in a result, or in a conversation that is gone', () => {
  const h = makeJournal({ attacher: true, revoker: false });
  const retired = h.late(newText());
  h.journal.closeAsks(TAB);
  const texts = [retired, h.direct(newText()), h.queued(newText()), h.riding(newText())].map(({ answer }) => answer);
  h.clear();
  h.journal.forget(TAB);
  expect(h.at('warn')).toHaveLength(texts.length);
  for (const text of texts) expect(h.at('warn').filter((line) => line.includes(text))).toHaveLength(1);
});

test.each([true, false])('[J-R179] a queue copy is recalled (it works: %s), nothing else is', (works) => {
  const h = makeJournal({ attacher: true, revoker: works });
  const queued = h.queued(newText());
  h.riding(newText());
  h.late(newText());
  h.journal.forget(TAB);
  expect(h.revoked).toEqual([queued.token]);
  expect(h.journal.entriesFor(TAB)).toEqual([]);
});

test('[J-R008] a revoker that throws stops nothing', () => {
  const h = makeJournal({ revoker: true });
  h.late(newText());
  h.late(newText());
  h.deliver();
  h.failAt(1, 'revoke');
  h.journal.forget(TAB);
  expect(h.revoked).toHaveLength(2);
  expect(h.journal.entriesFor(TAB)).toEqual([]);
});

test('[J-R180] an answer whose line could not be written stays, retired; the others go', () => {
  const count = 3;
  for (let n = 1; n <= count; n++) {
    const h = makeJournal();
    const list = Array.from({ length: count }, () => h.late(newText()));
    h.failAt(n, 'log');
    try {
      h.journal.forget(TAB);
    } catch (error) {
      expect(String(error)).toContain('planted');
    }
    h.heal();
    const left = h.journal.entriesFor(TAB);
    expect(left.map((entry) => entry.token)).toEqual([list[n - 1]?.token]);
    expect(left[0]).toMatchObject({ retired: true, state: 'retired' });
    expect(h.deliver().tokens).toEqual([]);
    h.journal.forget(TAB);
    expect(h.journal.entriesFor(TAB)).toEqual([]);
  }
});

describe('debt of the tab', () => {
  test('[J-R181] of every occupant, displayed losses included, is surfaced by one error line with the total', () => {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(TAB, 'x');
    lose(h, 1);
    h.occupants.set(TAB, 'y');
    lose(h, 3);
    // Two losses of x, two of y; the copy displays those of y.
    expect(h.deliver().offers[0]?.payload.dropped_answers).toBe(2);
    h.clear();
    h.journal.forget(TAB);
    expect(h.at('error')).toHaveLength(1);
    expect(h.at('error')[0]).toMatch(/\b4\b/);
    expect(h.journal.droppedFor(TAB)).toBe(0);
    expect(h.journal.outstandingDebt()).toEqual([]);
  });

  test('[J-R181] takes its footnotes with it', () => {
    const h = makeDebtor();
    lose(h, 1);
    const { token } = warn(h, 'turn-a');
    h.journal.forget(TAB);
    lose(h, 2);
    h.journal.ack(token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(2);
  });

  test('[J-R181] is whole if its line cannot be written, and the exception comes out', () => {
    const h = makeDebtor();
    lose(h, 2);
    const fail = (call: Call): void => {
      if (call.kind === 'log' && call.level === 'error') throw new Error('planted');
    };
    h.onCall = fail;
    expect(() => h.journal.forget(TAB)).toThrow('planted');
    h.heal();
    expect(h.journal.droppedFor(TAB)).toBe(2);
    h.journal.forget(TAB);
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R181] is not spoken of where nothing is owed', () => {
    const h = makeDebtor();
    h.late(newText());
    h.clear();
    h.journal.forget(TAB);
    expect(h.at('error')).toEqual([]);
  });
});

test('[J-R182] other tabs are untouched', () => {
  const h = makeJournal({ attacher: true, revoker: true, limits: { ...ONE_PER_TAB, entriesPerTab: 2 } });
  for (let i = 0; i < 4; i++) h.late(newText(), OTHER_TAB);
  h.deliver(OTHER_TAB);
  const askId = h.open(OTHER_TAB);
  h.late(newText());
  const of = () => JSON.stringify([h.visible().entries.filter(([tab]) => tab !== TAB), h.visible().debt]);
  const before = of();
  h.journal.forget(TAB);
  expect(of()).toBe(before);
  expect(h.journal.askBelongsToLiveConversation(askId)).toBe(true);
});

test('[J-R002] of an unknown tab nothing is changed or said', () => {
  const h = makeDebtor();
  lose(h, 1);
  h.clear();
  const { before, after } = unchanged(h, () => h.journal.forget('tab-never'));
  expect(after).toEqual(before);
  expect(h.calls).toEqual([]);
});
