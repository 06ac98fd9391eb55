/** A store that fails when it is told to, over one that works. */
import { ReadbackError } from '../errors.ts';
import type { Book, Store } from '../store/store.ts';

/** What a call does to a store: make staged things durable, look, or stage something. */
export type CallKind = 'commit' | 'read' | 'write';

export interface Fault {
  readonly on: CallKind;
  /** Which call of that kind fails, counted from 1 from the moment the fault was planted. */
  readonly nth: number;
  /** `after`: the call has taken effect all the same, as when the power fails behind a write. Default `before`. */
  readonly when?: 'before' | 'after' | undefined;
  /** How many calls fail in a row. Default 1. */
  readonly times?: number | undefined;
  /** What is thrown. Default: `disk_full`. */
  readonly error?: unknown;
}

/** One call, as a watcher hears of it. */
export interface StoreCall {
  readonly kind: CallKind;
  readonly name: string;
  /** False while the call is about to be made, true when it has been made. */
  readonly done: boolean;
}

export interface FaultyStore extends Store {
  /** Calls so far, by kind. Commits of nothing do not count. */
  readonly counts: Readonly<Record<CallKind, number>>;
  /** Faults that have struck. */
  readonly struck: number;
  /** Plants a fault; the ones before stay. */
  plant(fault: Fault): void;
  /** Takes out every fault that has not struck. */
  heal(): void;
  /** Hears of each call before and after it is made. */
  watch: ((call: StoreCall) => void) | undefined;
}

const READS: ReadonlySet<string> = new Set([
  ...['ticket', 'anyTicket', 'ticketVictim', 'ticketsOn', 'wasOpened', 'open', 'deadlines', 'openTickets'],
  ...['entry', 'entriesOf', 'entriesOn', 'allEntries', 'recent', 'licensed', 'pendingAfter', 'entryCount'],
  ...['entryVictim', 'owedGroups', 'pendingTabs', 'loss', 'losses', 'lossOf', 'lossCount', 'warning', 'warnings'],
  ...['latestAge', 'interruptedEntries', 'awaitedTickets', 'latestSeq', 'audit', 'outbox', 'tabs', 'kept'],
]);
const WRITES: ReadonlySet<string> = new Set([
  ...['addTicket', 'setTicket', 'addEntry', 'setEntry', 'dropEntry', 'addLoss', 'setLoss', 'dropLoss', 'nextLoss'],
  ...[
    'addWarning',
    'setWarning',
    'dropWarning',
    'nextNumber',
    'nextSeq',
    'clear',
    'note',
    'intend',
    'done',
    'saveTab',
    'keep',
  ],
]);

interface Planted {
  readonly fault: Fault;
  left: number;
  times: number;
}

class Faults {
  readonly counts: Record<CallKind, number> = { commit: 0, read: 0, write: 0 };
  struck = 0;
  planted: Planted[] = [];
  watch: ((call: StoreCall) => void) | undefined;

  /** Makes one call, unless it is to fail before that. */
  call<T>(kind: CallKind, name: string, make: () => T): T {
    this.counts[kind] += 1;
    const fault = this.#due(kind);
    if (fault !== undefined && fault.when !== 'after') throw this.#strike(fault, name);
    this.watch?.({ kind, name, done: false });
    const made = make();
    this.watch?.({ kind, name, done: true });
    if (fault !== undefined) throw this.#strike(fault, name);
    return made;
  }

  #due(kind: CallKind): Fault | undefined {
    let due: Fault | undefined;
    for (const one of this.planted) {
      if (one.fault.on !== kind || --one.left > 0 || one.times <= 0) continue;
      one.times -= 1;
      due ??= one.fault;
    }
    return due;
  }

  #strike(fault: Fault, name: string): unknown {
    this.struck += 1;
    return fault.error ?? new ReadbackError('disk_full', `A planted fault: ${fault.on} number ${fault.nth} (${name}).`);
  }
}

function wrapped<T extends object>(target: T, faults: Faults, own: Readonly<Record<string, unknown>>): T {
  const kindOf = (name: PropertyKey): CallKind | undefined =>
    READS.has(String(name)) ? 'read' : WRITES.has(String(name)) ? 'write' : undefined;
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === 'string' && Object.hasOwn(own, name)) return own[name];
      const kind = kindOf(name);
      const look = (): unknown => Reflect.get(target, name, target);
      // A getter that only counts is a read too.
      if (kind === 'read' && typeof look() !== 'function') return faults.call(kind, String(name), look);
      const member = look();
      if (typeof member !== 'function') return member;
      const make = (args: unknown[]): unknown => Reflect.apply(member, target, args);
      return kind === undefined
        ? (...args: unknown[]) => make(args)
        : (...args: unknown[]) => faults.call(kind, String(name), () => make(args));
    },
  });
}

/**
 * Wraps a store so that chosen calls fail, before they take effect or after.
 *
 * Promises that a call that does not fail is the call of the store beneath. A failure is thrown where a real store
 * would throw it; whether anything took effect is for the fault to say, so it is no test of the store beneath.
 */
export function faultyStore(store: Store, ...plan: readonly Fault[]): FaultyStore {
  const faults = new Faults();
  const plant = (fault: Fault): void => {
    faults.planted.push({ fault, left: fault.nth, times: fault.times ?? 1 });
  };
  for (const fault of plan) plant(fault);
  const book: Book = wrapped(store.book, faults, {});
  const own = {
    book,
    commit: () => (store.dirty ? faults.call('commit', 'commit', () => store.commit()) : store.commit()),
    plant,
    heal: () => {
      faults.planted = [];
    },
    counts: faults.counts,
  };
  const outer = wrapped(store, faults, own) as FaultyStore;
  return new Proxy(outer, {
    get: (target, name) =>
      name === 'struck' ? faults.struck : name === 'watch' ? faults.watch : Reflect.get(target, name, target),
    set(target, name, value) {
      if (name !== 'watch') return Reflect.set(target, name, value);
      faults.watch = value as FaultyStore['watch'];
      return true;
    },
  });
}
