/** What is remembered of calls, within bounds: records, ids whose record was let go, and why an id stays withheld. */
import type { Reason } from '../../machines/tools/call-facts.ts';
import type { Call } from './record.ts';
import type { ToolLimits } from './types.ts';

/** Lets the oldest go that are over the limit. */
export function keepNewest(
  kept: Set<string> | Map<string, unknown>,
  limit: number,
  onGone?: (oldest: string) => void,
): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= limit) return;
    kept.delete(oldest);
    onGone?.(oldest);
  }
}

export class Memory {
  calls = new Map<string, Call>();
  /** Seen in this boundary and let go: they start nothing any more. */
  readonly spent = new Set<string>();
  /** Of calls that a restart dropped: what withheld them still does. */
  readonly withheld = new Map<string, Reason>();
  readonly #limits: ToolLimits;

  constructor(limits: ToolLimits) {
    this.#limits = limits;
  }

  keepWithheld(id: string, reason: Reason): void {
    keepNewest(this.withheld.set(id, reason), this.#limits.withheld);
  }

  /** Lets the oldest ended calls go, then the oldest of history; what may still run stays. */
  trim(onRelease: (call: Call) => void, onForgotten: (id: string) => void): void {
    const { records, remembered } = this.#limits;
    if (this.calls.size <= records) return;
    // A little more than needed, so that a full memory is not looked through for each new call.
    const target = (records * 15) / 16;
    for (const mayGo of [/settled|skipped|discarded|idle/, /restored/]) {
      for (const [id, call] of this.calls) {
        if (this.calls.size <= target) break;
        if (!mayGo.test(call.phase)) continue;
        this.calls.delete(id);
        keepNewest(this.spent.add(id), remembered, onForgotten);
        onRelease(call);
      }
    }
  }
}
