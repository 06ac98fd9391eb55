import { describe, expect, it } from 'vitest';
import { createSeatCache, type Leg, type LegOptions, startLeg, type Ticket } from '../../src/seats.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { Log } from '../../src/testing/lineage/logs.ts';

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type State = Map<string, number>;
type Item = readonly [path: string, version: number];

class Session {
  readonly log = new Log();
  readonly cache = createSeatCache<State>();
  leaf: string | null = 'd';
  replays: (string | null)[] = [];

  options(more: Partial<LegOptions<State, Item>> = {}): LegOptions<State, Item> {
    return {
      kind: 'fresh',
      session: 's',
      cache: this.cache,
      read: this.log.read,
      leaf: () => this.leaf,
      empty: () => new Map(),
      itemsOf: (state) => state,
      put: (state, [path, version]) => state.set(path, version),
      admits: ([path]) => !path.startsWith('/outside'),
      replay: (leaf) => {
        this.replays.push(leaf);
        return [
          ['replayed', 1],
          ['/outside/r', 1],
        ];
      },
      ...more,
    };
  }

  moveTo(leaf: string): void {
    this.leaf = leaf;
  }

  /** A task that read one file and settled. */
  seat(anchor: string | null, tail?: string): State {
    const state: State = new Map([
      ['inherited', 1],
      ['/outside/i', 1],
    ]);
    const ticket = this.cache.adopt('s', state, anchor) as Ticket;
    if (tail !== undefined) this.cache.seal(ticket, tail);
    return state;
  }
}

describe('a leg', () => {
  it.each(['fresh', 'continuation', 'resume'] as const)(
    '[SE-R67] [SE-R81] a leaf that never comes is unread in time, and nothing is taken over from the seat (%s)',
    async (kind) => {
      const session = new Session();
      session.seat('b', 'c');
      const runtime = new HandRuntime();
      const leaf = () => new Promise<string>(() => undefined);
      let leg: Leg<State> | undefined;
      const checkpoint = () => new Map([['stored', 1]]);
      void startLeg(session.options({ kind, leaf, checkpoint, lineage: { runtime, deadlineMs: 50 } })).then((begun) => {
        leg = begun;
      });
      await breathe();
      expect(leg).toBeUndefined();
      runtime.advance(50);
      await breathe();
      expect(leg?.leaf).toBeNull();
      expect([...(leg?.state.keys() ?? [])]).toEqual(kind === 'resume' ? ['stored'] : []);
      expect([leg?.source, leg?.refusal]).toEqual(
        kind === 'resume' ? ['checkpoint', undefined] : ['empty', 'leaf-unread'],
      );
      expect(session.replays).toEqual([]);
    },
  );

  it('[SE-R85] a leaf that never comes after the check is unread too', async () => {
    const session = new Session();
    session.seat('b', 'c');
    const leaves: (() => string | Promise<string>)[] = [() => 'd', () => new Promise<string>(() => undefined)];
    const lineage = { deadlineMs: 20 };
    const leg = await startLeg(session.options({ leaf: () => leaves.shift()?.() ?? 'd', lineage }));
    expect([leg.source, leg.refusal, leg.leaf]).toEqual(['empty', 'leaf-unread', null]);
  });

  it('[SE-R81] [SE-R83] [SE-R84] [SE-R86] takes what is proven, as a copy, and adopts it at the leaf it read', async () => {
    const session = new Session();
    const old = session.seat('b', 'c');
    const leg = await startLeg(session.options());
    expect([leg.source, [...leg.state.keys()], leg.leaf]).toEqual(['seat', ['inherited'], 'd']);
    expect(leg.finding?.reason).toBe('holds');
    expect(leg.state).not.toBe(old);
    expect(session.cache.peek('s')).toEqual({ state: leg.state, anchor: 'd', sealed: false, ticket: leg.ticket });
    expect(session.replays).toEqual([]);
    expect(leg.settle('tail')).toBe('sealed');
    expect(session.cache.peek('s')).toMatchObject({ anchor: 'tail', sealed: true });
  });

  it.each([
    ['has no seat', undefined, undefined, 'no-seat'],
    ['[SE-R82] is not sealed, though its anchor holds', 'c', undefined, 'unsealed'],
    ['[SE-R82] is unanchored', null, undefined, 'unsealed'],
    ['is on another branch', 'b', 'x', 'not-proven'],
    ['is from another log', 'b', 'zz', 'not-proven'],
  ] as const)('[SE-R81] [SE-R87] replays where the session %s', async (_what, anchor, tail, refusal) => {
    const session = new Session();
    if (anchor !== undefined) session.seat(anchor, tail);
    let seen: unknown;
    const options = session.options({
      replay: () => {
        seen = session.cache.peek('s')?.anchor;
        return [
          ['replayed', 1],
          ['/outside/r', 1],
        ];
      },
    });
    const leg = await startLeg(options);
    expect([leg.source, leg.refusal, [...leg.state.keys()]]).toEqual(['replay', refusal, ['replayed']]);
    // A refused seat stays until the adoption.
    expect(seen).toBe(tail ?? anchor);
  });

  it('[SE-R81] is empty where the replay fails too', async () => {
    const session = new Session();
    const leg = await startLeg(session.options({ replay: () => Promise.reject(new Error('no')) }));
    expect([leg.source, leg.state.size]).toEqual(['empty', 0]);
    const broken = (): Iterable<Item> => ({
      *[Symbol.iterator]() {
        yield ['half', 1];
        throw new Error('no');
      },
    });
    const half = await startLeg(session.options({ replay: broken }));
    expect([half.source, half.state.size]).toEqual(['empty', 0]);
  });

  it('[SE-R80] that resumes takes the checkpoint and does not look at the seat', async () => {
    const session = new Session();
    session.seat('b', 'c');
    const kept: State = new Map([['checkpoint', 1]]);
    const leg = await startLeg(session.options({ kind: 'resume', checkpoint: () => kept }));
    expect([leg.source, leg.state === kept, leg.leaf]).toEqual(['checkpoint', true, 'd']);
    expect(session.cache.peek('s')).toMatchObject({ anchor: 'd', sealed: false, ticket: leg.ticket });
    expect(session.log.reads).toEqual([]);
    const lost = await startLeg(session.options({ kind: 'resume', checkpoint: () => Promise.reject(new Error('no')) }));
    expect([lost.source, lost.state.size]).toEqual(['empty', 0]);
  });

  it('[SE-R83] drops the item for which the admission throws, and no other', async () => {
    const session = new Session();
    session.seat('b', 'c').set('thrower', 1);
    const admits = ([path]: Item): boolean => {
      if (path === 'thrower') throw new Error('no');
      return true;
    };
    const leg = await startLeg(session.options({ admits }));
    expect([...leg.state.keys()]).toEqual(['inherited', '/outside/i']);
  });

  it('[SE-R84] replays where the old state cannot be copied', async () => {
    const session = new Session();
    session.seat('b', 'c');
    const itemsOf = (): never => {
      throw new Error('no');
    };
    const leg = await startLeg(session.options({ itemsOf }));
    expect([leg.source, leg.refusal]).toEqual(['replay', 'uncopied']);
  });

  it('a leaf that cannot be read proves nothing', async () => {
    const session = new Session();
    session.seat('b', 'c');
    for (const leaf of [() => Promise.reject(new Error('no')), () => '', () => 5 as unknown as string]) {
      const leg = await startLeg(session.options({ leaf }));
      expect([leg.source, leg.refusal, leg.leaf]).toEqual(['empty', 'leaf-unread', null]);
    }
  });
});

describe('while the check runs', () => {
  const during = (session: Session, act: (read: number) => void): Partial<LegOptions<State, Item>> => {
    let reads = 0;
    return {
      read: async (id) => {
        reads += 1;
        act(reads);
        return session.log.read(id);
      },
    };
  };

  it('[SE-R85] another adoption makes it replay', async () => {
    const session = new Session();
    session.seat('b', 'c');
    const leg = await startLeg(session.options(during(session, () => void session.seat('b', 'c'))));
    expect([leg.source, leg.refusal]).toEqual(['replay', 'superseded-during-check']);
  });

  it('[SE-R85] another seal of the same ticket makes it replay', async () => {
    const session = new Session();
    session.seat('b', 'c');
    const ticket = session.cache.peek('s')?.ticket as Ticket;
    const leg = await startLeg(session.options(during(session, () => void session.cache.seal(ticket, 'b'))));
    expect([leg.source, leg.refusal]).toEqual(['replay', 'superseded-during-check']);
  });

  it('[SE-R85] a leaf that moves once is checked again, and adopted', async () => {
    const session = new Session();
    session.seat('b', 'c');
    session.log.add('d2', 'd', 'message');
    const leg = await startLeg(session.options(during(session, () => session.moveTo('d2'))));
    expect([leg.source, leg.leaf, session.cache.peek('s')?.anchor]).toEqual(['seat', 'd2', 'd2']);
  });

  it('[SE-R85] a leaf that moves to another branch is not inherited for', async () => {
    const session = new Session();
    session.seat('b', 'c');
    const leg = await startLeg(session.options(during(session, () => session.moveTo('y'))));
    expect([leg.source, leg.refusal, leg.finding?.reason, session.replays]).toEqual([
      'replay',
      'not-proven',
      'moved-off',
      ['y'],
    ]);
  });

  it('[SE-R85] a leaf that moves again makes it replay', async () => {
    const session = new Session();
    session.seat('b', 'c');
    session.log.add('d2', 'd', 'message').add('d3', 'd2', 'message');
    const leaves = ['d', 'd2', 'd3'];
    const leg = await startLeg(session.options({ leaf: () => leaves.shift() ?? 'd3' }));
    expect([leg.source, leg.refusal, leg.leaf, session.replays]).toEqual([
      'replay',
      'leaf-moved-during-check',
      'd3',
      ['d3'],
    ]);
  });
});
