/** The calls that wait for an answer, and the time that each of them has. */
import type { Cancel, Runtime } from './runtime.ts';

export type Wake = 'changed' | 'timeout' | 'aborted' | 'closing';

/** The time that a call has, on a timer: a clock that is set back gives it no more, and none is taken away. */
export class Patience {
  isOver: boolean;
  onOver: (() => void) | undefined;
  readonly end: Cancel;

  constructor(runtime: Runtime, ms: number) {
    this.isOver = ms <= 0;
    this.end = this.isOver ? () => undefined : runtime.after(ms, () => this.#pass());
  }

  #pass(): void {
    this.isOver = true;
    this.onOver?.();
  }
}

export class Waiters {
  readonly #waiting = new Map<string, Set<(wake: Wake) => void>>();
  isClosing = false;

  /** Resolves when something of one of the asks has changed, or when there is nothing more to wait for. */
  wait(askIds: readonly string[], patience: Patience, signal: AbortSignal | undefined): Promise<Wake> {
    if (this.isClosing) return Promise.resolve('closing');
    if (signal?.aborted === true) return Promise.resolve('aborted');
    if (patience.isOver) return Promise.resolve('timeout');
    return new Promise((resolve) => {
      const end = (wake: Wake): void => {
        patience.onOver = undefined;
        signal?.removeEventListener('abort', aborted);
        for (const askId of askIds) this.#drop(askId, end);
        resolve(wake);
      };
      const aborted = (): void => end('aborted');
      patience.onOver = () => end('timeout');
      signal?.addEventListener('abort', aborted);
      for (const askId of askIds) {
        const here = this.#waiting.get(askId);
        if (here === undefined) this.#waiting.set(askId, new Set([end]));
        else here.add(end);
      }
    });
  }

  #drop(askId: string, end: (wake: Wake) => void): void {
    const here = this.#waiting.get(askId);
    if (here?.delete(end) && here.size === 0) this.#waiting.delete(askId);
  }

  /** Asks for which some call waits now. */
  get size(): number {
    return this.#waiting.size;
  }

  has(askId: string): boolean {
    return this.#waiting.has(askId);
  }

  /** Something of this ask has changed, and is committed. */
  wake(askId: string): void {
    for (const end of [...(this.#waiting.get(askId) ?? [])]) end('changed');
  }

  close(): void {
    this.isClosing = true;
    for (const here of [...this.#waiting.values()]) for (const end of [...here]) end('closing');
  }
}
