/** Random steps on a host of one's own, beside the journal of this package: what is seen has to be the same. */
// #region random
import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { createJournal } from 'readback/journal';
import { type JournalSubject, type Sight, walkJournalPath } from 'readback/testing';
import { type Part, parts, told } from 'readback/testing/commands';

const seen = async (create: JournalSubject['create'], list: Part[]) => {
  const sights: Sight[] = [];
  await walkJournalPath({ create }, { steps: told(list), occupants: true }, (sight) => sights.push(sight));
  return sights;
};
const same = (mine: JournalSubject['create']) =>
  fc.asyncProperty(parts(20), async (list) => deepStrictEqual(await seen(mine, list), await seen(createJournal, list)));
// #endregion

await fc.assert(same(createJournal), { numRuns: 20 });
const deaf: JournalSubject['create'] = (options) =>
  Object.assign(createJournal(options), { closeAsk: () => undefined });
const { failed } = await fc.check(same(deaf), { seed: 1, numRuns: 100 });
deepStrictEqual(failed, true);
