import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ContractViolation,
  contracts,
  createDispatcher,
  defaultPack,
  jsonObject,
  jsonValue,
} from '../../src/contracts.ts';
import type { OpenRequest, Peer, ServerRequests } from '../../src/requests/api.ts';
import type { DispatcherOptions, Handler } from '../../src/wire/dispatch.ts';
import { type RequestRelay, requestHandlers, withOpenRequests } from '../../src/wire/dispatch-handlers.ts';
import { RpcRefusal, UnknownQuestion } from '../../src/wire/errors.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';

class FakePeer implements Peer {
  readonly kind = 'websocket';
  closed = false;
  readonly frames: RpcFrame[] = [];
  send(frame: RpcFrame): boolean {
    // As a socket does: what is no JSON throws here.
    this.frames.push(JSON.parse(JSON.stringify(frame)) as RpcFrame);
    return true;
  }
  get last(): RpcFrame | undefined {
    return this.frames.at(-1);
  }
}

const pack = contracts()
  .method('echo', {
    params: z.strictObject({ v: jsonValue.optional(), nested: z.array(z.strictObject({ a: z.string() })).optional() }),
    result: z.strictObject({ v: jsonValue.optional() }),
  })
  .method('wait', { params: z.strictObject({}), result: jsonObject })
  .method('numbers', { params: z.strictObject({ n: z.number() }), result: z.strictObject({ n: z.number() }) });

function setup(options: Partial<DispatcherOptions> = {}) {
  const lines: string[] = [];
  const say = (...args: unknown[]) => void lines.push(args.map(String).join(' '));
  const peer = new FakePeer();
  const calls: string[] = [];
  const traced =
    (name: string, handler: Handler): Handler =>
    (params, call) => {
      calls.push(name);
      return handler(params, call);
    };
  const handlers: Record<string, Handler> = { echo: (params) => ({ v: params['v'] ?? null }), ...options.handlers };
  const dispatcher = createDispatcher({
    pack,
    logger: { debug: say, info: say, warn: say, error: say },
    ...options,
    handlers: Object.fromEntries(Object.entries(handlers).map(([name, one]) => [name, traced(name, one)])),
  });
  return { dispatcher, peer, lines, calls, receive: (frame: unknown) => dispatcher.receive(peer, frame) };
}

const request = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const errorOf = (frame: RpcFrame | undefined) => (frame !== undefined && 'error' in frame ? frame.error : undefined);

describe('a request', () => {
  it('[RQ-R104] that is right is handled and replied to before the next frame is read', () => {
    const { peer, receive } = setup();
    void receive(request('echo', { v: { a: [1] } }, 'id'));
    expect(peer.frames).toEqual([{ jsonrpc: '2.0', id: 'id', result: { v: { a: [1] } } }]);
  });

  it.each([0, '', -1, 1.5, 'x'.repeat(256)])('[RQ-R104] %j is an id and comes back', async (id) => {
    const { peer, receive } = setup();
    await receive(request('echo', undefined, id));
    expect(peer.last).toMatchObject({ id, result: { v: null } });
  });

  it.each<[string, unknown, unknown, number]>([
    ['null', null, null, -32600],
    ['a text', 'frame', null, -32600],
    ['a batch', [request('echo')], null, -32600],
    ['no method', { jsonrpc: '2.0', id: 7 }, 7, -32600],
    ['a method that is no text', { ...request('echo'), method: 5 }, 1, -32600],
    ['another protocol', { ...request('echo'), jsonrpc: '1.0' }, 1, -32600],
    ['an id that is null', request('echo', {}, null), null, -32600],
    ['an id that is an object', request('echo', {}, {}), null, -32600],
    ['an id of the server', request('echo', {}, 'srq-0123456789ab'), null, -32600],
    ['an endless id', request('echo', {}, 'x'.repeat(257)), null, -32600],
    ['params that are a list', request('echo', []), 1, -32602],
    ['params that are null', request('echo', null), 1, -32602],
    ['params that are a text', request('echo', 'v'), 1, -32602],
    ['an unknown method', request('nonesuch', {}), 1, -32601],
    ['a method that every object inherits', request('toString', {}), 1, -32601],
    ['__proto__', request('__proto__', {}), 1, -32601],
  ])('[RQ-R104] %s is refused', async (_what, frame, id, code) => {
    const { peer, receive, calls } = setup();
    await receive(frame);
    expect(peer.frames).toHaveLength(1);
    expect(peer.last).toMatchObject({ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } });
    expect(calls).toEqual([]);
  });

  it('[RQ-R104] a method is unknown before its params are looked at, and those before its handler', async () => {
    const { peer, receive, calls } = setup();
    await receive(request('nonesuch', { strange: 1 }));
    await receive(request('echo', { nested: [{ a: '' }, { a: '', b: 1 }] }));
    expect(peer.frames.map((frame) => errorOf(frame)?.code)).toEqual([-32601, 4000]);
    expect(errorOf(peer.last)?.message).toBe('echo: nested.1.b: unknown key');
    expect(calls).toEqual([]);
  });

  it('[RQ-R153] what is missing or mistyped is for the handler to refuse', async () => {
    const numbers: Handler = (params) => {
      if (typeof params['n'] !== 'number') throw new RpcRefusal('missing_id', 'n is missing');
      return { n: params['n'] };
    };
    const { peer, receive, lines } = setup({ handlers: { numbers } });
    await receive(request('numbers', {}));
    await receive(request('numbers', { n: '1' }));
    expect(peer.frames.map((frame) => errorOf(frame)?.code)).toEqual([4006, 4006]);
    expect(lines).toEqual([]);
  });

  it('[RQ-I32] [RQ-R153] 4000 exactly where a key is unknown, and then no handler is reached', async () => {
    const keys = fc.dictionary(fc.constantFrom('v', 'nested', 'x', '__proto__', 'toString'), fc.constant(1));
    await fc.assert(
      fc.asyncProperty(keys, async (drawn) => {
        const params = JSON.parse(JSON.stringify(drawn)) as object;
        const { peer, receive, calls } = setup();
        await receive(request('echo', params));
        const isUnknown = Object.keys(params).some((key) => key !== 'v' && key !== 'nested');
        expect(errorOf(peer.last)?.code).toBe(isUnknown ? 4000 : undefined);
        expect(calls).toEqual(isUnknown ? [] : ['echo']);
      }),
    );
  });

  it('[RQ-R104] without an id gets no reply', async () => {
    const { peer, receive, calls } = setup();
    await receive({ jsonrpc: '2.0', method: 'echo', params: {} });
    expect([peer.frames, calls]).toEqual([[], []]);
  });

  it('[RQ-R104] params of absurd size or depth are refused with a code', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    const { peer, receive, calls } = setup();
    await receive(request('echo', { v: deep }));
    await receive(request('echo', { v: new Array(1_000_000).fill(0) }));
    expect(peer.frames.map((frame) => errorOf(frame)?.code)).toEqual([-32602, -32602]);
    expect(calls).toEqual([]);
  });

  it('[RQ-R104] any frame at all gets at most one reply, and never breaks the dispatcher', async () => {
    const { receive, peer } = setup();
    await fc.assert(
      fc.asyncProperty(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), async (frame) => {
        const before = peer.frames.length;
        await receive(frame);
        expect(peer.frames.length - before).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1_000 },
    );
    await receive(request('echo', { v: 'alive' }));
    expect(peer.last).toMatchObject({ result: { v: 'alive' } });
  });

  it('[RQ-R152] a handler needs a contract', () => {
    expect(() => setup({ handlers: { stranger: () => ({}) } })).toThrow(/stranger.*no contract/);
    expect(setup().dispatcher.methods).toEqual(['echo']);
  });
});

describe('a handler that fails', () => {
  const secret = 'hunter2';
  const crashing: Handler = () => {
    throw new Error(`cannot use ${secret}`);
  };

  it.each<[string, Handler]>([
    ['throws', crashing],
    ['rejects', async (params, call) => crashing(params, call)],
    ['throws what is no error', () => Promise.reject(secret)],
    ['returns what cannot be written', () => ({ v: 1n as unknown as string })],
    ['returns a cycle', () => cycle()],
  ])('[RQ-R106] and %s is -32000, and the connection lives', async (_what, echo) => {
    const { peer, receive, lines } = setup({ handlers: { echo, numbers: () => ({ n: 1 }) } });
    await receive(request('echo', {}));
    await receive(request('numbers', { n: 1 }, 2));
    expect(errorOf(peer.frames[0])?.code).toBe(-32000);
    expect(peer.frames[1]).toMatchObject({ id: 2, result: { n: 1 } });
    expect(JSON.stringify([peer.frames, lines]), 'no value in a reply or in the log').not.toContain(secret);
  });

  it('[RQ-R106] on purpose sends its code and data', async () => {
    const echo: Handler = () => Promise.reject(new RpcRefusal('orphan', 'nobody waits', { at: 1 }));
    const { peer, receive, lines } = setup({ handlers: { echo } });
    await receive(request('echo', {}));
    expect(errorOf(peer.last)).toEqual({ code: 4009, message: 'nobody waits', data: { at: 1 } });
    expect(lines).toEqual([]);
  });

  it('[RQ-R106] with an error of the host is what the host says it is', async () => {
    const asRefusal = (error: unknown) =>
      error instanceof RangeError ? new RpcRefusal('bad_argument', 'out of range') : undefined;
    const echo: Handler = (params) => {
      throw params['v'] === 1 ? new RangeError(secret) : new Error(secret);
    };
    const { peer, receive } = setup({ handlers: { echo }, asRefusal });
    await receive(request('echo', { v: 1 }));
    await receive(request('echo', { v: 2 }));
    expect(peer.frames.map((frame) => errorOf(frame)?.code)).toEqual([4015, -32000]);
  });

  it('[RQ-R106] replies to nobody when the peer has gone', async () => {
    const { peer, receive } = setup();
    peer.send = () => {
      throw new Error('gone');
    };
    await expect(receive(request('echo', {}))).resolves.toBeUndefined();
    await expect(receive('nonsense')).resolves.toBeUndefined();
  });
});

function cycle(): JsonObject {
  const value: Record<string, unknown> = {};
  value['v'] = value;
  return value as JsonObject;
}

describe('after a handler succeeded', () => {
  const numbers: Handler = () => ({ n: 'not a number' });

  it('[RQ-R155] [RQ-R156] production logs what does not conform, once, and delivers it unchanged', async () => {
    const { peer, receive, lines } = setup({ handlers: { numbers } });
    for (let round = 0; round < 3; round += 1) await receive(request('numbers', { n: 'x' }));
    expect(peer.frames).toHaveLength(3);
    for (const frame of peer.frames) expect(frame).toMatchObject({ result: { n: 'not a number' } });
    expect(lines).toEqual([
      'readback contracts: numbers params: n: wrong type or value',
      'readback contracts: numbers result: n: wrong type or value',
    ]);
  });

  it('[RQ-R155] [RQ-R156] strict throws, with the caller told', async () => {
    const { peer, receive } = setup({ handlers: { numbers }, policy: 'strict' });
    await expect(receive(request('numbers', { n: 1 }))).rejects.toBeInstanceOf(ContractViolation);
    expect(errorOf(peer.last)).toMatchObject({ code: -32000, message: 'numbers result: n: wrong type or value' });
  });

  it('[RQ-R155] params that the handler takes and the contract does not are a violation of the contract', async () => {
    const { receive } = setup({ handlers: { numbers: () => ({ n: 1 }) }, policy: 'strict' });
    await expect(receive(request('numbers', {}))).rejects.toThrow('numbers params: n: missing');
  });

  it('[RQ-I33] strict throws exactly where production logs, and production delivers what it was given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), fc.boolean(), async (sent, given, keyed) => {
        const result = (keyed ? { n: given } : given) as JsonObject;
        const handlers: Record<string, Handler> = { numbers: () => result };
        const strict = setup({ handlers, policy: 'strict' });
        const production = setup({ handlers });
        const frame = request('numbers', { n: sent });
        const threw = await strict.receive(frame).then(
          () => false,
          () => true,
        );
        await production.receive(frame);
        expect(production.lines.length > 0).toBe(threw);
        expect(production.peer.last).toEqual({
          jsonrpc: '2.0',
          id: 1,
          result: JSON.parse(JSON.stringify(result ?? {})),
        });
      }),
    );
  });
});

describe('requests in flight', () => {
  it('[RQ-R104] are bounded for each peer, and the bound frees itself', async () => {
    const gates: (() => void)[] = [];
    const wait: Handler = () => new Promise((resolve) => void gates.push(() => resolve({})));
    const { dispatcher, peer, calls } = setup({ handlers: { wait }, inFlight: 3 });
    const running = Array.from({ length: 5 }, (_, id) => dispatcher.receive(peer, request('wait', {}, id)));
    expect(calls).toHaveLength(3);
    expect(peer.frames.map(errorOf)).toMatchObject([{ code: -32000 }, { code: -32000 }]);
    const other = new FakePeer();
    void dispatcher.receive(other, request('wait', {}));
    expect(other.frames, 'another peer has its own bound').toEqual([]);
    for (const open of gates) open();
    await Promise.all(running);
    void dispatcher.receive(peer, request('wait', {}, 9));
    expect(calls).toHaveLength(5);
  });

  it('[RQ-R104] an answer is taken however many there are', () => {
    const taken: JsonObject[] = [];
    const requests = { resolveResponse: (frame: JsonObject) => taken.push(frame) > 0, heard: () => undefined };
    const wait: Handler = () => new Promise(() => undefined);
    const { receive } = setup({ handlers: { wait }, requests, inFlight: 1 });
    void receive(request('wait', {}));
    void receive({ jsonrpc: '2.0', id: 'srq-1', result: {} });
    expect(taken).toHaveLength(1);
  });
});

describe('a response frame', () => {
  const frame = { jsonrpc: '2.0', id: 'srq-0123456789ab', result: { value: 'x' } };

  it.each([
    ['the registry', true, true, ['registry']],
    ['else the relay', false, true, ['registry', 'relay']],
    ['else nobody', false, false, ['registry', 'relay']],
  ])('[RQ-R104] [RQ-R40] goes to %s, and gets no reply', async (_who, taken, relayed, expected) => {
    const asked: string[] = [];
    const { peer, receive } = setup({
      requests: {
        resolveResponse: (_frame, from) => asked.push('registry') > 0 && from === peer && taken,
        heard: () => undefined,
      },
      relay: (_frame, from) => asked.push('relay') > 0 && from === peer && relayed,
    });
    await receive(frame);
    expect(asked).toEqual(expected);
    expect(peer.frames).toEqual([]);
  });

  it('[RQ-R104] without anything to say is dropped without a reply', async () => {
    const { peer, receive } = setup();
    for (const empty of [{ id: 'srq-1' }, { id: 'srq-1', error: null }, { id: 'srq-1', result: undefined }])
      await receive(empty);
    expect(peer.frames).toEqual([]);
  });

  it('[RQ-R106] that the registry chokes on is logged without its content', async () => {
    const requests = {
      resolveResponse: () => {
        throw new Error('hunter2');
      },
      heard: () => undefined,
    };
    const { receive, lines } = setup({ requests });
    await receive(frame);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain('hunter2');
    await expect(setup({ requests, policy: 'strict' }).receive(frame)).rejects.toThrow('hunter2');
  });
});

/** A registry that does as it is told, and notes what it was asked. */
function fakeRequests(open: readonly OpenRequest[] = []) {
  const asked: unknown[][] = [];
  const note = (...what: unknown[]) => void asked.push(what);
  const requests = {
    advertise: (peer: Peer, on: boolean) => {
      note('advertise', peer, on);
      return ['approval', 'clarify'];
    },
    heard: (peer: Peer) => note('heard', peer),
    lockAnswer: (id: string, qid: string, answer: unknown, peer?: Peer) => {
      note('lock', id, qid, answer, peer);
      if (qid === 'none') throw new UnknownQuestion(id, qid);
      return id === 'open' ? ['q2'] : null;
    },
    answer: (id: string, result: JsonObject, peer?: Peer) => {
      note('answer', id, result, peer);
      if (result['value'] === 'bad') throw new RpcRefusal('bad_answer');
      return id === 'open';
    },
    replayTo: (peer: Peer, sid: string) => {
      note('replay', peer, sid);
      return [...open];
    },
    resolveResponse: () => false,
  };
  return { asked, requests: requests as unknown as ServerRequests };
}

describe('the handlers of server requests', () => {
  const built = (relay?: RequestRelay, open?: readonly OpenRequest[]) => {
    const { asked, requests } = fakeRequests(open);
    const resume: Handler = ({ session_id: sid }) => ({ session_id: sid ?? '' });
    const handlers = {
      ...requestHandlers(requests, relay),
      'session.resume': withOpenRequests(requests, resume, relay),
    };
    return { asked, ...setupOn(handlers, requests) };
  };
  const setupOn = (handlers: Record<string, Handler>, requests: ServerRequests) => {
    const peer = new FakePeer();
    const silent = () => undefined;
    const logger = { debug: silent, info: silent, warn: silent, error: silent };
    const dispatcher = createDispatcher({ pack: defaultPack, handlers, requests, logger, policy: 'strict' });
    const call = async (method: string, params: JsonObject) => {
      await dispatcher.receive(peer, request(method, params));
      const reply = peer.last;
      return reply !== undefined && 'result' in reply ? reply.result : errorOf(reply)?.code;
    };
    return { peer, call };
  };

  it('[RQ-R64] [RQ-R69] capabilities mark the connection; anything else makes it heard', async () => {
    const { asked, call, peer } = built();
    expect(await call('client.capabilities', { server_requests: true })).toEqual({
      server_requests: ['approval', 'clarify'],
    });
    await call('client.capabilities', {});
    await call('session.resume', { session_id: 's' });
    await call('nonesuch', {});
    expect(asked.filter(([what]) => what !== 'replay')).toEqual([
      ['advertise', peer, true],
      ['advertise', peer, false],
      ['heard', peer],
      ['heard', peer],
    ]);
  });

  it('[RQ-R105] request.answer: ok, expired, or 4002, with the calling peer', async () => {
    const { asked, call, peer } = built();
    expect(await call('request.answer', { id: 'open', result: { value: 'x' } })).toEqual({ status: 'ok' });
    expect(await call('request.answer', { id: 'gone', result: {} })).toEqual({ status: 'expired' });
    expect(await call('request.answer', { id: 'open', result: { value: 'bad' } })).toBe(4002);
    for (const wrong of [{}, { result: {} }, { id: '', result: {} }, { id: 1, result: {} }, { id: 'open' }]) {
      expect(await call('request.answer', wrong)).toBe(4002);
    }
    for (const result of [null, 'x', [1], 5]) expect(await call('request.answer', { id: 'open', result })).toBe(4002);
    expect(asked.filter(([what]) => what === 'answer')).toEqual([
      ['answer', 'open', { value: 'x' }, peer],
      ['answer', 'gone', {}, peer],
      ['answer', 'open', { value: 'bad' }, peer],
    ]);
  });

  it('[RQ-R48] [RQ-R42] [RQ-R43] clarify.lock: remaining, expired, or 4002', async () => {
    const { asked, call, peer } = built();
    const lock = { request_id: 'open', question_id: 'q1' };
    expect(await call('clarify.lock', { ...lock, answer: null })).toEqual({ status: 'ok', remaining: ['q2'] });
    expect(await call('clarify.lock', { ...lock, request_id: 'gone' })).toEqual({ status: 'expired' });
    expect(await call('clarify.lock', { ...lock, question_id: 'none' })).toBe(4002);
    for (const wrong of [{}, { request_id: 'open' }, { question_id: 'q1' }])
      expect(await call('clarify.lock', wrong)).toBe(4002);
    expect(asked[1]).toEqual(['lock', 'open', 'q1', null, peer]);
    expect(asked.filter(([what]) => what === 'lock')[1]).toEqual(['lock', 'gone', 'q1', undefined, peer]);
  });

  it('[RQ-R105] what the registry does not hold is for the relay, and only its verdict is ok', async () => {
    const relay: RequestRelay = {
      answer: (id) => (id === 'child' ? Promise.resolve(true) : id === 'late' ? false : undefined),
      lock: (id) => (id === 'child' ? Promise.resolve([]) : id === 'late' ? null : undefined),
      openRequests: () => [{ id: 'srq-child', method: 'sudo', params: { session_id: 's' } }],
    };
    const { call } = built(relay, [{ id: 'srq-own', method: 'tour', params: { session_id: 's' }, owner_quorum: true }]);
    const answers = ['child', 'late', 'gone'].map((id) => call('request.answer', { id, result: {} }));
    expect(await Promise.all(answers)).toHaveLength(3);
    expect(await call('request.answer', { id: 'child', result: {} })).toEqual({ status: 'ok' });
    expect(await call('request.answer', { id: 'late', result: {} })).toEqual({ status: 'expired' });
    expect(await call('clarify.lock', { request_id: 'child', question_id: 'q' })).toEqual({
      status: 'ok',
      remaining: [],
    });
    expect(await call('clarify.lock', { request_id: 'late', question_id: 'q' })).toEqual({ status: 'expired' });
    expect(await call('session.resume', { session_id: 's' })).toEqual({
      session_id: 's',
      open_requests: [
        { id: 'srq-own', method: 'tour', params: { session_id: 's' }, owner_quorum: true },
        { id: 'srq-child', method: 'sudo', params: { session_id: 's' } },
      ],
    });
  });

  it('[RQ-R105] trouble of the relay is 5019, never ok', async () => {
    const trouble = () => Promise.reject(new RpcRefusal('relay_failed'));
    const { call } = built({ answer: trouble, lock: trouble, openRequests: () => [] });
    expect(await call('request.answer', { id: 'child', result: {} })).toBe(5019);
    expect(await call('clarify.lock', { request_id: 'child', question_id: 'q' })).toBe(5019);
  });

  it('[RQ-R63] open requests are always there, possibly none, and need a session', async () => {
    const { call } = built();
    expect(await call('session.resume', { session_id: 's' })).toEqual({ session_id: 's', open_requests: [] });
    expect(await call('session.resume', {})).toBe(4006);
  });
});
