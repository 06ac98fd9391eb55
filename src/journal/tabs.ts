/** The coordinator actor, and what the journal reads of it: epochs, and occupants that are gone. */
import { createActor } from 'xstate';
import {
  type CoordinatorContext,
  type CoordinatorEvent,
  coordinatorMachine,
  type Tab,
  UNTOUCHED_TAB,
} from '../../machines/coordinator.ts';

export type SaveTab = (key: string, tab: Tab | undefined) => void;
type Doors = 'opening' | 'open' | 'closing' | 'closed';

const start = (tabs: CoordinatorContext['tabs'], doors: Doors = 'opening') => {
  const snapshot = coordinatorMachine.resolveState({ value: doors, context: { tabs } });
  return createActor(coordinatorMachine, { snapshot, input: { tabs } }).start();
};

export class Tabs {
  #actor: ReturnType<typeof start>;
  #tabs: CoordinatorContext['tabs'];
  /** The same tabs, for looking up: a record with keys of the host's own choosing is slow to read. */
  #byKey: ReadonlyMap<string, Tab>;
  #committed: CoordinatorContext['tabs'];
  readonly #save: SaveTab | undefined;

  /** `save` is told of each change, so that it can be staged with the rows that it belongs to. */
  constructor(tabs: CoordinatorContext['tabs'] = {}, save?: SaveTab) {
    this.#actor = start(tabs);
    this.#tabs = this.#actor.getSnapshot().context.tabs;
    this.#byKey = new Map(Object.entries(this.#tabs));
    this.#committed = this.#tabs;
    this.#save = save;
  }

  tab(key: string): Tab {
    return this.#byKey.get(key) ?? UNTOUCHED_TAB;
  }

  epoch(key: string): number {
    return this.tab(key).epoch;
  }

  isGone(key: string, occupant: string): boolean {
    return this.tab(key).gone.includes(occupant);
  }

  get doors(): Doors {
    return this.#actor.getSnapshot().value;
  }

  send(event: CoordinatorEvent): void {
    const before = this.#tabs;
    this.#actor.send(event);
    this.#tabs = this.#actor.getSnapshot().context.tabs;
    if (before === this.#tabs) return;
    this.#byKey = new Map(Object.entries(this.#tabs));
    if (this.#save === undefined) return;
    for (const key of 'tab' in event ? [event.tab] : 'from' in event ? [event.from, event.to] : Object.keys(before)) {
      this.#save(key, Object.hasOwn(this.#tabs, key) ? this.#tabs[key] : undefined);
    }
  }

  commit(): void {
    this.#committed = this.#tabs;
  }

  /** A running actor cannot go back, so one that ran ahead of a failed commit is replaced. */
  rollback(): void {
    if (this.#committed === this.#tabs) return;
    const { doors } = this;
    this.#actor.stop();
    this.#actor = start(this.#committed, doors);
    this.#tabs = this.#committed;
    this.#byKey = new Map(Object.entries(this.#tabs));
  }

  stop(): void {
    this.#actor.stop();
  }
}
