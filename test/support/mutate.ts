/**
 * Sows defects into charts and what runs them, and counts those that their tests notice: `npm run mutation -- --help`.
 *
 * Where charts run as written tables, the tables are changed and not the charts. Tests that hold a chart against a
 * copy of itself (drawings, hashes, generated tables) are left out: any change of either is seen by them, and nothing is
 * proved. A path that is compared with the chart that led it proves no more of the chart: rules must notice.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { countMutants, type Lines } from './mutants.ts';
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
    sown: ['machines/coordinator.ts', 'machines/idle.ts', 'machines/retirement.ts'],
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
    tests: [
      'test/tools/durable-tools.test.ts',
      'test/tools/durable-questions.test.ts',
      'test/tools/durable-answers.test.ts',
      'test/tools/durable-book.test.ts',
      'test/tools/durable.test.ts',
      'test/coordinator/tools-meanwhile.test.ts',
      'test/coordinator/tools.test.ts',
      'test/coordinator/tools-file.test.ts',
    ],
    slow: ['model-tests/tools/spend.paths.test.ts'],
    patience: 10_000,
  },
};

const USAGE = `Sows defects into a part of the charts, or of what runs them, and counts those that its tests notice.

  npm run mutation -- NAME [--sample=SHARE] [--seed=NUMBER] [--quick] [-- FLAGS]

  NAME            ${Object.keys(TARGETS).join(', ')}
  --sample=SHARE  sow into a share of the lines, above 0, up to 1 (default: 1, all of them)
  --seed=NUMBER   of a sample: take other lines (default: 1)
  --quick         leave models and paths out: a lower bound, in a fraction of the time
  -- FLAGS        what is behind this goes to Stryker: npm run mutation -- seats -- --concurrency=1
`;

interface Command {
  readonly name: string;
  readonly target: Target;
  readonly share: number;
  readonly seed: number;
  readonly isQuick: boolean;
  /** What goes to the tester as it is. */
  readonly rest: readonly string[];
}

/** What was asked for; undefined where only the usage is. Throws what is wrong with it. */
function readCommand(): Command | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const [name, ...rest] = positionals;
  if (name === undefined) throw new Error('say what defects are to be sown into');
  const target = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined;
  if (target === undefined) throw new Error(`there is no ${name} to sow defects into`);
  const share = Number(values.sample);
  const seed = Number(values.seed);
  if (!(share > 0 && share <= 1)) throw new Error(`--sample is ${values.sample}, not a number above 0, up to 1`);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed is ${values.seed}, not a whole number`);
  return { name, target, share, seed, isQuick: values.quick, rest };
}

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

interface Window extends Lines {
  readonly path: string;
}

/** The lines that are sown into: all, or about a share of them. */
function drawn(files: readonly string[], share: number, seed: number): Window[] {
  const draw = random(seed);
  return files.flatMap((path) => {
    const { length } = textOf(path).split('\n');
    if (share === 1) return [{ path, first: 1, last: length }];
    const windows = Array.from({ length: Math.ceil(length / WINDOW) }, (_, at) => ({
      ...{ path, first: at * WINDOW + 1, last: (at + 1) * WINDOW },
    }));
    return windows.filter(() => draw() < share);
  });
}

/** Whether these lines hold anything that a defect can be sown into. */
async function isFertile(windows: readonly Window[]): Promise<boolean> {
  for (const window of windows) {
    const { path } = window;
    if ((await countMutants({ path, text: textOf(path) }, [window])) > 0) return true;
  }
  return false;
}

function sow({ name, target, share, isQuick, rest }: Command, windows: readonly Window[]): number {
  const { tests, slow, without, patience = 60_000 } = target;
  // Whole files without their length, which changes: what an earlier run has found out of the same files is used.
  const mutate = windows.map(({ path, first, last }) => (share === 1 ? path : `${path}:${first}-${last}`)).join(',');
  const asked = filesOf(
    isQuick ? tests : [...tests, ...slow],
    (path) => path.endsWith('.test.ts') && !(without?.test(path) ?? false),
  );
  // What the quick tests have noticed, the others need not notice again.
  // Of another clone, or of other lines, it tells nothing, and would be reported all the same.
  const mark = createHash('sha256').update(`${ROOT}\n${mutate}`).digest('hex').slice(0, 12);
  const place = join(tmpdir(), `readback-mutation-${name}-${mark}`);
  const { status } = spawnSync(
    'npx',
    ['stryker', 'run', '--mutate', mutate, '--tempDirName', join(place, 'copies'), '--incremental'].concat(
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
  return status ?? 1;
}

async function main(): Promise<number> {
  const command = readCommand();
  if (command === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const windows = drawn(filesOf(command.target.sown, isSown), command.share, command.seed);
  if (await isFertile(windows)) return sow(command, windows);
  process.stderr.write('mutation: nothing was sown, take a larger --sample, or another --seed\n');
  return 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`mutation: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 1;
}
