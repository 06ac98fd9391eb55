import { expect, it } from 'vitest';
import { RIDES_KEPT } from '../../machines/journal/answer-facts.ts';
import { WARNINGS_KEPT } from '../../src/journal/debt.ts';
import { ONE_PER_TAB } from '../../src/testing/journal/debtor.ts';
import { makeJournal } from './support.ts';

it('[J-R084] [J-I27] of more turns than are kept the oldest is forgotten: it proves nothing, and the answer stays owed', () => {
  const h = makeJournal({ attacher: true });
  const { token } = h.late();
  for (let turn = 1; turn <= 3 * RIDES_KEPT; turn += 1) {
    h.turn = `turn-${turn}`;
    h.journal.markReturned(token);
  }
  const kept = Array.from({ length: RIDES_KEPT }, (_, at) => `turn-${2 * RIDES_KEPT + 1 + at}`);
  expect(h.entry(token)).toMatchObject({ rides: kept, delivery: 'handed_off' });
  h.journal.ack(token, { carrier: 'turn-1' });
  expect(h.entry(token)).toMatchObject({ acked: false });
  h.journal.ack(token, { carrier: `turn-${3 * RIDES_KEPT}` });
  expect(h.entry(token)).toMatchObject({ acked: true });
});

it('[J-R134] the turns that ended beside a copy are bounded alike, and a forgotten one makes the answer owed again', () => {
  const h = makeJournal({ attacher: true, revoker: false });
  const { token } = h.queued();
  for (let turn = 1; turn <= 2 * RIDES_KEPT; turn += 1) {
    h.turn = `turn-${turn}`;
    h.journal.markReturned(token);
    h.journal.release(token, { carrier: h.turn });
  }
  h.journal.release(token, { carrier: `turn-${2 * RIDES_KEPT}` });
  expect(h.entry(token)).toMatchObject({ delivery: 'handed_off', channel: 'queue', rides: [] });
  h.journal.release(token, { carrier: 'turn-1' });
  expect(h.entry(token)).toMatchObject({ delivery: 'pending', acked: false });
});

it('[J-R130] [J-R145] of more warnings of a tab than are kept the oldest ends unsettled, and every loss stays owed', () => {
  const h = makeJournal({ attacher: true, limits: ONE_PER_TAB });
  for (const tab of ['tab-1', 'tab-2']) for (const text of ['one', 'two']) h.late(text, tab);
  const warn = (turn: string, tab = 'tab-1') => {
    h.turn = turn;
    expect(h.journal.reportDropped(tab)).toBe(1);
    return h.attached.at(-1)?.token ?? '';
  };
  const other = warn('other', 'tab-2');
  const [first = '', second = ''] = Array.from({ length: WARNINGS_KEPT + 1 }, (_, at) => warn(`turn-${at}`));
  h.journal.ack(first, { carrier: 'turn-0' });
  expect(h.journal.droppedFor('tab-1')).toBe(1);
  h.journal.ack(second, { carrier: 'turn-1' });
  expect(h.journal.droppedFor('tab-1')).toBe(0);
  h.journal.ack(other, { carrier: 'other' });
  expect(h.journal.droppedFor('tab-2')).toBe(0);
});
