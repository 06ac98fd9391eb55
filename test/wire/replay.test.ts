import { describe, expect, it } from 'vitest';
import { question } from '../../src/testing/channel/hand.ts';
import type { ChannelOptions } from '../../src/wire/channel-options.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { Hand } from './hand.ts';

interface Seen {
  readonly shown: string[];
  readonly rebound: string[];
  readonly rung: string[];
}

function watched(options: Partial<ChannelOptions> = {}): Hand & Seen {
  const hand = new Hand(options);
  const seen: Seen = { shown: [], rebound: [], rung: [] };
  hand.channel.onRequest('*', ({ id }) => {
    seen.shown.push(id);
    return { rebind: (one) => void seen.rebound.push(one.id), announce: (one) => void seen.rung.push(one.id) };
  });
  return Object.assign(hand, seen);
}

const numbered = (seq: number, type = 'tick', payload: JsonObject = { n: seq }): JsonObject => ({
  type,
  session_id: 's',
  seq,
  payload,
});
const since = 'session.events.since';

it('[RQ-R127] remembers a bounded number of sessions, and asks after a reconnect about those and what is shown', () => {
  const hand = watched({ limits: { sessions: 2 } }).greet() as Hand & Seen;
  hand.channel.show('shown');
  for (const sid of ['a', 'b', 'a', 'c']) {
    hand.event('tick', {}, { session_id: sid, seq: hand.texts.length + hand.runtime.now() });
    hand.runtime.advance(1);
  }
  const before = hand.said.length;
  hand.again();
  const asked = hand.said.slice(before).filter(({ method }) => method === since);
  expect(asked.map(({ params }) => params?.['session_id'])).toEqual(['a', 'c', 'shown']);
});

it('[RQ-R128] asks about hundreds of sessions a few at a time, so that no server is too busy to say', () => {
  const hand = watched().greet() as Hand & Seen;
  const sids = Array.from({ length: 200 }, (_, i) => `s${i}`);
  for (const sid of sids) hand.channel.show(sid);
  const before = hand.said.length;
  hand.again();
  const asked = (): string[] =>
    hand.said
      .slice(before)
      .filter(({ method }) => method === since)
      .map(({ params }) => String(params?.['session_id']));
  for (let told = 0; told < sids.length; told += 1) {
    expect(asked().length - told).toBeGreaterThan(0);
    expect(asked().length - told).toBeLessThanOrEqual(16);
    hand.reply(since, { events: [] });
  }
  expect(asked()).toEqual(sids);
});

it('[RQ-R128] sessions over which the server is stuck keep the news of the others away for one connection at most', () => {
  const hand = watched().greet() as Hand & Seen;
  const sids = Array.from({ length: 40 }, (_, i) => `s${i}`);
  for (const sid of sids) hand.channel.show(sid);
  const asked = (): string[] => {
    const before = hand.said.length;
    hand.again();
    return hand.said
      .slice(before)
      .filter(({ method }) => method === since)
      .map(({ params }) => String(params?.['session_id']));
  };
  // It replies to none of those that are asked first, and its socket is dropped for that, each time.
  const stuck = asked();
  expect(stuck).toEqual(sids.slice(0, 16));
  expect(asked()).toEqual(sids.slice(16, 32));
  expect(asked()).toEqual([...sids.slice(32), ...sids.slice(0, 8)]);
});

describe('a snapshot of what is open', () => {
  it('[RQ-R123, RQ-R134] is shown before whoever asked for it goes on, and nobody is rung for it', async () => {
    const hand = watched().greet() as Hand & Seen;
    const resumed = hand.channel.call('session.resume', { session_id: 'key' }).then(() => hand.shown.slice());
    const malformed = [
      null,
      3,
      {},
      { id: 1, method: 'm', params: {} },
      { id: 'x', method: 'm' },
      { id: 'x', params: {} },
    ];
    hand.reply('session.resume', { session_id: 's', open_requests: [...malformed, question('srq-1')] as never });
    expect(await resumed).toEqual(['srq-1']);
    expect(hand.rung).toEqual([]);
    expect(hand.channel.question('srq-1')).toMatchObject({ replayed: true, state: 'live' });
    hand.ask('srq-2');
    expect(hand.rung).toEqual(['srq-2']);
  });

  it('[RQ-R124, RQ-R139] that shows a live card again binds it to the new connection, with its locks', () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('srq-1', { answers: { a: 'old' } });
    hand.again();
    hand.reply(since, { events: [], open_requests: [question('srq-1', { answers: { a: 'new', b: null } })] });
    expect(hand.shown).toEqual(['srq-1']);
    expect(hand.rebound).toEqual(['srq-1']);
    expect(hand.channel.question('srq-1')).toMatchObject({
      generation: 2,
      locks: { a: 'new', b: null },
      state: 'live',
    });
  });

  it('[RQ-R124] cannot make another question out of a known id', () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('srq-1');
    hand.ask('srq-1', { command: 'rm' }, 'approval');
    expect(hand.channel.question('srq-1')?.params).not.toHaveProperty('command');
  });

  it('[RQ-R125, RQ-R137, RQ-I25] RC-11: brings nothing back that was ended', () => {
    const hand = watched().greet() as Hand & Seen;
    for (const id of ['cancelled', 'settled', 'answered']) hand.ask(id);
    void hand.channel.call('session.activate', { session_id: 's' });
    hand.event('request.cancel', { id: 'cancelled', method: 'clarify', reason: 'timeout' });
    hand.event('request.cancel', { id: 'never seen', method: 'clarify', reason: 'timeout' });
    hand.event('request.settled', { id: 'settled', method: 'clarify', by: 'response' });
    void hand.channel.question('answered')?.answer({ answer: 'x' });
    hand.reply('request.answer', { status: 'ok' });
    const ended = ['cancelled', 'settled', 'answered', 'never seen'];
    hand.reply('session.activate', { session_id: 's', open_requests: ended.map((id) => question(id)) });
    for (const id of ended) hand.ask(id);
    expect(hand.channel.questions).toEqual([]);
    expect(hand.shown).toEqual(['cancelled', 'settled', 'answered']);
  });

  it('[RQ-R125] is refused for as many ended ids as are remembered', () => {
    const hand = watched({ limits: { tombstones: 2 } }).greet() as Hand & Seen;
    for (const id of ['a', 'b', 'c']) hand.event('request.cancel', { id, method: 'clarify', reason: 'timeout' });
    for (const id of ['a', 'b', 'c']) hand.ask(id);
    expect(hand.shown).toEqual(['a']);
  });

  it('[RQ-R126] takes away what it does not list, of its own session', () => {
    const hand = watched().greet() as Hand & Seen;
    for (const id of ['gone', 'listed']) hand.ask(id);
    hand.ask('other', { session_id: 's2' });
    void hand.channel.call('session.resume', { session_id: 's' });
    hand.reply('session.resume', { session_id: 's', open_requests: [question('listed')] });
    expect(hand.channel.questions.map(({ id }) => id)).toEqual(['listed', 'other']);
    hand.ask('gone');
    expect(hand.shown).toEqual(['gone', 'listed', 'other']);
  });

  it('[RQ-R63, RQ-R126] takes a missing list for an empty one; other calls show and take nothing away', () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('srq-1');
    void hand.channel.call('some.call', { session_id: 's' });
    hand.reply('some.call', { open_requests: [question('srq-2')] });
    expect(hand.channel.questions).toHaveLength(2);
    void hand.channel.call('session.activate', { session_id: 's' });
    hand.reply('session.activate', {});
    expect(hand.channel.questions).toEqual([]);
  });

  it('[RQ-R126] RC-12: cannot know what arrived after it was asked for', () => {
    const hand = watched().greet() as Hand & Seen;
    for (const id of ['before', 'again']) hand.ask(id);
    void hand.channel.call('session.activate', { session_id: 's' });
    hand.ask('again');
    hand.ask('after');
    hand.ask('answered');
    hand.channel.question('answered')?.respond({ answer: 'x' });
    hand.reply('session.activate', { session_id: 's', open_requests: [] });
    expect(hand.channel.questions.map(({ id, state }) => [id, state])).toEqual([
      ['again', 'live'],
      ['after', 'live'],
      ['answered', 'unconfirmed'],
    ]);
  });
});

describe('an answer on a dying socket', () => {
  it('[RQ-R124, RQ-I24] RC-17: is sent again when the id is shown again, until its receipt', async () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('srq-1');
    const verdict = hand.channel.question('srq-1')?.answer({ answer: 'x' });
    hand.again();
    expect(hand.channel.question('srq-1')?.state).toBe('unconfirmed');
    hand.reply(since, { events: [], open_requests: [question('srq-1')] });
    expect(hand.calls('request.answer').map(({ params }) => params)).toEqual([
      { id: 'srq-1', result: { answer: 'x' } },
      { id: 'srq-1', result: { answer: 'x' } },
    ]);
    hand.reply('request.answer', { status: 'ok' });
    expect((await verdict)?.status).toBe('ok');
  });

  it('[RQ-R126, RQ-I27] is asked after when the question is gone, and told as it is', async () => {
    for (const [status, said] of [
      ['ok', { status: 'ok', reply: { status: 'ok' } }],
      // It may have been the first copy that settled it.
      ['expired', { status: 'unknown', why: 'unknown' }],
    ] as const) {
      const hand = watched().greet() as Hand & Seen;
      hand.ask('srq-1');
      const verdict = hand.channel.question('srq-1')?.answer({ answer: 'x' });
      hand.again();
      hand.reply(since, { events: [], open_requests: [] });
      expect(hand.calls('request.answer')).toHaveLength(2);
      hand.reply('request.answer', { status });
      expect(await verdict).toEqual(said);
    }
  });

  it('[RQ-I27] is late for certain when it was cancelled, or answered by another window beside it', async () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('a');
    hand.ask('b');
    const [cancelled, settled] = ['a', 'b'].map((id) => hand.channel.question(id)?.answer({ answer: 'x' }));
    hand.event('request.cancel', { id: 'a', method: 'clarify', reason: 'timeout' });
    hand.event('request.settled', { id: 'b', method: 'clarify', by: 'response' });
    expect(await cancelled).toMatchObject({ status: 'expired', why: 'cancelled' });
    expect(await settled).toMatchObject({ status: 'expired', why: 'late' });
  });

  it('[RQ-I27] may have been what settled it, when that is told on another connection', async () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('srq-1');
    const verdict = hand.channel.question('srq-1')?.answer({ answer: 'x' });
    hand.again();
    hand.event('request.settled', { id: 'srq-1', method: 'clarify', by: 'response' });
    expect(await verdict).toEqual({ status: 'unknown', why: 'unknown' });
  });

  it('in the bare form is confirmed by a snapshot without it', () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('srq-1');
    const one = hand.channel.question('srq-1');
    one?.respond({ answer: 'x' });
    hand.again();
    hand.reply(since, { events: [], open_requests: [] });
    expect(one).toMatchObject({ state: 'confirmed', why: 'gone' });
  });
});

describe('events that were missed', () => {
  const heard = (hand: Hand): number[] => {
    const seqs: number[] = [];
    hand.channel.onEvent('tick', ({ seq, payload }) => void seqs.push(seq ?? Number(payload['n'])));
    return seqs;
  };

  it('[RQ-R127] are asked for once a session, and told in order, each once, before those that came meanwhile', () => {
    const hand = watched().greet() as Hand & Seen;
    const seqs = heard(hand);
    for (const seq of [1, 2, 2]) hand.frame({ method: 'event', params: numbered(seq) });
    hand.again();
    expect(hand.calls(since).map(({ params }) => params)).toEqual([{ session_id: 's', last_seen: 2 }]);
    for (const seq of [5, 6]) hand.frame({ method: 'event', params: numbered(seq) });
    hand.event('tick', { n: 100 });
    expect(seqs).toEqual([1, 2, 100]);
    // Whole frames and bare params both do; repeats do not.
    hand.reply(since, {
      events: [numbered(2), { method: 'event', params: numbered(3) }, numbered(4), numbered(5)] as never,
    });
    expect(seqs).toEqual([1, 2, 100, 3, 4, 5, 6]);
    hand.frame({ method: 'event', params: numbered(7) });
    expect(seqs.at(-1)).toBe(7);
  });

  it('[RQ-R127] bring the end of a question with them', () => {
    const hand = watched().greet() as Hand & Seen;
    hand.ask('srq-1');
    const one = hand.channel.question('srq-1');
    hand.frame({ method: 'event', params: numbered(1) });
    hand.again();
    const cancel = numbered(2, 'request.cancel', { id: 'srq-1', method: 'clarify', reason: 'interrupted' });
    hand.reply(since, { events: [cancel], open_requests: [] });
    expect(one).toMatchObject({ state: 'withdrawn', why: 'cancelled', reason: 'interrupted' });
  });

  it('[RQ-R128] are asked for of every session on screen, numbered or not, and of those with a card', () => {
    const hand = watched().greet() as Hand & Seen;
    const hide = hand.channel.show('quiet');
    hand.channel.show('quiet')();
    hand.ask('srq-1', { session_id: 'asking' });
    hand.again();
    const asked = (): unknown[] => hand.calls(since).map(({ params }) => params);
    expect(asked()).toEqual([
      { session_id: 'quiet', last_seen: 0 },
      { session_id: 'asking', last_seen: 0 },
    ]);
    hide();
    hide();
    hand.again();
    expect(asked().slice(2)).toEqual([{ session_id: 'asking', last_seen: 0 }]);
  });

  it('[RQ-R127, RQ-R125] of another epoch are others: numbers, cards and ended ids are forgotten', () => {
    const hand = watched().greet({ epoch: 'one' }) as Hand & Seen;
    const seqs = heard(hand);
    hand.frame({ method: 'event', params: numbered(9) });
    hand.ask('srq-1');
    hand.event('request.cancel', { id: 'ended', method: 'clarify', reason: 'timeout' });
    const one = hand.channel.question('srq-1');
    hand.channel.show('s');
    hand.again({ epoch: 'two' });
    expect(one).toMatchObject({ state: 'withdrawn', why: 'epoch' });
    expect(hand.calls(since).at(-1)?.params).toEqual({ session_id: 's', last_seen: 0, epoch: 'two' });
    hand.reply(since, { epoch: 'two', events: [numbered(1)], open_requests: [question('ended')] });
    expect(seqs).toEqual([9, 1]);
    expect(hand.shown).toEqual(['srq-1', 'ended']);
  });

  it('[RQ-R125] of another epoch take nothing of the new connection away', () => {
    const hand = watched().greet({ epoch: 'one' }) as Hand & Seen;
    hand.ask('old');
    hand.again();
    for (const id of ['new', 'answered']) hand.ask(id);
    void hand.channel.question('answered')?.answer({ answer: 'x' });
    hand.event('request.cancel', { id: 'ended', method: 'clarify', reason: 'timeout' });
    const open_requests = ['ended', 'new', 'answered'].map((id) => question(id));
    hand.reply(since, { epoch: 'two', events: [], open_requests });
    expect(hand.channel.questions.map(({ id, state }) => [id, state])).toEqual([
      ['new', 'live'],
      ['answered', 'unconfirmed'],
    ]);
    expect(hand.shown).toEqual(['old', 'new', 'answered']);
  });

  it('[RQ-R129] of a dropped connection are not waited for, and a new one starts at once', () => {
    const hand = watched().greet() as Hand & Seen;
    const seqs = heard(hand);
    hand.frame({ method: 'event', params: numbered(1) });
    hand.again();
    const old = hand.handlers;
    hand.frame({ method: 'event', params: numbered(3) });
    const stale = hand.calls(since).at(-1)?.id;
    hand.again();
    expect(hand.calls(since)).toHaveLength(2);
    old?.message(JSON.stringify({ id: stale, result: { events: [numbered(2)], open_requests: [question('stale')] } }));
    hand.frame({ id: stale, result: { events: [numbered(2)], open_requests: [question('stale')] } });
    old?.message(JSON.stringify(question('of the dead')));
    old?.closed('late');
    expect(hand.shown).toEqual([]);
    expect(hand.channel.state).toMatchObject({ state: 'ready', generation: 3 });
    hand.reply(since, { events: [numbered(2), numbered(3)], open_requests: [] });
    expect(seqs).toEqual([1, 2, 3]);
  });

  it('that the server does not give are reported, and asked for again', () => {
    const gaps: [string, number | undefined][] = [];
    const hand = watched({ onGap: (sid, error) => void gaps.push([sid, error?.code]) }).greet() as Hand & Seen;
    const seqs = heard(hand);
    hand.frame({ method: 'event', params: numbered(1) });
    hand.again();
    hand.frame({ method: 'event', params: numbered(5) });
    hand.refuse(since, -32000);
    expect(seqs).toEqual([1, 5]);
    expect(gaps).toEqual([['s', -32000]]);
    expect(hand.channel.state.caughtUp).toBe(false);
    hand.runtime.advance(500);
    expect(hand.calls(since)).toHaveLength(2);
    hand.refuse(since, -32601);
    hand.runtime.advance(60_000);
    expect(hand.calls(since)).toHaveLength(2);
    expect(hand.channel.state.caughtUp).toBe(true);
  });

  it('are parked up to a bound, and told beyond it', () => {
    const gaps: string[] = [];
    const hand = watched({ limits: { parked: 2 }, onGap: (sid) => void gaps.push(sid) }).greet() as Hand & Seen;
    const seqs = heard(hand);
    hand.frame({ method: 'event', params: numbered(1) });
    hand.again();
    for (const seq of [3, 4, 5, 6]) hand.frame({ method: 'event', params: numbered(seq) });
    expect(seqs).toEqual([1, 3, 4, 5, 6]);
    expect(gaps).toEqual(['s']);
  });
});

describe('a snapshot of every session', () => {
  const options: Partial<ChannelOptions> = { resume: { method: 'host.resume', params: { window: 'w' } } };

  it('[RQ-R123, RQ-R126] is asked for once a connection, page by page, and takes away only when it is whole', () => {
    const hand = watched(options).greet() as Hand & Seen;
    hand.reply('host.resume', { open_requests: [] });
    expect(hand.channel.state.caughtUp).toBe(true);
    for (const id of ['a', 'b', 'gone']) hand.ask(id, { session_id: id });
    hand.again();
    expect(hand.channel.state.caughtUp).toBe(false);
    hand.reply('host.resume', { open_requests: [question('a', { session_id: 'a' })], more: 'c1' });
    expect(hand.calls('host.resume').at(-1)?.params).toEqual({ window: 'w', cursor: 'c1' });
    hand.ask('new', { session_id: 'new' });
    expect(hand.channel.question('gone')?.state).toBe('detached');
    hand.reply('host.resume', { open_requests: [question('b', { session_id: 'b' })] });
    expect(hand.channel.questions.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'live'],
      ['b', 'live'],
      ['new', 'live'],
    ]);
    expect(hand.channel.state.caughtUp).toBe(true);
    expect(hand.calls(since)).toEqual([]);
  });

  it('that goes round in circles takes nothing away, and one that fails is asked for again', () => {
    const hand = watched(options).greet() as Hand & Seen;
    hand.ask('srq-1');
    hand.again();
    hand.refuse('host.resume', -32000);
    hand.runtime.advance(500);
    hand.reply('host.resume', { open_requests: [], more: 'same' });
    hand.reply('host.resume', { open_requests: [], more: 'same' });
    expect(hand.calls('host.resume')).toHaveLength(4);
    expect(hand.channel.question('srq-1')?.state).toBe('detached');
  });
});
