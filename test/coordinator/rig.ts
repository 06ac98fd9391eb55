/** A coordinator with everything around it in the test's hand: time, ticks, ids, log, faults of the store, restarts. */
import { setImmediate } from 'node:timers/promises';
import type { AskOptions, Author, Outcome, Question } from '../../src/api.ts';
import { type Coordinator, type CoordinatorOptions, openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type FaultyStore, faultyStore, type HandRuntime, handRuntime, KeptLog } from '../../src/testing/index.ts';
import { type Place, place } from '../store/place.ts';

export const KINDS = ['memory', 'SQLite'] as const;
export type Kind = (typeof KINDS)[number];

export const TAB = 'session-1';
export const HUMAN: Author = Object.freeze({ surface: 'page', who: 'window-1' });
export const COLOUR: Question = Object.freeze({
  question: 'Which colour shall the door have?',
  options: [
    { id: 'g', label: 'Green' },
    { id: 'b', label: 'Blue', description: 'like the sea' },
  ],
});
export const FREE: Question = Object.freeze({ question: 'What shall it be called?' });

export interface Asked {
  readonly id: string;
  readonly outcome: Promise<Outcome>;
  /** The outcome, if there is one by now. */
  now(): Outcome | undefined;
}

type Options = {
  -readonly [Name in Exclude<keyof CoordinatorOptions, 'store' | 'runtime' | 'logger'>]?: CoordinatorOptions[Name];
};

export class Rig {
  readonly kind: Kind;
  readonly log = new KeptLog();
  readonly options: Options;
  hand: HandRuntime;
  store!: FaultyStore;
  c!: Coordinator;
  readonly #place: Place | undefined;
  #real: Store | undefined;
  #seed = 1;

  constructor(kind: Kind, options: Options = {}) {
    this.kind = kind;
    this.options = options;
    this.hand = handRuntime();
    if (kind === 'SQLite') this.#place = place();
  }

  /** Opens the coordinator; `page: false` leaves it without anything that can show a card. */
  async open({ page = true, prepare }: { page?: boolean; prepare?: (store: FaultyStore) => void } = {}): Promise<this> {
    this.openStore();
    prepare?.(this.store);
    const opening = openCoordinator({ ...this.options, store: this.store, runtime: this.hand, logger: this.log });
    // With contracts or logs it loads what they take, and that is no tick of the hand.
    let isOver = this.options.contracts === undefined && this.options.conversationLog === undefined;
    opening.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    for (; !isOver; await setImmediate()) await this.hand.settle();
    this.c = await this.done(opening);
    await this.hand.settle();
    if (page) this.c.attachSurface({ kind: 'page', id: 'window-1' });
    return this;
  }

  /** Opens the store, and nothing over it. */
  openStore(): this {
    this.#real ??= this.#place === undefined ? memoryStore() : openSqliteStore(this.#place.path);
    this.store = faultyStore(this.#real);
    return this;
  }

  /** The process is gone this very instant: what was not committed is lost, and nobody says goodbye. */
  crash(): void {
    if (this.#place === undefined) this.#real?.rollback();
    else {
      this.#real?.close();
      this.#real = undefined;
    }
    const now = this.hand.now();
    this.hand = handRuntime({ now, seed: ++this.#seed });
  }

  async restart(options: Parameters<Rig['open']>[0] = {}): Promise<this> {
    this.crash();
    return this.open(options);
  }

  /** Closes properly and opens again. */
  async reopen(): Promise<this> {
    await this.done(this.c.close());
    if (this.#place !== undefined) this.#real = undefined;
    this.hand = handRuntime({ now: this.hand.now(), seed: ++this.#seed });
    return this.open();
  }

  end(): void {
    this.#real?.close();
    this.#place?.end();
  }

  /** Lets everything happen that needs no time to pass, then gives the result; fails if there is none yet. */
  async done<T>(promise: Promise<T>): Promise<T> {
    let end: (() => T) | undefined;
    promise.then(
      (value) => {
        end = () => value;
      },
      (error: unknown) => {
        end = () => {
          throw error;
        };
      },
    );
    await this.hand.settle();
    if (end === undefined) throw new Error('it is still waiting');
    return end();
  }

  /** The same for what may wait for the next commit. */
  async proven<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => undefined);
    await this.hand.settle();
    await this.hand.pass(50);
    return this.done(promise);
  }

  /** Starts an ask and returns once it is open. */
  async ask(question: Question = COLOUR, options: Partial<AskOptions> = {}): Promise<Asked> {
    let id = '';
    let end: Outcome | undefined;
    const outcome = this.c.ask(question, {
      tab: TAB,
      ...options,
      onOpen: (askId) => {
        id = askId;
        options.onOpen?.(askId);
      },
    });
    outcome.then(
      (value) => {
        end = value;
      },
      () => undefined,
    );
    await this.hand.settle();
    return { id, outcome, now: () => end };
  }

  /** An ask whose call was cut short, so that its card is left alone, whatever was answered before. */
  async unattended(question: Question = COLOUR, options: Partial<AskOptions> = {}): Promise<string> {
    const call = new AbortController();
    const { id, outcome } = await this.ask(question, { ...options, signal: call.signal });
    call.abort();
    await this.done(outcome);
    await this.hand.pass(50);
    return id;
  }

  async answer(id: string, text: string, author: Author = HUMAN) {
    const reply = text === 'g' || text === 'b' ? { selected: [text] } : { text };
    return this.done(this.c.answer(id, reply, author));
  }

  /** An answer that came when nobody waited. */
  async late(text = 'g', question: Question = COLOUR): Promise<{ id: string; token: string }> {
    const id = await this.unattended(question);
    const { token } = await this.answer(id, text);
    return { id, token: token ?? '' };
  }

  async show(id: string) {
    return this.done(this.c.show(id));
  }

  async entry(token: string, tab = TAB) {
    const entries = await this.done(this.c.journal.entriesFor(tab));
    return entries.find((entry) => entry.token === token);
  }

  async events(): Promise<string[]> {
    return (await this.done(this.c.audit({ limit: 1_000 }))).map((row) => row.event);
  }

  /** Everything that people, agents and the next start would see, to show that nothing has changed. */
  async visible(tabs: readonly string[] = [TAB]): Promise<unknown> {
    const { journal } = this.c;
    const look = async (tab: string): Promise<unknown[]> => [
      tab,
      await this.done(journal.entriesFor(tab)),
      await this.done(journal.pending(tab)),
      await this.done(this.c.unread(tab)),
      await this.done(journal.droppedFor(tab)),
    ];
    const each: unknown[] = [];
    for (const tab of tabs) each.push(await look(tab));
    return {
      open: await this.done(this.c.list()),
      recent: await this.done(this.c.list({ what: 'recent' })),
      gate: await this.done(journal.hasOutstanding()),
      debt: await this.done(journal.outstandingDebt()),
      each,
    };
  }
}

const rigs: Rig[] = [];

export async function openRig(kind: Kind, options: Options = {}, how: Parameters<Rig['open']>[0] = {}): Promise<Rig> {
  const rig = new Rig(kind, options);
  rigs.push(rig);
  return rig.open(how);
}

/** Ends every rig of a test; call it after each. */
export function endRigs(): void {
  for (const rig of rigs.splice(0)) rig.end();
}
