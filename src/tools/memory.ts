/** What is remembered of calls, within bounds: records, ids whose record was let go, and why an id stays withheld. */
import type { Reason } from '../../machines/tools/call-facts.ts';
import type { Call } from './record.ts';
import type { ToolLimits } from './types.ts';

export class Memory {
  calls = new Map<string, Call>();
  /** The records in the order of the last snapshots, as a guess where the next one has them. */
  order: Call[] = [];
  /** Seen in this boundary and let go: they start nothing any more. */
  readonly spent = new Set<string>();
  /** Of calls that a restart dropped: what withheld them still does. */
  readonly withheld = new Map<string, Reason>();
  readonly #limits: ToolLimits;
  readonly #onForgotten: (id: string) => void;

  constructor(limits: ToolLimits, onForgotten: (id: string) => void) {
    this.#limits = limits;
    this.#onForgotten = onForgotten;
  }

  forget(): void {
    this.calls = new Map();
    this.order = [];
    this.spent.clear();
    this.withheld.clear();
  }

  keepWithheld(id: string, reason: Reason): void {
    this.withheld.delete(id);
    this.withheld.set(id, reason);
    for (const oldest of this.withheld.keys()) {
      if (this.withheld.size <= this.#limits.withheld) break;
      this.withheld.delete(oldest);
    }
  }

  /** Lets the oldest ended calls go, then the oldest of history; what may still run stays. */
  trim(release: (call: Call) => void): void {
    const { records } = this.#limits;
    if (this.calls.size <= records) return;
    this.order = [];
    // A little more than needed, so that a full memory is not looked through for each new call.
    const target = records - Math.floor(records / 16);
    for (const mayGo of [(call: Call) => call.isEnded, (call: Call) => call.phase === 'restored']) {
      for (const [id, call] of this.calls) {
        if (this.calls.size <= target) break;
        if (!mayGo(call)) continue;
        this.calls.delete(id);
        this.#spend(id);
        release(call);
      }
    }
  }

  #spend(id: string): void {
    this.spent.add(id);
    for (const oldest of this.spent) {
      if (this.spent.size <= this.#limits.remembered) break;
      this.spent.delete(oldest);
      this.#onForgotten(oldest);
    }
  }
}
