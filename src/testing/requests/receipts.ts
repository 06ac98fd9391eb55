import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { FakeLedger, RequestRig } from './rig.ts';

export const receiptsRules = new Chapter();
const { describe, test: it } = receiptsRules;

const THIS = { value: 'this' };
const OTHER = { value: 'other' };
const CANARY = 'hunter2-canary';

describe('a repeat after a restart', () => {
  it('[B4][RQ-R105] has its receipt as long as the row is kept', () => {
    const ledger = new FakeLedger();
    const before = new RequestRig({ ledger });
    const kept = before.ask('window.title', {}, { key: 'k' });
    const batch = before.batch(['q0', 'q1'], { key: 'batch' });
    const gone = before.ask();
    for (const { id } of [kept, gone]) expect(before.requests.answer(id, THIS)).toBe(true);
    const whole = { answers: { q0: 'a', q1: 'b' } };
    expect(before.requests.answer(batch.id, whole)).toBe(true);
    before.requests.shutdown();
    const rig = new RequestRig({ ledger });
    const peer = rig.peer('a');
    expect(rig.requests.answer(kept.id, OTHER, peer)).toBe(false);
    expect(rig.requests.answer(kept.id, THIS, peer)).toBe(true);
    expect(rig.requests.answer(batch.id, whole, peer)).toBe(true);
    expect(rig.requests.answer(gone.id, THIS, peer)).toBe(false);
    expect(peer.seen).toEqual([]);
  });

  it('[B4][RQ-R105] of a batch is the answer as it was given, with the locks that were merged into it or without', () => {
    const ledger = new FakeLedger();
    const before = new RequestRig({ ledger });
    const { id } = before.batch(['q0', 'q1', 'q2'], { key: 'batch' });
    before.requests.lockAnswer(id, 'q0', 'a');
    const given = { answers: { q1: 'b', q2: 'c' } };
    expect(before.requests.answer(id, given)).toBe(true);
    before.requests.shutdown();
    const rig = new RequestRig({ ledger });
    expect(rig.requests.answer(id, { answers: { q0: 'a', q1: 'b', q2: 'd' } })).toBe(false);
    expect(rig.requests.answer(id, { answers: { q1: 'b' } })).toBe(false);
    expect(rig.requests.answer(id, given)).toBe(true);
    expect(rig.requests.answer(id, { answers: { q2: 'c', q1: 'b' } })).toBe(true);
    expect(rig.requests.answer(id, { answers: { q2: 'c', q1: 'b', q0: 'a' } })).toBe(true);
  });

  it('[RQ-R105] of what a lock or nobody settled is late', () => {
    const ledger = new FakeLedger();
    const before = new RequestRig({ ledger });
    const locked = before.batch(['q0'], { key: 'locked' });
    before.requests.lockAnswer(locked.id, 'q0', 'a');
    const cancelled = before.ask('window.title', {}, { key: 'cancelled' });
    before.requests.cancel('s');
    before.requests.shutdown();
    const rig = new RequestRig({ ledger });
    expect(rig.requests.answer(locked.id, { answers: { q0: 'a' } })).toBe(false);
    expect(rig.requests.answer(cancelled.id, {})).toBe(false);
  });
});

describe('[I12] the receipt of a secret', () => {
  it('[B2][RQ-R105] is given again for the same secret, and neither row nor line holds it', () => {
    const ledger = new FakeLedger();
    const rig = new RequestRig({ ledger });
    const peer = rig.peer('a');
    const { id } = rig.ask('sudo', {}, { key: 'k' });
    expect(rig.requests.answer(id, { value: CANARY }, peer)).toBe(true);
    expect(rig.requests.answer(id, { value: CANARY }, peer)).toBe(true);
    rig.requests.shutdown();
    for (const text of [ledger.everything, rig.lines.join('\n'), JSON.stringify(peer.seen)]) {
      expect(text).not.toContain(CANARY);
    }
    expect(new RequestRig({ ledger }).requests.answer(id, { value: CANARY })).toBe(false);
  });

  it('[RQ-R105] ends with the first wrong one: nobody finds a secret by trying', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const { id } = rig.ask('sudo');
    expect(rig.requests.answer(id, { value: '1234' }, peer)).toBe(true);
    expect(rig.requests.answer(id, { value: '1233' }, peer)).toBe(false);
    expect(rig.requests.answer(id, { value: '1234' }, peer)).toBe(false);
  });
});
