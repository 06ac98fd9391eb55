/** An Io that a test holds in its hands: what was written, what stdin says, when Ctrl-C comes. */

import { type Io, pause } from '../../src/cli/io.ts';
import { run } from '../../src/cli/program.ts';

export interface HandIo extends Io {
  readonly written: { out: string; err: string };
  interrupt(): void;
  stdinBytes: Uint8Array;
  /** Set to make stdout fail, as when its reader has gone. */
  broken: boolean;
}

export function handIo(home: string, options: { tty?: boolean; columns?: number; entry?: string } = {}): HandIo {
  const written = { out: '', err: '' };
  const control = new AbortController();
  return {
    written,
    stdinBytes: new Uint8Array(),
    broken: false,
    async out(text) {
      if (this.broken) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    outTTY: options.tty ?? false,
    errTTY: false,
    columns: options.columns ?? 100,
    env: { READBACK_HOME: home },
    async stdin() {
      return this.stdinBytes;
    },
    now: () => Date.now(),
    sleep: pause,
    interrupted: () => control.signal,
    interrupt: () => control.abort('SIGINT'),
    entry: options.entry ?? '/nonexistent/readback.js',
  };
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in this process. */
export async function cli(home: string, argv: readonly string[], stdin?: string | Uint8Array): Promise<Ran> {
  const io = handIo(home);
  if (stdin !== undefined) io.stdinBytes = typeof stdin === 'string' ? Buffer.from(stdin) : stdin;
  const code = await run(io, argv);
  return { code, ...io.written };
}

/** Waits until `ready` holds; fails with `what` after five seconds. */
export async function until<T>(what: string, ready: () => T | undefined | false): Promise<T> {
  for (const end = Date.now() + 5_000; ; ) {
    const value = ready();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}`);
    await pause(10);
  }
}

const DIRECTION = [
  0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0xfeff,
];

/** Whether a terminal would obey a part of the text, or read what stands around it in another order. */
export function steers(text: string): boolean {
  return [...text].some((char) => {
    const code = char.codePointAt(0) ?? 0;
    return (code < 0x20 && char !== '\n') || (code >= 0x7f && code < 0xa0) || DIRECTION.includes(code);
  });
}
