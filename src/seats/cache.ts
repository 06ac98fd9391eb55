/** The cache of seats: one row a session, each stepped through its chart; the library only keeps the order of use. */
import { LRUCache } from 'lru-cache';
import { heed } from '../../machines/shared/heed.ts';
import { start, step } from '../../machines/shared/step.ts';
import { birth, type Watch } from '../../machines/shared/tap.ts';
import type { Logger } from '../runtime.ts';
import type { Id, Sealing, SeatCache, SeatCacheOptions, SeatView, Ticket } from './api.ts';
import { type SeatChartEvent, type SeatOrder, type SeatSnapshot, seatChart } from './charts.ts';
import { SEAT_LIMITS } from './limits.ts';
import { isId, wholeIn } from './settings.ts';

/**
 * Makes an empty cache of seats; it lives and dies with the process and is never written down. Never throws.
 *
 * It judges no anchor: whoever takes a state out must have a finding that holds, and the seat must be sealed
 * `startLeg` does all of that. One task owns a state at a time.
 */
export function createSeatCache<S extends object>(options?: SeatCacheOptions): SeatCache<S> {
  return new Seats<S>(optionsOf(options));
}

interface Settings {
  readonly capacity: number;
  readonly logger: Logger | undefined;
  readonly watch: Watch | undefined;
}

function optionsOf(options: unknown): Settings {
  try {
    const { capacity, logger, watch } = (options ?? {}) as SeatCacheOptions;
    return { capacity: wholeIn(capacity, SEAT_LIMITS.capacityMost, SEAT_LIMITS.capacity), logger, watch };
  } catch {
    return { capacity: SEAT_LIMITS.capacity, logger: undefined, watch: undefined };
  }
}

/** A row, and the ticket that names it: what a caller holds can neither be read nor forged. */
class Row<S extends object> implements Ticket {
  readonly session: string;
  readonly #cache: Seats<S>;
  readonly #watch: Watch | undefined;
  #at: SeatSnapshot;
  #state: S | undefined;

  constructor(cache: Seats<S>, session: string) {
    this.session = session;
    this.#cache = cache;
    this.#at = start(seatChart, { session }).snapshot;
    // What was refused for its session has none, and is no row that anybody could look for.
    this.#watch = session === '' ? undefined : cache.watch;
    this.#watch?.tell?.(seatChart.id, session, undefined, { type: 'xstate.init' }, birth(this.#at));
  }

  static of<S extends object>(ticket: unknown, cache: Seats<S>): Row<S> | undefined {
    const isRow = typeof ticket === 'object' && ticket !== null && #cache in ticket;
    return isRow && ticket.#cache === (cache as unknown) ? (ticket as unknown as Row<S>) : undefined;
  }

  get isOver(): boolean {
    return this.#at.done;
  }

  view(): SeatView<S> {
    const { value, context } = this.#at;
    return Object.freeze({
      state: this.#state as S,
      anchor: context.anchor,
      sealed: value === 'sealed',
      ticket: this,
    });
  }

  /** Steps the chart; what it orders of the row itself is done, the rest is for the cache. */
  send(event: SeatChartEvent, state?: S): readonly SeatOrder[] {
    const stepped = step(seatChart, this.#at, event);
    this.#watch?.tell?.(seatChart.id, this.session, this.#at, event, stepped);
    const { snapshot, effects } = stepped;
    this.#at = snapshot;
    const orders = effects.map(({ type }) => type);
    if (orders.includes('storeRef')) this.#state = state;
    // What is out of the cache is held by its owner only.
    if (orders.includes('releaseRef')) this.#state = undefined;
    return orders;
  }
}

class Seats<S extends object> implements SeatCache<S> {
  readonly #rows: LRUCache<string, Row<S>>;
  readonly #logger: Logger | undefined;
  readonly watch: Watch | undefined;

  constructor({ capacity, logger, watch }: Settings) {
    this.#logger = logger;
    this.watch = watch;
    this.#rows = new LRUCache<string, Row<S>>({
      max: capacity,
      dispose: (row, _session, reason) => {
        if (reason === 'evict') row.send({ type: 'OVERFLOW', least: true });
      },
    });
    Object.freeze(this);
  }

  get size(): number {
    return this.#rows.size;
  }

  get(session: string): SeatView<S> | undefined {
    const row = this.#row(session);
    if (row === undefined) return undefined;
    this.#obey(row, row.send({ type: 'GET' }));
    return row.view();
  }

  peek(session: string): SeatView<S> | undefined {
    return this.#row(session)?.view();
  }

  adopt(session: string, state: S, anchor: Id | null): Ticket | undefined {
    const isGood = isId(session) && typeof state === 'object' && state !== null;
    const event = { type: 'ADOPT', good: isGood, anchor: isId(anchor) ? anchor : null } as const;
    const row = new Row<S>(this, isGood ? session : '');
    const orders = row.send(event, state);
    if (orders.includes('diagnose')) {
      this.#say('a seat was not adopted: its session must be a text and its state an object');
      return undefined;
    }
    this.#row(session)?.send(event);
    this.#obey(row, orders);
    return row;
  }

  seal(ticket: Ticket, leaf: Id): Sealing {
    const row = Row.of(ticket, this);
    if (row === undefined) return 'gone';
    if (row.isOver) return this.#rows.has(row.session) ? 'superseded' : 'gone';
    const orders = row.send({ type: 'SEAL', mine: true, leaf: isId(leaf) ? leaf : null });
    this.#obey(row, orders);
    if (!orders.includes('diagnose')) return 'sealed';
    this.#say('a seat was not sealed: its leaf must be a text');
    return 'bad-leaf';
  }

  drop(session: string): boolean {
    const row = this.#row(session);
    if (row === undefined) return false;
    this.#rows.delete(session);
    row.send({ type: 'DROP' });
    return true;
  }

  clear(): number {
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    for (const row of rows) row.send({ type: 'CLEAR' });
    return rows.length;
  }

  #row(session: unknown): Row<S> | undefined {
    return isId(session) ? this.#rows.peek(session) : undefined;
  }

  /** The library makes the one that is set the most recent, also when it was there, and evicts the least recent. */
  #obey(row: Row<S>, orders: readonly SeatOrder[]): void {
    if (orders.includes('touch')) this.#rows.set(row.session, row);
  }

  #say(text: string): void {
    try {
      heed(this.#logger?.debug(`readback seats: ${text}`), () => undefined);
    } catch {
      // A log that fails changes nothing.
    }
  }
}
