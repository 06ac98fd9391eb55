import { relative } from 'node:path';
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown';

/** Where each entry of the package comes from. The paths in dist/ have the depth they have in src/. */
const ENTRIES: Record<string, string> = {
  index: 'src/index.ts',
  journal: 'src/journal.ts',
  requests: 'src/requests.ts',
  approvals: 'src/approvals.ts',
  seats: 'src/seats.ts',
  contracts: 'src/contracts.ts',
  'machines/index': 'machines/index.ts',
  'inspect/index': 'src/inspect/index.ts',
  'store/sqlite': 'src/store/sqlite.ts',
  'mcp/server': 'src/mcp/server.ts',
  'host/index': 'src/host/index.ts',
  'testing/index': 'src/testing/index.ts',
  'testing/commands': 'src/testing/commands.ts',
  'testing/child': 'src/testing/child.ts',
  'cli/main': 'src/cli/main.ts',
};

/** What runs in browsers too, each a file that needs nothing else; the two faces of the tracker share theirs. */
const CHANNEL: Record<string, string> = { channel: 'src/channel.ts' };
const TOOLS: Record<string, string> = {
  tools: 'src/tools.ts',
  'tools/assistant-ui': 'src/tools/assistant-ui.ts',
  'tools/durable': 'src/tools/durable.ts',
};

/**
 * What the first ask needs of what others need too. The charts of requests and seats are none of it: making them takes
 * time, and so does each file, however small it is.
 */
const CORE = new RegExp(
  [
    '^machines/(?:(?:shared|journal)/|(?:coordinator|idle|retirement)\\.ts)',
    '^(?:machines/tools/(?:spend|compare)|src/tools/(?:attempt|execute))',
    '^src/(?:journal[/.]|store/(?!sqlite|migrations)|(?:ledger|lists|outcome|signals|submit|tap|views)\\.ts)',
  ].join('|'),
);

/** Node reads a file faster, and keeps it in half the memory, when it is nothing but ASCII. */
const ascii: Rolldown.Plugin = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      file.code = file.code.replaceAll(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

const common: UserConfig = {
  format: 'esm',
  fixedExtension: false,
  hash: false,
  clean: false,
  report: false,
  logLevel: 'warn',
  checks: { pluginTimings: false },
};

/** A chunk of all files of a kind that more than one chunk needs. Declarations are none of its business. */
const shared = (name: string, files: RegExp) => ({
  name,
  minShareCount: 2,
  test: (id: string) => !id.endsWith('.d.ts') && files.test(relative(process.cwd(), id).replaceAll('\\', '/')),
});

const node: UserConfig = {
  ...common,
  name: 'node',
  entry: ENTRIES,
  outDir: 'dist',
  platform: 'node',
  target: 'node20.19',
  dts: false,
  copy: [{ from: 'src/inspect/generated', to: 'dist/inspect' }],
  plugins: [ascii],
  // XState is bundled: Node would load its CommonJS build, which costs a quarter of the time to the first ask.
  deps: { skipNodeModulesBundle: false, alwaysBundle: ['xstate'], neverBundle: [/^(?!xstate$)[^./]/] },
  outputOptions: {
    // What the declarations say is not said again: each start would read it.
    comments: { jsdoc: false },
    // One folder deep, like every entry that finds a file beside itself: '../panel/' means the same from all of them.
    chunkFileNames: 'chunks/[name].js',
    // Few files load faster than many. What a thin client of the host needs stays apart from the charts.
    codeSplitting: {
      groups: [
        shared('base', /^src\/(?:errors|limits|runtime|card|idle-client|wire\/errors)\.ts$/),
        shared('core', CORE),
        // Nothing of the host needs the charts of seats and tools; making them would only make it start later.
        shared('asked', /^machines\/requests\//),
        shared('seats', /^machines\/(?:seats|tools)\//),
        // The test kit has the client's end of the wire: what it shares with the host stays one file.
        shared('wire', /^src\/wire\/(?:jsonrpc|heartbeat)\.ts$/),
        shared('sqlite', /^src\/store\/(?:sqlite|migrations)/),
        shared('commands', /^src\/cli\/(?!main|program)/),
      ],
    },
  },
};

/** Declarations are made apart: they name XState, which the code brings along. */
const types: UserConfig = {
  ...common,
  name: 'types',
  entry: { ...ENTRIES, ...CHANNEL, ...TOOLS },
  outDir: 'dist',
  platform: 'node',
  dts: { sourcemap: false, emitDtsOnly: true },
  deps: { skipNodeModulesBundle: true },
  // In a folder of their own: what several entries share must not take the name of one of them.
  outputOptions: { chunkFileNames: 'declared/[name].d.ts' },
};

const browser = (name: string, entry: Record<string, string>): UserConfig => ({
  ...common,
  name,
  entry,
  outDir: 'dist',
  platform: 'browser',
  target: ['es2022'],
  dts: false,
  deps: { alwaysBundle: [/.*/] },
  outputOptions: { chunkFileNames: 'chunks/browser-[name].js' },
});

const panel: UserConfig = {
  ...common,
  name: 'panel',
  entry: { panel: 'src/panel/main.tsx' },
  outDir: 'dist/panel',
  platform: 'browser',
  target: ['es2022'],
  minify: true,
  dts: false,
  deps: { alwaysBundle: [/.*/] },
  copy: ['src/panel/index.html', 'src/panel/panel.css'],
};

const inspect: UserConfig = {
  ...panel,
  name: 'inspect-page',
  entry: { page: 'src/inspect/page/main.tsx' },
  outDir: 'dist/inspect-page',
  copy: ['src/inspect/page/index.html', 'src/inspect/page/page.css'],
};

const browsers = [browser('channel', CHANNEL), browser('tools', TOOLS)];

export default defineConfig(({ dts }) => [node, ...browsers, ...(dts === false ? [] : [types]), panel, inspect]);
