/** Speaking to a log that may fail, and may be slow: nothing that is decided depends on it. */
import { attempt } from '../../machines/shared/heed.ts';
import type { Logger } from '../runtime.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

const PREFIX = 'readback requests: ';
/** Things said once are remembered up to this number; then they may be said again. */
const REMEMBERED = 4_096;

export class Log {
  readonly #logger: Logger;
  readonly #said = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** One line; a logger that fails, now or later, changes nothing. */
  say(level: Level, text: string): void {
    attempt(
      () => this.#logger[level](PREFIX + text),
      () => undefined,
    );
  }

  /** The same line is written once. */
  once(level: Level, text: string): void {
    if (this.#said.has(text)) return;
    if (this.#said.size >= REMEMBERED) this.#said.clear();
    this.#said.add(text);
    this.say(level, text);
  }

  /**
   * Runs what belongs to somebody else; what it throws, now or later, is a line (R-04).
   * `secret`: the error may quote what was answered, so the line does not quote the error.
   */
  guard(what: string, work: () => unknown, secret?: 'secret'): void {
    attempt(work, (error) => this.say('error', `${what} failed${secret === undefined ? `: ${reason(error)}` : ''}`));
  }
}

/** What an error says of itself, never longer than a line. */
export function reason(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, 300);
  } catch {
    return 'something that cannot be shown';
  }
}
