/** Counts that the restart gate reads: entries that are owed or handed off, by tab and occupant. */
import type { OwedGroup } from './store.ts';

export class OwedCounts {
  readonly #tabs = new Map<string, Map<string | null, number>>();

  change(tab: string, occupant: string | null, by: number): void {
    let occupants = this.#tabs.get(tab);
    if (occupants === undefined) {
      occupants = new Map();
      this.#tabs.set(tab, occupants);
    }
    const count = (occupants.get(occupant) ?? 0) + by;
    if (count !== 0) occupants.set(occupant, count);
    else if (occupants.size > 1) occupants.delete(occupant);
    else this.#tabs.delete(tab);
  }

  *groups(): Iterable<OwedGroup> {
    for (const [tab, occupants] of this.#tabs) {
      for (const [occupant, count] of occupants) yield { tab, occupant, count };
    }
  }

  clear(): void {
    this.#tabs.clear();
  }
}
