/** What a runner shows of a failure: what was expected, and the steps that led there, once. */
import { expect, it } from 'vitest';
import { createJournal } from '../../src/journal.ts';
import { CONFORM } from '../../src/limits.ts';
import type { JournalSubject } from '../../src/testing/journal/subject.ts';
import { journalContract } from '../../src/testing/journal-contract.ts';
import { Chapter, noteStep, register, type TestContext } from '../../src/testing/rules.ts';

async function failureOf(run: () => unknown): Promise<Error> {
  try {
    await run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

function failing(body: () => void | Promise<void>): (context?: TestContext) => Promise<Error> {
  const chapter = new Chapter();
  chapter.test('one', body);
  let found: (context?: TestContext) => unknown = () => undefined;
  register('any', {}, [chapter], {
    describe: (_, run) => run(),
    test: (_, run) => {
      found = run;
    },
  });
  return (context) => failureOf(() => found(context));
}

it('a path that breaks: the error tells its steps up to there, in the message and in the stack', async () => {
  const tests = new Map<string, () => unknown>();
  const make: JournalSubject['create'] = (options) => Object.assign(createJournal(options), { closeAsks: () => 0 });
  journalContract('mine', make, {
    describe: (_, run) => run(),
    test: (title, run) => void tests.set(title, run),
  });
  const title = [...tests.keys()].find((one) => one.includes('path to answer: delivery.acked on BOUNDARY[0]')) ?? '';
  const { message, stack } = await failureOf(tests.get(title) ?? (() => undefined));
  expect(message).toMatch(
    /^after step 6 of 6: at answers\[0\]: got .*, wanted [\s\S]*\n\nsteps:\n {3}1 {2}\{"do":"open"[\s\S]*\n {3}6 {2}\{"do":"boundary".*$/,
  );
  expect(message.match(/\nsteps/g)).toHaveLength(1);
  expect(stack).toContain(message);
});

it('the same error in two tests tells the steps of each once, and only the last of many', async () => {
  const error = new Error('always');
  let steps = 1;
  const run = failing(() => {
    for (let at = 1; at <= steps; at += 1) noteStep(`call(${at})`);
    throw error;
  });
  expect((await run()).message).toBe('always\n\nsteps:\n   1  call(1)');
  steps = CONFORM.steps + 2;
  const { message } = await run();
  expect(message).toMatch(/^always\n\nsteps \(after 2 before these\):\n {3}3 {2}call\(3\)\n/);
  expect(message.match(/call\(/g)).toHaveLength(CONFORM.steps);
});

it('who hears of each step gets the error as it is', async () => {
  const heard: string[] = [];
  const run = failing(async () => {
    noteStep('call()');
    throw new Error('as it is');
  });
  expect((await run({ noteStep: (step) => void heard.push(step) })).message).toBe('as it is');
  expect(heard).toEqual(['call()']);
});
