import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, unchanged, warn } from './debtor.ts';
import { OTHER_TAB, TAB } from './harness.ts';

export const reportDroppedRules = new Chapter();
const { describe, test } = reportDroppedRules;

describe('what is counted', () => {
  test('[J-R142] losses of the present occupant and of an unknown one', () => {
    const h = makeDebtor({ resolver: true });
    lose(h, 1);
    h.occupants.set(TAB, 'x');
    lose(h, 1);
    expect(h.journal.droppedFor(TAB)).toBe(2);
    expect(h.journal.reportDropped(TAB)).toBe(2);
  });

  test('[J-R142] not those that a queue copy displays', () => {
    const h = makeDebtor();
    const { token } = lose(h, 2);
    h.deliver();
    expect(h.journal.reportDropped(TAB)).toBe(0);
    h.journal.release(token);
    expect(h.journal.reportDropped(TAB)).toBe(2);
  });

  test('[J-R142] those too that a pending answer could carry out later', () => {
    const h = makeDebtor();
    lose(h, 2);
    expect(h.journal.pending(TAB)).toHaveLength(1);
    expect(h.journal.reportDropped(TAB)).toBe(2);
  });

  test('[J-R142] those of an occupant who is unknown now, while he is', () => {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(TAB, 'x');
    lose(h, 2);
    h.occupants.delete(TAB);
    expect(h.journal.reportDropped(TAB)).toBe(0);
    h.occupants.set(TAB, 'x');
    expect(h.journal.reportDropped(TAB)).toBe(2);
  });

  test('[J-R146] the losses of others are neither counted nor settled', () => {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(TAB, 'x');
    lose(h, 2);
    h.occupants.set(TAB, 'y');
    expect(h.journal.reportDropped(TAB)).toBe(0);
    // The survivor is still x's; displacing it is one more loss of x.
    lose(h, 2);
    const { count, token } = warn(h, 'turn-a');
    expect(count).toBe(1);
    h.journal.ack(token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(3);
    h.occupants.set(TAB, 'x');
    expect(h.journal.reportDropped(TAB)).toBe(3);
  });
});

test('[J-R143] with nothing owed it is 0, and nobody is called', () => {
  const h = makeDebtor();
  lose(h, 1, OTHER_TAB);
  h.clear();
  const next = (): number => Number(h.late(newText(), 'tab-nine').token.slice(2));
  const before = next();
  expect(h.journal.reportDropped(TAB)).toBe(0);
  expect(h.journal.reportDropped('tab-never')).toBe(0);
  expect(h.attached).toEqual([]);
  expect(next()).toBe(before + 1);
});

test('[J-R144] a token that names those losses is offered with the tab and the ask', () => {
  const h = makeDebtor();
  lose(h, 1);
  h.clear();
  h.journal.reportDropped(TAB, { askId: 'pa-the-ask' });
  expect(h.attached).toEqual([{ key: TAB, token: expect.stringMatching(/^aad\d+$/), askId: 'pa-the-ask' }]);
});

test('[J-R144] with no carrier the token is discarded', () => {
  const h = makeDebtor();
  h.turn = null;
  lose(h, 2);
  expect(h.journal.reportDropped(TAB)).toBe(2);
  const token = h.attached[0]?.token ?? '';
  for (const from of [undefined, { carrier: 'turn-1' }]) h.journal.ack(token, from);
  expect(h.journal.droppedFor(TAB)).toBe(2);
});

test('[J-R008] with an attacher that throws the count is still told, and nothing is provable', () => {
  const h = makeDebtor();
  lose(h, 2);
  h.clear();
  const plant = h.failAt(1, 'attach');
  expect(h.journal.reportDropped(TAB)).toBe(2);
  expect(plant.hit).toBe(true);
  expect(h.at('warn')).toHaveLength(1);
  h.heal();
  h.journal.ack(h.attached[0]?.token ?? '', { carrier: 'turn-1' });
  expect(h.journal.droppedFor(TAB)).toBe(2);
});

test('[J-R145] it settles nothing, however often it is called', () => {
  const h = makeDebtor();
  lose(h, 3);
  const tokens = new Set<string>();
  for (let i = 0; i < 10; i++) {
    const { before, after } = unchanged(h, () => {
      const { count, token } = warn(h, `turn-${i}`);
      expect(count).toBe(3);
      tokens.add(token);
    });
    expect(after).toEqual(before);
  }
  expect(tokens.size).toBe(10);
});

test('[J-R147] it logs nothing', () => {
  const h = makeDebtor();
  lose(h, 1);
  h.clear();
  h.journal.reportDropped(TAB);
  expect(h.lines).toEqual([]);
});

test('[J-R148] after a boundary nothing is left to report into a result of the replaced conversation', () => {
  const h = makeDebtor();
  const askId = h.open();
  lose(h, 2);
  h.journal.closeAsks(TAB);
  expect(h.journal.askBelongsToLiveConversation(askId)).toBe(false);
  expect(h.journal.reportDropped(TAB)).toBe(0);
});
