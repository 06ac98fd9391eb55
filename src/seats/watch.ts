/** The time of one walk: one deadline for all its reads, and what comes after it is not heard. */
import { heed } from '../../machines/shared/heed.ts';
import type { Cancel, Runtime } from '../runtime.ts';

export type Heard = { readonly kind: 'answer'; readonly value: unknown } | { readonly kind: 'failed' | 'timeout' };

const TIMEOUT: Heard = Object.freeze({ kind: 'timeout' });
const FAILED: Heard = Object.freeze({ kind: 'failed' });

export class Watch {
  readonly #runtime: Pick<Runtime, 'now' | 'after'>;
  readonly #ms: number;
  readonly #begun: number;
  #cancel: Cancel | undefined;
  #late = false;
  #wake: ((heard: Heard) => void) | undefined;

  constructor(runtime: Pick<Runtime, 'now' | 'after'>, ms: number) {
    this.#runtime = runtime;
    this.#ms = ms;
    this.#begun = runtime.now();
  }

  get isLate(): boolean {
    this.#late ||= this.#runtime.now() - this.#begun > this.#ms;
    return this.#late;
  }

  /** What the promise comes to, or that it took too long. Never rejects. */
  hear(promise: PromiseLike<unknown>): Promise<Heard> {
    if (this.isLate) {
      heed(promise, () => undefined);
      return Promise.resolve(TIMEOUT);
    }
    // Reads that answered at once have had their share already. A clock that was put back adds nothing.
    const left = Math.min(this.#ms, this.#begun + this.#ms - this.#runtime.now());
    // The timer keeps the process alive: a check that was begun always comes to an end.
    this.#cancel ??= this.#runtime.after(left, () => {
      this.#late = true;
      this.#wake?.(TIMEOUT);
    });
    return new Promise((resolve) => {
      this.#wake = resolve;
      Promise.resolve(promise).then(
        (value) => resolve(this.isLate ? TIMEOUT : { kind: 'answer', value }),
        () => resolve(this.isLate ? TIMEOUT : FAILED),
      );
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#wake = undefined;
  }
}

/** Asks whether something is a promise of any kind; may throw what its `then` throws when it is looked at. */
export function isLater(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}
