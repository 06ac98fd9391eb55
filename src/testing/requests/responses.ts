import type { JsonObject } from '../../wire/json.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, FakePeer, failure, RequestRig } from './rig.ts';

export const responsesRules = new Chapter();
const { describe, test: it } = responsesRules;

describe('response frames', () => {
  it.each([7, null, undefined, {}, ['srq-000000000000'], true])(
    '[RQ-R32] an id that is no text touches nothing: %s',
    (id) => {
      const rig = new RequestRig();
      rig.ask();
      expect(rig.requests.resolveResponse({ id, result: {} } as never)).toBe(false);
      expect(rig.requests.openRequestCount()).toBe(1);
      expect(rig.lines).toEqual([]);
    },
  );

  it('[RQ-R32][D4] an unknown or closed id is false, with one debug line that holds the id alone', () => {
    const rig = new RequestRig();
    const asked = rig.ask();
    expect(rig.requests.resolveResponse(answer('srq-ffffffffffff', { value: 'forged' }))).toBe(false);
    rig.requests.resolveResponse(answer(asked.id));
    rig.lines.length = 0;
    expect(rig.requests.resolveResponse(answer(asked.id, { value: 'again' }))).toBe(false);
    expect(rig.lines).toHaveLength(1);
    expect(rig.lines[0]).toMatch(/^debug .*srq-/);
    expect(rig.lines[0]).not.toContain('again');
  });

  it('a frame that is no object at all is no answer', () => {
    const rig = new RequestRig();
    rig.ask();
    for (const frame of [null, undefined, 7, 'x', []]) {
      expect(rig.requests.resolveResponse(frame as unknown as JsonObject)).toBe(false);
    }
  });

  it.each([null, undefined])('[RQ-R33] an error that is %s is none', async (error) => {
    const rig = new RequestRig();
    const asked = rig.ask();
    expect(rig.requests.resolveResponse({ id: asked.id, result: { value: 'kept' }, error } as never)).toBe(true);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', result: { value: 'kept' } });
  });

  it('[RQ-R33] an error beside a result counts, in whatever shape it comes', async () => {
    const rig = new RequestRig();
    const shapes: [unknown, JsonObject][] = [
      [
        { code: -1, message: 'no' },
        { code: -1, message: 'no' },
      ],
      [{ code: 'x', message: 7 }, {}],
      ['in words', { message: 'in words' }],
      [-32603, { code: -32603 }],
      [false, {}],
      [['list'], {}],
      [{ code: Number.NaN, message: 'x'.repeat(5_000) }, { message: 'x'.repeat(1_024) }],
    ];
    for (const [error, expected] of shapes) {
      const asked = rig.ask();
      expect(rig.requests.resolveResponse({ id: asked.id, result: { value: 'v' }, error } as never)).toBe(true);
      expect(await asked.outcome()).toEqual({ kind: 'failed', error: expected });
    }
  });

  it.each([7, 'text', null, undefined, [1]])('[RQ-R34] a result that is %s is read as empty', async (result) => {
    const rig = new RequestRig();
    const asked = rig.ask('bot.relay');
    expect(rig.requests.resolveResponse({ id: asked.id, result } as never)).toBe(true);
    expect(await asked.outcome()).toEqual({ kind: 'answered', result: {}, via: 'response' });
  });

  it('[RQ-R35][B1] of two answers the first is the settlement, and the second is told so', async () => {
    const rig = new RequestRig();
    const [one, other] = [rig.peer('one'), rig.peer('other')];
    const asked = rig.ask();
    expect(rig.requests.resolveResponse(answer(asked.id, { value: 'a' }), one)).toBe(true);
    expect(rig.requests.resolveResponse(answer(asked.id, { value: 'b' }), other)).toBe(false);
    expect(rig.requests.answer(asked.id, { value: 'c' }, other)).toBe(false);
    expect(await asked.outcome()).toMatchObject({ result: { value: 'a' } });
  });

  it('[RQ-R36][RQ-I13] a closing answer lies over the locks, question by question', async () => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0', 'q1', 'q2']);
    rig.requests.lockAnswer(asked.id, 'q0', 'early');
    rig.requests.lockAnswer(asked.id, 'q1', 'replaced');
    rig.requests.resolveResponse(answer(asked.id, { answers: { q1: 'late', q2: null } }));
    expect(await asked.outcome()).toMatchObject({
      kind: 'answered',
      result: { answers: { q0: 'early', q1: 'late', q2: null } },
    });
  });

  it.each([{}, { answers: null }])('[RQ-R36] %j cancels all of a batch, locks included', async (result) => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0', 'q1']);
    rig.requests.lockAnswer(asked.id, 'q0', 'early');
    expect(rig.requests.resolveResponse(answer(asked.id, result))).toBe(true);
    expect(await asked.outcome()).toEqual({ kind: 'answered', result: {}, via: 'response' });
  });

  it('[RQ-R37] answers to questions that were not asked are dropped, and that is said once', async () => {
    const rig = new RequestRig();
    for (let i = 0; i < 2; i++) {
      const asked = rig.batch(['q0']);
      rig.requests.resolveResponse(answer(asked.id, { answers: { q0: 'a', q9: 'b', __proto__x: 'c' } }));
      expect(await asked.outcome()).toMatchObject({ result: { answers: { q0: 'a' } } });
    }
    expect(rig.lines.filter((line) => line.includes('q9'))).toHaveLength(1);
  });

  it('[RQ-R38] an answer to none of the questions is no answer: refused where there is a reply, and else failed', async () => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0']);
    const stray = { answers: { q9: 'lost' } };
    expect(() => rig.requests.answer(asked.id, stray)).toThrow(expect.objectContaining({ name: 'RpcRefusal' }));
    expect(asked.settlement).toBeUndefined();
    rig.requests.resolveResponse(answer(asked.id, stray));
    expect(await asked.outcome()).toMatchObject({ kind: 'failed', error: { code: -32602 } });
  });

  it('[RQ-R38] what does not conform fails, says where and never what, once', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const other = rig.peer('b');
    for (let i = 0; i < 2; i++) {
      const asked = rig.ask('approval', { command: 'ls' });
      expect(rig.requests.resolveResponse(answer(asked.id, { choice: 'yes please' }), peer)).toBe(true);
      const settlement = await asked.outcome();
      expect(settlement).toMatchObject({ kind: 'failed', error: { code: -32602 } });
      expect(JSON.stringify(settlement)).toContain('choice');
    }
    expect(rig.lines.filter((line) => line.includes('does not conform'))).toHaveLength(1);
    expect(rig.lines.join()).not.toContain('yes please');
    expect(other.ofKind('settled')).toMatchObject([{ by: 'error' }, { by: 'error' }]);
    expect(peer.ofKind('settled')).toEqual([]);
  });

  it('[RQ-R38] under strict it throws as well, after the commit', async () => {
    const rig = new RequestRig({ policy: 'strict' });
    const asked = rig.ask('approval', { command: 'ls' });
    expect(() => rig.requests.resolveResponse(answer(asked.id, {}))).toThrow(/does not conform/);
    expect(await asked.outcome()).toMatchObject({ kind: 'failed', error: { code: -32602 } });
  });

  it.each(['text', ['q0'], 7])('[RQ-R38] answers that are %j do not conform', async (answers) => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0']);
    rig.requests.resolveResponse(answer(asked.id, { answers } as JsonObject));
    expect(await asked.outcome()).toMatchObject({ kind: 'failed', error: { code: -32602 } });
  });

  it('[RQ-R38][RQ-R105] the acknowledged form refuses instead, and the question stays open', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const asked = rig.ask('approval', { command: 'ls' });
    for (const [id, result] of [
      [asked.id, { choice: 'maybe' }],
      [asked.id, null],
      [asked.id, []],
      ['', {}],
      [undefined, {}],
      [7, {}],
    ]) {
      expect(() => rig.requests.answer(id as string, result as JsonObject, peer)).toThrow(
        expect.objectContaining({ code: 4002 }),
      );
    }
    expect(rig.requests.openRequestCount()).toBe(1);
    expect(rig.requests.answer(asked.id, { choice: 'once' }, peer)).toBe(true);
    expect(await asked.outcome()).toMatchObject({ result: { choice: 'once' } });
    // Once it is over even nonsense is only late.
    expect(rig.requests.answer(asked.id, { choice: 'maybe' }, peer)).toBe(false);
  });

  it('[RQ-R39] whoever may not answer is refused without a trace on the question', async () => {
    const owner = new FakePeer('owner');
    const stranger = new FakePeer('stranger');
    const rig = new RequestRig({ mayAccess: (sid, peer) => sid === 's' && peer === owner });
    const asked = rig.batch(['q0', 'q1']);
    expect(rig.requests.resolveResponse(answer(asked.id, { answers: { q0: 'x' } }), stranger)).toBe(false);
    expect(rig.requests.resolveResponse(failure(asked.id, -32601), stranger)).toBe(false);
    expect(rig.requests.answer(asked.id, { answers: {} }, stranger)).toBe(false);
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'x', stranger)).toBeNull();
    expect(rig.requests.resolveResponse(answer(asked.id, { answers: {} }))).toBe(false);
    expect(rig.lines.filter((line) => line.startsWith('warn') && line.includes('may not answer'))).toHaveLength(5);
    expect(rig.requests.openRequests('s')[0]?.params).not.toHaveProperty('answers');
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'mine', owner)).toEqual(['q1']);
  });

  it('[RQ-R39] a check that throws, or settles the question itself, lets nobody through', () => {
    const throwing = new RequestRig({
      mayAccess: () => {
        throw new Error('no directory');
      },
    });
    const asked = throwing.ask();
    expect(throwing.requests.resolveResponse(answer(asked.id))).toBe(false);
    expect(throwing.requests.openRequestCount()).toBe(1);
    const settling: RequestRig = new RequestRig({
      mayAccess: () => {
        settling.requests.cancel('s');
        return true;
      },
    });
    const other = settling.ask();
    expect(settling.requests.resolveResponse(answer(other.id))).toBe(false);
    expect(settling.requests.openRequestCount()).toBe(0);
  });

  it('[RQ-R40] nothing is replied to a response frame', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const asked = rig.ask();
    rig.requests.resolveResponse(answer(asked.id), peer);
    rig.requests.resolveResponse(answer(asked.id), peer);
    rig.requests.resolveResponse(failure('srq-unknown', 1), peer);
    expect(peer.seen.map(({ kind }) => kind)).toEqual(['request']);
  });

  it('[RQ-R41][E6][E8] the other windows of the session learn it once, the answering one does not', () => {
    const rig = new RequestRig();
    const [one, other, elsewhere] = [rig.peer('one'), rig.peer('other', '*'), rig.peer('elsewhere', ['t'])];
    const asked = rig.ask();
    rig.requests.resolveResponse(answer(asked.id), one);
    expect(other.ofKind('settled')).toMatchObject([{ id: asked.id, sid: 's', method: 'window.title', by: 'response' }]);
    expect(one.ofKind('settled')).toEqual([]);
    expect(elsewhere.seen).toEqual([]);
    expect(other.ofKind('cancel')).toEqual([]);
  });

  it('[RQ-R41] an answer that names no connection is told to every window', () => {
    const rig = new RequestRig();
    const [one, other] = [rig.peer('one'), rig.peer('other')];
    rig.requests.answer(rig.ask().id, { value: 'x' });
    expect([one, other].map((peer) => peer.ofKind('settled').length)).toEqual([1, 1]);
  });

  it('what a frame held can no longer change the answer', async () => {
    const rig = new RequestRig();
    const asked = rig.ask('bot.relay');
    const result = { deep: { value: 'sent' } };
    rig.requests.resolveResponse(answer(asked.id, result));
    result.deep.value = 'changed';
    expect(await asked.outcome()).toMatchObject({ result: { deep: { value: 'sent' } } });
  });
});
