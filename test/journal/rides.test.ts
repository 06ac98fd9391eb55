import { expect, it } from 'vitest';
import { RIDES_KEPT } from '../../machines/journal/answer-facts.ts';
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
