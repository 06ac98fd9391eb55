import { ReadbackError } from '../../errors.ts';
import type { SendOptions } from '../../requests/api.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, FakePeer, RequestRig } from './rig.ts';

export const admissionRules = new Chapter();
const { describe, test: it } = admissionRules;

const quiet = (rig: RequestRig) => rig.requests.openRequestCount() === 0;

describe('before anybody is asked', () => {
  it('[RQ-R01] two registries know nothing of each other', async () => {
    const [one, other] = [new RequestRig(), new RequestRig()];
    const asked = one.ask();
    expect(other.requests.openRequestCount()).toBe(0);
    expect(other.requests.resolveResponse(answer(asked.id))).toBe(false);
    expect(one.requests.resolveResponse(answer(asked.id))).toBe(true);
  });

  it('[RQ-R06] the gate comes before the contract, the contract before its keys, the keys before the map', async () => {
    const deaf = new RequestRig({ graceMs: 0 });
    deaf.peer('old', ['s'], 'websocket', false);
    const refused = deaf.ask('no.such.method', { odd: 1 });
    expect(await refused.outcome()).toEqual({ kind: 'unanswerable' });
    const open = new RequestRig();
    const unknown = open.ask('no.such.method', { odd: 1 });
    await unknown.done;
    expect(String(unknown.error)).toContain('no contract');
    const odd = open.ask('window.title', { odd: 1 });
    await odd.done;
    expect(String(odd.error)).toContain('params.odd');
    expect(quiet(open)).toBe(true);
  });

  it('[RQ-R08][RQ-R09] a method without contract and an unknown key are errors; nothing is open or written', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    for (const asked of [rig.ask('nope'), rig.ask('window.title', { odd: 1 }), rig.ask('tour', { session_id: 'x' })]) {
      await asked.done;
      expect(asked.error).toBeInstanceOf(ReadbackError);
      expect(asked.error).toMatchObject({ code: 'invalid_input' });
    }
    expect(() => rig.requests.sendAsync('nope', 's', {}, () => undefined)).toThrow(ReadbackError);
    expect(peer.seen).toEqual([]);
    expect(quiet(rig)).toBe(true);
  });

  it('[RQ-R10] what is missing or mistyped throws under strict, and is said once and sent in production', async () => {
    const strict = new RequestRig({ policy: 'strict' });
    const refused = strict.ask('approval', { request_id: 'r' });
    await refused.done;
    expect(String(refused.error)).toContain('params.command');
    expect(quiet(strict)).toBe(true);
    const rig = new RequestRig();
    const peer = rig.peer('a');
    for (let i = 0; i < 3; i++) rig.ask('approval', { request_id: 7, command: 'ls' });
    expect(peer.asked).toHaveLength(3);
    const said = rig.lines.filter((line) => line.includes('params.request_id'));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(
      /^warn .*params\.request_id of approval: is missing, or not of the type .*; .*Correct it where/,
    );
  });

  it('[RQ-R11] a peer that answers inside the write is served, and the others never hear of it', async () => {
    const rig = new RequestRig();
    const first = rig.peer('first');
    const second = rig.peer('second');
    first.onFrame = ({ id, kind }) => {
      if (kind === 'request') expect(rig.requests.resolveResponse(answer(id), first)).toBe(true);
    };
    const asked = rig.ask();
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', result: { value: 'yes' }, via: 'response' });
    expect(first.asked).toHaveLength(1);
    // A frame about an id that it was never asked would be a card that nobody can take away.
    expect(second.seen).toEqual([]);
    expect(quiet(rig)).toBe(true);
  });

  it('[RQ-R11] an owner is called for an answer that came inside the write', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    peer.onFrame = ({ id, kind }) => kind === 'request' && rig.requests.resolveResponse(answer(id), peer);
    const results: unknown[] = [];
    const withdraw = rig.requests.sendAsync('window.title', 's', {}, (result) => results.push(result));
    expect(results).toEqual([{ value: 'yes' }]);
    expect(withdraw('resolved')).toBe(false);
  });

  it('[RQ-R12] a write that throws takes the request back once, and the caller gets the error', async () => {
    const rig = new RequestRig();
    const first = rig.peer('first');
    const broken = rig.peer('broken');
    const last = rig.peer('last');
    broken.failsWith = new Error('EPIPE');
    const asked = rig.ask();
    await asked.done;
    expect(asked.error).toBe(broken.failsWith);
    expect(asked.settledTimes).toBe(1);
    expect(first.ofKind('cancel')).toMatchObject([{ reason: 'session_closed' }]);
    expect(last.seen).toEqual([]);
    expect(quiet(rig)).toBe(true);
    const results: unknown[] = [];
    expect(() => rig.requests.sendAsync('window.title', 's', {}, (one) => results.push(one))).toThrow('EPIPE');
    expect(results).toEqual([]);
    expect(first.ofKind('cancel')).toHaveLength(2);
    expect(quiet(rig)).toBe(true);
  });

  it('[RQ-R12] with nobody reachable it stays open; an answer from inside the failing write stands', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    peer.closed = true;
    expect(rig.ask().id).not.toBe('');
    peer.closed = false;
    const original = peer.send.bind(peer);
    peer.send = (frame) => {
      original(frame);
      if ('method' in frame && frame.method === 'window.title') {
        rig.requests.resolveResponse(answer(peer.asked.at(-1) ?? ''), peer);
        throw new Error('late');
      }
      return true;
    };
    const asked = rig.ask();
    expect(await asked.outcome()).toMatchObject({ kind: 'answered' });
    expect(asked.error).toBeUndefined();
  });

  it('[RQ-R13] every live peer gets a frame that the caller can no longer change', () => {
    const rig = new RequestRig();
    const peers = [rig.peer('a'), rig.peer('b', '*'), rig.peer('c', ['s'], 'stdio'), rig.peer('d', ['s'], 'relay')];
    const deaf = [rig.peer('p', ['s'], 'parked'), rig.peer('q', ['s'], 'sink'), rig.peer('r', ['other'])];
    const gone = rig.peer('gone');
    gone.closed = true;
    const payload = { list: [{ deep: 1 }] };
    const asked = rig.ask('bot.relay', { payload });
    payload.list[0] = { deep: 2 };
    for (const peer of peers) {
      expect(peer.seen.map(({ frame }) => frame)).toEqual([
        {
          jsonrpc: '2.0',
          id: asked.id,
          method: 'bot.relay',
          params: { payload: { list: [{ deep: 1 }] }, session_id: 's' },
        },
      ]);
    }
    for (const peer of [...deaf, gone]) expect(peer.seen).toEqual([]);
    expect(rig.requests.openRequests('s')[0]?.params).toEqual({ payload: { list: [{ deep: 1 }] }, session_id: 's' });
  });

  it('[RQ-R13] a peer is written to once, however often it was attached', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    rig.requests.attach(peer, '*');
    rig.requests.attach(peer, ['s']);
    rig.ask();
    expect(peer.asked).toHaveLength(1);
  });

  it('[RQ-R14] a clock that is set back reorders nothing', () => {
    const rig = new RequestRig();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      ids.push(rig.ask().id);
      rig.runtime.jump(-3_600_000);
    }
    expect(rig.requests.openRequests('s').map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['twice the same', ['q', 'q']],
    ['an empty one', ['']],
    ['no text', [1]],
    ['no list', 'q0'],
    ['too many', Array.from({ length: 257 }, (_, i) => `q${i}`)],
    ['one too long', ['x'.repeat(513)]],
  ])('[RQ-R15] question ids are refused: %s', async (_what, qids) => {
    const rig = new RequestRig();
    const asked = rig.ask('clarify', {}, { qids: qids as string[] });
    await asked.done;
    expect(asked.error).toMatchObject({ code: 'invalid_input', field: 'qids' });
    expect(quiet(rig)).toBe(true);
  });

  it.each([
    ['another question', ['colour'], ['color']],
    ['a question that the card has not', ['q0'], ['q0', 'q1']],
    ['one too few', ['q0', 'q1'], ['q0']],
    ['one twice on the card', ['q0', 'q0'], ['q0', 'q1']],
  ])('[RQ-R15] [RQ-R37] a card with other questions than its batch is refused: %s', async (_what, shown, qids) => {
    const rig = new RequestRig();
    const questions = shown.map((qid) => ({ qid, question: 'Which?', choices: null, multi_select: false }));
    const asked = rig.ask('clarify', { questions }, { qids });
    await asked.done;
    expect(asked.error).toMatchObject({ code: 'invalid_input', field: 'qids' });
    expect(rig.requests.openRequestCount()).toBe(0);
  });

  it('[RQ-R15] an empty list is no batch', () => {
    const rig = new RequestRig();
    const asked = rig.batch([]);
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'a')).toBeNull();
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '5', undefined])(
    '[RQ-R16] a deadline of %s is a RangeError, and nothing is open',
    async (timeoutMs) => {
      const rig = new RequestRig();
      const asked = rig.ask('window.title', {}, { timeoutMs } as unknown as SendOptions);
      await asked.done;
      expect(asked.error).toBeInstanceOf(RangeError);
      expect(quiet(rig)).toBe(true);
    },
  );

  it('[RQ-R16] zero is written and then over, unless the write itself brought the answer', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const late = rig.ask('window.title', {}, { timeoutMs: 0 });
    expect(peer.seen.map(({ kind }) => kind)).toEqual(['request', 'cancel']);
    expect(await late.outcome()).toEqual({ kind: 'timed_out', locked: {} });
    peer.onFrame = ({ id, kind }) => kind === 'request' && rig.requests.resolveResponse(answer(id), peer);
    expect(await rig.ask('window.title', {}, { timeoutMs: 0 }).outcome()).toMatchObject({ kind: 'answered' });
    expect(peer.ofKind('cancel')).toHaveLength(1);
    expect(rig.runtime.timers).toBe(0);
  });

  it('[RQ-R16] a deadline beyond 2³¹−1 ms comes when it should, and not at once', async () => {
    const rig = new RequestRig();
    const long = 2 ** 31 * 3;
    const asked = rig.ask('window.title', {}, { timeoutMs: long });
    rig.runtime.advance(long - 1);
    expect(rig.requests.openRequestCount()).toBe(1);
    rig.runtime.advance(1);
    expect(await asked.outcome()).toMatchObject({ kind: 'timed_out' });
    const largest: number[] = [];
    const watched = new RequestRig({
      runtime: {
        ...rig.runtime,
        now: () => 0,
        id: () => rig.runtime.id(),
        soon: () => undefined,
        after: (ms) => {
          largest.push(ms);
          return () => undefined;
        },
      },
    });
    watched.ask('window.title', {}, { timeoutMs: long });
    expect(Math.max(...largest)).toBeLessThanOrEqual(2 ** 31 - 1);
  });

  it.each([
    ['method', [7, 's', {}]],
    ['method', ['', 's', {}]],
    ['sid', ['window.title', null, {}]],
    ['sid', ['window.title', 'x'.repeat(513), {}]],
    ['params', ['window.title', 's', null]],
    ['params', ['window.title', 's', []]],
    ['params', ['bot.relay', 's', { payload: 1n }]],
    ['params', ['bot.relay', 's', { payload: 'x'.repeat(1_100_000) }]],
    ['params.session_id', ['bot.relay', 's', { session_id: 'other' }]],
  ])('[RQ-R09] bad input names %s and changes nothing', async (field, [method, sid, params]) => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const sent = rig.requests.send(method as string, sid as string, params as never, { timeoutMs: null });
    await expect(sent).rejects.toMatchObject({ code: 'invalid_input', field });
    expect(peer.seen).toEqual([]);
    expect(quiet(rig)).toBe(true);
  });

  it('[I5] a flood of one session, or in all, is told and never dropped', async () => {
    const rig = new RequestRig({ limits: { perSession: 2, total: 3 } });
    rig.ask();
    rig.ask();
    const third = rig.ask();
    await third.done;
    expect(third.error).toMatchObject({ code: 'too_many', retry: true, field: 'sid' });
    rig.ask('window.title', {}, {}, 't');
    const fourth = rig.ask('window.title', {}, {}, 'u');
    await fourth.done;
    expect(fourth.error).toMatchObject({ code: 'too_many' });
    expect(rig.requests.cancel('s')).toBe(2);
    expect(rig.ask().id).not.toBe('');
  });

  it('an id is "srq-" with twelve lower-case hexadecimal digits, and never that of an open request', () => {
    const rig = new RequestRig();
    const ids = Array.from({ length: 200 }, () => rig.ask().id);
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) expect(id).toMatch(/^srq-[0-9a-f]{12}$/);
    const stuck = new RequestRig({ runtime: Object.assign(rig.runtime, { id: () => '0'.repeat(32) }) });
    stuck.ask();
    return expect(stuck.requests.send('window.title', 's', {}, { timeoutMs: null })).rejects.toThrow(/same id/);
  });

  it('options are checked when the registry is made', () => {
    expect(() => new RequestRig({ graceMs: -1 })).toThrow(ReadbackError);
    expect(() => new RequestRig({ maxUnattendedMs: Number.NaN })).toThrow(ReadbackError);
    expect(() => new RequestRig({ policy: 'lax' as 'strict' })).toThrow(ReadbackError);
  });

  it('a peer that attaches or leaves inside a write disturbs nobody', () => {
    const rig = new RequestRig();
    const first = rig.peer('first');
    const second = rig.peer('second');
    const third = new FakePeer('third');
    first.onFrame = () => {
      rig.requests.forget(first);
      rig.requests.attach(third, ['s']);
    };
    const { id } = rig.ask();
    expect(second.asked).toEqual([id]);
    expect(third.asked).toEqual([]);
    expect(rig.requests.replayTo(third, 's').map((one) => one.id)).toEqual([id]);
  });
});
