/** What the path tests of one file took of which chart: collected as they run, written down when a report is wanted. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of one chart, by the tests of one file. */
export interface CoverRecord {
  readonly chart: string;
  /** Paths that were generated for them. */
  readonly paths: number;
  /** How often each transition was taken, by its key. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The folder that the records go to; without it nothing is written. */
export const RECORDS = 'READBACK_MODEL_RECORDS';

const paths = new Map<string, number>();
const coverages: { readonly chart: string; readonly counts: () => CoverRecord['counts'] }[] = [];

export function notePaths(chart: string, count: number): void {
  paths.set(chart, (paths.get(chart) ?? 0) + count);
}

export function noteCoverage(chart: string, counts: () => CoverRecord['counts']): void {
  coverages.push({ chart, counts });
}

/** Sums records of one chart each. */
export function merged(records: readonly CoverRecord[]): ReadonlyMap<string, CoverRecord> {
  const all = new Map<string, CoverRecord>();
  for (const { chart, paths: count, counts } of records) {
    const before = all.get(chart) ?? { chart, paths: 0, counts: {} };
    const sum = { ...before.counts };
    for (const [key, times] of Object.entries(counts)) sum[key] = (sum[key] ?? 0) + times;
    all.set(chart, { chart, paths: before.paths + count, counts: sum });
  }
  return all;
}

/** Writes what this file of tests did. A chart whose paths were only counted was driven by nobody, and is left out. */
export function writeRecords(folder: string): void {
  const all = merged(coverages.map(({ chart, counts }) => ({ chart, paths: 0, counts: counts() })));
  for (const { chart, counts } of all.values()) {
    const record: CoverRecord = { chart, paths: paths.get(chart) ?? 0, counts };
    writeFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(record)}\n`, { flag: 'a' });
  }
}

/** Every record of a run, summed by chart. */
export function readRecords(folder: string): ReadonlyMap<string, CoverRecord> {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return merged(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as CoverRecord));
}
