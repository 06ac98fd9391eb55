/** A child that kills itself at one of its commits, and what it wrote down until then. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

export type When = 'before' | 'after';

export interface Run<Note> {
  readonly path: string;
  readonly notes: readonly Note[];
  readonly signal: string | null;
  readonly code: number | null;
  readonly said: string;
}

export interface Child<Note> {
  /** Runs it until it kills itself at commit `nth`, or to its end where it has fewer; 0: to its end. */
  run(nth: number, when: When): Promise<Run<Note>>;
  end(): void;
}

/** More than a small machine has cores: most of the time a child waits for the disk. */
const AT_ONCE = 4;

/** The child in one file, so that it starts in a tenth of a second however often it is killed. */
export async function buildChild<Note>(file: string): Promise<Child<Note>> {
  const dir = mkdtempSync(join(tmpdir(), 'readback-crash-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: join(import.meta.dirname, file),
      outDir: join(dir, 'child'),
      target: 'node20',
      rolldownOptions: { external: [/^node:/, 'xstate', 'better-sqlite3'], output: { entryFileNames: 'child.mjs' } },
    },
  });
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(dir, 'node_modules'));
  const child = join(dir, 'child', 'child.mjs');
  return {
    run: (nth, when) => runOne(child, join(dir, `${when}-${nth}.db`), nth, when),
    end: () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function runOne<Note>(child: string, path: string, nth: number, when: When): Promise<Run<Note>> {
  const notes = `${path}.notes`;
  const process = spawn(globalThis.process.execPath, [child, path, notes, String(nth), when], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 15_000,
  });
  let said = '';
  process.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    process.once('close', (...end) => resolve(end));
  });
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd().split('\n') : [];
  return {
    path,
    notes: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Note),
    signal,
    code,
    said,
  };
}

/** Kills it at each of its commits in turn, and says how many there were. */
export async function killAtEach<Note>(
  child: Child<Note>,
  when: When,
  most: number,
  check: (run: Run<Note>, said: string) => Promise<void>,
): Promise<{ killed: number; last: number }> {
  let next = 1;
  let killed = 0;
  let last = most;
  const work = async (): Promise<void> => {
    while (next <= last) {
      const nth = next;
      next += 1;
      const ended = await child.run(nth, when);
      if (ended.said !== '') throw new Error(`commit ${nth}: ${ended.said}`);
      if (ended.signal === null) last = Math.min(last, nth);
      else killed += 1;
      await check(ended, `killed ${when} commit ${nth}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { killed, last };
}
