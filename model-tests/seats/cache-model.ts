/** The cache beside a plain list: the same operations on both, compared after each. */
import { isDeepStrictEqual } from 'node:util';
import { createSeatCache, type Ticket } from '../../src/seats.ts';
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

/** What differs, of the world of one seed. */
export function judgeCache(seed: number): readonly string[] {
  const random = new Random(seed);
  const capacity = 1 + random.below(5);
  const cache = createSeatCache<State>({ capacity });
  /** Least recently used first. */
  let rows: Row[] = [];
  const tickets: { readonly ticket: Ticket; readonly session: string }[] = [];
  const faults: string[] = [];
  const states: State[] = [{ marks: 0 }];
  const rowOf = (session: string): Row | undefined => rows.find((row) => row.session === session);
  const touch = (row: Row): void => {
    rows = [...rows.filter(({ session }) => session !== row.session), row].slice(-capacity);
  };
  const same = (what: string, found: unknown, expected: unknown): void => {
    if (!isDeepStrictEqual(found, expected)) faults.push(`${what}: ${String(found)} instead of ${String(expected)}`);
  };

  const adopt = (session: string): void => {
    const state = random.one(3) ? random.pick(states) : { marks: 0 };
    states.push(state);
    const anchor = random.one(3) ? null : `e${random.below(9)}`;
    const ticket = cache.adopt(session, state, anchor) as Ticket;
    tickets.push({ ticket, session });
    touch({ session, state, anchor, sealed: false, ticket });
  };
  const seal = (): void => {
    if (tickets.length === 0) return;
    const { ticket, session } = random.pick(tickets.slice(-6));
    const leaf = random.one(6) ? '' : `t${random.below(9)}`;
    const row = rowOf(session);
    const isMine = row?.ticket === ticket;
    same(
      'seal',
      cache.seal(ticket, leaf),
      !row ? 'gone' : !isMine ? 'superseded' : leaf === '' ? 'bad-leaf' : 'sealed',
    );
    if (row === undefined || !isMine || leaf === '') return;
    row.anchor = leaf;
    row.sealed = true;
    touch(row);
  };
  const look = (session: string): void => {
    const row = rowOf(session);
    const view = cache.get(session);
    same('get', view?.state === row?.state, true);
    if (row !== undefined) touch(row);
  };
  const compare = (): void => {
    same('size', cache.size, rows.length);
    for (const session of SESSIONS) {
      const row = rowOf(session);
      const view = cache.peek(session);
      same(`the state of ${session}`, view?.state === row?.state, true);
      same(`the row of ${session}`, [view?.anchor, view?.sealed], [row?.anchor, row?.sealed]);
      same(`the ticket of ${session}`, view?.ticket === row?.ticket, true);
      if (view?.sealed === true && view.anchor === null) faults.push('sealed without an anchor');
    }
  };

  for (let n = 0; n < 40; n += 1) {
    const session = random.pick(SESSIONS);
    const what = random.below(12);
    if (what < 5) adopt(session);
    else if (what < 8) seal();
    else if (what < 10) look(session);
    else if (what === 10) random.pick(states).marks += 1;
    else if (random.one(8)) {
      same('clear', cache.clear(), rows.length);
      rows = [];
    } else {
      same('drop', cache.drop(session), rowOf(session) !== undefined);
      rows = rows.filter((row) => row.session !== session);
    }
    compare();
  }
  return faults;
}
