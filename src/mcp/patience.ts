import { MCP_BOUNDS } from './bounds.ts';

/** A cancellation whose reason says that a clock ran out; any other may be a person who pressed a key. */
const CLOCK = /time.?out|timed.?out|deadline/i;

/** Two cancellations without a telling reason count as a clock when they came this close to each other. */
const TWIN_RATIO = 0.1;
const TWIN_SLACK_MS = 250;

/** Part of the observed limit that later calls hold for, so that they return before the client gives up. */
const SHARE = 0.8;

/** What one session has shown of its client's own time limit for a call. */
export class Patience {
  #limit: number | undefined;
  readonly #unexplained: number[] = [];

  /** The shortest limit seen, in milliseconds; undefined while none was seen. */
  get limitMs(): number | undefined {
    return this.#limit;
  }

  /** A call was cancelled by its client after `elapsedMs` of holding. */
  cancelled(elapsedMs: number, reason: string | undefined): void {
    if (elapsedMs <= 0) return;
    if (reason !== undefined && CLOCK.test(reason)) {
      this.#limit = Math.min(this.#limit ?? elapsedMs, elapsedMs);
      return;
    }
    const twin = this.#unexplained.find((seen) => Math.abs(seen - elapsedMs) <= seen * TWIN_RATIO + TWIN_SLACK_MS);
    if (twin !== undefined) this.#limit = Math.min(this.#limit ?? Infinity, twin, elapsedMs);
    this.#unexplained.push(elapsedMs);
    if (this.#unexplained.length > MCP_BOUNDS.unexplained) this.#unexplained.shift();
  }

  /** How long a call may hold, and whether the observed limit made it shorter than wanted. */
  hold(wantedMs: number): { readonly ms: number; readonly shortened: boolean } {
    const most = this.#limit === undefined ? Infinity : Math.floor(this.#limit * SHARE);
    return most < wantedMs ? { ms: most, shortened: true } : { ms: wantedMs, shortened: false };
  }
}
