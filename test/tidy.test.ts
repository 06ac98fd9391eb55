import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { listFiles, ROOT, readSources, type Source } from './support/source.ts';
import * as tidy from './support/tidy.ts';

// The first look parses every source there is, beside whatever else runs.
vi.setConfig({ testTimeout: 60_000 });

const sources = readSources();
const texts: Source[] = listFiles('.', (path) => /\.(?:md|json|txt|sql|html|css)$|^\.ci\//.test(path))
  .filter((path) => path !== 'package-lock.json')
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const CHECKS: readonly [what: string, check: (source: Source) => string[]][] = [
  ['files short enough to read', tidy.tooLongFile],
  ['functions short enough to read', tidy.tooLongFunctions],
  ['time, ids and timers in the runtime only', tidy.bannedCalls],
  ['charts in the one style', tidy.chartFaults],
  ['no way around the type checker, nothing unfinished', tidy.looseEnds],
  ['no path of one machine', tidy.machinePaths],
  ['no parked test', tidy.parkedTests],
];

describe('the house is tidy', () => {
  it('has files to look at', () => {
    expect(sources.length).toBeGreaterThan(10);
    expect(texts.map(({ path }) => path)).toContain('package.json');
  });

  it.each(CHECKS)('%s', (_what, check) => {
    expect(sources.flatMap(check)).toEqual([]);
  });

  it('no path of one machine in documents and settings', () => {
    expect(texts.flatMap(tidy.machinePaths)).toEqual([]);
  });

  it('only the folders of the house at the top', () => {
    expect(tidy.strangeFolders(tidy.topFolders())).toEqual([]);
  });
});

const lines = (count: number): string => 'x();\n'.repeat(count);

/** Each row: a checker, a path, a text at fault, and a text that is not. */
const FAULTS: readonly [(source: Source) => string[], path: string, bad: string, good: string][] = [
  [tidy.tooLongFile, 'src/a.ts', lines(351), lines(350)],
  [tidy.tooLongFile, 'test/a.test.ts', lines(501), lines(500)],
  [tidy.tooLongFile, 'machines/a/b.ts', `s.createMachine({});\n${lines(500)}`, `s.createMachine({});\n${lines(499)}`],
  [tidy.tooLongFile, 'machines/a/b.ts', lines(351), lines(350)],
  [tidy.tooLongFunctions, 'src/a.ts', `function f() {\n${lines(69)}}`, `function f() {\n${lines(68)}}`],
  [tidy.tooLongFunctions, 'src/a.ts', `const f = () => {\n${lines(69)}};`, `class A {\n${'a() {}\n'.repeat(80)}}`],
  [
    tidy.tooLongFunctions,
    'test/a.test.ts',
    `it('a', () => {\n${lines(69)}});`,
    `describe('a', () => {\n${lines(90)}});`,
  ],
  [tidy.bannedCalls, 'src/journal/a.ts', 'const now = Date.now();', 'const now = clock.now();'],
  [tidy.bannedCalls, 'machines/journal/a.ts', 'new Date();', 'new Date(event.at);'],
  [tidy.bannedCalls, 'src/coordinator.ts', 'Math.random();', 'Math.max(1, 2);'],
  [tidy.bannedCalls, 'src/coordinator.ts', 'crypto.randomUUID();', 'runtime.id();'],
  [tidy.bannedCalls, 'src/store/sqlite.ts', 'randomUUID();', 'runtime.setTimeout(f, 1);'],
  [tidy.bannedCalls, 'src/coordinator.ts', 'AbortSignal.timeout(5);', 'AbortSignal.abort();'],
  [tidy.bannedCalls, 'src/coordinator.ts', 'setInterval(f, 1);', '// setInterval(f, 1) would do\nf();'],
  [tidy.bannedCalls, 'src/mcp/server.ts', 'setTimeout(f, 1);', 'Date.now();'],
  [tidy.bannedCalls, 'src/host/server.ts', 'globalThis.setTimeout(f, 1);', 'randomUUID();'],
  [
    tidy.bannedCalls,
    'src/host/server.ts',
    "import { setTimeout as sleep } from 'node:timers/promises';",
    "import 'node:fs';",
  ],
  [tidy.bannedCalls, 'src/cli/main.ts', 'setTimeout(f, 1);', ''],
  [tidy.chartFaults, 'machines/journal/a.ts', "const a = { invoke: { src: 'x' } };", 'const a = { on: {} };'],
  [tidy.chartFaults, 'machines/journal/a.ts', 'const a = { "after": { 100: x } };', 'x.afterwards();'],
  [tidy.chartFaults, 'machines/journal/a.ts', 'const a = enqueueActions(f);', 'const a = assign(f);'],
  [tidy.chartFaults, 'machines/journal/a.ts', 'const a = spawn(m);', '/** Never spawn a child. */'],
  [tidy.looseEnds, 'src/a.ts', '// @ts-ignore\nx();', '// ignore\nx();'],
  [tidy.looseEnds, 'src/a.ts', 'const a = b as any;', "const a = b as 'any';"],
  [tidy.looseEnds, 'test/a.ts', 'function f(a: any) {}', 'function f(any: string) {}'],
  [tidy.looseEnds, 'src/a.ts', `// ${'TO'}${'DO'}: later\nx();`, '// To do this, first do that.\nx();'],
  [tidy.machinePaths, 'src/a.ts', `const a = '${'/ho'}me/someone/x';`, "const a = './home/someone/x';"],
  [tidy.machinePaths, 'README.md', `see ${'/wo'}rk/main/x`, 'see https://example.org/work/main/x'],
  [tidy.machinePaths, 'test/a.ts', `open('${'/tm'}p/x.db')`, "open(join(tmpdir(), 'tmp/x.db'))"],
  [tidy.parkedTests, 'test/a.test.ts', "it.only('a', f);", "it('a', f);"],
  [tidy.parkedTests, 'test/a.test.ts', "describe.skip('a', f);", "it.each([1])('a', f);"],
  [tidy.parkedTests, 'test/a.test.ts', "it.todo('a');", 'list.only(x);'],
  [tidy.parkedTests, 'test/a.test.ts', "it.concurrent.skip('a', f);", "it.concurrent('a', f);"],
];

describe('the checkers can fail', () => {
  it.each(FAULTS)('%o in %s', (check, path, bad, good) => {
    expect(check({ path, text: bad })).toHaveLength(1);
    expect(check({ path, text: good })).toEqual([]);
  });

  it('runtime and panel may use clocks and timers', () => {
    const text = 'setTimeout(f, 1); Date.now(); crypto.randomUUID();';
    expect(tidy.bannedCalls({ path: 'src/runtime.ts', text })).toEqual([]);
    expect(tidy.bannedCalls({ path: 'src/panel/draft.ts', text })).toEqual([]);
  });

  it('a strange folder is named', () => {
    expect(tidy.strangeFolders(['src', 'docs', '.git'])).toEqual(['docs']);
  });
});
