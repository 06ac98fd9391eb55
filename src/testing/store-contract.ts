/** The contract of a store, as a suite that any store can be run through. */
import { strict as assert } from 'node:assert';
import type { Store } from '../store/store.ts';
import { entryContract } from './entry-contract.ts';
import { ledgerContract } from './ledger-contract.ts';
import { recorded, unrecorded } from './recorded.ts';
import { plainBook } from './rows.ts';
import { Chapter as Rules, register, type Suite, subjectOf } from './rules.ts';
import { ticketContract } from './ticket-contract.ts';

/** One place where a store can be opened, fresh for each test. */
export interface StoreFixture {
  /** Opens the store; again, after `close`, with what was committed. */
  open(): Store;
  /** False for a store that keeps nothing when it is closed. */
  readonly keeps: boolean;
  /** Removes the place. */
  end(): void;
}

/** What the chapters of the contract are given. */
export interface Chapter {
  /** A test with a store of its own, which is closed afterwards. */
  readonly test: (name: string, body: (store: Store) => void) => void;
}

export interface Names {
  readonly tabs: readonly string[];
  readonly asks: readonly string[];
}

/** All that a store shows; looking is no step of a test. */
function everything(watched: Store, { tabs, asks }: Names): unknown {
  const store = unrecorded(watched);
  return {
    book: plainBook(store.book, tabs, asks),
    tabs: [...store.tabs()].sort((a, b) => (a.tab < b.tab ? -1 : 1)),
    outbox: store.outbox(),
    kept: ['request', '__proto__'].map((kind) => store.kept(kind)),
    audit: store.audit({ limit: 1_000 }),
  };
}

/** A body with a store of the running test's subject. */
const withStore = (body: (store: Store, reopen: (store: Store) => Store) => void) => (): void => {
  const fixture = subjectOf<() => StoreFixture>()();
  const opened: Store[] = [];
  const open = (): Store => {
    const store = fixture.open();
    opened.push(store);
    return recorded(store, { inside: ['book'] });
  };
  try {
    body(open(), (store) => {
      store.close();
      return open();
    });
  } finally {
    for (const store of opened) store.close();
    fixture.end();
  }
};

export type Fill = readonly [title: string, fill: (store: Store) => void, names: Names];
const FILLS: readonly Fill[] = [...ticketContract.fills, ...entryContract.fills, ...ledgerContract.fills];

const storeRules = new Rules();
const lastingRules = new Rules();
const chapter: Chapter = { test: (title, body) => storeRules.test(title, withStore(body)) };
storeRules.describe('tickets', () => ticketContract(chapter));
storeRules.describe('entries', () => entryContract(chapter));
storeRules.describe('everything else', () => ledgerContract(chapter));
storeRules.describe('what a store may forget', () => {
  for (const [title, fill, names] of FILLS) {
    storeRules.test(`a rollback forgets ${title}`, forgetting(fill, names));
  }
});
lastingRules.describe('what a store may forget', () => {
  for (const [title, fill, names] of FILLS) lastingRules.test(`closing keeps ${title}`, keeping(fill, names));
});

/**
 * Runs a store through everything that the coordinator relies on.
 *
 * Promises that a store which passes keeps rows, order, identity of holders and rollback as the reference store does.
 * It does not show that a commit survives a power failure: that takes a process that is killed.
 */
export function storeContract(name: string, make: () => StoreFixture, suite: Suite): void {
  const probe = make();
  const { keeps } = probe;
  probe.end();
  register(`the contract of a store: ${name}`, make, keeps ? [storeRules, lastingRules] : [storeRules], suite);
}

/** A rollback leaves everything as it was before, and the same can then be done. */
function forgetting(fill: Fill[1], names: Names): () => void {
  return withStore((store) => {
    const before = everything(store, names);
    fill(store);
    assert.equal(store.dirty, true);
    const staged = everything(store, names);
    store.rollback();
    assert.equal(store.dirty, false);
    assert.deepEqual(everything(store, names), before);
    assert.notDeepEqual(staged, before);
    fill(store);
    store.commit();
    assert.equal(store.dirty, false);
    const committed = everything(store, names);
    store.rollback();
    assert.deepEqual(everything(store, names), committed);
    store.note({ at: 1, event: 'more' });
    for (const row of store.book.allEntries()) store.book.dropEntry(row);
    for (const row of store.book.losses()) store.book.dropLoss(row);
    for (const { id } of store.kept('request')) store.keep('request', id, undefined);
    store.rollback();
    assert.deepEqual(everything(store, names), committed);
  });
}

/** What is committed is there after closing and opening; what is staged is not. */
function keeping(fill: Fill[1], names: Names): () => void {
  return withStore((store, reopen) => {
    fill(store);
    store.commit();
    const committed = everything(store, names);
    store.note({ at: 2, event: 'never committed' });
    const again = reopen(store);
    assert.deepEqual(everything(again, names), committed);
    again.tidy();
    assert.deepEqual(everything(again, names), committed);
    const [number, seq] = [again.book.nextNumber(), again.book.nextSeq()];
    for (const row of again.book.allEntries()) assert.ok(row.n < number);
    for (const row of again.book.open(1_000)) assert.ok(row.seq < seq);
  });
}
