import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECOVERY_WINDOW_MS } from '../../src/journal.ts';
import { type Harness, print, QUESTION, TAB } from '../../src/testing/journal/harness.ts';
import { makeJournal } from './support.ts';

const asked = print(QUESTION);
const found = (h: Harness, tab = TAB, fingerprint = asked, asker?: string): string | undefined => {
  const result = h.journal.recover(tab, fingerprint, asker);
  return result.status === 'recovered' ? result.entry.token : undefined;
};

test('[J-R095] an answer may be recovered for 600,000 ms, the limit included', () => {
  expect(RECOVERY_WINDOW_MS).toBe(600_000);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_200_000 }), (age) => {
      const h = makeJournal();
      const entry = h.late();
      h.now += age;
      expect(found(h)).toBe(age <= 600_000 ? entry.token : undefined);
    }),
    { examples: [[599_999], [600_000], [600_001]], numRuns: 50 },
  );
});

test('[J-R097] of several the latest to arrive is taken, whatever the clock said', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -200_000, max: 200_000 }), { minLength: 1, maxLength: 5 }), (jumps) => {
      const h = makeJournal();
      let last = h.late('0').token;
      for (const [i, jump] of jumps.entries()) {
        h.now += jump;
        last = h.late(String(i + 1)).token;
      }
      expect(found(h)).toBe(last);
    }),
    { numRuns: 50, examples: [[[0]], [[-5_000]]] },
  );
});
