import type { Logger } from '../runtime.ts';
import type { Io } from './io.ts';
import { line, stamp } from './text.ts';

/**
 * Warnings and errors on stderr. They may quote answers (a loss is reported with its text), so they are made safe.
 * `before` is called before each line.
 */
export function logTo(io: Io, before: () => void = () => undefined): Logger {
  const write =
    (level: string) =>
    (...args: unknown[]): void => {
      const text = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');
      before();
      io.err(`${stamp(io.now())} ${level} ${line(text)}\n`);
    };
  return { debug: () => undefined, info: () => undefined, warn: write('warn'), error: write('error') };
}
