import { describe, expect, it } from 'vitest';
import { REQUEST_LIMITS } from '../../../src/requests/limits.ts';
import { answer, failure } from '../../../src/testing/requests/rig.ts';
import { RequestRig } from '../support/rig.ts';

const THIS = { value: 'this' };
const OTHER = { value: 'other' };

describe('an answer that is given again', () => {
  it('[B2][G7][RQ-R105] has one effect, the same receipt each time, and raises no alarm', async () => {
    const rig = new RequestRig();
    const [peer, other] = [rig.peer('a'), rig.peer('b')];
    const asked = rig.ask();
    expect(rig.requests.answer(asked.id, THIS, peer)).toBe(true);
    rig.lines.length = 0;
    const told = other.seen.length;
    // The client that repeats it may be connected anew: another peer.
    for (const from of [peer, rig.peer('again'), undefined]) {
      expect(rig.requests.answer(asked.id, { ...THIS }, from)).toBe(true);
    }
    expect(rig.requests.answer(asked.id, OTHER, peer)).toBe(false);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', result: THIS });
    expect(asked.settledTimes).toBe(1);
    expect(other.seen).toHaveLength(told);
    expect(rig.lines.filter((line) => !line.startsWith('debug'))).toEqual([]);
  });

  it('[RQ-R35][RQ-R105] is late where either was a bare response frame, which has no receipt', () => {
    const rig = new RequestRig();
    const [acknowledged, bare] = [rig.ask(), rig.ask()];
    expect(rig.requests.answer(acknowledged.id, THIS)).toBe(true);
    expect(rig.requests.resolveResponse(answer(acknowledged.id, THIS))).toBe(false);
    expect(rig.requests.resolveResponse(answer(bare.id, THIS))).toBe(true);
    expect(rig.requests.resolveResponse(answer(bare.id, THIS))).toBe(false);
    expect(rig.requests.answer(bare.id, THIS)).toBe(false);
  });

  it('[B2][RQ-R105] of a batch is the answer as it was given, with the locks that were merged into it or without', async () => {
    const rig = new RequestRig();
    const batch = rig.batch(['q0', 'q1']);
    rig.requests.lockAnswer(batch.id, 'q0', 'a');
    const given = { answers: { q1: 'b' } };
    expect(rig.requests.answer(batch.id, given)).toBe(true);
    expect(await batch.outcome()).toMatchObject({ result: { answers: { q0: 'a', q1: 'b' } } });
    expect(rig.requests.answer(batch.id, given)).toBe(true);
    expect(rig.requests.answer(batch.id, { answers: { q1: 'b', q0: 'a' } })).toBe(true);
    expect(rig.requests.answer(batch.id, {})).toBe(false);
    const other = rig.batch(['q0', 'q1']);
    expect(rig.requests.answer(other.id, { answers: { q0: 'a', q1: 'b' } })).toBe(true);
    expect(rig.requests.answer(other.id, { answers: { q1: 'b', q0: 'a' } })).toBe(true);
    expect(rig.requests.answer(batch.id, { answers: { q1: 'c' } })).toBe(false);
  });

  it('[RQ-R105] is late where no answer settled it', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const ends: Record<string, (id: string) => unknown> = {
      cancelled: () => rig.requests.cancel('s'),
      timedOut: () => rig.runtime.advance(10),
      failed: (id) => rig.requests.resolveResponse(failure(id, -1), peer),
      nonsense: (id) => rig.requests.resolveResponse(answer(id, { value: 7 }), peer),
    };
    for (const [name, end] of Object.entries(ends)) {
      const { id } = rig.ask('window.title', {}, { timeoutMs: 10 });
      end(id);
      expect(rig.requests.openRequestCount(), name).toBe(0);
      for (const result of [THIS, { value: 7 }, {}]) expect(rig.requests.answer(id, result, peer), name).toBe(false);
    }
    const batch = rig.batch(['q0']);
    expect(rig.requests.lockAnswer(batch.id, 'q0', 'a')).toEqual([]);
    expect(rig.requests.answer(batch.id, { answers: { q0: 'a' } }, peer)).toBe(false);
  });

  it('[RQ-R39][RQ-R105] is for those who may answer', () => {
    const rig = new RequestRig({ mayAccess: (_sid, peer) => peer?.author?.who === 'a' });
    const [able, stranger] = [rig.peer('a'), rig.peer('b')];
    const { id } = rig.ask();
    expect(rig.requests.answer(id, THIS, able)).toBe(true);
    expect(rig.requests.answer(id, THIS, stranger)).toBe(false);
    expect(rig.requests.answer(id, THIS, undefined)).toBe(false);
    expect(rig.requests.answer(id, THIS, able)).toBe(true);
  });

  it('[RQ-R105] is remembered for a bounded number of requests, the oldest first to go', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const ids = Array.from({ length: 2 * REQUEST_LIMITS.receipts + 1 }, () => {
      const { id } = rig.ask();
      rig.requests.answer(id, THIS, peer);
      return id;
    });
    expect(rig.requests.answer(ids[0] ?? '', THIS, peer)).toBe(false);
    for (const at of [-REQUEST_LIMITS.receipts, -1]) {
      expect(rig.requests.answer(ids.at(at) ?? '', THIS, peer)).toBe(true);
    }
  });
});
