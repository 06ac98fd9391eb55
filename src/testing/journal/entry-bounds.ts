import { JOURNAL_LIMITS } from '../../limits.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { makeDebtor, newText, ONE_PER_TAB, warn } from './debtor.ts';
import { type Entry, type Harness, makeJournal, newId, OTHER_TAB, TAB } from './harness.ts';

export const entryBoundsRules = new Chapter();
const { describe, test } = entryBoundsRules;

const texts = (h: Harness, tab = TAB): string[] => h.journal.entriesFor(tab).map((entry) => entry.answer);
const three = { entriesPerTab: 3, entriesTotal: 100 };

function ackedOne(h: Harness, tab = TAB): Entry {
  const entry = h.returned(newText(), tab);
  h.journal.ack(entry.token, { carrier: 'turn-1' });
  return entry;
}

describe('the bounds', () => {
  test('[J-R203] 48 on a tab and 192 in all', () => {
    expect(JOURNAL_LIMITS).toMatchObject({ entriesPerTab: 48, entriesTotal: 192 });
    const h = makeJournal();
    for (let i = 0; i < 60; i++) h.late(newText());
    expect(h.journal.entriesFor(TAB)).toHaveLength(48);
    for (let i = 0; i < 180; i++) h.late(newText(), `tab-${i % 6}`);
    expect(h.journal.allOutstanding()).toHaveLength(192);
  });

  test('[J-R203] the tab is trimmed first: a tab over its bound costs no other tab an answer', () => {
    const h = makeJournal({ limits: { entriesPerTab: 2, entriesTotal: 3 } });
    const quiet = h.late(newText(), OTHER_TAB);
    for (let i = 0; i < 5; i++) h.late(newText());
    expect(h.find(quiet.token)).toBeDefined();
    expect(h.journal.droppedFor(TAB)).toBe(3);
  });

  test('[J-R203] for the overall bound the victim is chosen over all tabs', () => {
    const h = makeDebtor({ limits: { entriesPerTab: 3, entriesTotal: 3 } });
    const oldest = h.late(newText(), OTHER_TAB);
    for (let i = 0; i < 3; i++) h.late(newText(), `tab-${i}`);
    expect(h.find(oldest.token)).toBeUndefined();
    expect(h.journal.droppedFor(OTHER_TAB)).toBe(1);
  });
});

describe('who goes', () => {
  test('[J-R204] acked, then retired, then returned, then the oldest', () => {
    const h = makeDebtor({ limits: { entriesPerTab: 5, entriesTotal: 100 } });
    const retired = h.late(newText());
    h.journal.closeAsks(TAB);
    const oldest = h.late(newText());
    const returned = h.returned(newText());
    const acked = ackedOne(h);
    const last = h.late(newText());
    const order = [acked, retired, returned, oldest];
    for (const victim of order) {
      expect(h.find(victim.token)).toBeDefined();
      h.late(newText());
      expect(h.find(victim.token)).toBeUndefined();
    }
    expect(h.find(last.token)).toBeDefined();
  });

  test('[J-R204] of several of a kind the first to arrive, wherever it came from', () => {
    const h = makeDebtor({ limits: { entriesPerTab: 4, entriesTotal: 100 } });
    const first = ackedOne(h, OTHER_TAB);
    const second = ackedOne(h);
    h.journal.moveKey(OTHER_TAB, TAB);
    h.late(newText());
    h.late(newText());
    h.late(newText());
    expect(h.find(first.token)).toBeUndefined();
    expect(h.find(second.token)).toBeDefined();
  });

  test('[J-R069] the newest answer stays, but for one that is born retired', () => {
    const h = makeDebtor();
    const kept = h.late(newText());
    const askId = h.openAndClose('tab-three');
    h.journal.closeAsks('tab-three');
    h.journal.moveKey('tab-three', TAB);
    const born = h.record(askId, newText());
    expect(born.retired).toBe(true);
    expect(texts(h)).toEqual([kept.answer]);
  });
});

describe('how it is reported', () => {
  test('[J-R205] a proven one goes with one debug line and no debt', () => {
    const h = makeDebtor();
    const { token } = ackedOne(h);
    h.clear();
    h.late(newText());
    expect(h.find(token)).toBeUndefined();
    expect(h.lines.map((line) => line.level)).toEqual(['debug']);
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R206] an unproven one is one loss of its own tab and occupant, whoever holds the tab now', () => {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(TAB, 'x');
    const lost = h.late(newText());
    h.occupants.set(TAB, 'y');
    h.clear();
    h.late(newText());
    const lines = h.at('error');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(lost.answer);
    expect(h.journal.reportDropped(TAB)).toBe(0);
    h.occupants.set(TAB, 'x');
    expect(h.journal.reportDropped(TAB)).toBe(1);
  });

  test('[J-R206, J-R207] the line tells a returned answer from one that reached nobody; both are counted', () => {
    const h = makeDebtor();
    const returned = h.returned(newText());
    h.clear();
    const orphan = h.late(newText());
    h.late(newText());
    const [first, second] = h.at('error');
    expect(first).toContain(returned.answer);
    expect(second).toContain(orphan.answer);
    const said = (line: string | undefined, entry: Entry): string =>
      (line ?? '').replaceAll(entry.answer, '').replaceAll(entry.token, '');
    expect(said(first, returned)).toMatch(/returned/i);
    expect(said(second, orphan)).toMatch(/nobody/i);
    expect(said(second, orphan)).not.toMatch(/returned/i);
    expect(h.journal.droppedFor(TAB)).toBe(2);
  });

  test('[J-R209] a retired one goes with its text at error and is owed to nobody', () => {
    const h = makeDebtor();
    const entry = h.late(newText());
    h.journal.closeAsks(TAB);
    h.clear();
    h.late(newText());
    expect(h.at('error')).toHaveLength(1);
    expect(h.at('error')[0]).toContain(entry.answer);
    expect([h.journal.droppedFor(TAB), h.journal.reportDropped(TAB)]).toEqual([0, 0]);
    expect(h.deliver().offers[0]?.payload).not.toHaveProperty('dropped_answers');
  });
});

test('[J-R155] [J-R206] one that was declared gone and holds its tab again is owed what the bound took', () => {
  const h = makeDebtor({ resolver: true, limits: { entriesPerTab: 1, entriesTotal: 1 } });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'ann');
  h.late(newText());
  h.occupants.set(TAB, 'bob');
  h.journal.retireDebt(TAB, 'ann');
  h.occupants.set(TAB, 'ann');
  h.late(newText(), OTHER_TAB);
  expect(h.journal.droppedFor(TAB)).toBe(1);
});

test('[J-R208] what the victim was carrying out is owed again', () => {
  const h = makeDebtor({ revoker: false });
  h.late(newText());
  h.late(newText());
  expect(h.deliver().offers[0]?.payload.dropped_answers).toBe(1);
  expect(h.journal.reportDropped(TAB)).toBe(0);
  h.late(newText());
  expect(h.journal.reportDropped(TAB)).toBe(2);
  expect(h.deliver().offers[0]?.payload.dropped_answers).toBe(2);
});

describe('the queue copy of a victim', () => {
  test('[J-R210] is recalled; a victim without one is not', () => {
    const h = makeDebtor({ revoker: true });
    const { token } = h.queued(newText());
    h.late(newText());
    h.late(newText());
    expect(h.revoked).toEqual([token]);
  });

  test('[J-R211] if it could not be, its receipt still cancels the loss, and so does a ride', () => {
    const h = makeDebtor({ revoker: false });
    const copy = h.queued(newText());
    h.journal.markReturned(copy.token);
    const riding = h.riding(newText(), OTHER_TAB);
    h.late(newText());
    h.late(newText(), OTHER_TAB);
    expect(h.find(riding.token)).toBeUndefined();
    expect([h.journal.droppedFor(TAB), h.journal.droppedFor(OTHER_TAB)]).toEqual([1, 1]);
    h.journal.ack(riding.token, { carrier: 'turn-1' });
    h.journal.ack(copy.token, { carrier: 'the queue' });
    expect([h.journal.droppedFor(TAB), h.journal.droppedFor(OTHER_TAB)]).toEqual([0, 0]);
  });
});

test.each([true, false])(
  '[J-R114] [J-R210] [J-R211] its loss, shown on another tab before the offer of it ends, knows the copy (recalled: %s)',
  (works) => {
    const h = makeDebtor({ revoker: works });
    const { token } = h.late(newText());
    let shower = '';
    h.journal.deliverPending(TAB, (_payload, offered) => {
      if (offered !== token) return false;
      h.late(newText());
      h.journal.moveKey(TAB, OTHER_TAB);
      shower = h.deliver(OTHER_TAB).tokens[0] ?? '';
      expect(h.journal.reportDropped(OTHER_TAB)).toBe(0);
      return true;
    });
    expect(h.revoked).toEqual([token]);
    h.journal.ack(token, { carrier: 'the queue' });
    h.journal.release(shower);
    expect(h.journal.droppedFor(OTHER_TAB)).toBe(works ? 1 : 0);
  },
);

test.each([
  ['displaced', (h: Harness) => h.late(newText()), 3],
  ['forgotten', (h: Harness) => h.journal.forget(TAB), 0],
  ['retired', (h: Harness) => h.journal.closeAsks(TAB), 0],
] as const)('[J-R112, J-R114] an answer %s while it is offered carries no losses out', (_how, act, left) => {
  const h = makeDebtor({ revoker: true });
  h.late(newText());
  h.late(newText());
  const { token } = h.late(newText());
  const offers: (number | undefined)[] = [];
  h.journal.deliverPending(TAB, ({ dropped_answers }, offered) => {
    offers.push(dropped_answers);
    if (offered !== token) return false;
    act(h);
    return true;
  });
  expect(offers[0]).toBe(2);
  expect(h.journal.droppedFor(TAB)).toBe(left);
  expect(h.journal.reportDropped(TAB)).toBe(left);
  expect(h.find(token)?.delivery ?? 'none').toBe('none');
});

test('[J-R212] no tab is flushed for an eviction', () => {
  const h = makeDebtor({ limits: { entriesPerTab: 2, entriesTotal: 2 } });
  h.late(newText(), OTHER_TAB);
  h.late(newText());
  const askId = h.open('tab-three');
  h.clear();
  h.record(askId, newText(), 'tab-three');
  expect(h.journal.droppedFor(OTHER_TAB)).toBe(1);
  expect(h.flushed).toEqual([]);
});

describe('failing lines', () => {
  test('[J-R213] the loss is noted before its line, and the answer goes although the line cannot be written', () => {
    const h = makeDebtor();
    const { token } = h.late(newText());
    const seen: { owed: number; onFile: boolean }[] = [];
    h.onCall = (call) => {
      if (call.kind !== 'log') return;
      seen.push({ owed: h.journal.droppedFor(TAB), onFile: h.find(newest.token) !== undefined });
      throw new Error('planted');
    };
    const newest = { token: '' };
    const made = h.late(newText());
    newest.token = made.token;
    h.heal();
    expect(seen.map((one) => one.owed)).toEqual([1]);
    expect(h.find(token)).toBeUndefined();
    expect(h.find(made.token)).toBeDefined();
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });

  test('[J-R213] a retired and a proven victim go as well', () => {
    const h = makeDebtor({ limits: three });
    const retired = h.late(newText());
    h.journal.closeAsks(TAB);
    const acked = ackedOne(h);
    h.late(newText());
    h.onCall = (call) => {
      if (call.kind === 'log') throw new Error('planted');
    };
    h.late(newText());
    h.late(newText());
    h.heal();
    expect([h.find(retired.token), h.find(acked.token)]).toEqual([undefined, undefined]);
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R210] a revoker that throws does not save the victim', () => {
    const h = makeDebtor({ revoker: true, limits: ONE_PER_TAB });
    const { token } = h.queued(newText());
    h.failAt(1, 'revoke');
    const next = h.late(newText());
    h.heal();
    expect(texts(h)).toEqual([next.answer]);
    h.journal.ack(token);
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });
});

test('[J-R206] each displaced answer is told of by itself: a footnote counts them all', () => {
  const h = makeDebtor({ limits: three });
  for (let i = 0; i < 10; i++) h.record(newId(), newText());
  for (let i = 0; i < 4; i++) h.late(newText());
  const { count } = warn(h, 'turn-a');
  expect(count).toBe(11);
  expect(texts(h)).toHaveLength(3);
});
