/** The test kit on a host of one's own: a journal that counts the answers it is given, put through the rules. */
import { strictEqual } from 'node:assert';
// #region testing
import { Journal } from 'readback/journal';
import { journalContract, type Suite } from 'readback/testing';

/** Your own host: anything with the methods of a journal. */
class Host extends Journal {
  override record(...said: Parameters<Journal['record']>) {
    answered += 1;
    return super.record(...said);
  }
}
let answered = 0;
// `describe` and `test` of vitest, node:test or any other runner
const register = (suite: Suite) => journalContract('my host', (options) => new Host(options), suite);
// #endregion

const tests: (() => unknown)[] = [];
register({
  describe: (_name, body) => body(),
  test: (name, body) => void (name.includes('[J-R050]') && tests.push(body)),
});
for (const test of tests) await test();
strictEqual(tests.length > 0 && answered > 0, true);
