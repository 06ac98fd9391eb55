/** What a store promises of tickets. */
import { strict as assert } from 'node:assert';
import { newTicket, plainTicket, reopenTicket, stepTicket, type TicketRow } from './rows.ts';
import type { Chapter, Fill } from './store-contract.ts';

const CARD: NonNullable<TicketRow['card']> = Object.freeze({
  header: 'Abweichung 🚪',
  options: [
    { id: 'a', label: 'عربي', description: 'לימין' },
    { id: 'b', label: "'; DROP TABLE asks; --" },
  ],
  multiSelect: true,
  freeText: false,
  from: '__proto__',
  expiresAt: 1_800_000_000_000,
  batch: { id: 'pb-7', index: 2, of: 3 },
});
const TABS = ['tab', 'other', '__proto__'];
const ASKS = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 'constructor'];

const fills: readonly Fill[] = [
  [
    'tickets in every state',
    ({ book }) => {
      newTicket(book, 't1', { question: 'Größe? 🧵 سؤال\u0000\u2028', occupant: 'somebody', card: CARD, epoch: 3 });
      stepTicket(book, newTicket(book, 't2'), { type: 'CLOSE', answered: false });
      stepTicket(book, newTicket(book, 't3'), { type: 'CLOSE', answered: true });
      stepTicket(book, newTicket(book, 't4'), { type: 'WITHDRAW', why: 'no longer wanted' });
      stepTicket(book, newTicket(book, 't5', { card: CARD }), { type: 'SUPERSEDE', why: 'another one' });
      stepTicket(book, newTicket(book, 't6', { card: CARD, tab: 'other' }), { type: 'DEADLINE' });
      stepTicket(book, newTicket(book, 't7', { tab: '__proto__' }), { type: 'TRIM' });
      newTicket(book, 'constructor', { tab: '__proto__', reused: true });
    },
    { tabs: TABS, asks: ASKS },
  ],
  [
    'a ticket whose id was finished before, with its new card',
    (store) => {
      stepTicket(store.book, newTicket(store.book, 't1', { card: CARD }), { type: 'CLOSE', answered: true });
      newTicket(store.book, 't1', { question: 'new?', reused: true });
      stepTicket(store.book, newTicket(store.book, 't2'), { type: 'DEADLINE' });
      newTicket(store.book, 't2', { card: CARD, tab: 'other', reused: true });
    },
    { tabs: TABS, asks: ASKS },
  ],
  [
    'a ticket that was opened on two tabs, and one that was renamed',
    ({ book }) => {
      const twice = newTicket(book, 't1', { card: CARD });
      reopenTicket(book, twice, 'other');
      stepTicket(book, twice, { type: 'CLOSE', answered: false });
      const moved = newTicket(book, 't2', { tab: 'tab', epoch: 0 });
      stepTicket(book, moved, { type: 'MOVE', from: 'tab', to: '__proto__', live: 0, liveThere: 9 });
    },
    { tabs: TABS, asks: ASKS },
  ],
];

function lists({ test }: Chapter): void {
  test('an open ticket is on every open list, and a finished one on none', ({ book }) => {
    const row = newTicket(book, 't1', { card: CARD });
    assert.equal(book.ticket('t1'), row);
    assert.equal(book.openTickets, 1);
    assert.deepEqual(book.ticketsOn('tab'), [row]);
    assert.deepEqual(book.open(10), [row]);
    assert.deepEqual(book.deadlines(), [{ askId: 't1', expiresAt: CARD.expiresAt }]);
    stepTicket(book, row, { type: 'WITHDRAW', why: 'w' });
    assert.equal(book.ticket('t1')?.at.value, undefined);
    assert.equal(book.anyTicket('t1'), row);
    assert.equal(book.wasOpened('t1'), true);
    assert.equal(book.openTickets, 0);
    assert.deepEqual([book.ticketsOn('tab'), book.open(10), book.deadlines()], [[], [], []]);
    assert.equal(book.ticketVictim(''), undefined);
  });

  test('open lists the oldest opening first, up to the limit and by tab', (store) => {
    const { book } = store;
    const rows = ['t1', 't2', 't3', 't4'].map((id, i) => newTicket(book, id, { tab: i % 2 === 0 ? 'tab' : 'other' }));
    store.commit();
    reopenTicket(book, rows[0] as TicketRow, 'tab');
    const ids = (found: TicketRow[]): string[] => found.map((row) => row.askId);
    assert.deepEqual(ids(book.open(10)), ['t2', 't3', 't4', 't1']);
    assert.deepEqual(ids(book.open(2)), ['t2', 't3']);
    assert.deepEqual(ids(book.open(10, 'tab')), ['t3', 't1']);
    assert.deepEqual(ids(book.open(10, 'nowhere')), []);
  });

  test('awaited tickets are listed up to an opening and to a limit', (store) => {
    const { book } = store;
    for (const id of ['t1', 't2', 't3']) newTicket(book, id);
    stepTicket(book, book.ticket('t2') as TicketRow, { type: 'CLOSE', answered: false });
    store.commit();
    const upTo = book.latestSeq;
    newTicket(book, 't4');
    const ids = (limit: number): string[] => book.awaitedTickets(upTo, limit).map((row) => row.askId);
    assert.deepEqual([ids(10), ids(1)], [['t1', 't3'], ['t1']]);
  });

  test('an id that was finished can be opened again, with its new card', (store) => {
    const { book } = store;
    stepTicket(book, newTicket(book, 't1', { card: CARD }), { type: 'CLOSE', answered: true });
    store.commit();
    const again = newTicket(book, 't1', { card: null, tab: 'other', question: 'new?', reused: true });
    store.commit();
    assert.equal(book.ticket('t1'), again);
    assert.equal(book.openTickets, 1);
    assert.deepEqual(book.deadlines(), []);
  });
}

function victims({ test }: Chapter): void {
  test('the bound takes the oldest unattended card, else the oldest, and never the one excepted', (store) => {
    const { book } = store;
    const rows = ['t1', 't2', 't3'].map((id) => newTicket(book, id));
    store.commit();
    assert.equal(book.ticketVictim('')?.askId, 't1');
    assert.equal(book.ticketVictim('t1')?.askId, 't2');
    stepTicket(book, rows[1] as TicketRow, { type: 'CLOSE', answered: false });
    stepTicket(book, rows[2] as TicketRow, { type: 'CLOSE', answered: false });
    assert.equal(book.ticketVictim('')?.askId, 't2');
    assert.equal(book.ticketVictim('t2')?.askId, 't3');
    stepTicket(book, rows[1] as TicketRow, { type: 'OPEN', opening: { tab: 'tab', epoch: 0, occupant: null } });
    assert.equal(book.ticketVictim('')?.askId, 't3');
    stepTicket(book, rows[2] as TicketRow, { type: 'TRIM' });
    assert.equal(book.ticketVictim('')?.askId, 't1');
  });

  test('a card that was opened again is the newest for the bound', (store) => {
    const { book } = store;
    const rows = ['t1', 't2'].map((id) => newTicket(book, id));
    reopenTicket(book, rows[0] as TicketRow, 'tab');
    store.commit();
    assert.equal(book.ticketVictim('')?.askId, 't2');
  });
}

function holders({ test }: Chapter): void {
  test('the same holder is given out for the same ticket, whichever way it is asked for', (store) => {
    const { book } = store;
    const row = newTicket(book, 't1', { card: CARD });
    store.commit();
    stepTicket(book, row, { type: 'CLOSE', answered: false });
    const found = [
      book.anyTicket('t1'),
      book.ticket('t1'),
      book.open(9)[0],
      book.ticketsOn('tab')[0],
      book.ticketVictim(''),
    ];
    for (const one of found) assert.ok(one === row, 'another object is given out for the same row');
  });

  test('a ticket is whole after a rollback, although it had been stepped', (store) => {
    const { book } = store;
    newTicket(book, 't1', { card: CARD });
    store.commit();
    const before = plainTicket(book.ticket('t1') as TicketRow);
    stepTicket(book, book.ticket('t1') as TicketRow, { type: 'WITHDRAW', why: 'w' });
    store.rollback();
    assert.deepEqual(plainTicket(book.ticket('t1') as TicketRow), before);
    stepTicket(book, book.ticket('t1') as TicketRow, { type: 'CLOSE', answered: false });
    store.commit();
    assert.equal(book.ticket('t1')?.at.value, 'unattended');
  });

  test('a rollback gives each ticket its place back', (store) => {
    const { book } = store;
    for (const id of ['t1', 't2', 't3']) newTicket(book, id);
    store.commit();
    stepTicket(book, book.ticket('t1') as TicketRow, { type: 'CLOSE', answered: true });
    reopenTicket(book, book.ticket('t2') as TicketRow, 'other');
    store.rollback();
    assert.equal(book.ticketVictim('')?.askId, 't1');
    assert.deepEqual(
      book.open(9).map((row) => row.askId),
      ['t1', 't2', 't3'],
    );
    assert.deepEqual(
      book.awaitedTickets(book.latestSeq, 1).map((row) => row.askId),
      ['t1'],
    );
    assert.deepEqual(book.ticketsOn('other'), []);
  });

  test('asking for what is not on file changes nothing', (store) => {
    const { book } = store;
    for (const id of ['', 'nobody', '__proto__', '\u0000', 'x'.repeat(10_000)]) {
      assert.deepEqual([book.ticket(id), book.anyTicket(id), book.wasOpened(id)], [undefined, undefined, false]);
      assert.deepEqual([book.ticketsOn(id), book.open(5, id), [...book.entriesOf(id)]], [[], [], []]);
    }
    assert.equal(store.dirty, false);
  });
}

export function ticketContract(chapter: Chapter): void {
  lists(chapter);
  victims(chapter);
  holders(chapter);
}
ticketContract.fills = fills;
