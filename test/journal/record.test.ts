import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerText } from '../../src/journal.ts';
import { newId, OTHER_TAB, TAB } from '../../src/testing/journal/harness.ts';
import { makeJournal } from './support.ts';

test('[J-R050] the same text twice is one entry', () => {
  fc.assert(
    fc.property(fc.anything(), fc.boolean(), (reply, late) => {
      const h = makeJournal();
      const askId = late ? h.openAndClose() : h.open();
      const entry = h.journal.record(askId, reply, { tabId: TAB });
      h.clear();
      const before = h.visible();
      expect(h.journal.record(askId, reply, { tabId: TAB }).token).toBe(entry.token);
      expect(h.record(askId, answerText(reply), OTHER_TAB).token).toBe(entry.token);
      expect(h.calls).toEqual([]);
      expect(h.visible()).toEqual(before);
    }),
    { numRuns: 60, examples: [[undefined, false]] },
  );
});

test('[J-R052] no answer is merged into another: each new text and each other id is an entry of its own', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 6 }), (answers) => {
      const h = makeJournal();
      const askId = h.open();
      const tokens = answers.map((answer) => h.record(askId, answer).token);
      const elsewhere = answers.map((answer) => h.record(newId(), answer).token);
      expect(new Set([...tokens, ...elsewhere]).size).toBe(2 * answers.length);
      expect(h.journal.entriesFor(TAB).map((entry) => entry.answer)).toEqual([...answers, ...answers]);
    }),
    { numRuns: 40 },
  );
});
