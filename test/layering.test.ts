import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { importCycles, layeringFaults, undeclaredPackages } from './support/layering.ts';
import { importsOf, ROOT, readSources, type Source } from './support/source.ts';

// The first look parses every source there is, beside whatever else runs.
vi.setConfig({ testTimeout: 60_000 });

const sources = readSources();
const product = sources.filter(({ path }) => /^(?:machines|src)\//.test(path));

function fake(path: string, text: string): Source {
  return { path, text };
}

describe('the house', () => {
  it('is read: the checker sees files of machines and of src', () => {
    expect(product.some(({ path }) => path.startsWith('machines/'))).toBe(true);
    expect(product.some(({ path }) => path.startsWith('src/'))).toBe(true);
  });

  it('keeps the import rules', () => {
    expect(sources.flatMap(layeringFaults)).toEqual([]);
  });

  it('has no cycle of imports', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  it('loads only what package.json installs', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
      peerDependencies: Record<string, string>;
    };
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    expect(undeclaredPackages(product, declared)).toEqual([]);
  });

  it.each([
    ['@statelyai/inspect', 'src/inspect/stately.ts'],
    ['fast-check', 'src/testing/commands.ts'],
  ])('takes the optional %s in one file', (name, file) => {
    const users = product.filter((one) => importsOf(one).some(({ packageName }) => packageName === name));
    expect(users.map(({ path }) => path)).toEqual([file]);
  });

  it('takes @xstate/graph in at most one file', () => {
    const users = sources.filter((one) => importsOf(one).some(({ packageName }) => packageName === '@xstate/graph'));
    expect(users.map(({ path }) => path).slice(1)).toEqual([]);
  });
});

/** Each row breaks exactly one rule. */
const BROKEN: readonly [rule: string, path: string, text: string][] = [
  ['shared sees xstate only', 'machines/shared/ids.ts', "import { z } from 'zod';"],
  ['shared sees no noun', 'machines/shared/ids.ts', "import { a } from '../journal/answer.ts';"],
  ['a noun sees no noun', 'machines/tools/call.ts', "import { a } from '../journal/answer.ts';"],
  ['a noun sees no type of a noun', 'machines/tools/call.ts', "import type { A } from '../journal/answer-facts.ts';"],
  ['a chart sees no src', 'machines/journal/answer.ts', "import { LIMITS } from '../../src/limits.ts';"],
  ['a chart sees no type of src', 'machines/journal/answer.ts', "type L = import('../../src/limits.ts').L;"],
  ['a chart sees no node', 'machines/journal/answer.ts', "import { randomUUID } from 'node:crypto';"],
  ['a chart sees no dynamic node', 'machines/journal/answer.ts', "const fs = await import('node:fs');"],
  ['a chart only sets up and assigns', 'machines/journal/answer.ts', "import { setup, createActor } from 'xstate';"],
  ['a chart never takes all of xstate', 'machines/journal/answer.ts', "import * as x from 'xstate';"],
  ['a chart of no noun sees no noun', 'machines/coordinator.ts', "import { a } from './journal/answer.ts';"],
  ['idle sees types of nouns only', 'machines/idle.ts', "import { a } from './journal/answer.ts';"],
  ['the ground takes types only', 'src/limits.ts', "import { invalid } from './errors.ts';"],
  ['the ground sees no package', 'src/api.ts', "import type { Snapshot } from 'xstate';"],
  ['runtime sees nothing of ours', 'src/runtime.ts', "import { open } from './coordinator.ts';"],
  ['sqlite never sees memory', 'src/store/sqlite.ts', "import { memoryStore } from './memory.ts';"],
  ['sqlite never sees memory types', 'src/store/sqlite.ts', "import type { MemoryStore } from './memory.ts';"],
  ['memory never sees sqlite', 'src/store/memory.ts', "import { open } from './sqlite.ts';"],
  ['a store sees types of charts only', 'src/store/memory.ts', "import { a } from '../../machines/journal/answer.ts';"],
  ['a part of a store sees no store', 'src/store/line.ts', "import { m } from './memory.ts';"],
  ['a store sees no journal', 'src/store/memory.ts', "import { record } from '../journal/core.ts';"],
  ['the contract takes types of rows', 'src/store/store.ts', "import { isOwed } from '../journal/rows.ts';"],
  ['the contract sees no adapter', 'src/store/store.ts', "import { m } from './memory.ts';"],
  ['the journal never sees the coordinator', 'src/journal/record.ts', "import { open } from '../coordinator.ts';"],
  ['the journal facade neither', 'src/journal.ts', "import type { Coordinator } from './coordinator.ts';"],
  ['the journal never sees SQLite', 'src/journal.ts', "import { open } from './store/sqlite.ts';"],
  ['the journal needs xstate alone', 'src/journal/record.ts', "import { z } from 'zod';"],
  ['of node the journal hashes only', 'src/journal/record.ts', "import { readFileSync } from 'node:fs';"],
  ['the coordinator sees no mcp', 'src/coordinator.ts', "import { serve } from './mcp/server.ts';"],
  ['the coordinator sees no host', 'src/recover.ts', "import type { Host } from './host/server.ts';"],
  ['the coordinator sees no panel', 'src/effects.ts', "import { view } from './panel/view.ts';"],
  ['the coordinator sees no cli', 'src/deadlines.ts', "import { main } from './cli/main.ts';"],
  ['the coordinator sees no inspector', 'src/coordinator.ts', "import { tap } from './inspect/tap.ts';"],
  ['the coordinator sees no store', 'src/coordinator.ts', "import { memoryStore } from './store/memory.ts';"],
  ['only tabs runs an actor', 'src/coordinator.ts', "import { createActor } from 'xstate';"],
  ['tabs runs an actor, no more', 'src/tabs.ts', "import { createActor, transition } from 'xstate';"],
  ['the tool tracker loads no chart', 'src/tools/record.ts', "import { c } from '../../machines/tools/call.ts';"],
  ['the tool tracker sees no node', 'src/tools/record.ts', "import { randomUUID } from 'node:crypto';"],
  ['the tool tracker needs no package', 'src/tools.ts', "import { z } from 'zod';"],
  ['mcp sees no host', 'src/mcp/server.ts', "import { routes } from '../host/routes.ts';"],
  ['host sees no mcp', 'src/host/server.ts', "import { serve } from '../mcp/server.ts';"],
  ['inspect sees no host', 'src/inspect/tap.ts', "import { routes } from '../host/routes.ts';"],
  ['mcp sees no store', 'src/mcp/server.ts', "import { open } from '../store/sqlite.ts';"],
  ['host sees no store', 'src/host/server.ts', "import { open } from '../store/memory.ts';"],
  ['a rim takes an Asking', 'src/host/server.ts', "import { openCoordinator } from '../coordinator.ts';"],
  ['panel takes types of api only', 'src/panel/main.tsx', "import { invalid } from '../errors.ts';"],
  ['panel takes no value of api', 'src/panel/main.tsx', "import { api } from '../api.ts';"],
  ['panel takes preact only', 'src/panel/main.tsx', "import { z } from 'zod';"],
  ['panel sees no node', 'src/panel/main.tsx', "import { join } from 'node:path';"],
  ['the inspect page sees no server', 'src/inspect/page/main.tsx', "import { allCharts } from '../charts.ts';"],
  ['inspect loads no page code', 'src/inspect/tap.ts', "import { view } from './page/view.ts';"],
  ['testing sees contracts only', 'src/testing/store.ts', "import { open } from '../store/sqlite.ts';"],
  ['testing sees no coordinator', 'src/testing/store.ts', "import { open } from '../coordinator.ts';"],
  ['testing has no files', 'src/testing/store.ts', "import { writeSync } from 'node:fs';"],
  ['testing needs no test runner', 'src/testing/store.ts', "import { it } from 'vitest';"],
  ['SQLite is the store of one file', 'src/coordinator.ts', "import Database from 'better-sqlite3';"],
  ['SQLite is no business of a rim', 'src/host/server.ts', "import Database from 'better-sqlite3';"],
  ['the SDK is in mcp', 'src/host/server.ts', "import { Server } from '@modelcontextprotocol/sdk/server/index.js';"],
  ['ws is in host', 'src/mcp/server.ts', "import { WebSocketServer } from 'ws';"],
  ['hono is in host', 'src/cli/main.ts', "import { Hono } from 'hono';"],
  ['commander is in cli', 'src/host/server.ts', "import { Command } from 'commander';"],
  ['cli ships no test kit', 'src/cli/main.ts', "import { clock } from '../testing/clock.ts';"],
  ['cli loads no page code', 'src/cli/main.ts', "import { view } from '../panel/view.ts';"],
  ['index sees no cli', 'src/index.ts', "import { main } from './cli/main.ts';"],
  ['index sees no testing', 'src/index.ts', "export { clock } from './testing/clock.ts';"],
  ['one barrel', 'src/host/index.ts', "export { serve } from './server.ts';\nexport { route } from './routes.ts';"],
  ['one barrel, in two steps', 'src/host/index.ts', "import { serve } from './server.ts';\nexport { serve };"],
  ['SQLite by the back door', 'src/runtime.ts', "createRequire(import.meta.url)('better-sqlite3');"],
  ['one barrel, by star', 'src/host/index.ts', "export * from './tools.ts';\nexport const a = 1;"],
  ['no barrel in the tests', 'test/support/all.ts', "export { a } from './a.ts';"],
  ['the rule stays on', 'src/host/a.ts', '// biome-ignore lint/performance/noBarrelFile: quicker\nexport const a = 1;'],
  ['imports end in .ts', 'src/host/a.ts', "import { b } from './b';"],
  ['imports never end in .js', 'src/host/a.ts', "import { b } from './b.js';"],
  ['every file has a layer', 'src/misc/a.ts', 'export const a = 1;'],
];

describe('the checker of import rules', () => {
  it.each(BROKEN)('fails: %s', (_rule, path, text) => {
    expect(layeringFaults(fake(path, text))).toHaveLength(1);
  });

  it.each([
    ['machines/journal/answer.ts', "import { assign, setup, type SnapshotFrom } from 'xstate';"],
    ['machines/journal/answer.ts', "import type { Actor } from 'xstate';\nimport { id } from '../shared/ids.ts';"],
    ['machines/shared/step.ts', "import { initialTransition, transition } from 'xstate';"],
    ['machines/idle.ts', "import type { A } from './journal/answer-facts.ts';"],
    ['src/tabs.ts', "import { createActor } from 'xstate';\nimport { c } from '../machines/coordinator.ts';"],
    [
      'src/journal.ts',
      "import { createHash } from 'node:crypto';\nexport { preview } from './journal/text.ts';\nexport const a = 1;",
    ],
    ['src/store/memory.ts', "import { Line } from './line.ts';\nimport { isOwed } from '../journal/rows.ts';"],
    ['src/store/sqlite.ts', "import Database from 'better-sqlite3';\nimport { rows } from './sqlite-rows.ts';"],
    ['src/panel/main.tsx', "import { useState } from 'preact/hooks';\nimport type { AskView } from '../api.ts';"],
    ['src/cli/main.ts', "const { openSqlite } = await import('../store/sqlite.ts');"],
    ['src/index.ts', "export { openCoordinator } from './coordinator.ts';\nexport type * from './api.ts';"],
  ])('passes what is allowed in %s', (path, text) => {
    expect(layeringFaults(fake(path, text))).toEqual([]);
  });

  it('finds a cycle of values, and none of types', () => {
    const b = fake('src/b.ts', "import { a } from './a.ts';");
    expect(importCycles([fake('src/a.ts', "import { b } from './b.ts';"), b])).toEqual([
      'src/a.ts -> src/b.ts -> src/a.ts',
    ]);
    expect(importCycles([fake('src/a.ts', "import type { B } from './b.ts';"), b])).toEqual([]);
  });

  it('finds a package that nobody installs', () => {
    const one = fake('src/a.ts', "import { b } from '@scope/name/deep.js';");
    expect(undeclaredPackages([one], ['zod'])).toEqual(['src/a.ts: @scope/name is no dependency']);
    expect(undeclaredPackages([one], ['@scope/name'])).toEqual([]);
  });
});
