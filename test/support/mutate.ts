/**
 * Sows defects into one folder of charts and what runs them, and counts those that its tests notice:
 * `npm run mutation -- tools`, with `--sample=0.2` in a share of the lines, with `--seed=7` in other ones, with `--quick`
 * without models and paths, which is a lower bound in a fraction of the time.
 *
 * Where charts run as written tables, the tables are changed and not the charts. The tests that hold the two against
 * each other are left out, so that it is behaviour that must notice. Everything behind `--` goes to the tester.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listFiles, ROOT } from './source.ts';

/** Lines that are taken or left together: about a function. */
const WINDOW = 10;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
  },
});
const [target = 'tools', ...rest] = positionals;
if (!existsSync(join(ROOT, 'machines', target))) throw new Error(`there is no folder of charts machines/${target}`);

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const hasTables = existsSync(join(ROOT, 'machines', target, 'tables.ts'));
const isChart = (path: string): boolean => path.endsWith('-rows.ts') || textOf(path).includes('createMachine(');
const files = [
  ...listFiles(`machines/${target}`, (path) => path.endsWith('.ts') && !(hasTables && isChart(path))),
  ...listFiles('src', (path) => path.startsWith(`src/${target}/`) && /(?<!\/types)\.ts$/.test(path)),
];

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
const windows = files.flatMap((path) => {
  const { length } = textOf(path).split('\n');
  return Array.from(
    { length: Math.ceil(length / WINDOW) },
    (_, at) => `${path}:${at * WINDOW + 1}-${(at + 1) * WINDOW}`,
  );
});
const mutate = share < 1 ? windows.filter(() => draw() < share) : files;

const place = join(tmpdir(), `readback-mutation-${target}${values.quick ? '-quick' : ''}`);
const { status } = spawnSync(
  'npx',
  ['stryker', 'run', '--mutate', mutate.join(','), '--tempDirName', join(place, 'copies'), '--incremental'].concat(
    '--incrementalFile',
    join(place, 'incremental.json'),
    rest,
  ),
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, READBACK_MUTATE: target, READBACK_MUTATE_QUICK: values.quick ? '1' : '0' },
  },
);
process.exitCode = status ?? 1;
