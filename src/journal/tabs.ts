/**
 * Doors and tabs: epochs, and occupants that are gone. The chart is stepped like all others, so that what a failed
 * commit had staged can be taken back; the live actor follows what is committed, and is what an inspector attaches to.
 */
import { createActor } from 'xstate';
import {
  type CoordinatorContext,
  type CoordinatorEvent,
  coordinatorMachine,
  type Tab,
  UNTOUCHED_TAB,
} from '../../machines/coordinator.ts';
import { compile, restore, step } from '../../machines/shared/step.ts';
import type { Watch } from '../../machines/shared/tap.ts';

export type SaveTab = (key: string, tab: Tab | undefined) => void;
export type Doors = 'opening' | 'open' | 'closing' | 'closed';

export const coordinatorChart = compile(coordinatorMachine);
type Standing = ReturnType<typeof restore<CoordinatorContext, CoordinatorEvent, Doors, unknown, unknown>>;
const standing = (doors: Doors, context: CoordinatorContext): Standing => restore(coordinatorChart, doors, context);

const enliven = ({ value, context }: Standing) => {
  const snapshot = coordinatorMachine.resolveState({ value, context });
  return createActor(coordinatorMachine, { snapshot, input: context }).start();
};

export class Tabs {
  #at: Standing;
  #committed: Standing;
  #staged: CoordinatorEvent[] = [];
  #actor: ReturnType<typeof enliven> | undefined;
  /** The tabs by key, as they stood when last read: a record whose keys are the host's words is slow to read. */
  #byKey: ReadonlyMap<string, Tab> = new Map();
  #indexed: CoordinatorContext['tabs'] | undefined;
  readonly #save: SaveTab | undefined;
  readonly #watch: Watch | undefined;

  /** `save` is told of each change, so that it can be staged with the rows that it belongs to. */
  constructor(doors: Doors, tabs: CoordinatorContext['tabs'] = {}, save?: SaveTab, watch?: Watch) {
    this.#at = standing(doors, { tabs });
    this.#committed = this.#at;
    this.#save = save;
    this.#watch = watch;
  }

  tab(key: string): Tab {
    const { tabs } = this.#at.context;
    if (tabs !== this.#indexed) {
      this.#indexed = tabs;
      this.#byKey = new Map(Object.entries(tabs));
    }
    return this.#byKey.get(key) ?? UNTOUCHED_TAB;
  }

  epoch(key: string): number {
    return this.tab(key).epoch;
  }

  isGone(key: string, occupant: string): boolean {
    return this.tab(key).gone.includes(occupant);
  }

  get doors(): Doors {
    return this.#at.value;
  }

  send(event: CoordinatorEvent): void {
    const { tabs: before } = this.#at.context;
    const stepped = step(coordinatorChart, this.#at, event);
    this.#watch?.tell?.(coordinatorChart.id, coordinatorChart.id, this.#at, event, stepped);
    this.#at = stepped.snapshot;
    // Without a store nothing is ever taken back, so nothing is kept for it either.
    if (this.#save === undefined) return;
    this.#staged.push(event);
    const { tabs } = this.#at.context;
    if (before === tabs) return;
    for (const key of 'tab' in event ? [event.tab] : 'from' in event ? [event.from, event.to] : Object.keys(before)) {
      this.#save(key, Object.hasOwn(tabs, key) ? tabs[key] : undefined);
    }
  }

  commit(): void {
    this.#committed = this.#at;
    for (const event of this.#staged.splice(0)) this.#actor?.send(event);
  }

  rollback(): void {
    this.#at = this.#committed;
    this.#staged = [];
  }

  /** The running actor; it starts where the committed chart stands. */
  get actor(): ReturnType<typeof enliven> {
    this.#actor ??= enliven(this.#committed);
    return this.#actor;
  }

  stop(): void {
    this.#actor?.stop();
  }
}
