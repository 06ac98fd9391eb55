/** Real `readback` processes on a state folder of their own. Everything that was started is ended. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alive, type HostFile } from '../../src/cli/home.ts';
import { pause } from '../../src/cli/io.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Under node_modules, so that what is built there finds the packages that it imports. */
const BUILT = join(ROOT, 'node_modules', '.cache', `readback-cli-${process.pid}`);
/** The built program. */
export const ENTRY = join(BUILT, 'cli', 'main.js');

/** Builds the program as it is shipped, so that chunks and lazy loading are tested too. */
export async function buildCli(): Promise<void> {
  const { build } = await import('tsdown');
  await build({
    config: false,
    cwd: ROOT,
    entry: { 'cli/main': 'src/cli/main.ts' },
    outDir: BUILT,
    format: 'esm',
    fixedExtension: false,
    hash: false,
    platform: 'node',
    target: 'node20.19',
    dts: false,
    report: false,
    logLevel: 'silent',
    deps: { skipNodeModulesBundle: true },
    outputOptions: { chunkFileNames: 'chunks/[name].js' },
  });
}

export function removeCli(): void {
  rmSync(BUILT, { recursive: true, force: true });
}

export interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly pid: number;
  readonly out: () => string;
  readonly err: () => string;
  readonly done: Promise<Done>;
  kill(signal?: NodeJS.Signals): void;
  /** Resolves once stdout and stderr together match; fails with both when they do not in time. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

export class World {
  readonly home = mkdtempSync(join(tmpdir(), 'readback-e2e-'));
  readonly #children: ChildProcess[] = [];
  readonly #hosts = new Set<number>();

  start(args: readonly string[], options: { stdin?: string; env?: Record<string, string> } = {}): Running {
    const { DISPLAY: _x, WAYLAND_DISPLAY: _w, ...env } = process.env;
    const child = spawn(process.execPath, [ENTRY, ...args], {
      env: { ...env, READBACK_HOME: this.home, NO_COLOR: '1', ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
    const done = new Promise<Done>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
    return {
      pid: child.pid ?? 0,
      out: () => out,
      err: () => err,
      done,
      kill: (signal = 'SIGTERM') => void child.kill(signal),
      says: async (pattern) => {
        for (const end = Date.now() + 15_000; ; await pause(20)) {
          const found = pattern.exec(`${out}\n${err}`);
          if (found !== null) return found;
          if (Date.now() > end || child.exitCode !== null) {
            throw new Error(`${args.join(' ')} never said ${pattern} (exit ${child.exitCode}):\n${out}\n${err}`);
          }
        }
      },
    };
  }

  run(args: readonly string[], options: { stdin?: string; env?: Record<string, string> } = {}): Promise<Done> {
    return this.start(args, options).done;
  }

  /** Runs a command with --json and reads its document. */
  async json<T>(args: readonly string[]): Promise<T> {
    const { out, err } = await this.run([...args, '--json']);
    try {
      return JSON.parse(out) as T;
    } catch {
      throw new Error(`${args.join(' ')} gave no JSON:\n${out}\n${err}`);
    }
  }

  hostFile(): HostFile | undefined {
    try {
      const host = JSON.parse(readFileSync(join(this.home, 'host.json'), 'utf8')) as HostFile;
      this.#hosts.add(host.pid);
      return host;
    } catch {
      return undefined;
    }
  }

  async serve(...flags: string[]): Promise<Running> {
    const running = this.start(['serve', ...flags]);
    await running.says(/is running \(pid/);
    this.hostFile();
    return running;
  }

  async end(): Promise<void> {
    this.hostFile();
    for (const child of this.#children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    // Hosts that were started by others are no children of ours.
    for (const pid of this.#hosts) if (alive(pid)) process.kill(pid, 'SIGKILL');
    for (let i = 0; i < 200 && [...this.#hosts].some(alive); i += 1) await pause(10);
    rmSync(this.home, { recursive: true, force: true });
  }
}
