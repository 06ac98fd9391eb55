/** Counts the syncs of a cycle with strace: as many as two runs of different length differ by. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./syncs-child.js', import.meta.url));

/** fsync and fdatasync calls of a process that runs so many cycles, or undefined where there is no strace. */
function countSyncs(cycles: number): number | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'readback-strace-'));
  const trace = join(folder, 'trace.txt');
  try {
    const child = [process.execPath, CHILD, String(cycles)];
    const run = spawnSync('strace', ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', trace, ...child], {
      timeout: 120_000,
    });
    if (run.error !== undefined || run.status !== 0) return undefined;
    // A call that another thread interrupts is printed twice, the second time as resumed.
    return readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /\bf(data)?sync\(/.test(line)).length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Syncs that one cycle makes, the costs of opening and closing taken out. */
export function syncsPerCycle(): number | undefined {
  const few = countSyncs(100);
  const many = countSyncs(300);
  return few === undefined || many === undefined ? undefined : (many - few) / 200;
}
