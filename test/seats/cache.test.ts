import { describe, expect, it } from 'vitest';
import { createSeatCache, type SeatCache, type SeatCacheOptions, type Ticket } from '../../src/seats.ts';

interface State {
  readonly read: Map<string, number>;
}
const state = (): State => ({ read: new Map() });
const fill = (cache: SeatCache<State>, ...sessions: string[]): Ticket[] =>
  sessions.map((session) => cache.adopt(session, state(), 'a') as Ticket);
const JUNK: readonly unknown[] = [undefined, null, 0, Number.NaN, '', true, Symbol('s'), 1n, {}, []];

describe('making a cache', () => {
  it('[SE-R01] [SE-R02] takes a capacity from 1 to 65,536, and 256 for anything else', () => {
    const held = (capacity: unknown): number => {
      const cache = createSeatCache<State>({ capacity } as SeatCacheOptions);
      expect(cache.size).toBe(0);
      for (let n = 0; n < 300; n += 1) fill(cache, `s${n}`);
      return cache.size;
    };
    expect([1, 2, 299, 65_536].map(held)).toEqual([1, 2, 299, 300]);
    for (const capacity of [undefined, 0, -1, 1.5, Number.NaN, 65_537, '3', null, {}]) expect(held(capacity)).toBe(256);
    const throwing = Object.defineProperty({}, 'capacity', {
      get: () => {
        throw new Error('no');
      },
    });
    for (const options of [...JUNK, throwing]) expect(createSeatCache(options as SeatCacheOptions).size).toBe(0);
  });

  it('[SE-R03] treats names of objects as ids like any other', () => {
    const cache = createSeatCache<State>();
    for (const session of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(cache.get(session)).toBeUndefined();
      const own = state();
      cache.adopt(session, own, null);
      expect(cache.get(session)?.state).toBe(own);
    }
    expect(cache.size).toBe(4);
  });
});

describe('a seat that is sealed', () => {
  const ENDS: readonly [how: string, end: (cache: SeatCache<State>) => unknown, late: string, left: number][] = [
    ['[SE-R22] adopted again', (cache) => cache.adopt('s', state(), 'b'), 'superseded', 1],
    ['[SE-R24] the least recent of too many', (cache) => cache.adopt('other', state(), 'b'), 'gone', 1],
    ['[SE-R40] dropped', (cache) => cache.drop('s'), 'gone', 0],
    ['[SE-R40] cleared', (cache) => cache.clear(), 'gone', 0],
  ];

  it.each(ENDS)('%s is over: its ticket seals nothing and brings nothing back', (_how, end, late, left) => {
    const cache = createSeatCache<State>({ capacity: 1 });
    const [ticket] = fill(cache, 's');
    expect(cache.seal(ticket as Ticket, 'leaf')).toBe('sealed');
    end(cache);
    expect(cache.seal(ticket as Ticket, 'later')).toBe(late);
    expect(cache.size).toBe(left);
    expect(cache.peek('s')?.sealed ?? false).toBe(false);
  });
});

describe('get and peek', () => {
  it('[SE-R10] know nothing of a session that has no seat', () => {
    const cache = createSeatCache<State>();
    expect([cache.get('s'), cache.peek('s'), cache.size]).toEqual([undefined, undefined, 0]);
  });

  it('[SE-R11] [SE-R13] [SE-R14] [SE-I12] show the adopted object itself in a view that is frozen', () => {
    const cache = createSeatCache<State>();
    const own = state();
    const ticket = cache.adopt('s', own, 'nobody-knows-this-entry');
    const view = cache.get('s');
    expect(view).toEqual({ state: own, anchor: 'nobody-knows-this-entry', sealed: false, ticket });
    expect(view?.state).toBe(own);
    expect(view).not.toBe(cache.get('s'));
    expect(Object.isFrozen(view)).toBe(true);
    expect(() => Object.assign(view as object, { anchor: 'other' })).toThrow(TypeError);
    expect(cache.peek('s')?.anchor).toBe('nobody-knows-this-entry');
  });

  it('[SE-R12] [SE-R24] get refreshes, peek does not', () => {
    const cache = createSeatCache<State>({ capacity: 2 });
    fill(cache, 'a', 'b');
    cache.peek('a');
    fill(cache, 'c');
    expect(cache.peek('a')).toBeUndefined();
    cache.get('b');
    fill(cache, 'd');
    expect([cache.peek('b') === undefined, cache.peek('c') === undefined]).toEqual([false, true]);
  });

  it('[SE-R15] compare ids exactly, and know nothing of what is no id', () => {
    const cache = createSeatCache<State>();
    fill(cache, 'Session');
    for (const other of ['session', 'Session ', ' Session']) expect(cache.get(other)).toBeUndefined();
    for (const junk of JUNK)
      expect([cache.get(junk as string), cache.peek(junk as string)]).toEqual([undefined, undefined]);
  });
});

describe('adopt', () => {
  it('[SE-R20] [SE-R45] keeps the reference: what the owner clears is cleared on the seat', () => {
    const cache = createSeatCache<State>();
    const own = state();
    own.read.set('file', 1);
    const ticket = cache.adopt('s', own, 'a') as Ticket;
    cache.seal(ticket, 'b');
    expect(cache.get('s')?.state.read.size).toBe(1);
    own.read.clear();
    expect(cache.get('s')?.state.read.size).toBe(0);
  });

  it('[SE-R21] [SE-R22] replaces the row whole', () => {
    const cache = createSeatCache<State>();
    const [first] = fill(cache, 's');
    cache.seal(first as Ticket, 'z');
    const next = state();
    const second = cache.adopt('s', next, 'b');
    expect(cache.peek('s')).toEqual({ state: next, anchor: 'b', sealed: false, ticket: second });
    expect([second === first, cache.size]).toEqual([false, 1]);
  });

  it('[SE-R23] [SE-R24] makes a session that was there the most recent one, and evicts nobody for it', () => {
    const cache = createSeatCache<State>({ capacity: 2 });
    fill(cache, 'a', 'b', 'a');
    expect(cache.size).toBe(2);
    fill(cache, 'c');
    expect(['a', 'b', 'c'].filter((session) => cache.peek(session) !== undefined)).toEqual(['a', 'c']);
    const one = createSeatCache<State>({ capacity: 1 });
    fill(one, 'a', 'b');
    expect([one.size, one.peek('b') === undefined]).toEqual([1, false]);
  });

  it('[SE-R25] [SE-R26] takes null for an anchor, and what is none for null', () => {
    const cache = createSeatCache<State>();
    for (const anchor of JUNK) {
      expect(cache.adopt('s', state(), anchor as string)).toBeDefined();
      expect(cache.peek('s')).toMatchObject({ anchor: null, sealed: false });
    }
  });

  it('[SE-R27] refuses a bad session or state, and changes nothing', () => {
    const said: unknown[] = [];
    const note = (line: unknown): void => void said.push(line);
    const logger = { debug: note, info: note, warn: note, error: note };
    const cache = createSeatCache<State>({ logger });
    const [ticket] = fill(cache, 's');
    for (const junk of JUNK) expect(cache.adopt(junk as string, state(), 'a')).toBeUndefined();
    for (const junk of [undefined, null, 0, 'text', true]) {
      expect(cache.adopt('s', junk as unknown as State, 'b')).toBeUndefined();
    }
    expect(cache.peek('s')).toMatchObject({ anchor: 'a', ticket });
    expect(said).toHaveLength(JUNK.length + 5);
  });

  it('[SE-R27] a log that throws changes nothing', () => {
    const fails = (): never => {
      throw new Error('full');
    };
    const cache = createSeatCache<State>({ logger: { debug: fails, info: fails, warn: fails, error: fails } });
    expect(cache.adopt('', state(), 'a')).toBeUndefined();
  });

  it('[SE-R28] of the same object is a new adoption', () => {
    const cache = createSeatCache<State>();
    const own = state();
    const first = cache.adopt('s', own, 'a') as Ticket;
    const second = cache.adopt('s', own, 'b') as Ticket;
    expect(cache.seal(first, 'late')).toBe('superseded');
    expect(cache.peek('s')).toEqual({ state: own, anchor: 'b', sealed: false, ticket: second });
  });
});

describe('seal', () => {
  it('[SE-R30] [SE-R31] [SE-R32] [SE-R36] [SE-R37] moves the anchor to the tail of its own task', () => {
    const cache = createSeatCache<State>({ capacity: 2 });
    const [ticket] = fill(cache, 'a', 'b');
    expect(cache.seal(ticket as Ticket, 'tail')).toBe('sealed');
    expect(cache.peek('a')).toMatchObject({ anchor: 'tail', sealed: true });
    fill(cache, 'c');
    expect([cache.peek('a') === undefined, cache.peek('b') === undefined]).toEqual([false, true]);
  });

  it('[SE-R32] [SE-I11] gives an unanchored seat an anchor', () => {
    const cache = createSeatCache<State>();
    const ticket = cache.adopt('s', state(), null) as Ticket;
    expect(cache.seal(ticket, 'tail')).toBe('sealed');
    expect(cache.peek('s')).toMatchObject({ anchor: 'tail', sealed: true });
  });

  it('[SE-R33] says superseded while the session has another row, and gone when it has none', () => {
    const cache = createSeatCache<State>({ capacity: 1 });
    const [first, second, other] = fill(cache, 's', 's', 't') as [Ticket, Ticket, Ticket];
    expect([cache.seal(first, 'x'), cache.seal(second, 'x'), cache.peek('s')]).toEqual(['gone', 'gone', undefined]);
    fill(cache, 's');
    expect([cache.seal(second, 'x'), cache.seal(other, 'x')]).toEqual(['superseded', 'gone']);
    expect(cache.peek('s')).toMatchObject({ anchor: 'a', sealed: false });
    const elsewhere = createSeatCache<State>();
    const [foreign] = fill(elsewhere, 's') as [Ticket];
    for (const junk of [...JUNK, foreign, { session: 's' }]) expect(cache.seal(junk as Ticket, 'x')).toBe('gone');
    expect(elsewhere.peek('s')?.sealed).toBe(false);
  });

  it('[SE-R34] refuses a leaf that is none, and leaves the seat as it is', () => {
    const cache = createSeatCache<State>();
    const [ticket] = fill(cache, 's') as [Ticket];
    for (const junk of JUNK) expect(cache.seal(ticket, junk as string)).toBe('bad-leaf');
    expect(cache.peek('s')).toMatchObject({ anchor: 'a', sealed: false });
    cache.seal(ticket, 'b');
    expect(cache.seal(ticket, '')).toBe('bad-leaf');
    expect(cache.peek('s')).toMatchObject({ anchor: 'b', sealed: true });
  });

  it('[SE-R35] may come again with the same ticket', () => {
    const cache = createSeatCache<State>();
    const [ticket] = fill(cache, 's') as [Ticket];
    expect([cache.seal(ticket, 'b'), cache.seal(ticket, 'b'), cache.peek('s')?.anchor]).toEqual([
      'sealed',
      'sealed',
      'b',
    ]);
    expect([cache.seal(ticket, 'c'), cache.peek('s')?.anchor]).toEqual(['sealed', 'c']);
  });
});

describe('drop and clear', () => {
  it('[SE-R40] take rows out and say how many', () => {
    const cache = createSeatCache<State>();
    const [ticket] = fill(cache, 'a', 'b', 'c') as [Ticket];
    for (const junk of [...JUNK, 'z']) expect(cache.drop(junk as string)).toBe(false);
    expect([cache.drop('a'), cache.drop('a'), cache.size]).toEqual([true, false, 2]);
    expect([cache.seal(ticket, 'x'), cache.peek('a')]).toEqual(['gone', undefined]);
    expect([cache.clear(), cache.clear(), cache.size]).toEqual([2, 0, 0]);
  });
});
