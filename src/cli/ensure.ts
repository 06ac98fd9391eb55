/**
 * Joins the running host, or starts one that lives on its own and ends itself when idle.
 *
 * Any number of programs may do this at the same moment. The database decides which host lives (one process owns
 * it); the file `host.starting` only saves the others the trouble of starting one that would lose.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from './client.ts';
import { alive, ensureFolder, type HostFile, readHostFile } from './home.ts';
import { pause } from './io.ts';
import { logPath } from './log-file.ts';
import { EXIT, Problem } from './problem.ts';

export interface EnsureOptions {
  readonly folder: string;
  /** The program file to start. */
  readonly entry: string;
  /** Seconds without page, agent and call after which a host that we start ends itself. */
  readonly idleSeconds?: number | undefined;
  /** Milliseconds until this gives up. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when the host that answers is one that this call has started. */
  readonly onStarted?: ((host: HostFile) => void) | undefined;
}

const POLL_MS = 40;
const START_MS = 20_000;
export const IDLE_SECONDS = 600;

/** The host of this folder, running and answering. */
export async function ensureHost(options: EnsureOptions): Promise<HostFile> {
  const { folder } = options;
  ensureFolder(folder);
  const running = await answering(folder);
  if (running !== undefined) return running;
  const deadline = Date.now() + (options.timeoutMs ?? START_MS);
  let started: Starting | undefined;
  try {
    while (Date.now() < deadline && !options.signal?.aborted) {
      started ??= tryStart(options);
      const host = await answering(folder);
      if (host !== undefined) {
        if (host.pid === started?.pid) options.onStarted?.(host);
        return host;
      }
      if (started?.exit !== undefined) {
        if (started.exit !== EXIT.owned) throw failed(folder, started.exit);
        // Another host has the database: one that is about to write host.json, or one that is just closing.
        started.release();
        started = undefined;
        await pause(5 * POLL_MS, options.signal);
      }
      await pause(POLL_MS, options.signal);
    }
    throw silent(folder, options.timeoutMs ?? START_MS);
  } finally {
    started?.release();
  }
}

/** The host of host.json if its process lives and it answers to its token. */
export async function answering(folder: string): Promise<HostFile | undefined> {
  const host = readHostFile(folder);
  if (host === undefined || !alive(host.pid)) return undefined;
  try {
    // The pid tells a host from a stranger that was given the same port later.
    return (await new Client(host).health(2_000)).pid === host.pid ? host : undefined;
  } catch {
    return undefined;
  }
}

interface Starting {
  readonly pid: number | undefined;
  exit: number | undefined;
  release(): void;
}

/** Starts a host if nobody else is at it; undefined when somebody is. */
function tryStart(options: EnsureOptions): Starting | undefined {
  const lock = join(options.folder, 'host.starting');
  if (!take(lock)) return undefined;
  const child = launch(options);
  const starting: Starting = { pid: child.pid, exit: undefined, release: () => rmSync(lock, { force: true }) };
  child.once('exit', (code) => {
    starting.exit = code ?? EXIT.error;
  });
  child.once('error', () => {
    starting.exit = EXIT.error;
  });
  return starting;
}

function launch({ folder, entry, idleSeconds = IDLE_SECONDS }: EnsureOptions): ChildProcess {
  const log = openSync(logPath(folder), 'a', 0o600);
  // Each host has a log of its own; appended to, so that it can be cut short while the host writes.
  ftruncateSync(log, 0);
  try {
    // A debugger port of ours would be taken; every other flag (loaders above all) is needed to run the same file.
    const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
    const args = [...flags, entry, 'serve', '--home', folder, '--exit-when-idle', String(idleSeconds)];
    const child = spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', 'ignore', log],
      windowsHide: true,
      // It outlives the folder we were called in.
      cwd: folder,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Takes the start lock; breaks one whose owner is dead or has had more than enough time. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  try {
    const owner = Number(readFileSync(lock, 'utf8'));
    // An empty file is one that its owner is just about to fill.
    const old = Date.now() - statSync(lock).mtimeMs > (owner > 0 ? START_MS : 2_000);
    if (old || (owner > 0 && !alive(owner))) rmSync(lock, { force: true });
  } catch {
    // Its owner has just removed it.
  }
  return false;
}

function failed(folder: string, exit: number): Problem {
  let said = '';
  try {
    said = readFileSync(logPath(folder), 'utf8').trim().split('\n').slice(-6).join('\n');
  } catch {
    // Nothing was written; the exit code has to do.
  }
  return new Problem({
    code: 'start_failed',
    message: `a host could not be started (exit code ${exit})${said === '' ? '' : `:\n${said}`}`,
    remedy: 'run it in the foreground to see why: readback serve; or: readback doctor',
  });
}

function silent(folder: string, ms: number): Problem {
  const host = readHostFile(folder);
  const who =
    host !== undefined && alive(host.pid) ? `the host with pid ${host.pid} does not answer` : 'no host came up';
  return new Problem({
    code: 'start_timeout',
    message: `${who} within ${Math.round(ms / 1_000)} s (state folder ${folder})`,
    remedy: 'see what is wrong with: readback doctor',
    exit: EXIT.noHost,
  });
}
