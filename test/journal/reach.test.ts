import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ASK_ID_PREFIX } from '../../src/journal.ts';
import { makeJournal } from './support.ts';

test('[J-R034] an id is tracked exactly if it starts with the prefix', () => {
  const { journal } = makeJournal();
  const id = fc.oneof(
    fc.string(),
    fc.string().map((rest) => `${ASK_ID_PREFIX}${rest}`),
    fc.constantFrom('pa-', 'pa', 'PA-1', ' pa-1', 'xpa-1', 'p\u0430-1', '', 'pa\u2010x'),
  );
  fc.assert(
    fc.property(id, (askId) => {
      expect(journal.tracks(askId)).toBe(askId.slice(0, 3) === 'pa-');
    }),
  );
});
