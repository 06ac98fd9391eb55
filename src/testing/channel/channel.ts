import type { Question } from '../../wire/question.ts';
import type { QuestionOwner } from '../../wire/question-types.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { Hand, question } from './hand.ts';

export const channelRules = new Chapter();
const { describe, test: it } = channelRules;

const taken = (hand: Hand, owner: QuestionOwner = {}): string[] => {
  const ids: string[] = [];
  hand.channel.onRequest('*', ({ id }) => {
    ids.push(id);
    return owner;
  });
  return ids;
};

describe('the beginning of a connection', () => {
  it('[RQ-R118] says what it can before anything else, once for each', async () => {
    const hand = new Hand({
      onState: ({ state }) => {
        if (state === 'ready') void hand.channel.call('early').catch(() => undefined);
      },
    });
    hand.channel.open();
    const waits = hand.channel.call('first', { a: 1 });
    expect(hand.said).toEqual([]);
    hand.greet();
    hand.greet();
    expect(hand.said.map(({ method }) => method)).toEqual(['client.capabilities', 'first', 'early']);
    expect(hand.said[0]?.params).toEqual({ server_requests: true });
    // Its failure harms nothing, and nothing waits for its reply.
    hand.refuse('client.capabilities', -32601);
    hand.reply('first', { b: 2 });
    expect(await waits).toEqual({ b: 2 });
    hand.again();
    expect(hand.calls('client.capabilities')).toHaveLength(2);
  });

  it('is the opening of the socket where the server does not greet', () => {
    const hand = new Hand({ ready: 'open', answers: false });
    hand.channel.open();
    hand.handlers?.open();
    expect(hand.channel.state).toMatchObject({ state: 'ready', generation: 1, failures: 0 });
    expect(hand.said).toEqual([]);
  });

  it('[RQ-R116, RQ-R117] passes over what is no frame, what names no call and what no rule knows', () => {
    const hand = new Hand().greet();
    const ids = taken(hand);
    for (const bad of [
      '',
      '[]',
      'null',
      '{"id":99,"result":{}}',
      '{"id":5,"method":"clarify"}',
      '{"method":"m"}',
      '{"id":1}',
    ])
      hand.frame(bad);
    hand.frame(`{"a":"${'x'.repeat(1_048_576)}"}`);
    expect(hand.channel.state.state).toBe('ready');
    expect(ids).toEqual([]);
    // The empty text is an id, and so it is answered under it.
    hand.ask('');
    expect(ids).toEqual(['']);
    hand.channel.question('')?.respond({ answer: 'x' });
    expect(hand.said.at(-1)).toMatchObject({ id: '', result: { answer: 'x' } });
    hand.frame({ jsonrpc: '2.0', id: 'srq-2', method: 'clarify', params: [] });
    expect(hand.said.at(-1)).toMatchObject({ id: 'srq-2', error: { code: -32602 } });
  });
});

describe('handlers', () => {
  it('[RQ-R119] are asked in their order, and the first that does not say false owns the question', () => {
    const hand = new Hand();
    const asked: string[] = [];
    hand.channel.onRequest('clarify', () => {
      asked.push('first');
      return false;
    });
    hand.channel.onRequest('sudo', () => void asked.push('sudo'));
    const off = hand.channel.onRequest('*', () => void asked.push('second'));
    hand.channel.onRequest('*', () => void asked.push('third'));
    hand.greet();
    hand.ask('srq-1');
    expect(asked).toEqual(['first', 'second']);
    off();
    hand.ask('srq-2');
    expect(asked).toEqual(['first', 'second', 'first', 'third']);
    expect(hand.answers('srq-1')).toEqual([]);
  });

  it('[RQ-R119, RQ-I24] that are none are said to be none, in the same words each time', () => {
    const unhandled: Question[] = [];
    const hand = new Hand({ onUnhandledRequest: (one) => void unhandled.push(one) }).greet();
    hand.ask('srq-1');
    expect(hand.said.at(-1)).toMatchObject({ id: 'srq-1', error: { code: -32601, message: expect.any(String) } });
    hand.channel.onRequest('*', (one) => void one.respond({ answer: 'late' }));
    hand.ask('srq-1');
    const [first, second] = hand.texts.filter((text) => text.includes('srq-1'));
    expect(second).toBe(first);
    expect(unhandled).toHaveLength(1);
  });

  it('[RQ-R120] that crash answer -32603, unless they had answered, and harm nobody', async () => {
    const errors: unknown[] = [];
    const unhandled: string[] = [];
    const hand = new Hand({
      onRequestHandlerError: (_, error) => void errors.push(error),
      onUnhandledRequest: ({ id }) => void unhandled.push(id),
    }).greet();
    hand.channel.onRequest('*', (one) => {
      if (one.id === 'srq-late') return Promise.reject(new Error('later'));
      if (one.id === 'srq-2') one.respond({ answer: 'x' });
      throw new Error(`boom ${one.id}`);
    });
    hand.ask('srq-1');
    expect(hand.answers('srq-1')).toMatchObject([{ error: { code: -32603, message: expect.any(String) } }]);
    // What it says may quote what somebody typed.
    expect(hand.texts.at(-1)).not.toContain('boom');
    hand.ask('srq-2');
    expect(hand.answers('srq-2')).toMatchObject([{ result: { answer: 'x' } }]);
    hand.ask('srq-late');
    await hand.runtime.breathe();
    expect(hand.answers('srq-late')).toMatchObject([{ error: { code: -32603 } }]);
    expect(errors).toHaveLength(3);
    expect(unhandled).toEqual([]);
    expect(hand.channel.state.state).toBe('ready');
  });

  it('[RQ-R120] that crash while nothing can be said are answered for with the next delivery', async () => {
    const hand = new Hand().greet();
    let crash: (error: Error) => void = () => undefined;
    hand.channel.onRequest('*', () => new Promise((_, reject) => (crash = reject)));
    hand.ask('srq-1');
    hand.cut();
    crash(new Error('boom'));
    await hand.runtime.breathe();
    expect(hand.answers('srq-1')).toEqual([]);
    hand.again();
    hand.reply('session.events.since', { open_requests: [question('srq-1')] });
    expect(hand.answers('srq-1')).toMatchObject([{ error: { code: -32603 } }]);
  });

  it('[RQ-I25] are through before the next frame is heard, even one that arrives inside them', () => {
    const hand = new Hand();
    const asked: string[] = [];
    hand.channel.onRequest('*', ({ id }) => {
      asked.push(`in ${id}`);
      if (id === 'srq-1') {
        hand.ask('srq-2');
        hand.event('request.cancel', { id: 'srq-1', method: 'clarify', reason: 'timeout' });
      }
      asked.push(`out ${id}`);
    });
    hand.greet();
    hand.ask('srq-1');
    expect(asked).toEqual(['in srq-1', 'out srq-1', 'in srq-2', 'out srq-2']);
    expect(hand.channel.questions.map(({ id }) => id)).toEqual(['srq-2']);
  });

  it('and owners that throw are reported, and change nothing', () => {
    const errors: unknown[] = [];
    const hand = new Hand({ onCallbackError: (error) => void errors.push(error) });
    const boom = (): never => {
      throw new Error('boom');
    };
    taken(hand, { announce: boom, changed: boom, rebind: boom });
    hand.channel.onEvent('*', boom);
    hand.greet();
    hand.ask('srq-1');
    hand.ask('srq-1');
    expect(hand.channel.question('srq-1')?.respond({})).toBe('sent');
    expect(errors.length).toBeGreaterThan(4);
  });

  it('a flood is declined beyond the bound', () => {
    const hand = new Hand({ limits: { questions: 2 } }).greet();
    const ids = taken(hand);
    for (const id of ['a', 'b', 'c']) hand.ask(id);
    expect(ids).toEqual(['a', 'b']);
    expect(hand.answers('c')).toMatchObject([{ error: { code: -32603 } }]);
  });
});

describe('answers', () => {
  it('[RQ-R121, RQ-R122, RQ-I24] leave once for each id, across deliveries and connections', () => {
    const hand = new Hand().greet();
    const held: Question[] = [];
    hand.channel.onRequest('*', (one) => void held.push(one));
    hand.ask('srq-1');
    hand.ask('srq-1');
    expect(held).toHaveLength(1);
    expect(held[0]?.respond({ answer: 'one' })).toBe('sent');
    expect(held[0]?.respond({ answer: 'two' })).toBe('already');
    expect(held[0]?.fail({ code: 1, message: 'no' })).toBe('already');
    hand.again();
    expect(held[0]?.respond({ answer: 'three' })).toBe('already');
    hand.reply('session.events.since', { events: [], open_requests: [question('srq-1')] });
    const texts = hand.texts.filter((text) => text.includes('"srq-1"'));
    expect(texts).toHaveLength(2);
    expect(texts[1]).toBe(texts[0]);
    expect(texts[0]).toContain('one');
  });

  it('[RQ-R122] that did not leave may be given again', () => {
    const hand = new Hand().greet();
    taken(hand);
    hand.ask('srq-1');
    hand.isBroken = true;
    const one = hand.channel.question('srq-1');
    expect(one?.respond({ answer: 'lost' })).toBe('not-sent');
    expect(one?.state).toBe('detached');
    expect(one?.respond({ answer: 'lost' })).toBe('not-sent');
    hand.isBroken = false;
    hand.again();
    hand.reply('session.events.since', { open_requests: [question('srq-1')] });
    expect(one?.respond({ answer: 'kept' })).toBe('sent');
    expect(hand.answers('srq-1').map(({ result }) => result)).toEqual([{ answer: 'kept' }]);
    expect(() => one?.respond({ answer: 'x'.repeat(1_048_576) })).toThrow(RangeError);
  });

  it('[RQ-R122] to a question that ended without one are told what ended it, and never that one was given', async () => {
    const hand = new Hand();
    taken(hand);
    hand.channel.open();
    hand.event('gateway.ready', { epoch: 'one' }, { session_id: '' });
    const ends: Record<string, (id: string) => void> = {
      cancelled: (id) => hand.event('request.cancel', { id, method: 'clarify', reason: 'timeout' }),
      elsewhere: (id) => hand.event('request.settled', { id, method: 'clarify', by: 'response' }),
      declined: (id) => void hand.channel.question(id)?.fail({ code: -32004, message: 'not here' }),
      late: (id) => {
        void hand.channel.question(id)?.lock('a', 'x');
        hand.reply('clarify.lock', { status: 'expired' });
      },
      gone: () => {
        void hand.channel.call('session.activate', { session_id: 's' });
        hand.reply('session.activate', { open_requests: [] });
      },
      epoch: () => hand.again({ epoch: 'two' }),
    };
    for (const [why, end] of Object.entries(ends)) {
      hand.ask(why);
      const one = hand.channel.question(why);
      end(why);
      expect(one).toMatchObject({ isOver: true, why });
      expect(await one?.answer({ answer: 'words of a person' })).toEqual({ status: 'expired', why });
      expect(one?.respond({ answer: 'words of a person' })).toBe('not-sent');
      expect(await one?.lock('a', 'x')).toEqual({ status: 'expired' });
    }
    expect(hand.texts.filter((text) => text.includes('words of a person'))).toEqual([]);
  });

  it('[RQ-R105] in the acknowledged form are told what became of them', async () => {
    const hand = new Hand().greet();
    taken(hand);
    const give = (id: string) => {
      hand.ask(id);
      return hand.channel.question(id)?.answer({ answer: 'x' });
    };
    const [ok, late, refused] = ['ok', 'late', 'refused'].map(give);
    const replied = hand.calls('request.answer');
    expect(replied[0]?.params).toEqual({ id: 'ok', result: { answer: 'x' } });
    hand.frame({ id: replied[0]?.id, result: { status: 'ok', verdict: 'accepted' } });
    hand.frame({ id: replied[1]?.id, result: { status: 'expired' } });
    hand.frame({ id: replied[2]?.id, error: { code: 4002, message: 'no such choice' } });
    expect(await ok).toEqual({ status: 'ok', reply: { status: 'ok', verdict: 'accepted' } });
    expect(await late).toEqual({ status: 'expired', why: 'late', reply: { status: 'expired' } });
    expect(await refused).toEqual({ status: 'refused', error: { code: 4002, message: 'no such choice' } });
    // The latch is open again: a refused answer was none.
    expect(hand.channel.question('refused')).toMatchObject({ state: 'live', error: { code: 4002 } });
    void hand.channel.question('refused')?.answer({ answer: 'y' });
    expect(hand.answers('refused')).toHaveLength(2);
  });

  it('[RQ-R105] fall back to the bare form where the server knows no other', async () => {
    const hand = new Hand().greet();
    taken(hand);
    hand.ask('srq-1');
    hand.ask('srq-2');
    const verdict = hand.channel.question('srq-1')?.answer({ answer: 'x' });
    hand.refuse('request.answer', -32601);
    expect(await verdict).toEqual({ status: 'sent' });
    expect(hand.said.at(-1)).toMatchObject({ id: 'srq-1', result: { answer: 'x' } });
    expect(await hand.channel.question('srq-2')?.answer({})).toEqual({ status: 'sent' });
    expect(hand.calls('request.answer')).toHaveLength(1);
  });

  it('that speak for this window only may be taken back', () => {
    const hand = new Hand().greet();
    let shows = false;
    hand.channel.onRequest('*', (one) => {
      if (!shows) one.fail({ code: -32004, message: 'not here' });
    });
    hand.ask('srq-1');
    expect(hand.answers('srq-1')).toMatchObject([{ error: { code: -32004 } }]);
    shows = true;
    hand.ask('srq-1');
    expect(hand.channel.question('srq-1')?.state).toBe('live');
  });
});

describe('locks', () => {
  it('[RQ-R44, RQ-R45, RQ-R49] fix one answer of a batch, and the last one ends the card', async () => {
    const hand = new Hand().greet();
    taken(hand);
    hand.ask('srq-1');
    const one = hand.channel.question('srq-1');
    const first = one?.lock('a', 'x');
    hand.reply('clarify.lock', { status: 'ok', remaining: ['b'] });
    expect(await first).toEqual({ status: 'ok', remaining: ['b'] });
    expect(one?.locks).toEqual({ a: 'x' });
    const last = one?.lock('b', null);
    hand.reply('clarify.lock', { status: 'ok', remaining: [] });
    expect(await last).toEqual({ status: 'ok', remaining: [] });
    expect(one).toMatchObject({ state: 'confirmed', why: 'locked', locks: { a: 'x', b: null } });
    hand.ask('srq-2');
    const two = hand.channel.question('srq-2');
    const late = two?.lock('a', 'x');
    hand.reply('clarify.lock', { status: 'expired' });
    expect(await late).toEqual({ status: 'expired' });
    expect(two).toMatchObject({ state: 'withdrawn', why: 'late' });
    expect(await two?.lock('a', 'x')).toEqual({ status: 'expired' });
    expect(await one?.answer({ answer: 'y' })).toEqual({ status: 'already' });
  });

  it('that the server refuses, or that are lost, change nothing', async () => {
    const hand = new Hand().greet();
    taken(hand);
    hand.ask('srq-1');
    const one = hand.channel.question('srq-1');
    const refused = one?.lock('z', 'x');
    hand.refuse('clarify.lock', 4002);
    expect(await refused).toMatchObject({ status: 'refused', error: { code: 4002 } });
    const lost = one?.lock('a', 'x');
    hand.cut();
    expect(await lost).toEqual({ status: 'not-sent' });
    expect(one).toMatchObject({ state: 'detached', locks: {} });
  });
});
