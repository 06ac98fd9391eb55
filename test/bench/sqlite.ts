/** The coordinator on SQLite: against the raw statements that a cycle needs, alone and with 64 asks in flight. */
import { spawnSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Coordinator } from '../../src/coordinator.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { median, paired, quantile, type Ratio, timed, timedAsync } from './measure.ts';
import { freshId, QUESTION, rawCycles } from './raw.ts';

type Raw = () => void;

export const silent = { debug() {}, info() {}, warn() {}, error() {} };
const LIMITS = { tickets: 1e9, entriesPerTab: 1e9, entriesTotal: 1e9 };

export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'readback-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const openBench = (path: string): Promise<Coordinator> =>
  openCoordinator({ store: openSqliteStore(path), limits: LIMITS, logger: silent, attacher: () => 'turn' });

/** Opened, answered while it is awaited, returned, closed, acked. What only proves is not waited for. */
export async function cycle(coordinator: Coordinator, tab: string): Promise<void> {
  const { journal } = coordinator;
  const askId = freshId();
  await journal.openAsk(askId, { tabId: tab, fingerprint: '0123456789abcdef0123456789abcdef', question: QUESTION });
  const { token } = await journal.record(askId, 'The first', { tabId: tab });
  void journal.markReturned(token, { askId });
  void journal.closeAsk(askId);
  void journal.ack(token, { carrier: 'turn' });
}

/** What a sync costs here, in microseconds: a machine that hardly makes any shows what is ours all the larger. */
function syncCost(folder: string): number {
  const file = openSync(join(folder, 'sync'), 'w');
  const cost = timed(200, () => {
    writeSync(file, QUESTION);
    fdatasyncSync(file);
  });
  closeSync(file);
  return cost;
}

/** `where` says on what disk. */
export const sqliteBench = ({ where = '', rounds = 300 } = {}): Promise<Ratio[]> =>
  withFolder(async (folder) => {
    const coordinator = await openBench(join(folder, 'ours.db'));
    const flight = 64;
    const [raw, rawTogether] = [1, flight].map((many) => rawCycles(join(folder, `raw-${many}.db`), many)) as [Raw, Raw];
    const sequential = (): Promise<number> => timedAsync(rounds, () => cycle(coordinator, 'tab'));
    const together = async (): Promise<number> =>
      (await timedAsync(rounds / 10, () =>
        Promise.all(Array.from({ length: flight }, () => cycle(coordinator, 'tab'))),
      )) / flight;
    const floor = await paired('', 1, [() => timed(rounds / 10, rawTogether) / flight, () => timed(rounds, raw)]);
    const shared = await paired(`SQLite${where}: cycle with 64 in flight / cycle alone`, 0.12, [together, sequential]);
    const results = [
      await paired(`SQLite${where}: cycle / the raw statements that it needs`, 1.3, [
        sequential,
        () => timed(rounds, raw),
      ]),
      { ...shared, detail: `${shared.detail}; the raw statements alone, shared so: ${floor.ratio.toFixed(3)}` },
    ];
    const times: number[] = [];
    for (let i = 0; i < 2_000; i++) times.push(await timedAsync(1, () => cycle(coordinator, 'tab')));
    const p50 = median(times);
    const p99 = quantile(times, 0.99);
    results.push({
      name: `SQLite${where}: p99 / p50 of 2,000 cycles`,
      ratio: p99 / p50,
      pairs: [p99 / p50],
      limit: 4,
      detail: `${p99.toFixed(0)} µs against ${p50.toFixed(0)} µs; a sync takes ${syncCost(folder).toFixed(0)} µs`,
    });
    await coordinator.close();
    return results;
  });

const CHILD = fileURLToPath(new URL('./sqlite-child.js', import.meta.url));

/**
 * The same where a sync takes a millisecond longer, as it does on a disk of one's own: the disk of a rented machine
 * often answers at once. Undefined where there is no strace to hold the calls up.
 */
export function slowDiskBench(): Ratio[] | undefined {
  const hold = [
    '-f',
    '-qq',
    '--seccomp-bpf',
    '-e',
    'trace=fsync,fdatasync',
    '-e',
    'inject=fsync,fdatasync:delay_exit=1000',
  ];
  const run = spawnSync('strace', [...hold, '-o', '/dev/null', process.execPath, CHILD], { timeout: 300_000 });
  if (run.error !== undefined || run.status !== 0) return undefined;
  return JSON.parse(run.stdout.toString()) as Ratio[];
}
