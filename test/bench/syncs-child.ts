/** Runs cycles one after the other, so that its syncs can be counted from outside. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cycle, openBench } from './sqlite.ts';

const cycles = Number(process.argv[2] ?? 0);
const folder = mkdtempSync(join(tmpdir(), 'readback-syncs-'));
const coordinator = await openBench(join(folder, 'readback.db'));
for (let i = 0; i < cycles; i++) await cycle(coordinator, 'tab');
await coordinator.close();
rmSync(folder, { recursive: true, force: true });
