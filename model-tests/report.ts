/**
 * Runs the model tests and says what they took of each chart: `npm run test:model -- [--out <folder>] [tests]`.
 *
 * Writes one page, by default into a folder of its own among the temporary ones. Fails when a test fails, and when a
 * chart was driven by none.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MACHINES } from '../src/inspect/machines.ts';
import { outline } from '../src/inspect/outline.ts';
import { ROOT } from '../test/support/source.ts';
import { RECORDS, readRecords } from './support/record.ts';
import { reportOf, toLines, toPage } from './support/report.ts';

const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });
const records = mkdtempSync(join(tmpdir(), 'readback-records-'));
try {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const tests = spawnSync(process.execPath, [vitest, 'run', '--project', 'model', ...positionals], {
    cwd: ROOT,
    env: { ...process.env, [RECORDS]: records },
    stdio: 'inherit',
  });
  const all = readRecords(records);
  const reports = MACHINES.map((machine) => reportOf(outline(machine), all.get(machine.id)));
  const folder = values.out === undefined ? mkdtempSync(join(tmpdir(), 'readback-model-')) : resolve(values.out);
  mkdirSync(folder, { recursive: true });
  const page = join(folder, 'charts.html');
  writeFileSync(page, toPage(reports));
  console.log(`\n${toLines(reports).join('\n')}\n\n${page}`);
  const undriven = reports.filter(({ counts }) => counts === undefined).map(({ chart }) => chart.id);
  if (undriven.length > 0) console.error(`no test took a path of: ${undriven.join(', ')}`);
  process.exitCode = tests.status !== 0 || undriven.length > 0 ? 1 : 0;
} finally {
  rmSync(records, { recursive: true, force: true });
}
