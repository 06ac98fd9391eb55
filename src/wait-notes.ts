/** When the audit says that an ask is waited for again, and that nobody waits any more. */
import { TIMES } from './limits.ts';
import type { Cancel, Runtime } from './runtime.ts';

export type WaitEvent = 'awaited' | 'unattended';

/**
 * Calls that wait in slices are one wait to the audit, so that it does not fill with them: a wait is over once nobody
 * has waited for `TIMES.waitGap`.
 */
export class WaitNotes {
  readonly #runtime: Runtime;
  readonly #note: (askId: string, event: WaitEvent) => void;
  /** Asks whose wait is in the audit, each with the timer that ends it while nobody waits. */
  readonly #waits = new Map<string, Cancel | undefined>();

  constructor(runtime: Runtime, note: (askId: string, event: WaitEvent) => void) {
    this.#runtime = runtime;
    this.#note = note;
  }

  changed(askId: string, event: WaitEvent): void {
    const isNoted = this.#waits.has(askId);
    this.#waits.get(askId)?.();
    if (event === 'awaited') {
      this.#waits.set(askId, undefined);
      if (!isNoted) this.#note(askId, event);
      return;
    }
    const over = (): void => {
      this.#waits.delete(askId);
      this.#note(askId, event);
    };
    this.#waits.set(askId, this.#runtime.after(TIMES.waitGap, over, 'quiet'));
  }

  stop(): void {
    for (const cancel of this.#waits.values()) cancel?.();
    this.#waits.clear();
  }
}
