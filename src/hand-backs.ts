/** Hand-backs of a rim, tried until they are on file: who carried the answer is gone and cannot try again. */
import type { Asking } from './api.ts';
import { ReadbackError } from './errors.ts';
import { TIMES } from './limits.ts';
import type { Logger, Runtime } from './runtime.ts';

const keyOf = (token: string, carrier: string): string => JSON.stringify([token, carrier]);

export class HandBacks {
  readonly #asking: Asking;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #owed: Set<string>;

  /** `owed`: shared by those that may follow each other under one carrier. */
  constructor(asking: Asking, runtime: Runtime, log: Logger, owed = new Set<string>()) {
    this.#asking = asking;
    this.#runtime = runtime;
    this.#log = log;
    this.#owed = owed;
  }

  /**
   * Resolves after the first try and never rejects. What fails is tried again until it is on file or the coordinator is
   * closed: its next start hands back whatever is left.
   */
  async give(token: string, carrier: string): Promise<void> {
    this.#owed.add(keyOf(token, carrier));
    await this.#try(token, carrier, true);
  }

  /** The same turn carries it once more: there is nothing to hand back. */
  carriedAgain(token: string, carrier: string): void {
    this.#owed.delete(keyOf(token, carrier));
  }

  async #try(token: string, carrier: string, isFirst: boolean): Promise<void> {
    const key = keyOf(token, carrier);
    if (!this.#owed.has(key)) return;
    try {
      await this.#asking.handBack(token, carrier);
      this.#owed.delete(key);
    } catch (error) {
      const isFinal = error instanceof ReadbackError && !error.retry;
      const next = isFinal ? '' : ' and is tried again';
      if (isFirst || isFinal) this.#log.warn(`${token} could not be handed back${next}: ${String(error)}`);
      if (isFinal) this.#owed.delete(key);
      else this.#runtime.after(TIMES.retry, () => void this.#try(token, carrier, false), 'quiet');
    }
  }
}
