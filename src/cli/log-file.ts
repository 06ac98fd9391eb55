/** The log of a host that runs in the background. */

import { fstatSync, ftruncateSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of serve.log. Beyond it the log begins anew: it is read for what happened last. */
export const LOG_BYTES = 1_048_576;

export const logPath = (folder: string): string => join(folder, 'serve.log');

/** Empties what `fd` writes to, if that is the log of this folder and over its bound. Any other file is left alone. */
export function boundLog(folder: string, fd: number): void {
  try {
    const open = fstatSync(fd);
    if (!open.isFile() || open.size <= LOG_BYTES) return;
    const log = statSync(logPath(folder));
    if (log.ino === open.ino && log.dev === open.dev) ftruncateSync(fd, 0);
  } catch {
    // Somebody removed the log; nothing of it is left to bound.
  }
}
