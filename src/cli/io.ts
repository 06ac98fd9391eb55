/** Everything a command touches of the outside, so that a test can hold it in its hands. */

import { styleText } from 'node:util';
import { nodeRuntime } from '../runtime.ts';
import { Problem, usage } from './problem.ts';

/** Bytes that are read of stdin; more are refused. The longest text that may be sent has fewer, whatever its signs. */
export const STDIN_BYTES = 1_048_576;

export interface Io {
  /** Resolves when the text has left the process; rejects when nobody reads any more. */
  out(text: string): Promise<void>;
  err(text: string): void;
  readonly outTTY: boolean;
  readonly errTTY: boolean;
  /** Cells of one line for people. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  stdin(): Promise<Uint8Array>;
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP after this call; a second one ends the process at once. */
  interrupted(): AbortSignal;
  /** The program file, for starting a host of its own. */
  readonly entry: string;
}

/** What every command gets beside its own flags. */
export interface Global {
  readonly json?: boolean | undefined;
  readonly home?: string | undefined;
}

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Colours only where a person looks, and never against NO_COLOR. */
export function paint(io: Io): (style: Style, text: string) => string {
  const on = io.outTTY && (io.env.NO_COLOR ?? '') === '' && io.env.TERM !== 'dumb';
  return (style, text) => (on ? styleText(style, text) : text);
}

/** One JSON document on a line. Lone surrogates are written as escapes by JSON itself. */
export function json(io: Io, value: unknown): Promise<void> {
  return io.out(`${JSON.stringify(value)}\n`);
}

export function processIo(entry: string): Io {
  let controller: AbortController | undefined;
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return {
    out: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error ? reject(gone(error)) : resolve()));
      }),
    err: (text) => {
      process.stderr.write(text);
    },
    outTTY: process.stdout.isTTY === true,
    errTTY: process.stderr.isTTY === true,
    columns: Math.min(Math.max(process.stdout.columns || 100, 40), 160),
    env: process.env,
    stdin: () => readAll(process.stdin),
    now: () => nodeRuntime.now(),
    sleep: pause,
    interrupted: () => {
      if (controller !== undefined) return controller.signal;
      const made = new AbortController();
      controller = made;
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(name, () => {
          if (made.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
          made.abort(name);
        });
      }
      return made.signal;
    },
    entry,
  };
}

/** All that a stream brings, as long as any text that may be sent can be. */
export async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > STDIN_BYTES)
      throw usage('stdin', `brings more than ${STDIN_BYTES} bytes`, 'nothing was sent; shorten it');
    parts.push(part as Uint8Array);
  }
  return Buffer.concat(parts);
}

/** Waits; ends early, without an error, when the signal says so. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = nodeRuntime.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

function gone(cause: Error): Problem {
  return new Problem({
    code: 'stdout_closed',
    message: 'nobody reads the output any more',
    remedy: 'nothing was confirmed; run the command again',
    cause,
  });
}
