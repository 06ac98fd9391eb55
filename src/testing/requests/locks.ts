import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, RequestRig } from './rig.ts';

export const locksRules = new Chapter();
const { describe, test: it } = locksRules;

const QIDS = ['q0', 'q1', 'q2'];

describe('locks', () => {
  it('[RQ-R42] unknown, closed and plain requests are expired', () => {
    const rig = new RequestRig();
    expect(rig.requests.lockAnswer('srq-unknown', 'q0', 'a')).toBeNull();
    expect(rig.requests.lockAnswer(7 as never, 'q0', 'a')).toBeNull();
    expect(rig.requests.lockAnswer(rig.ask().id, 'q0', 'a')).toBeNull();
    const asked = rig.batch(QIDS);
    rig.requests.cancel('s');
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'a')).toBeNull();
    // Even for a question that it never had: it is over.
    expect(rig.requests.lockAnswer(asked.id, 'q9', 'a')).toBeNull();
  });

  it('[RQ-R43] a question that the batch does not have is 4002, before and after the first lock', () => {
    const rig = new RequestRig();
    const asked = rig.batch(QIDS);
    for (const qid of ['q9', '__proto__', '', 7 as never]) {
      expect(() => rig.requests.lockAnswer(asked.id, qid, 'a')).toThrow({ name: 'UnknownQuestion' });
      expect(() => rig.requests.lockAnswer(asked.id, qid, 'a')).toThrow(expect.objectContaining({ code: 4002 }));
    }
    rig.requests.lockAnswer(asked.id, 'q0', 'kept');
    expect(() => rig.requests.lockAnswer(asked.id, 'q9', 'a')).toThrow({ name: 'UnknownQuestion' });
    expect(rig.requests.openRequests('s')[0]?.params['answers']).toEqual({ q0: 'kept' });
  });

  it('[RQ-R44][RQ-R46] a lock replaces an earlier one, says what is missing in the order of the batch, and ends nothing', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const asked = rig.batch(QIDS);
    expect(rig.requests.lockAnswer(asked.id, 'q2', 'z')).toEqual(['q0', 'q1']);
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'x')).toEqual(['q1']);
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'y')).toEqual(['q1']);
    expect(rig.requests.openRequests('s')[0]?.params['answers']).toEqual({ q0: 'y', q2: 'z' });
    expect(peer.seen).toHaveLength(1);
    expect(rig.requests.openRequestCount()).toBe(1);
  });

  it('[RQ-R45] the last one is the answer', async () => {
    const rig = new RequestRig();
    const [peer, other] = [rig.peer('a'), rig.peer('b')];
    const asked = rig.batch(['q0', 'q1']);
    rig.requests.lockAnswer(asked.id, 'q1', 'b', peer);
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'a', peer)).toEqual([]);
    expect(await asked.outcome()).toEqual({
      kind: 'answered',
      result: { answers: { q0: 'a', q1: 'b' } },
      via: 'lock',
    });
    expect(other.ofKind('settled')).toMatchObject([{ id: asked.id, by: 'lock' }]);
    expect(peer.ofKind('settled')).toEqual([]);
    expect(rig.requests.lockAnswer(rig.batch(['only']).id, 'only', 'x')).toEqual([]);
  });

  it('[RQ-R45][RQ-R28] the owner of a batch is called for the last lock', () => {
    const rig = new RequestRig();
    const results: unknown[] = [];
    rig.requests.sendAsync('clarify', 's', {}, (result) => results.push(result), { qids: ['q0'] });
    rig.requests.lockAnswer(rig.lastId(), 'q0', null);
    expect(results).toEqual([{ answers: { q0: null } }]);
  });

  it.each([
    [null, null],
    [undefined, ''],
    ['', ''],
    ['text', 'text'],
    [7, '7'],
    [['a', 'b'], '["a","b"]'],
    [{ a: 1 }, '{"a":1}'],
    [false, 'false'],
  ])('[RQ-R47] a lock of %j is kept as %j', async (given, kept) => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0']);
    rig.requests.lockAnswer(asked.id, 'q0', given);
    expect(await asked.outcome()).toMatchObject({ result: { answers: { q0: kept } } });
  });

  it('[RQ-R47] what is not JSON is refused, and nothing is locked', () => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0']);
    for (const odd of [1n, () => 1, Symbol('x')]) {
      expect(() => rig.requests.lockAnswer(asked.id, 'q0', odd)).toThrow(expect.objectContaining({ code: 4002 }));
    }
    expect(rig.requests.openRequests('s')[0]?.params).not.toHaveProperty('answers');
  });

  it('[RQ-R49] a lock after the end changes nothing', async () => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0', 'q1']);
    rig.requests.lockAnswer(asked.id, 'q0', 'a');
    rig.requests.resolveResponse(answer(asked.id, { answers: { q1: 'b' } }));
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'changed')).toBeNull();
    expect(await asked.outcome()).toMatchObject({ result: { answers: { q0: 'a', q1: 'b' } } });
  });
});
