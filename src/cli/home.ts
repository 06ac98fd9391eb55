/** The state folder and the file in it that says where the running host is. */

import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { Problem } from './problem.ts';

/** How to reach the running host. The token is a secret of this user. */
export interface HostFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** `--home`, else `$READBACK_HOME`, else `$XDG_STATE_HOME/readback`, else `~/.local/state/readback`. */
export function stateFolder(home: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  if (home !== undefined && home !== '') return resolve(home);
  const own = env.READBACK_HOME;
  if (own !== undefined && own !== '') return resolve(own);
  const xdg = env.XDG_STATE_HOME;
  // The XDG rules say that a relative path is to be ignored.
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'readback');
  return join(homedir(), '.local', 'state', 'readback');
}

export const hostFilePath = (folder: string): string => join(folder, 'host.json');
export const databasePath = (folder: string): string => join(folder, 'readback.db');

/** Makes the folder, readable by its owner only. */
export function ensureFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Problem({
      code: 'no_folder',
      field: '--home',
      message: `the state folder ${folder} cannot be made (${(cause as Error).message})`,
      remedy: 'name another one with --home or READBACK_HOME, or mend its permissions',
      cause,
    });
  }
}

/** What host.json says; undefined when it is absent, half written, or not about a host on this machine. */
export function readHostFile(folder: string): HostFile | undefined {
  let value: Partial<HostFile> | null;
  try {
    value = JSON.parse(readFileSync(hostFilePath(folder), 'utf8')) as Partial<HostFile> | null;
  } catch {
    return undefined;
  }
  if (value === null || typeof value !== 'object') return undefined;
  const { url, token, pid } = value;
  if (typeof url !== 'string' || typeof token !== 'string' || token === '' || !Number.isInteger(pid)) return undefined;
  // The token must never leave this machine, whatever the file says.
  if (!isLoopback(url)) return undefined;
  return { url, token, pid: pid as number, version: value.version ?? '', startedAt: moment(value.startedAt) };
}

function moment(value: unknown): number {
  const at = typeof value === 'string' ? Date.parse(value) : value;
  return typeof at === 'number' && Number.isFinite(at) ? at : 0;
}

function isLoopback(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  } catch {
    return false;
  }
}

/** Whether a process with this id exists, whoever owns it. */
export function alive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The link of the live charts, at one token, ask or tab where one is named. */
export function inspectLink(host: Pick<HostFile, 'url' | 'token'>, id?: string): string {
  const query = id === undefined ? '' : `&find=${encodeURIComponent(id)}`;
  return `${host.url.replace(/\/$/, '')}/inspect?token=${encodeURIComponent(host.token)}${query}`;
}

/** The link that opens the page. */
export function pageLink(host: Pick<HostFile, 'url' | 'token'>): string {
  return `${host.url.replace(/\/$/, '')}/?token=${encodeURIComponent(host.token)}`;
}
