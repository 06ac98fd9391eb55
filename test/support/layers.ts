/** The layers of the house, and what the files of each may import. */

/** What the files of one layer may import. Whatever is not listed is forbidden. */
export interface Layer {
  readonly name: string;
  readonly files: RegExp;
  /** Files of ours, values and types. `$1` is the first group of `files`. */
  readonly ours: readonly string[];
  /** Files of ours, types only. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
}

const CONTRACTS = [
  'src/api.ts',
  'src/outcome.ts',
  'src/errors.ts',
  'src/limits.ts',
  'src/given.ts',
  'src/fields.ts',
  'machines/shared/heed.ts',
];
const FACADES = 'journal|requests|seats|tools';
const ROWS = 'src/journal/(?:rows|charts).ts';
/** The contract, and pieces that any store may be made of: everything in store/ that is no store. */
const STORE_PARTS = 'src/store/(?!memory|sqlite)[^/]+.ts';
const RIM = [
  ...CONTRACTS,
  'src/hand-backs.ts',
  'src/runtime.ts',
  'src/responses.ts',
  'src/signals.ts',
  'src/contracts.ts',
  'src/wire/.*',
  'machines/.*',
];

/** First match wins. */
export const LAYERS: readonly Layer[] = [
  { name: 'machines/shared', files: /^machines\/shared\//, ours: ['machines/shared/.*'], packages: ['xstate'] },
  { name: 'machines/index.ts', files: /^machines\/index\.ts$/, ours: ['machines/.*'], packages: [] },
  {
    name: 'machines/idle.ts',
    files: /^machines\/idle\.ts$/,
    ours: ['machines/shared/.*'],
    types: ['machines/.*'],
    packages: [],
  },
  { name: 'a chart of no noun', files: /^machines\/[^/]+\.ts$/, ours: ['machines/shared/.*'], packages: ['xstate'] },
  {
    name: 'a noun of machines',
    files: /^machines\/([^/]+)\//,
    ours: ['machines/shared/.*', 'machines/$1/.*'],
    packages: ['xstate'],
  },
  {
    name: 'the ground of src',
    files: /^src\/(?:limits|errors|api|outcome)\.ts$/,
    ours: [],
    types: [...CONTRACTS, 'src/runtime.ts'],
    packages: [],
  },
  { name: 'src/runtime.ts', files: /^src\/runtime\.ts$/, ours: [], types: CONTRACTS, packages: ['node:.*'] },
  { name: 'options', files: /^src\/given\.ts$/, ours: ['src/errors.ts', 'src/fields.ts'], packages: [] },
  { name: 'src/fields.ts', files: /^src\/fields\.ts$/, ours: [], types: [], packages: [] },
  { name: 'src/signals.ts', files: /^src\/signals\.ts$/, ours: [], types: [], packages: [] },
  { name: 'src/responses.ts', files: /^src\/responses\.ts$/, ours: [], types: [], packages: ['node:.*'] },
  { name: 'hand-backs', files: /^src\/hand-backs\.ts$/, ours: CONTRACTS, types: ['src/runtime.ts'], packages: [] },
  {
    name: 'the store contract',
    files: /^src\/store\/store\.ts$/,
    ours: ['src/errors.ts', 'src/limits.ts'],
    types: ['machines/.*', 'src/api.ts', ROWS],
    packages: [],
  },
  {
    name: 'the SQLite store',
    files: /^src\/store\/sqlite[^/]*\.ts$/,
    ours: [
      STORE_PARTS,
      'src/store/sqlite[^/]*.ts',
      'src/errors.ts',
      'src/limits.ts',
      'src/runtime.ts',
      ROWS,
      'machines/shared/.*',
    ],
    types: ['machines/.*', 'src/api.ts'],
    packages: ['better-sqlite3', 'zod', 'node:.*'],
  },
  {
    name: 'the memory store',
    files: /^src\/store\/memory[^/]*\.ts$/,
    ours: [STORE_PARTS, 'src/store/memory[^/]*.ts', 'src/errors.ts', 'src/limits.ts', ROWS, 'machines/shared/.*'],
    types: ['machines/.*', 'src/api.ts', 'src/runtime.ts'],
    packages: [],
  },
  { name: 'the hash of a chart', files: /^src\/store\/chart-hash\.ts$/, ours: [], packages: ['node:crypto'] },
  {
    name: 'a store',
    files: /^src\/store\/[^/]+\.ts$/,
    ours: [STORE_PARTS, 'src/errors.ts', 'src/limits.ts', ROWS, 'machines/shared/.*'],
    types: ['machines/.*', 'src/api.ts', 'src/runtime.ts'],
    packages: [],
  },
  {
    name: 'the journal',
    files: /^src\/journal(?:\.ts$|\/)/,
    ours: [
      ...CONTRACTS,
      'src/runtime.ts',
      'machines/.*',
      'src/journal.ts',
      'src/journal/.*',
      'src/store/(?:store|memory).ts',
    ],
    packages: ['xstate', 'node:crypto'],
  },
  {
    name: 'requests',
    files: /^src\/(?:requests|approvals)(?:\.ts$|\/)/,
    ours: [
      ...CONTRACTS,
      'src/runtime.ts',
      'machines/.*',
      'src/(?:requests|approvals).ts',
      'src/requests/.*',
      'src/wire/(?:json|jsonrpc|errors).ts',
    ],
    packages: ['node:crypto'],
  },
  {
    // Runs in browsers: no package, nothing of Node, and of the charts only what needs no XState.
    name: 'the tool tracker',
    files: /^src\/tools(?:\.ts$|\/)/,
    ours: [
      'src/tools.ts',
      'src/tools/.*',
      'src/(?:limits|errors|given|fields|signals).ts',
      'machines/shared/lean.ts',
      'machines/tools/(?:tables|spend-table|compare|[a-z]+-facts).ts',
    ],
    types: ['machines/tools/.*', 'src/api.ts', 'src/requests/api.ts', 'src/wire/json.ts'],
    packages: [],
  },
  {
    name: 'seats',
    files: /^src\/seats(?:\.ts$|\/)/,
    ours: ['src/runtime.ts', 'machines/.*', 'src/seats/.*'],
    packages: ['lru-cache'],
  },
  { name: 'what a generator wrote', files: /^src\/wire\/generated\//, ours: [], packages: [] },
  {
    name: 'the contracts',
    files: /^src\/(?:contracts\.ts$|wire\/contracts\/)/,
    ours: [
      ...CONTRACTS,
      'src/contracts.ts',
      'src/wire/(?:json|jsonrpc|errors|dispatch|dispatch-handlers).ts',
      'src/wire/contracts/.*',
    ],
    types: ['src/requests/api.ts', 'src/runtime.ts'],
    packages: ['zod', 'node:.*'],
  },
  {
    name: 'the dispatcher',
    files: /^src\/wire\/dispatch[^/]*\.ts$/,
    ours: [...CONTRACTS, 'src/wire/(?:json|jsonrpc|errors).ts', 'src/wire/dispatch[^/]*.ts', 'src/wire/contracts/.*'],
    types: ['src/requests/api.ts', 'src/runtime.ts'],
    packages: [],
  },
  {
    name: 'the server end of a socket',
    files: /^src\/wire\/websocket\.ts$/,
    ours: [...CONTRACTS, 'src/runtime.ts', 'src/wire/(?!contracts)[^/]+.ts'],
    types: ['src/requests/api.ts'],
    packages: ['ws'],
  },
  {
    name: 'the channel, which runs in browsers',
    files: /^src\/(?:channel\.ts$|wire\/[^/]+\.ts$)/,
    ours: [
      'src/channel.ts',
      'src/wire/(?!contracts|dispatch|websocket)[^/]+.ts',
      'machines/.*',
      'src/(?:limits|fields).ts',
    ],
    types: ['src/requests/api.ts', 'src/api.ts', 'src/runtime.ts'],
    packages: [],
  },
  {
    name: 'mcp',
    files: /^src\/mcp\//,
    ours: [...RIM, 'src/mcp/.*'],
    types: ['src/seats.ts'],
    packages: ['@modelcontextprotocol/sdk', 'zod', 'node:.*'],
  },
  {
    name: 'host',
    files: /^src\/host\//,
    ours: [...RIM, 'src/host/.*'],
    types: ['src/requests/(?:api|approval-types).ts'],
    packages: ['hono', '@hono/node-server', 'ws', 'zod', 'node:.*'],
  },
  {
    name: 'the inspect page',
    files: /^src\/inspect\/page\//,
    ours: ['src/inspect/page/.*', 'src/inspect/next-moves.ts'],
    types: ['src/api.ts', 'src/inspect/(?:outline|seen|told).ts'],
    packages: ['preact'],
  },
  {
    name: 'inspect',
    files: /^src\/inspect\//,
    ours: [...RIM, 'src/tap.ts', 'src/inspect/(?!page/).*'],
    packages: ['xstate', 'zod', '@statelyai/inspect', 'node:.*'],
  },
  {
    name: 'panel',
    files: /^src\/panel\//,
    ours: ['src/panel/.*', 'src/(?:limits|outcome).ts', 'src/channel.ts'],
    types: ['src/api.ts', 'src/requests/api.ts', 'src/wire/.*'],
    packages: ['preact'],
  },
  {
    name: 'the process of conform',
    files: /^src\/testing\/child\.ts$/,
    ours: ['src/(?:limits|runtime).ts', 'src/testing/.*'],
    // It tells its parent each step before that may hang: written when the call returns. A thread sees the parent's end.
    packages: ['node:fs', 'node:worker_threads'],
  },
  {
    name: 'testing',
    files: /^src\/testing\//,
    ours: [...CONTRACTS, `src/(?:runtime|${FACADES}|store/store|wire/channel).ts`, 'machines/.*', 'src/testing/.*'],
    types: ['src/(?:requests/(?:api|mirror)|tools/types).ts', 'src/wire/[^/]+.ts'],
    packages: ['xstate', 'fast-check', 'node:(?:assert|async_hooks|util)'],
  },
  {
    name: 'cli',
    files: /^src\/cli\//,
    ours: ['machines/.*', 'src/(?!panel/|inspect/page/|testing/|index.ts).*'],
    packages: ['commander', '@modelcontextprotocol/sdk', 'better-sqlite3', 'zod', 'node:.*'],
  },
  {
    name: 'src/index.ts',
    files: /^src\/index\.ts$/,
    ours: [
      ...['src/[^/]+.ts', `src/(?:${FACADES})/.*`],
      ...['src/wire/(?:json|errors).ts', 'src/store/(?:store|memory).ts'],
    ],
    packages: [],
  },
  {
    name: 'the coordinator',
    files: /^src\/(?:[^/]+\.ts$|coordinator\/)/,
    ours: [
      'src/(?!index|channel|contracts)[^/]+.ts',
      'src/(?:coordinator|journal|requests|tools)/.*',
      'src/wire/(?:json|errors).ts',
      'src/store/(?:store|chart-hash).ts',
      'machines/.*',
    ],
    packages: ['xstate', 'zod', 'node:crypto'],
  },
];
