/** Every state of a seat against every event. A new state or event does not compile until it is decided here. */
import type { SeatContext, SeatEvent, SeatValue } from '../../machines/seats/seat.ts';
import type { Cell } from '../support/table.ts';

export const USUAL: SeatContext = { session: 's', anchor: 'a' };

export const EVENTS: { readonly [Type in SeatEvent['type']]: Extract<SeatEvent, { type: Type }> } = {
  ADOPT: { type: 'ADOPT', good: true, anchor: 'b' },
  SEAL: { type: 'SEAL', mine: true, leaf: 'b' },
  GET: { type: 'GET' },
  OVERFLOW: { type: 'OVERFLOW', least: true },
  DROP: { type: 'DROP' },
  CLEAR: { type: 'CLEAR' },
  RESTART: { type: 'RESTART' },
};

type Row = Record<SeatEvent['type'], Cell<SeatValue>>;

const NONE: Record<SeatEvent['type'], 'ignored'> = {
  ADOPT: 'ignored',
  SEAL: 'ignored',
  GET: 'ignored',
  OVERFLOW: 'ignored',
  DROP: 'ignored',
  CLEAR: 'ignored',
  RESTART: 'ignored',
};

const held = (at: SeatValue): Row => ({
  ADOPT: [{ to: 'superseded' }, { with: { good: false }, to: 'ignored' }],
  SEAL: [{ to: 'sealed' }, { with: { leaf: null }, to: at }, { with: { mine: false }, to: 'ignored' }],
  GET: at,
  OVERFLOW: [{ to: 'evicted' }, { with: { least: false }, to: 'ignored' }],
  DROP: 'evicted',
  CLEAR: 'evicted',
  RESTART: 'evicted',
});

export const SEAT: Record<SeatValue, Row> = {
  absent: {
    ...NONE,
    ADOPT: [
      { to: 'provisional' },
      { with: { anchor: null }, to: 'unanchored' },
      { with: { good: false }, to: 'absent' },
      { with: { good: false, anchor: null }, to: 'absent' },
    ],
  },
  unanchored: held('unanchored'),
  provisional: held('provisional'),
  sealed: held('sealed'),
  superseded: NONE,
  evicted: NONE,
};
