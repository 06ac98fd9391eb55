/** The fences of answers, a row each: stepped in memory, and on file with their anchors. Where they stand is found out anew. */
import { copyFence, type FenceContext, type FenceEvent, fenceMachine } from '../machines/seats/fence.ts';
import { compile, type EffectOf, restore, type SnapshotOf, start, step } from '../machines/shared/step.ts';
import { birth, type Watch } from '../machines/shared/tap.ts';
import type { ChartRow } from './api.ts';
import { ReadbackError } from './errors.ts';
import type { LineageWord } from './journal/operation.ts';
import { chartStamp } from './store/chart-hash.ts';
import type { Store } from './store/store.ts';

export const fenceChart = compile(fenceMachine, copyFence);
export type FenceSnapshot = SnapshotOf<typeof fenceChart>;
export type FenceOrder = EffectOf<typeof fenceChart>;

const KIND = 'fence';

export interface FenceRow {
  readonly askId: string;
  at: FenceSnapshot;
  /**
   * How often what was read of the log stopped counting: its leaf was said to have moved, or its tab has another name.
   * Beside the chart, for a commit that fails takes that back, and a read that is under way would count again.
   */
  doubts: number;
}

const WORDS: Readonly<Record<string, LineageWord>> = {
  unanchored: 'unplaced',
  pending: 'on',
  deliverable: 'on',
  delivered: 'kept',
  retired: 'off',
};

export function wordOf({ at }: FenceRow): LineageWord {
  if (at.value === 'pending' && at.context.off) return 'off';
  return WORDS[at.value] ?? 'unsure';
}

/** Where one stands, as it is looked at. */
export const fenceRow = ({ askId, at: { value, context } }: FenceRow): ChartRow => ({
  machine: fenceChart.id,
  id: askId,
  states: [value],
  ...(context.privileged ? {} : { askId }),
  tab: context.tab,
});

/** What must survive the process; all else is a question to the log. */
const lasting = ({ value, context }: FenceSnapshot): string =>
  JSON.stringify([
    value === 'gone',
    context.tab,
    context.askedAt,
    context.deliveredAt,
    context.answered,
    context.unwritten,
    context.again,
    context.reported,
    context.told === 'off_branch',
  ]);

/** Where steps are told: those that are staged, and those that no commit can take back. */
export interface FenceWatch {
  readonly staged: Watch;
  readonly settled: Watch;
}

interface Kept {
  readonly state: FenceSnapshot['value'];
  readonly context: FenceContext;
}

export class FenceBook {
  readonly #store: Store;
  readonly #watch: FenceWatch;
  readonly #stamp = chartStamp(fenceChart);
  readonly #rows = new Map<string, FenceRow>();
  readonly #byTab = new Map<string, Set<FenceRow>>();
  #undo: (() => void)[] = [];

  constructor(store: Store, watch: FenceWatch) {
    this.#store = store;
    this.#watch = watch;
    for (const { id, chart, body } of store.kept(KIND)) this.#restore(id, chart, body);
  }

  get size(): number {
    return this.#rows.size;
  }

  get(askId: string): FenceRow | undefined {
    return this.#rows.get(askId);
  }

  on(tab: string): FenceRow[] {
    return [...(this.#byTab.get(tab) ?? [])];
  }

  has(tab: string): boolean {
    return this.#byTab.has(tab);
  }

  get tabs(): string[] {
    return [...this.#byTab.keys()];
  }

  all(): FenceRow[] {
    return [...this.#rows.values()];
  }

  add(askId: string, tab: string, privileged: boolean): void {
    if (this.#rows.has(askId)) return;
    const row: FenceRow = {
      askId,
      at: start(fenceChart, { askId, tab, privileged }).snapshot,
      doubts: 0,
    };
    this.#watch.staged.tell?.(fenceChart.id, askId, undefined, { type: 'xstate.init', tab }, birth(row.at));
    this.#enter(row);
    this.#undo.push(() => this.#leave(row));
    this.#save(row);
  }

  /** Steps one; undefined: it has no use for this event. What must survive is staged. */
  step(askId: string, event: FenceEvent): readonly FenceOrder[] | undefined {
    const row = this.#rows.get(askId);
    if (row === undefined) return undefined;
    const before = row.at;
    const stepped = step(fenceChart, before, event);
    this.#watch.staged.tell?.(fenceChart.id, askId, before, event, stepped);
    const { snapshot, effects, ignored } = stepped;
    if (ignored) return undefined;
    this.#undo.push(() => this.#put(row, before));
    this.#put(row, snapshot);
    if (lasting(before) !== lasting(snapshot)) this.#save(row);
    return effects;
  }

  /** The log is asked again: no row changes, and no commit that fails may take it back. */
  doubt(row: FenceRow): void {
    row.doubts += 1;
    row.at = this.#settle(row.askId, row.at, { type: 'LEAF_CHANGED' });
  }

  /** Nothing is left to fence. */
  end(rows: readonly FenceRow[]): void {
    for (const { askId, at } of rows) this.step(askId, { type: at.context.answered ? 'CAPACITY' : 'EXPIRED' });
  }

  commit(): void {
    this.#undo = [];
  }

  rollback(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    // What stood before may have been found for another leaf.
    for (const row of this.#rows.values()) this.doubt(row);
  }

  #settle(askId: string, before: FenceSnapshot, event: FenceEvent): FenceSnapshot {
    const stepped = step(fenceChart, before, event);
    this.#watch.settled.tell?.(fenceChart.id, askId, before, event, stepped);
    return stepped.snapshot;
  }

  #put(row: FenceRow, at: FenceSnapshot): void {
    const moved = row.at.context.tab !== at.context.tab;
    const ends = row.at.done !== at.done;
    if (moved) row.doubts += 1;
    if (moved || ends) this.#leave(row);
    row.at = at;
    if ((moved || ends) && !at.done) this.#enter(row);
  }

  #enter(row: FenceRow): void {
    this.#rows.set(row.askId, row);
    const { tab } = row.at.context;
    const here = this.#byTab.get(tab);
    if (here === undefined) this.#byTab.set(tab, new Set([row]));
    else here.add(row);
  }

  #leave(row: FenceRow): void {
    this.#rows.delete(row.askId);
    const { tab } = row.at.context;
    const here = this.#byTab.get(tab);
    if (here?.delete(row) && here.size === 0) this.#byTab.delete(tab);
  }

  #save({ askId, at }: FenceRow): void {
    const body = JSON.stringify({ state: at.value, context: at.context });
    this.#store.keep(KIND, askId, at.done ? undefined : { chart: this.#stamp, body });
  }

  #restore(askId: string, chart: string, body: string): void {
    if (chart !== this.#stamp) {
      const found = `fence ${askId} was written by the chart ${chart}, and this readback has ${this.#stamp}`;
      throw new ReadbackError('store_newer', `The store cannot be opened: ${found}.`);
    }
    try {
      const { state, context } = JSON.parse(body) as Kept;
      const at = restore(fenceChart, state, context);
      this.#enter({ askId, at: this.#settle(askId, at, { type: 'RESTART' }), doubts: 0 });
    } catch (cause) {
      throw new ReadbackError('store_unreadable', `fence ${askId}: ${String(cause)}.`, { cause });
    }
  }
}
