/** `readback conform`: the healthy journal is green, and no module outlasts its bounds. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { rulesOf } from '../../src/cli/conform.ts';
import { conformModule } from '../../src/cli/conform-run.ts';
import { pause } from '../../src/cli/io.ts';
import { run } from '../../src/cli/program.ts';
import { CONFORM } from '../../src/limits.ts';
import { handIo } from '../cli/hand-io.ts';

vi.setConfig({ testTimeout: 60_000 });
const ENTRY = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const CHILD = fileURLToPath(new URL('../../dist/testing/child.js', import.meta.url));
const JOURNAL = fileURLToPath(new URL('../../dist/journal.js', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'readback-conform-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let files = 0;
function file(text: string): string {
  const path = join(dir, `module-${++files}.mjs`);
  writeFileSync(path, text);
  return path;
}
/** A module whose journals are healthy but for what the text changes in them. */
const almost = (change: string): string =>
  file(
    `import { createJournal } from ${JSON.stringify(pathToFileURL(JOURNAL).href)};
     export const journal = (options) => { const journal = createJournal(options); ${change}; return journal; };`,
  );

async function conform(path: string, ...flags: string[]) {
  const io = handIo(dir, { entry: ENTRY });
  const code = await run(io, ['conform', path, ...flags]);
  return { code, ...io.written };
}

interface Report {
  readonly ok: boolean;
  readonly faults: readonly { readonly contract: string | null; readonly message: string }[];
  readonly rules: readonly {
    readonly rule: string;
    readonly state: string;
    readonly broken?: { readonly title: string; readonly message: string; readonly steps: readonly string[] };
  }[];
}

describe('a healthy module', () => {
  it('is all green', async () => {
    const { code, out } = await conform(almost(''), '--json');
    const { ok, rules } = JSON.parse(out) as Report;
    expect([code, ok]).toEqual([0, true]);
    expect(rules.length).toBeGreaterThan(190);
    expect(rules.filter(({ state }) => state === 'broken')).toEqual([]);
  });

  it('that claims less is tried for less, and nothing that it claims is left out', async () => {
    const path = file(
      `import { createJournal } from ${JSON.stringify(pathToFileURL(JOURNAL).href)};
       export const journal = { create: createJournal, has: { log: false, recall: false } };`,
    );
    const { code, out } = await conform(path, '--json');
    const { rules } = JSON.parse(out) as Report;
    const of = (state: string): string[] => rules.filter((one) => one.state === state).map(({ rule }) => rule);
    expect([code, of('broken')]).toEqual([0, []]);
    expect(of('untried')).toContain('J-R189');
    expect(of('held').length).toBeGreaterThan(120);
  });
});

describe('what is printed', () => {
  it('tells each broken test once with all its rules, the shortest first, and each reason once', async () => {
    const { code, out } = await conform(almost('journal.closeAsks = () => {}'));
    expect(code).toBe(1);
    const blocks = out.split('\n').filter((words) => words.startsWith('BROKEN'));
    const titles = blocks.map((words) => words.replace(/^BROKEN .*? {2}/, ''));
    expect(new Set(titles).size).toBe(titles.length);
    expect(blocks.some((words) => /^BROKEN J-R\d+, J-R\d+/.test(words))).toBe(true);
    const lengths = out.split(/^BROKEN .*$/m).map((block) => block.match(/^ {1,3}\d+ {2}/gm)?.length ?? 0);
    expect(lengths.slice(1)).toEqual(lengths.slice(1).sort((a, b) => a - b));
    expect(out).toContain('\nWhat broke, shortest first; each with the rules that it shows:\n');
    expect(out.match(/not tried: 10 rules: it has no askFingerprint\n/g)).toHaveLength(1);
    expect(out).toContain('  not tried: J-R030: it has no answerText\n');
    expect(blocks.filter((words) => /\[[A-Z]+-/.test(words))).toEqual([]);
  });

  it('is in the order of the numbers of the rules', () => {
    const ids = ['J-R100', 'J-R9', 'J-R011', 'J-R10'];
    const tests = ids.map((id) => ({ contract: 'journal', title: id, rules: [id] }));
    const rules = rulesOf({ faults: [], tests, results: ids.map(() => ({ outcome: 'held' as const })) });
    expect(rules.map(({ rule }) => rule)).toEqual(['J-R9', 'J-R10', 'J-R011', 'J-R100']);
  });

  it('hints once at methods that have lost their object', async () => {
    const path = file(
      `import { createJournal } from ${JSON.stringify(pathToFileURL(JOURNAL).href)};
       export const journal = (options) => new Proxy(createJournal(options), {});`,
    );
    const { out } = await conform(path);
    expect(out).toContain('Cannot read private member #');
    expect(out.match(/A method ran with another object as its "this"/g)).toHaveLength(1);
  });
});

describe('a module that misbehaves', () => {
  const never = new AbortController().signal;
  // Room to start on a busy machine; what hangs is given less.
  const bounds = { ...CONFORM, load: 30_000, test: 2_000, processes: 3 };
  const found = (path: string, load = bounds.load, processes = bounds.processes) =>
    conformModule(CHILD, pathToFileURL(path).href, never, { ...bounds, load, processes });

  it.each([
    ['throws', 'throw new TypeError("no such thing")', 'it threw while it was loaded: TypeError: no such thing'],
    ['has a syntax error', 'export const = 1', 'it threw while it was loaded: SyntaxError'],
    ['ends the process', 'process.exit(7)', 'while it was loaded, its process ended (7)'],
    ['waits for ever', 'await new Promise(() => {})', 'while it was loaded, its process ended (13)'],
    ['exports nothing', '', 'it exports none of: journal, store, channel, requests, tools, lineage'],
    [
      'exports something else',
      'export const journal = 7',
      'it is no function and has no create; expected: export const',
    ],
    [
      'exports a class',
      'export class journal {}',
      'it is a class, not a function that makes one; expected: export const',
    ],
    ['lacks methods', 'export const journal = () => ({ ack() {} })', 'it has no method openAsk, record, closeAsk'],
    ['makes nothing', 'export const journal = () => null', 'it made null, not an object'],
    ['throws when it is made', 'export const journal = () => { throw new Error("no") }', 'no'],
    [
      'speaks out of turn',
      'process.send({ type: "end", at: "x" }); await new Promise((r) => setTimeout(r, 2000))',
      'spoke',
    ],
  ])('%s: one clear line', async (_what, text, message) => {
    const { faults, tests } = await found(file(text));
    expect(tests).toEqual([]);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain(message);
  });

  it.runIf(process.versions.node.startsWith('20.'))('is TypeScript: the line says what to do', async () => {
    const path = file('export const journal = 1 as number').replace('.mjs', '.ts');
    writeFileSync(path, 'export const journal = 1 as number');
    const { faults } = await found(path);
    expect(faults[0]?.message).toMatch(/Unknown file extension .*; compile it first, and name the JavaScript file$/);
  });

  it('never loads: one clear line', async () => {
    expect(await found(file('for (;;) {}'), 500)).toEqual({
      faults: [{ contract: null, message: 'while it was loaded, it did not end within 500 ms' }],
      tests: [],
      results: [],
    });
  });

  it.each([
    ['hangs', 'for (;;) {}', 'it did not end within 2000 ms'],
    ['ends the process', 'process.exit(0)', 'its process ended (0)'],
  ])('%s in one method: the call is named, and what does not call it is tried', async (_what, ends, why) => {
    const path = almost(`journal.recover = () => { ${ends} }`);
    const { tests, results } = await found(path, bounds.load, CONFORM.losses + 1);
    expect(results).toHaveLength(tests.length);
    const broken = results.filter(({ outcome }) => outcome === 'broken');
    expect(broken).toHaveLength(CONFORM.losses);
    for (const { message, steps } of broken) {
      expect(message).toMatch(`${why}; its last step: recover("`);
      expect(steps?.at(-1)).toMatch(/^recover\("/);
    }
    const left = `it calls recover, which hung or ended ${CONFORM.losses} processes before`;
    expect(results.filter(({ message }) => message === left).length).toBeGreaterThan(5);
    expect(results.filter(({ outcome }) => outcome === 'held').length).toBeGreaterThan(250);
  });

  it('hangs in a step of a path: the step is named', async () => {
    const path = almost('journal.moveKey = () => process.exit(3)');
    const { tests, results } = await found(path, bounds.load, 20);
    const cut = results.filter((_, at) => tests[at]?.title.includes('path to')).filter(({ steps }) => steps?.length);
    expect(cut).toHaveLength(CONFORM.losses);
    for (const { message } of cut) expect(message).toMatch('its process ended (3); its last step: {"do":"move"');
  });

  it('hangs everywhere: after so many processes the rest is not tried', async () => {
    const path = almost('journal.recover = () => { for (;;) {} }');
    const { tests, results } = await found(path, bounds.load, 2);
    expect(results).toHaveLength(tests.length);
    expect(results.at(-1)).toEqual({
      outcome: 'untried',
      message: 'the module hung or ended 2 processes before its turn',
    });
  });

  it('hangs when one is made, before any test: one clear line says so', async () => {
    const { faults } = await found(file('export const journal = () => { for (;;) {} }'), 2_000);
    expect(faults).toEqual([{ contract: null, message: 'while its journal was made, it did not end within 2000 ms' }]);
  });

  it.each([
    ['hangs', 'for (;;) {}'],
    ['ends the process', 'process.exit(3)'],
  ])(
    '%s at fewer steps than a path has: what broke is told as it was, and all the rest is tried',
    async (_what, ends) => {
      const path = almost(
        `const { record, ack } = journal;
       let isStory = false;
       journal.record = (id, ...rest) => ((isStory ||= id === 'pa-story-0'), record.call(journal, id, ...rest));
       journal.ack = (...args) => ((isStory = false), ack.apply(journal, args));
       journal.closeAsks = () => { if (isStory) ${ends} }`,
      );
      const { tests, results } = await found(path);
      const at = tests.findIndex(({ title }) => title.includes('path to answer: delivery.acked on BOUNDARY[0]'));
      expect(results[at]?.message).toMatch(/^after step 6 of 6/);
      expect(results[at]?.steps).toHaveLength(6);
      const cut = /^it did not end|^its process ended|processes before/;
      expect(results.filter(({ message }) => cut.test(message ?? ''))).toEqual([]);
    },
  );

  it('ends the process in the middle: only that test is broken', async () => {
    const { results } = await found(almost('journal.reset = () => process.exit(3)'));
    const died = results.filter(({ message }) => message?.startsWith('its process ended (3)'));
    expect(died.length).toBeGreaterThan(0);
    expect(died.every(({ outcome }) => outcome === 'broken')).toBe(true);
  });

  it('takes all the time there is: the rest is not tried', async () => {
    const path = almost('journal.recover = () => { for (;;) {} }');
    const { results } = await conformModule(CHILD, pathToFileURL(path).href, never, { ...bounds, total: 4_000 });
    expect(results.at(-1)?.outcome === 'untried' || results.length === 0).toBe(true);
  });

  it('is not there: bad input, and nothing is started', async () => {
    const { code, err } = await conform(join(dir, 'nowhere.mjs'));
    expect(code).toBe(2);
    expect(err).toContain('there is no file and no package');
  });

  it('hangs, and its parent is killed: no process is left behind', async () => {
    const sign = join(dir, 'sign');
    const hangs = file(
      `import { appendFileSync } from 'node:fs';
       export const journal = () => { for (;;) appendFileSync(${JSON.stringify(sign)}, process.pid + ' '); }`,
    );
    const parent = spawn(process.execPath, [ENTRY, 'conform', hangs], { stdio: 'ignore' });
    await vi.waitFor(() => statSync(sign), 20_000);
    parent.kill('SIGKILL');
    try {
      // Whoever has ended writes no more; that nobody has taken note of its end yet does not count.
      await vi.waitFor(async () => {
        const { size } = statSync(sign);
        await pause(300);
        expect(statSync(sign).size).toBe(size);
      }, 6_000);
    } catch (error) {
      process.kill(Number.parseInt(readFileSync(sign, 'utf8'), 10), 'SIGKILL');
      throw error;
    }
  });

  it('is interrupted: what was found so far is kept', async () => {
    const stop = new AbortController();
    stop.abort();
    const { tests } = await conformModule(CHILD, pathToFileURL(almost('')).href, stop.signal, bounds);
    expect(tests).toEqual([]);
  });
});
