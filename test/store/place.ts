/** A directory of its own for a database, and how to be rid of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Place {
  readonly dir: string;
  readonly path: string;
  end(): void;
}

export function place(): Place {
  const dir = mkdtempSync(join(tmpdir(), 'readback-'));
  return { dir, path: join(dir, 'readback.db'), end: () => rmSync(dir, { recursive: true, force: true }) };
}
