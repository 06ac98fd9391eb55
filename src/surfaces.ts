/** What can show a card to a person now. Without any, an ask is undeliverable at once. */
import type { Surface } from './api.ts';
import { TIMES } from './limits.ts';
import type { Runtime } from './runtime.ts';

export class Surfaces {
  readonly #runtime: Runtime;
  readonly #open: (() => Promise<boolean>) | undefined;
  readonly #attached = new Set<Surface>();
  readonly #arrivals = new Set<(here: boolean) => void>();
  #closed = false;
  #leftAt: number;

  /** `open` tries to open a surface and says whether one will appear; `expected`: one is about to come back by itself. */
  constructor(runtime: Runtime, open?: () => Promise<boolean>, expected = false) {
    this.#runtime = runtime;
    this.#open = open;
    this.#leftAt = expected ? runtime.now() : Number.NEGATIVE_INFINITY;
  }

  attach(surface: Surface): () => void {
    const own = { ...surface };
    this.#attached.add(own);
    for (const end of [...this.#arrivals]) end(true);
    return () => {
      if (this.#attached.delete(own) && this.#attached.size === 0) this.#leftAt = this.#runtime.now();
    };
  }

  get size(): number {
    return this.#attached.size;
  }

  /** Within the grace a page that left may just be reloading. A clock that was set back gives no grace. */
  #graceLeft(): number {
    const gone = this.#runtime.now() - this.#leftAt;
    return gone < 0 ? 0 : TIMES.surfaceGrace - gone;
  }

  has(): boolean {
    return this.#attached.size > 0 || this.#graceLeft() > 0;
  }

  /** Whether a card can be shown; waits out a reload, and tries to open a surface where the host can. */
  async ready(signal?: AbortSignal): Promise<boolean> {
    if (this.#attached.size > 0) return true;
    const grace = this.#graceLeft();
    if (grace > 0 && (await this.#arrival(grace, signal))) return true;
    if (this.#open === undefined || this.#closed || signal?.aborted === true) return false;
    const opened = this.#opened(this.#open);
    // The host may open one that never answers: what counts is that something is attached, in time.
    const arrival = this.#arrival(TIMES.surfaceOpen, signal, opened);
    return (await Promise.race([opened, arrival])) && (this.#attached.size > 0 || arrival);
  }

  async #opened(open: () => Promise<boolean>): Promise<boolean> {
    try {
      return await open();
    } catch {
      return false;
    }
  }

  /** Nobody is waited for any more. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#arrivals]) end(false);
  }

  /** True once something is attached; false when the time is over, the caller or the coordinator gone, or `opened` says no. */
  #arrival(ms: number, signal: AbortSignal | undefined, opened?: Promise<boolean>): Promise<boolean> {
    if (this.#closed || this.#attached.size > 0) return Promise.resolve(this.#attached.size > 0);
    return new Promise((resolve) => {
      const end = (here: boolean): void => {
        cancel();
        this.#arrivals.delete(end);
        signal?.removeEventListener('abort', aborted);
        resolve(here);
      };
      const aborted = (): void => end(false);
      const cancel = this.#runtime.after(ms, () => end(false));
      this.#arrivals.add(end);
      signal?.addEventListener('abort', aborted);
      void opened?.then((will) => (will ? undefined : end(false)));
    });
  }
}
