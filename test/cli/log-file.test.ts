import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { boundLog, LOG_BYTES, logPath } from '../../src/cli/log-file.ts';

let folder: string;
let fds: number[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'readback-log-'));
  fds = [];
});

afterEach(() => {
  for (const fd of fds) closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

function appendTo(path: string, bytes: number): number {
  writeFileSync(path, 'x'.repeat(bytes));
  const fd = openSync(path, 'a');
  fds.push(fd);
  return fd;
}

it('a log over its bound begins anew, and the next line is its first', () => {
  const fd = appendTo(logPath(folder), LOG_BYTES + 1);
  boundLog(folder, fd);
  writeSync(fd, 'next\n');
  expect(readFileSync(logPath(folder), 'utf8')).toBe('next\n');
});

it('a log up to its bound is left as it is', () => {
  const fd = appendTo(logPath(folder), LOG_BYTES);
  boundLog(folder, fd);
  expect(statSync(logPath(folder)).size).toBe(LOG_BYTES);
});

it('a file that somebody else sent the log to is never cut', () => {
  const own = join(folder, 'mine.log');
  const fd = appendTo(own, LOG_BYTES + 1);
  boundLog(folder, fd);
  writeFileSync(logPath(folder), '');
  boundLog(folder, fd);
  expect(statSync(own).size).toBe(LOG_BYTES + 1);
});
