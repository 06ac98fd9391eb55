/** What a store promises of counters, losses, warnings, tabs, the outbox and the audit. */
import { strict as assert } from 'node:assert';
import type { AuditNote } from '../store/store.ts';
import { newEntry, newLoss, newTicket, newWarning, stepLoss, stepWarning } from './rows.ts';
import type { Chapter, Fill } from './store-contract.ts';

const NAMES = { tabs: ['tab', 'other', '__proto__'], asks: ['a', 'b'] };
const NOTE: AuditNote = {
  at: 1_700_000_000_000,
  event: 'answered',
  askId: 'a',
  token: 'aa1',
  tab: 'tab',
  surface: 'page',
  who: 'window "1"',
  digest: 'f'.repeat(32),
  detail: 'text 🧾',
};

const fills: readonly Fill[] = [
  [
    'losses and warnings',
    ({ book }) => {
      const losses = [newLoss(book, 'aa1'), newLoss(book, 'aa2', 'tab', 'somebody'), newLoss(book, 'aa3', '__proto__')];
      const [first, second, third] = losses as [(typeof losses)[0], (typeof losses)[0], (typeof losses)[0]];
      stepLoss(book, first, { type: 'DISPLAY', by: 'aa9' });
      stepLoss(book, second, { type: 'MOVE', to: 'other' });
      const warning = newWarning(book, [first.id, second.id]);
      stepWarning(book, warning, { type: 'SETTLED', loss: second.id });
      book.dropLoss(third);
      book.dropWarning(newWarning(book, [first.id], 'other'));
    },
    NAMES,
  ],
  [
    'tabs, intentions and the audit',
    (store) => {
      newTicket(store.book, 'a');
      store.saveTab('tab', { tab: 'tab', epoch: 4, gone: ['one', 'tw"o'], occupant: 'three' });
      store.saveTab('__proto__', { tab: '__proto__', epoch: 1, gone: [], occupant: null });
      store.saveTab('other', { tab: 'other', epoch: 2, gone: [], occupant: null });
      store.saveTab('other', undefined);
      const kept = store.intend({ kind: 'recall', token: 'aa1', tab: 'tab', because: 'blur' });
      store.done(store.intend({ kind: 'offer', token: 'aa2', tab: 'tab', because: 'flush' }));
      store.done(kept + 1_000_000);
      store.note(NOTE);
      store.note({ at: 2, event: 'unknown_submission', askId: 'never opened' });
      store.note({ at: 3, event: 'boundary', tab: '__proto__' });
    },
    NAMES,
  ],
  [
    'kept rows',
    (store) => {
      for (const id of ['srq-1', 'srq-2', '__proto__', ''])
        store.keep('request', id, { chart: 'request 1 aa', body: `{"id":"${id}"}` });
      store.keep('__proto__', 'srq-1', { chart: 'c', body: '"🧾"' });
      store.keep('request', 'srq-2', undefined);
      store.keep('request', 'srq-1', { chart: 'request 2 bb', body: '{}' });
      store.keep('approval', 'never put', undefined);
    },
    NAMES,
  ],
];

function debts({ test }: Chapter): void {
  test('losses are listed in the order in which they happened, by tab and by the answer they stand for', (store) => {
    const { book } = store;
    const [one, two] = [newLoss(book, 'aa1'), newLoss(book, 'aa2', 'other')];
    const three = newLoss(book, 'aa3');
    store.commit();
    assert.deepEqual(
      book.losses().map((row) => row.id),
      [one.id, two.id, three.id],
    );
    assert.deepEqual(
      book.losses('tab').map((row) => row.id),
      [one.id, three.id],
    );
    stepLoss(book, three, { type: 'MOVE', to: 'other' });
    assert.deepEqual(
      book.losses('other').map((row) => row.id),
      [two.id, three.id],
    );
    assert.deepEqual([book.lossOf('aa2'), book.loss(two.id), book.lossOf('aa9')], [two, two, undefined]);
    assert.equal(book.lossCount, 3);
    book.dropLoss(two);
    assert.deepEqual([book.lossOf('aa2'), book.lossCount], [undefined, 2]);
    assert.ok(book.nextLoss() > three.id);
  });

  test('counters never give a number twice, whatever is forgotten', (store) => {
    const { book } = store;
    const before = [book.nextNumber(), book.nextSeq()] as const;
    newEntry(book, 'a');
    newTicket(book, 'b');
    store.rollback();
    const after = [book.nextNumber(), book.nextSeq()] as const;
    assert.ok(after[0] > before[0] + 1 && after[1] > before[1] + 1);
    store.commit();
    book.clear();
    assert.ok(book.nextNumber() > after[0] && book.nextSeq() > after[1]);
    store.rollback();
    assert.ok(book.nextNumber() > after[0] && book.nextSeq() > after[1]);
  });

  test('clearing removes all rows, and can be taken back', (store) => {
    const { book } = store;
    newEntry(book, 'a');
    newTicket(book, 'b');
    newLoss(book, 'aa9');
    newWarning(book, [1]);
    store.commit();
    book.clear();
    const counts = (): number[] => [book.entryCount(), book.openTickets, book.lossCount, book.warnings().length];
    assert.deepEqual([counts(), book.wasOpened('b'), book.allEntries()], [[0, 0, 0, 0], false, []]);
    store.rollback();
    assert.deepEqual([counts(), book.wasOpened('b'), book.allEntries().length], [[1, 1, 1, 1], true, 1]);
  });
}

function ledgers({ test }: Chapter): void {
  test('the outbox holds what is not done, in order, under ids of its own', (store) => {
    const ids = ['aa1', 'aa2', 'aa3'].map((token) =>
      store.intend({ kind: 'recall', token, tab: 'tab', because: 'return' }),
    );
    store.commit();
    assert.equal(new Set(ids).size, 3);
    store.done(ids[1] as number);
    assert.deepEqual(
      store.outbox().map((row) => row.token),
      ['aa1', 'aa3'],
    );
    assert.deepEqual(store.outbox()[0], { id: ids[0], kind: 'recall', token: 'aa1', tab: 'tab', because: 'return' });
    const again = store.intend({ kind: 'offer', token: 'aa4', tab: 'tab', because: 'flush' });
    assert.ok(!ids.includes(again));
  });

  test('the audit gives back what was noted, after a number, of an ask, and the newest that fit', (store) => {
    newTicket(store.book, 'a');
    store.note(NOTE);
    store.commit();
    for (const event of ['one', 'two', 'three']) store.note({ at: 5, event, askId: event === 'two' ? 'a' : 'b' });
    const rows = store.audit({});
    assert.deepEqual(
      rows.map((row) => row.event),
      ['answered', 'one', 'two', 'three'],
    );
    const { id, ...noted } = rows[0] as (typeof rows)[0];
    assert.deepEqual(noted, NOTE);
    assert.deepEqual(
      store.audit({ after: id }).map((row) => row.event),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(
      store.audit({ askId: 'a' }).map((row) => row.event),
      ['answered', 'two'],
    );
    assert.deepEqual(
      store.audit({ askId: 'b' }).map((row) => row.event),
      ['one', 'three'],
    );
    assert.deepEqual(
      store.audit({ limit: 2 }).map((row) => row.event),
      ['two', 'three'],
    );
    assert.deepEqual(store.audit({ askId: 'nobody' }), []);
    const eventsOf = (query: Parameters<typeof store.audit>[0]): string[] =>
      store.audit(query).map(({ event }) => event);
    store.note({ at: 6, event: 'four', token: 'aa7', tab: 'one' });
    store.note({ at: 6, event: 'five', token: 'aa7', tab: 'two' });
    assert.deepEqual(eventsOf({ token: 'aa7' }), ['four', 'five']);
    assert.deepEqual(eventsOf({ token: 'aa7', tab: 'two' }), ['five']);
    assert.deepEqual(eventsOf({ tab: 'one' }), ['four']);
    assert.deepEqual(eventsOf({ events: ['one', 'four'] }), ['one', 'four']);
    assert.deepEqual(eventsOf({ events: [] }), []);
  });
}

function rows({ test }: Chapter): void {
  test('kept rows are listed by kind in the order in which they were first put', (store) => {
    const put = (kind: string, id: string, body: string): void => store.keep(kind, id, { chart: 'c 1 aa', body });
    for (const id of ['b', 'a', 'c']) put('request', id, '1');
    put('approval', 'b', '2');
    store.commit();
    put('request', 'a', '3');
    store.keep('request', 'b', undefined);
    put('request', 'b', '4');
    const bodies = (): string[] => store.kept('request').map(({ id, body }) => id + body);
    assert.deepEqual(bodies(), ['a3', 'c1', 'b4']);
    assert.deepEqual(store.kept('approval'), [{ id: 'b', chart: 'c 1 aa', body: '2' }]);
    store.rollback();
    assert.deepEqual(bodies(), ['b1', 'a1', 'c1']);
  });
}

function names({ test }: Chapter): void {
  test('a tab that was not touched is not kept, and any name will do', (store) => {
    assert.deepEqual(store.tabs(), []);
    for (const tab of ['constructor', '', ' ', '🧭', '__proto__'])
      store.saveTab(tab, { tab, epoch: 1, gone: [], occupant: null });
    store.commit();
    assert.deepEqual(new Set(store.tabs().map((row) => row.tab)), new Set(['constructor', '', ' ', '🧭', '__proto__']));
    store.saveTab('', undefined);
    assert.equal(
      store.tabs().some((row) => row.tab === ''),
      false,
    );
  });

  test('a commit of nothing, a second close and tidying change nothing', (store) => {
    store.commit();
    store.tidy();
    newEntry(store.book, 'a');
    store.tidy();
    assert.equal(store.dirty, true);
    store.commit();
    store.tidy();
    assert.equal(store.book.entryCount(), 1);
    store.close();
    store.close();
  });
}

export function ledgerContract(chapter: Chapter): void {
  debts(chapter);
  ledgers(chapter);
  rows(chapter);
  names(chapter);
}
ledgerContract.fills = fills;
