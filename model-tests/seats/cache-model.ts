/** The cache beside a plain list: the same operations on both, compared after each. */
import { isDeepStrictEqual } from 'node:util';
import { createSeatCache, type SeatCache, type Ticket } from '../../src/seats.ts';
import { Random } from './random.ts';

interface State {
  marks: number;
}
interface Row {
  readonly session: string;
  readonly state: State;
  anchor: string | null;
  sealed: boolean;
  readonly ticket: Ticket;
}

const SESSIONS = ['a', 'b', 'c', 'd', 'e', '__proto__'];

class World {
  readonly faults: string[] = [];
  readonly #random: Random;
  readonly #capacity: number;
  readonly #cache: SeatCache<State>;
  readonly #tickets: { readonly ticket: Ticket; readonly session: string }[] = [];
  readonly #states: State[] = [{ marks: 0 }];
  /** Least recently used first. */
  #rows: Row[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#capacity = 1 + random.below(5);
    this.#cache = createSeatCache<State>({ capacity: this.#capacity });
  }

  act(): void {
    const session = this.#random.pick(SESSIONS);
    const what = this.#random.below(12);
    if (what < 5) this.#adopt(session);
    else if (what < 8) this.#seal();
    else if (what < 10) this.#look(session);
    else if (what === 10) this.#random.pick(this.#states).marks += 1;
    else if (this.#random.one(8)) {
      this.#same('clear', this.#cache.clear(), this.#rows.length);
      this.#rows = [];
    } else {
      this.#same('drop', this.#cache.drop(session), this.#rowOf(session) !== undefined);
      this.#rows = this.#rows.filter((row) => row.session !== session);
    }
    this.#compare();
  }

  #rowOf(session: string): Row | undefined {
    return this.#rows.find((row) => row.session === session);
  }

  #touch(row: Row): void {
    this.#rows = [...this.#rows.filter(({ session }) => session !== row.session), row].slice(-this.#capacity);
  }

  #same(what: string, found: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(found, expected)) this.faults.push(`${what}: ${String(found)}, not ${String(expected)}`);
  }

  #adopt(session: string): void {
    const state = this.#random.one(3) ? this.#random.pick(this.#states) : { marks: 0 };
    this.#states.push(state);
    const anchor = this.#random.one(3) ? null : `e${this.#random.below(9)}`;
    const ticket = this.#cache.adopt(session, state, anchor) as Ticket;
    this.#tickets.push({ ticket, session });
    this.#touch({ session, state, anchor, sealed: false, ticket });
  }

  #seal(): void {
    if (this.#tickets.length === 0) return;
    const { ticket, session } = this.#random.pick(this.#tickets.slice(-6));
    const leaf = this.#random.one(6) ? '' : `t${this.#random.below(9)}`;
    const row = this.#rowOf(session);
    const isMine = row?.ticket === ticket;
    const expected = !row ? 'gone' : !isMine ? 'superseded' : leaf === '' ? 'bad-leaf' : 'sealed';
    this.#same('seal', this.#cache.seal(ticket, leaf), expected);
    if (row === undefined || expected !== 'sealed') return;
    row.anchor = leaf;
    row.sealed = true;
    this.#touch(row);
  }

  #look(session: string): void {
    const row = this.#rowOf(session);
    this.#same('get', this.#cache.get(session)?.state === row?.state, true);
    if (row !== undefined) this.#touch(row);
  }

  #compare(): void {
    this.#same('size', this.#cache.size, this.#rows.length);
    for (const session of SESSIONS) {
      const row = this.#rowOf(session);
      const view = this.#cache.peek(session);
      this.#same(`the state of ${session}`, view?.state === row?.state, true);
      this.#same(`the row of ${session}`, [view?.anchor, view?.sealed], [row?.anchor, row?.sealed]);
      this.#same(`the ticket of ${session}`, view?.ticket === row?.ticket, true);
      if (view?.sealed === true && view.anchor === null) this.faults.push('sealed without an anchor');
    }
  }
}

/** What differs, of the world of one seed. */
export function judgeCache(seed: number): readonly string[] {
  const world = new World(new Random(seed));
  for (let n = 0; n < 40; n += 1) world.act();
  return world.faults;
}
