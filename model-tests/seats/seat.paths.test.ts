/** Every transition of the seat chart, taken by the cache, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { SeatEvent } from '../../machines/seats/seat.ts';
import { start, step } from '../../machines/shared/step.ts';
import { type SeatSnapshot, seatChart } from '../../src/seats/charts.ts';
import { createSeatCache, type SeatCache, type Ticket } from '../../src/seats.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { SEAT_EVENTS, SEAT_INPUTS, seatMachine } from './samples.ts';

interface State {
  readonly n: number;
}
const CAPACITY = 3;

class SeatDriver {
  #cache: SeatCache<State> = createSeatCache<State>({ capacity: CAPACITY });
  readonly #coverage: Coverage<typeof seatMachine>;
  #at: SeatSnapshot = start(seatChart, { session: 's' }).snapshot;
  #ticket: Ticket | undefined;
  #state: State | undefined;
  #others = 0;

  constructor(coverage: Coverage<typeof seatMachine>) {
    this.#coverage = coverage;
  }

  run(events: readonly SeatEvent[]): void {
    this.#compare('birth');
    for (const event of events) {
      this.#coverage.step(this.#at, event);
      const before = this.#at;
      this.#at = step(seatChart, this.#at, event).snapshot;
      this.#perform(event, before);
      this.#compare(JSON.stringify(event));
    }
  }

  /** A session that was not there yet. */
  #another(): void {
    this.#others += 1;
    this.#cache.adopt(`o${this.#others}`, { n: 0 }, 'o');
  }

  #seal({ mine, leaf }: SeatEvent & { type: 'SEAL' }, { value, done }: SeatSnapshot): void {
    const other = this.#cache.adopt('other', { n: 2 }, null) as Ticket;
    const result = this.#cache.seal(mine ? (this.#ticket as Ticket) : other, leaf as string);
    if (mine && !done && value !== 'absent') same('seal', 'result', result, leaf === null ? 'bad-leaf' : 'sealed');
    this.#cache.drop('other');
  }

  #perform(event: SeatEvent, before: SeatSnapshot): void {
    switch (event.type) {
      case 'ADOPT': {
        const state = { n: 1 };
        const made = this.#cache.adopt('s', event.good ? state : (7 as unknown as State), event.anchor);
        same('adopt', 'a ticket', made !== undefined, event.good);
        if (before.value === 'absent' && made !== undefined) [this.#ticket, this.#state] = [made, state];
        break;
      }
      case 'SEAL':
        this.#seal(event, before);
        break;
      case 'OVERFLOW':
        for (let n = 0; n < CAPACITY; n += 1) {
          if (!event.least) this.#cache.get('s');
          this.#another();
        }
        break;
      case 'RESTART':
        this.#cache = createSeatCache<State>({ capacity: CAPACITY });
        break;
      case 'GET':
        this.#cache.get('s');
        for (let n = 1; n < CAPACITY; n += 1) this.#another();
        break;
      case 'DROP':
        same('drop', 'was there', this.#cache.drop('s'), before.value !== 'absent');
        break;
      default:
        this.#cache.clear();
    }
  }

  #compare(what: string): void {
    const { value, context } = this.#at;
    const view = this.#cache.peek('s');
    if (value === 'absent' || value === 'evicted') return same(what, 'view', view, undefined);
    if (value === 'superseded') {
      same(what, 'another’s', view?.ticket === this.#ticket, false);
      same(what, 'seal', this.#cache.seal(this.#ticket as Ticket, 'late'), 'superseded');
      return;
    }
    same(what, 'view', [view?.anchor, view?.sealed], [context.anchor, value === 'sealed']);
    same(what, 'state', view?.state === this.#state, true);
    same(what, 'I-11', view?.sealed === true && view.anchor === null, false);
  }
}

describe('every transition of the seat chart', () => {
  it('[SE-R02] [SE-R22] [SE-R30] [SE-R34] [SE-R40] [SE-I11] is taken by the cache', () => {
    const coverage = new Coverage(seatMachine);
    const paths = coverPaths(seatMachine, SEAT_EVENTS, { inputs: SEAT_INPUTS });
    for (const { events } of paths) new SeatDriver(coverage).run(events as SeatEvent[]);
    expect(paths.length).toBeGreaterThan(35);
    expect(coverage.untaken).toEqual([]);
  });
});
