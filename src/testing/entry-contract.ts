/** What a store promises of answers on file. */
import { strict as assert } from 'node:assert';
import type { Book } from '../store/store.ts';
import { type EntryRow, newEntry, receipt, ridden, stepEntry, TAKEN } from './rows.ts';
import type { Chapter, Fill } from './store-contract.ts';

const TABS = ['tab', 'other', '__proto__'];
const ASKS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'constructor'];
const numbers = (rows: Iterable<EntryRow>): number[] => [...rows].map((row) => row.n);

/** An answer in each place, under each label. */
function fillStates(book: Book): void {
  newEntry(book, 'a', { surface: 'page', reply: { selected: ['x', 'y'], text: '✓' } });
  newEntry(book, 'b', { awaited: true, answer: '' });
  newEntry(book, 'c', { retired: true, fingerprint: null, question: null, surface: 'terminal' });
  newEntry(book, 'd', { known: false, label: 'foreign', tab: 'other', occupant: 'somebody' });
  stepEntry(book, newEntry(book, 'e', { occupant: 'somebody' }), { ...TAKEN, losses: [3, 4], carrier: 'turn' });
  stepEntry(book, newEntry(book, 'f', { tab: 'other' }), ridden('turn-1'), ridden('turn-2'));
  stepEntry(book, newEntry(book, 'g', { tab: '__proto__' }), TAKEN, receipt(null), { type: 'BOUNDARY' });
  const blurred = newEntry(book, 'h');
  stepEntry(book, blurred, { type: 'BLUR', erase: true }, { type: 'PARK', why: 'given three times' });
  const back = newEntry(book, 'i', { awaited: true });
  stepEntry(book, back, ridden(null), { type: 'OFFER_REFUSED' }, { type: 'BOUNDARY' });
  stepEntry(book, newEntry(book, 'constructor'), TAKEN, { type: 'BOUNDARY' });
}

const fills: readonly Fill[] = [
  ['answers in every place', ({ book }) => fillStates(book), { tabs: TABS, asks: ASKS }],
  [
    'answers of any text',
    ({ book }) => {
      for (const answer of ['👩‍👩‍👧‍👦', 'مرحبا \u202e!', 'a\u0000b', '\n\r\t\u2028', "';--", 'x'.repeat(262_144)]) {
        newEntry(book, 'a', { answer, question: answer, tab: 'tab', label: 'ambiguous' });
      }
      // Half a character, as a surface that nobody checked may send it.
      newEntry(book, 'b', { answer: 'half \ud83d of one', question: '\udc00', reply: { text: 'half \ud83d of one' } });
    },
    { tabs: TABS, asks: ASKS },
  ],
  [
    'answers that were moved, removed and changed',
    ({ book }) => {
      const rows = ['a', 'b', 'c', 'd'].map((id) => newEntry(book, id));
      book.dropEntry(rows[1] as EntryRow);
      stepEntry(book, rows[2] as EntryRow, { type: 'MOVE', to: 'other' }, TAKEN);
      newEntry(book, 'e', { tab: 'other' });
      stepEntry(book, rows[0] as EntryRow, { type: 'MOVE', to: 'other' });
    },
    { tabs: TABS, asks: ASKS },
  ],
];

function order({ test }: Chapter): void {
  test('lists are in arrival order, also after a tab was renamed into another', (store) => {
    const { book } = store;
    const one = newEntry(book, 'a', { tab: 'from' });
    const two = newEntry(book, 'b', { tab: 'to' });
    const three = newEntry(book, 'c', { tab: 'from' });
    store.commit();
    for (const row of [one, three]) stepEntry(book, row, { type: 'MOVE', to: 'to' });
    assert.deepEqual(numbers(book.entriesOn('to')), [one.n, two.n, three.n]);
    assert.deepEqual(numbers(book.entriesOn('from')), []);
    assert.deepEqual([book.entryCount('to'), book.entryCount('from'), book.entryCount()], [3, 0, 3]);
    assert.deepEqual(numbers(book.licensed('to', 'f')), [three.n, two.n, one.n]);
    assert.equal(book.pendingAfter('to', 0)?.n, one.n);
    assert.equal(book.pendingAfter('to', one.n)?.n, two.n);
    assert.equal(book.pendingAfter('to', three.n), undefined);
    assert.deepEqual(book.pendingTabs(), ['to']);
    assert.deepEqual(numbers(book.recent(2)), [three.n, two.n]);
  });

  test('only what is licensed is found by its question, the newest first', (store) => {
    const { book } = store;
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => newEntry(book, id, { fingerprint: 'same' })) as EntryRow[];
    newEntry(book, 'e', { fingerprint: 'other' });
    store.commit();
    stepEntry(book, b as EntryRow, { type: 'BLUR', erase: false });
    stepEntry(book, c as EntryRow, { type: 'BOUNDARY' });
    assert.deepEqual(numbers(book.licensed('tab', 'same')), [(d as EntryRow).n, (a as EntryRow).n]);
    stepEntry(book, d as EntryRow, TAKEN, receipt(null));
    assert.deepEqual(numbers(book.licensed('tab', 'same')), [(d as EntryRow).n, (a as EntryRow).n]);
    book.dropEntry(d as EntryRow);
    assert.deepEqual(numbers(book.licensed('tab', 'same')), [(a as EntryRow).n]);
  });

  test('entries of one ask are listed in arrival order, and a list once given out does not change', (store) => {
    const { book } = store;
    const first = newEntry(book, 'a');
    const before = book.entriesOf('a');
    const second = newEntry(book, 'a');
    assert.deepEqual(numbers(before), [first.n]);
    assert.deepEqual(numbers(book.entriesOf('a')), [first.n, second.n]);
    store.commit();
    book.dropEntry(first);
    assert.deepEqual(numbers(book.entriesOf('a')), [second.n]);
    assert.equal(book.entry(first.n), undefined);
  });
}

function victims({ test }: Chapter): void {
  test('bounds take the proven first, then the retired, the returned, and all others; each the oldest first', (store) => {
    const { book } = store;
    const two = <T>(make: () => T): T[] => [make(), make()];
    const plain = two(() => newEntry(book, 'a'));
    const proven = two(() => newEntry(book, 'd'));
    const returned = two(() => newEntry(book, 'b', { awaited: true }));
    const retired = two(() => newEntry(book, 'c', { retired: true }));
    const younger = newEntry(book, 'e', { tab: 'other' });
    for (const row of returned) stepEntry(book, row, ridden('turn'));
    for (const row of [...proven, younger]) stepEntry(book, row, TAKEN, receipt(null));
    store.commit();
    for (const expected of [proven, retired, returned, plain].flat()) {
      assert.equal(book.entryVictim('tab', 0)?.n, expected.n);
      book.dropEntry(expected);
    }
    assert.equal(book.entryVictim('tab', 0)?.n, undefined);
    assert.equal(book.entryVictim(undefined, 0)?.n, younger.n);
    assert.equal(book.entryVictim(undefined, younger.n)?.n, undefined);
  });

  test('the one excepted is passed over', (store) => {
    const { book } = store;
    const [a, b] = [newEntry(book, 'a'), newEntry(book, 'b')];
    assert.equal(book.entryVictim('tab', a.n)?.n, b.n);
    assert.equal(book.entryVictim('tab', b.n)?.n, a.n);
  });
}

function holders({ test }: Chapter): void {
  test('the same holder is given out for the same answer, whichever way it is asked for', (store) => {
    const { book } = store;
    const row = newEntry(book, 'a');
    store.commit();
    const found = [
      ...[book.entry(row.n), book.entriesOf('a')[0], book.entriesOn('tab')[0], book.allEntries()[0], book.recent(1)[0]],
      ...[book.pendingAfter('tab', 0), [...book.licensed('tab', 'f')][0], book.entryVictim('tab', 0)],
    ];
    for (const one of found) assert.ok(one === row, 'another object is given out for the same row');
    stepEntry(book, row, TAKEN);
    assert.ok(book.interruptedEntries()[0] === row);
  });

  test('what is owed is counted by tab and occupant, while it is pending or handed off', (store) => {
    const { book } = store;
    const owed = (): unknown => [...book.owedGroups()].map((group) => ({ ...group })).sort((a, b) => a.count - b.count);
    const mine = [newEntry(book, 'a', { occupant: 'me' }), newEntry(book, 'b', { occupant: 'me' })] as const;
    const nobody = newEntry(book, 'c');
    newEntry(book, 'd', { awaited: true });
    stepEntry(book, mine[0], TAKEN);
    const all = [
      { tab: 'tab', occupant: null, count: 1 },
      { tab: 'tab', occupant: 'me', count: 2 },
    ];
    assert.deepEqual(owed(), all);
    store.commit();
    stepEntry(book, mine[0], receipt(null));
    stepEntry(book, nobody, { type: 'BOUNDARY' });
    book.dropEntry(mine[1]);
    assert.deepEqual(owed(), []);
    store.rollback();
    assert.deepEqual(owed(), all);
  });

  test('interrupted is what was handed off or may still be read, and what its handler was about to return', (store) => {
    const { book } = store;
    const queued = newEntry(book, 'a');
    const awaited = newEntry(book, 'b', { awaited: true });
    const returned = newEntry(book, 'c', { awaited: true });
    const riding = newEntry(book, 'd');
    newEntry(book, 'e');
    const replaced = newEntry(book, 'f');
    stepEntry(book, replaced, TAKEN, { type: 'BOUNDARY' });
    stepEntry(book, newEntry(book, 'g'), TAKEN, { type: 'BOUNDARY' }, { type: 'RECALLED', because: 'boundary' });
    stepEntry(book, queued, TAKEN);
    stepEntry(book, returned, ridden('turn'));
    stepEntry(book, riding, ridden('turn'));
    store.commit();
    const found = numbers(book.interruptedEntries()).sort((a, b) => a - b);
    assert.deepEqual(found, [queued.n, awaited.n, riding.n, replaced.n]);
  });
}

export function entryContract(chapter: Chapter): void {
  order(chapter);
  victims(chapter);
  holders(chapter);
}
entryContract.fills = fills;
