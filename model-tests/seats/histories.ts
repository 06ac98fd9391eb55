/** I-13: random histories of tasks, with rewinds, foreign writers, compactions and crashes, never inherit too much. */
import { createSeatCache, type Entry, type Id, type LegOptions, startLeg } from '../../src/seats.ts';
import { Random } from './random.ts';

interface Row extends Entry {
  /** The path that this entry read. */
  readonly path?: string;
}
type State = Set<string>;

class History {
  readonly #random: Random;
  readonly #log = new Map<Id, Row>();
  readonly #cache = createSeatCache<State>({ capacity: 2 });
  #leaf: Id | null = null;
  #minted = 0;
  inherited = 0;
  readonly faults: string[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** Every branch writes under its own tail, as a log that is a tree does. */
  #append(parentId: Id | null, more: { type?: string; path?: string } = {}): Id {
    this.#minted += 1;
    const id = `e${this.#minted}`;
    this.#log.set(id, { parentId, type: 'm', ...more });
    this.#leaf = id;
    return id;
  }

  /** What the present branch has read since its last break. */
  #replay(leaf: Id | null): string[] {
    const paths: string[] = [];
    for (let id = leaf; id !== null; ) {
      const row = this.#log.get(id);
      if (row === undefined || row.type === 'compaction') break;
      if (row.path !== undefined) paths.push(row.path);
      id = row.parentId;
    }
    return paths;
  }

  #options(): LegOptions<State, string> {
    return {
      kind: 'continuation',
      session: this.#random.pick(['s', 't']),
      cache: this.#cache,
      read: (id) => this.#log.get(id),
      leaf: () => this.#leaf,
      empty: () => new Set(),
      itemsOf: (state) => state,
      put: (state, path) => void state.add(path),
      replay: (leaf) => this.#replay(leaf),
    };
  }

  async task(): Promise<void> {
    const leg = await startLeg(this.#options());
    const { state } = leg;
    if (leg.source === 'seat') {
      this.inherited += 1;
      const allowed = new Set(this.#replay(this.#leaf));
      const excess = [...state].filter((path) => !allowed.has(path));
      if (excess.length > 0) this.faults.push(`inherited ${excess.join(', ')} at ${this.#leaf}`);
    }
    let tail = this.#append(leg.leaf);
    for (let n = this.#random.below(5); n > 0; n -= 1) {
      if (this.#random.one(8)) {
        tail = this.#append(tail, { type: 'compaction' });
        // Its owner clears the live state where the compaction lands.
        state.clear();
      } else {
        const path = `p${this.#random.below(1_000)}`;
        tail = this.#append(tail, { path });
        state.add(path);
      }
      if (this.#random.one(12)) this.#foreign();
    }
    if (!this.#random.one(5)) leg.settle(tail);
  }

  #foreign(): void {
    const under = this.#random.one(3) ? this.#random.pick([...this.#log.keys()]) : this.#leaf;
    this.#append(under, this.#random.one(3) ? { type: 'compaction' } : { path: `f${this.#random.below(9)}` });
  }

  async live(): Promise<void> {
    for (let n = 0; n < 25; n += 1) {
      const what = this.#random.below(12);
      if (what < 7) await this.task();
      else if (what < 9) this.#foreign();
      else if (what < 11 && this.#log.size > 0) this.#leaf = this.#random.pick([...this.#log.keys()]);
      else if (this.#random.one(3)) {
        // Deleted, and built again under the same session.
        this.#log.clear();
        this.#leaf = null;
      }
    }
  }
}

/** What was inherited and must not have been, and how often anything was inherited at all. */
export async function judgeHistory(seed: number): Promise<{ faults: readonly string[]; inherited: number }> {
  const history = new History(seed);
  await history.live();
  return history;
}
