/** The test kit on a host of one's own: a journal that counts what it is asked, put through the rules. */
import { strictEqual } from 'node:assert';
// #region testing
import { createJournal } from 'readback/journal';
import { type JournalLike, journalContract } from 'readback/testing';

let asked = 0;

/** Your own journal: anything with the same methods. */
function countingJournal(options: object): JournalLike {
  const journal = createJournal(options);
  const openAsk: JournalLike['openAsk'] = (askId, ask) => {
    asked += 1;
    journal.openAsk(askId, ask);
  };
  return new Proxy(journal, {
    get: (target, name) => (name === 'openAsk' ? openAsk : Reflect.get(target, name).bind(target)),
  });
}

// `describe` and `test` of vitest, node:test or any other runner
const register = (describe: (name: string, body: () => void) => void, test: (name: string, body: () => void) => void) =>
  journalContract('counting', countingJournal, { describe, test });
// #endregion

const tests: (() => unknown)[] = [];
register(
  (_name, body) => body(),
  (name, body) => void (name.includes('[J-R050]') && tests.push(body)),
);
for (const test of tests) await test();
strictEqual(tests.length > 0 && asked > 0, true);
