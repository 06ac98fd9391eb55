/**
 * The address of the last host. The next one takes it again, so that a page that was open before a restart finds its
 * way back by itself. A token is only used again on its own port: on another one it would be news to an old page anyway.
 */

import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Address {
  readonly port: number;
  readonly token: string;
}

const addressPath = (folder: string): string => join(folder, 'address.json');

export function lastAddress(folder: string): Address | undefined {
  try {
    const { port, token } = JSON.parse(readFileSync(addressPath(folder), 'utf8')) as Partial<Address>;
    const whole =
      Number.isInteger(port) && (port as number) > 0 && typeof token === 'string' && /^[\w-]{43}$/.test(token);
    return whole ? ({ port, token } as Address) : undefined;
  } catch {
    return undefined;
  }
}

export function rememberAddress(folder: string, { port, token }: Address): void {
  writePrivate(addressPath(folder), { port, token });
}

/** A JSON file for this user only, written under another name and moved, so that nobody reads half of it. */
export function writePrivate(path: string, value: unknown): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Whether a failed `listen` means that somebody else has the port. */
export function portTaken(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE' || (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
}
