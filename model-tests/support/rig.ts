/** A facade in a driver's hand: the journal in memory, or the coordinator over a store, behind the same calls. */
import { type Coordinator, type CoordinatorOptions, openCoordinator } from '../../src/coordinator.ts';
import { createJournal, type Journal } from '../../src/journal.ts';
import type { JournalLimits } from '../../src/limits.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';

type Later<T> = T | Promise<T>;
/** The journal's operations, each now or after its commit. */
export type EitherJournal = {
  [Name in Exclude<keyof Journal, 'reset'>]: Journal[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Later<Result>
    : never;
};

/** What the host said and heard. */
export class HostHooks {
  carrier: string | null = null;
  recallWorks = false;
  occupant: string | null | undefined;
  /** A log line that holds this text cannot be written. */
  unwritable: string | undefined;
  flushed: string[] = [];
  recalls: string[] = [];
  attached: string[] = [];
  lines: string[] = [];

  readonly flusher = (key: string): void => void this.flushed.push(key);
  readonly attacher = (_key: string, token: string): string | null => {
    this.attached.push(token);
    return this.carrier;
  };
  readonly revoker = (_key: string, token: string): boolean => {
    this.recalls.push(token);
    return this.recallWorks;
  };
  readonly #write = (line: unknown): void => {
    if (this.unwritable !== undefined && String(line).includes(this.unwritable)) throw new Error('the log is full');
    this.lines.push(String(line));
  };
  readonly logger = { debug: this.#write, info: this.#write, warn: this.#write, error: this.#write };

  hush(): void {
    this.flushed = [];
    this.recalls = [];
    this.attached = [];
    this.lines = [];
  }
}

export interface Rig {
  readonly kind: 'memory' | 'durable';
  readonly hooks: HostHooks;
  readonly journal: EitherJournal;
  /** Waits for the commit, where there is one. */
  done<T>(work: Later<T>): Promise<T>;
}

export class MemoryRig implements Rig {
  readonly kind = 'memory';
  readonly hooks = new HostHooks();
  readonly journal: Journal;

  constructor(limits: Partial<JournalLimits>) {
    this.journal = createJournal({ limits, logger: this.hooks.logger, clock: new HandRuntime() });
    this.journal.setFlusher(this.hooks.flusher);
    this.journal.setRevoker(this.hooks.revoker);
    this.journal.setTurnAttacher(this.hooks.attacher);
  }

  async done<T>(work: Later<T>): Promise<T> {
    return work;
  }
}

export class DurableRig implements Rig {
  readonly kind = 'durable';
  readonly hooks = new HostHooks();
  readonly store: Store = memoryStore();
  readonly #limits: Partial<JournalLimits>;
  readonly #options: Partial<CoordinatorOptions>;
  #runs = 0;
  runtime = new HandRuntime();
  #coordinator: Coordinator | undefined;

  constructor(limits: Partial<JournalLimits>, options: Partial<CoordinatorOptions> = {}) {
    this.#limits = limits;
    this.#options = options;
  }

  get coordinator(): Coordinator {
    if (this.#coordinator === undefined) throw new Error('the rig is not open');
    return this.#coordinator;
  }

  get journal(): EitherJournal {
    return this.coordinator.journal as unknown as EitherJournal;
  }

  async open(): Promise<this> {
    this.#runs += 1;
    this.runtime = new HandRuntime({ now: this.runtime.now(), seed: this.#runs });
    const { flusher, revoker, attacher, logger } = this.hooks;
    const opening = openCoordinator({
      store: this.store,
      limits: this.#limits,
      runtime: this.runtime,
      logger,
      flusher,
      revoker,
      attacher,
      alwaysVisible: true,
      ...this.#options,
    });
    this.#coordinator = await this.done(opening);
    await this.runtime.settle();
    return this;
  }

  /** The process dies: what was not committed is gone, nothing is said any more, and another one opens the store. */
  async restart(): Promise<void> {
    this.store.rollback();
    await this.open();
  }

  async done<T>(work: Later<T>): Promise<T> {
    let isSettled = false;
    const note = (): void => {
      isSettled = true;
    };
    Promise.resolve(work).then(note, note);
    for (let round = 0; !isSettled; round++) {
      if (round > 100) throw new Error('a call that never settles');
      await this.runtime.settle();
      if (!isSettled) this.runtime.advance(50);
    }
    return work;
  }
}
