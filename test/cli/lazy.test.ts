import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../../src/', import.meta.url);
/** Value imports only: a type is gone before the program runs. */
const STATIC = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** Everything that is loaded together with a file: our files by path under src/, packages by name. */
function loadedWith(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const url = new URL(path, SRC);
  for (const [, found = ''] of readFileSync(fileURLToPath(url), 'utf8').matchAll(STATIC)) {
    if (!found.startsWith('.'))
      seen.add(
        found
          .split('/')
          .slice(0, found.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    else loadedWith(relative(fileURLToPath(SRC), fileURLToPath(new URL(found, url))), seen);
  }
  return seen;
}

describe('what is loaded', () => {
  it('the entry itself loads next to nothing', () => {
    expect([...loadedWith('cli/main.ts')].filter((name) => !name.startsWith('node:')).sort()).toEqual([
      'cli/io.ts',
      'cli/main.ts',
      'cli/problem.ts',
      'runtime.ts',
    ]);
  });

  it('mcp loads neither host nor store nor charts, nor their packages', () => {
    const loaded = [...loadedWith('cli/mcp.ts'), ...loadedWith('mcp/stdio.ts')];
    expect(loaded).toContain('@modelcontextprotocol/sdk');
    const heavy = loaded.filter((name) =>
      /^(host|store|journal)\/|^(\.\.\/)?machines\/(?!shared\/heed)|coordinator|^(xstate|better-sqlite3|hono|@hono|ws|commander)/.test(
        name,
      ),
    );
    expect(heavy).toEqual([]);
  });

  it.each(['ask', 'list', 'show', 'answer', 'withdraw', 'log', 'idle', 'stop'])(
    '%s loads no package at all',
    (command) => {
      const packages = [...loadedWith(`cli/${command}.ts`)].filter(
        (name) => !name.endsWith('.ts') && !name.startsWith('node:'),
      );
      expect(packages).toEqual([]);
    },
  );
});
