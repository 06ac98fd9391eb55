import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, named, newText, ONE_PER_TAB, unchanged, warn } from './debtor.ts';
import { makeJournal, OTHER_TAB, TAB } from './harness.ts';

export const retireDebtRules = new Chapter();
const { describe, test } = retireDebtRules;

/** Two losses of x, and one of y who holds the tab now; the answer still on file is y's. */
function twoBuckets() {
  const h = makeDebtor({ resolver: true });
  h.occupants.set(TAB, 'x');
  lose(h, 1);
  h.occupants.set(TAB, 'y');
  lose(h, 2);
  expect(h.journal.droppedFor(TAB)).toBe(3);
  h.clear();
  return h;
}

describe('surfacing a bucket', () => {
  test('[J-R149] one error line first, with the tab, a reason and the number, displayed losses included', () => {
    const h = makeDebtor();
    lose(h, 2);
    h.deliver();
    h.clear();
    let owedThen = -1;
    h.onCall = (call) => {
      if (call.kind === 'log' && call.level === 'error') owedThen = h.journal.droppedFor(TAB);
    };
    h.journal.retireDebt(TAB, undefined);
    expect(owedThen).toBe(2);
    const [line, ...more] = h.at('error');
    expect(more).toEqual([]);
    expect(line).toContain(TAB.slice(0, 8));
    expect(line).toMatch(/\b2\b/);
  });

  test('[J-R149] if the line cannot be written the exception comes out and the debt is whole', () => {
    const h = twoBuckets();
    const { before, after } = unchanged(h, () => {
      const plant = h.failAt(1, 'log');
      expect(() => h.journal.retireDebt(TAB, 'x')).toThrow('planted');
      expect(plant.hit).toBe(true);
      h.heal();
    });
    expect(after).toEqual(before);
    h.journal.retireDebt(TAB, 'x');
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });

  test('[J-R150] its losses are owed no more, and no copy displays them', () => {
    const h = makeDebtor();
    const { token } = lose(h, 2);
    h.deliver();
    h.journal.retireDebt(TAB, undefined);
    expect(h.journal.droppedFor(TAB)).toBe(0);
    expect(h.entry(token).shown).toBe(0);
    h.journal.release(token);
    expect(h.deliver().offers[0]?.payload).not.toHaveProperty('dropped_answers');
  });

  test('[J-R150] footnotes lose them: one that named nothing else is void, another settles the rest', () => {
    const h = makeDebtor({ resolver: true });
    lose(h, 1);
    const unknownOnly = warn(h, 'turn-a');
    h.occupants.set(TAB, 'x');
    lose(h, 2);
    // The answer displaced first belonged to the unknown occupant: two of his, one of x.
    const both = warn(h, 'turn-b');
    expect([unknownOnly.count, both.count]).toEqual([1, 3]);
    h.journal.retireDebt(TAB, undefined);
    expect(h.journal.droppedFor(TAB)).toBe(1);
    h.journal.ack(unknownOnly.token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(1);
    h.journal.ack(both.token, { carrier: 'turn-b' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R151] with nothing owed nothing is logged', () => {
    const h = makeDebtor();
    h.clear();
    h.journal.retireDebt(TAB, 'x');
    h.journal.retireDebt('tab-never', undefined);
    expect(h.lines).toEqual([]);
  });

  test('[J-R152] other occupants, other tabs and all entries are untouched', () => {
    const h = twoBuckets();
    lose(h, 2, OTHER_TAB);
    const entries = h.visible().entries;
    h.journal.retireDebt(TAB, 'x');
    expect(h.visible().entries).toEqual(entries);
    expect([h.journal.droppedFor(TAB), h.journal.droppedFor(OTHER_TAB)]).toEqual([1, 2]);
    expect(h.journal.reportDropped(TAB)).toBe(1);
  });

  test.each([null, undefined])('[J-R153] %s means the unknown occupant', (nobody) => {
    const h = makeDebtor({ resolver: true });
    lose(h, 2);
    h.occupants.set(TAB, 'y');
    lose(h, 2);
    h.journal.retireDebt(TAB, nobody);
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });

  test('[J-R154] its line says that the tab disconnected', () => {
    const h = twoBuckets();
    h.journal.retireDebt(TAB, 'x');
    expect(h.at('error')).toHaveLength(1);
    expect(h.at('error')[0]).toMatch(/disconnect/i);
  });
});

describe('an occupant declared gone', () => {
  /** x gave an answer that is owed a push, and left. */
  function left() {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(TAB, 'x');
    const entry = h.late(newText());
    h.occupants.delete(TAB);
    h.clear();
    return { h, entry };
  }

  test('[J-R155] holds the gate no more, until the resolver names him again', () => {
    const { h } = left();
    expect(h.journal.hasOutstanding()).toBe(true);
    h.journal.retireDebt(TAB, 'x');
    expect(h.journal.hasOutstanding()).toBe(false);
    h.occupants.set(TAB, 'x');
    expect(h.journal.hasOutstanding()).toBe(true);
    h.deliver(TAB, 0);
    h.occupants.set(TAB, 'y');
    expect(h.journal.hasOutstanding()).toBe(true);
  });

  test('[J-R155] is gone from that tab only', () => {
    const { h } = left();
    h.occupants.set(OTHER_TAB, 'x');
    h.late(newText(), OTHER_TAB);
    h.occupants.delete(OTHER_TAB);
    h.journal.retireDebt(TAB, 'x');
    expect(h.journal.hasOutstanding()).toBe(true);
    h.journal.retireDebt(OTHER_TAB, 'x');
    expect(h.journal.hasOutstanding()).toBe(false);
  });

  test('[J-R156] one warn line with the text for each of his answers that is pending or handed off', () => {
    const h = makeJournal({ resolver: true, attacher: true });
    h.occupants.set(TAB, 'x');
    const mine = [h.queued(newText()), h.riding(newText()), h.late(newText())];
    const free = [h.returned(newText()), h.direct(newText())];
    h.occupants.set(TAB, 'y');
    const others = h.late(newText());
    h.occupants.set(OTHER_TAB, 'x');
    const elsewhere = h.late(newText(), OTHER_TAB);
    h.clear();
    h.journal.retireDebt(TAB, 'x');
    const warns = h.at('warn');
    expect(warns).toHaveLength(mine.length);
    for (const { answer } of mine) expect(warns.filter((line) => line.includes(answer))).toHaveLength(1);
    for (const { answer } of [...free, others, elsewhere]) expect(warns.join()).not.toContain(answer);
  });

  test('[J-R157] a new loss of his is owed to nobody: one error line at once, with the text', () => {
    const { h, entry } = left();
    h.journal.retireDebt(TAB, 'x');
    h.occupants.set(TAB, 'y');
    h.clear();
    h.late(newText());
    expect(h.find(entry.token)).toBeUndefined();
    expect(h.journal.droppedFor(TAB)).toBe(0);
    expect(h.at('error').filter((line) => line.includes(entry.answer))).toHaveLength(1);
  });

  test('[J-R157] seen again, his losses are owed to him as before', () => {
    const { h } = left();
    h.journal.retireDebt(TAB, 'x');
    h.occupants.set(TAB, 'x');
    h.journal.pending(TAB);
    h.late(newText());
    expect(h.journal.reportDropped(TAB)).toBe(1);
  });

  test('[J-R157] the losses of others on his tab are owed as ever', () => {
    const { h } = left();
    h.journal.retireDebt(TAB, 'x');
    h.occupants.set(TAB, 'y');
    lose(h, 2);
    expect(h.journal.reportDropped(TAB)).toBe(1);
    expect(named(h, h.entries()[0]?.answer ?? '').incarnation).toBe('y');
  });

  test('[J-R155] where no resolver is wired, losses go on being owed after a disconnect', () => {
    const h = makeJournal({ limits: ONE_PER_TAB, attacher: true });
    lose(h, 1);
    h.journal.retireDebt(TAB, undefined);
    lose(h, 1);
    expect(h.journal.reportDropped(TAB)).toBe(1);
  });
});
