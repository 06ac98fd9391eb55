/**
 * Sows defects into charts and what runs them, and counts those that their tests notice:
 * `npm run mutation -- journal`, with `--sample=0.2` in a share of the lines, with `--seed=7` in other ones, with `--quick`
 * without models and paths, which is a lower bound in a fraction of the time. Everything behind `--` goes to the tester.
 *
 * Where charts run as written tables, the tables are changed and not the charts. Tests that hold a chart against a
 * copy of itself (drawings, hashes, generated tables) are left out: any change of either is seen by them, and nothing is
 * proved. A path that is compared with the chart that led it proves no more of the chart: rules must notice.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { listFiles, ROOT } from './source.ts';

/** Lines that are taken or left together: about a function. */
const WINDOW = 10;

interface Target {
  /** Files and folders. */
  readonly sown: readonly string[];
  /**
   * What notices, files and folders, the fastest and most decisive first: a chart is read once, when its module is loaded,
   * so each of its defects runs all of them until the first that fails.
   */
  readonly tests: readonly string[];
  /** Models and paths, which are asked last, or not at all. */
  readonly slow: readonly string[];
  readonly without?: RegExp;
  /** Milliseconds after which a test counts as one that hangs, and so fails; without it, those of tests of processes. */
  readonly patience?: number;
}

const JOURNAL = {
  tests: [
    'model-tests/load.test.ts',
    'model-tests/tables.test.ts',
    'test/journal/contract.test.ts',
    'test/journal',
    'test/coordinator/delivery.test.ts',
  ],
  slow: [
    'test/fences/rules.test.ts',
    'test/fences/table.test.ts',
    'test/coordinator/verdicts.test.ts',
    'test/coordinator/lifetime.test.ts',
    'test/inspect/tap-rows.test.ts',
    'model-tests/journal/debt.paths.test.ts',
    'model-tests/journal/loss.paths.test.ts',
    'model-tests/journal/ticket.paths.test.ts',
    'model-tests/journal',
  ],
  without: /facade-twin/,
};

const TARGETS: Readonly<Record<string, Target>> = {
  journal: { sown: ['machines/journal'], ...JOURNAL },
  decisions: { sown: ['src/journal', 'src/journal.ts'], ...JOURNAL },
  requests: {
    sown: ['machines/requests'],
    tests: [
      'model-tests/load.test.ts',
      'test/requests/contract.test.ts',
      'test/wire/cards.test.ts',
      'test/wire/replay.test.ts',
      'test/wire/receipts.test.ts',
      'test/requests',
      'test/coordinator/requests.test.ts',
    ],
    slow: ['model-tests/requests/request.paths.test.ts', 'model-tests/requests'],
  },
  seats: {
    sown: ['machines/seats'],
    tests: ['model-tests/load.test.ts', 'test/seats', 'test/fences/rules.test.ts', 'test/fences/table.test.ts'],
    slow: ['model-tests/seats'],
    without: /charts/,
  },
  shared: {
    sown: ['machines/shared'],
    tests: [
      'model-tests/load.test.ts',
      'model-tests/step.refusal.test.ts',
      'model-tests/step.surface.test.ts',
      'model-tests/tables.test.ts',
      'test/inspect/tap-rows.test.ts',
      'test/inspect/tap.test.ts',
      'test/tools/contract.test.ts',
    ],
    slow: [
      'model-tests/step.graph.test.ts',
      'model-tests/step.equality.test.ts',
      'model-tests/tools/tracker.paths.test.ts',
    ],
  },
  coordinator: {
    sown: ['machines/coordinator.ts', 'machines/idle.ts'],
    tests: ['model-tests/load.test.ts', 'model-tests/tables.test.ts', 'model-tests/idle.test.ts', 'test/idle'],
    slow: [
      'test/journal/contract.test.ts',
      'model-tests/coordinator.paths.test.ts',
      'test/coordinator/lifetime.test.ts',
      'model-tests/idle-world.test.ts',
    ],
  },
  tracker: {
    sown: [
      'machines/tools/tables.ts',
      'machines/tools/compare.ts',
      ...['call-guards', 'call-writes', 'call-facts', 'tracker-guards', 'tracker-writes', 'tracker-facts'].map(
        (chart) => `machines/tools/${chart}.ts`,
      ),
      ...[
        'tracker',
        'work',
        'execute',
        'reader',
        'json',
        'walk',
        'snapshot',
        'record',
        'memory',
        'notices',
        'attempt',
      ].map((part) => `src/tools/${part}.ts`),
      'src/tools/limits.ts',
      'src/tools/assistant-ui.ts',
    ],
    tests: [
      'test/tools/states.test.ts',
      'test/tools/boundary.test.ts',
      'test/tools/intake.test.ts',
      'test/tools/arguments.test.ts',
      'test/tools/json.test.ts',
      'test/tools/walk.test.ts',
      'test/tools/contract.test.ts',
      'test/tools/execution.test.ts',
      'test/tools/assistant-ui.test.ts',
      'test/tools/bounds.test.ts',
      'test/tools/distance.test.ts',
    ],
    slow: [
      'model-tests/tools/reader.model.test.ts',
      'model-tests/tools/tracker.model.test.ts',
      'model-tests/tools/hostile.model.test.ts',
    ],
    patience: 5_000,
  },
  // What is on file of tool calls.
  calls: {
    sown: [
      'machines/tools/spend-table.ts',
      'src/tools/durable.ts',
      'src/tools/call-book.ts',
      'src/tools/call-row.ts',
      'src/tools/call-questions.ts',
    ],
    tests: ['test/tools/durable.test.ts', 'test/coordinator/tools.test.ts', 'test/coordinator/tools-file.test.ts'],
    slow: ['model-tests/tools/spend.paths.test.ts'],
    patience: 10_000,
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
  },
});
const [name = '', ...rest] = positionals;
const target = TARGETS[name];
if (target === undefined) throw new Error(`name what defects are sown into: ${Object.keys(TARGETS).join(', ')}`);
const { sown, tests, slow, without, patience = 60_000 } = target;

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const isChart = (path: string): boolean => path.endsWith('-rows.ts') || textOf(path).includes('createMachine(');
const hasTables = (path: string): boolean => existsSync(join(ROOT, dirname(path), 'tables.ts'));
const isSown = (path: string): boolean =>
  /(?<!\/types)\.ts$/.test(path) && !(/^machines\/tools\//.test(path) && hasTables(path) && isChart(path));
/** The files of paths and folders, each once, in their order. */
const filesOf = (places: readonly string[], keep: (path: string) => boolean): string[] => {
  const all = listFiles('.', keep);
  return [...new Set(places.flatMap((place) => all.filter((path) => path === place || path.startsWith(`${place}/`))))];
};

/** The same windows for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const share = Number(values.sample);
const draw = random(Number(values.seed));
const files = filesOf(sown, isSown);
const windows = files.flatMap((path) => {
  const { length } = textOf(path).split('\n');
  return Array.from(
    { length: Math.ceil(length / WINDOW) },
    (_, at) => `${path}:${at * WINDOW + 1}-${(at + 1) * WINDOW}`,
  );
});
const mutate = share < 1 ? windows.filter(() => draw() < share) : files;
const asked = filesOf(
  values.quick ? tests : [...tests, ...slow],
  (path) => path.endsWith('.test.ts') && !(without?.test(path) ?? false),
);

// What the quick tests have noticed, the others need not notice again.
// Of another sample they tell nothing.
const place = join(tmpdir(), `readback-mutation-${name}-${values.sample}-${values.seed}`);
const { status } = spawnSync(
  'npx',
  ['stryker', 'run', '--mutate', mutate.join(','), '--tempDirName', join(place, 'copies'), '--incremental'].concat(
    '--incrementalFile',
    join(place, 'incremental.json'),
    // A defect that keeps the tester itself from going on costs a worker as well: it is given half a minute at most.
    '--timeoutMS',
    `${Math.min(patience * 2, 30_000)}`,
    rest,
  ),
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      READBACK_MUTATION_TESTS: JSON.stringify(asked),
      READBACK_MUTATION_PATIENCE: `${patience}`,
    },
  },
);
process.exitCode = status ?? 1;
