import { describe, expect, it } from 'vitest';
import { question } from '../../src/testing/channel/hand.ts';
import { type CardKinds, personKinds, windowKind } from '../../src/wire/card-kinds.ts';
import { endWords } from '../../src/wire/card-words.ts';
import { type Card, type CardDesk, type CardDeskOptions, createCardDesk } from '../../src/wire/cards.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { Hand } from './hand.ts';

const since = 'session.events.since';

function table(kinds: CardKinds = personKinds, options: Partial<CardDeskOptions> = {}) {
  const hand = new Hand();
  const rung: Card[] = [];
  const desk = createCardDesk({ channel: hand.channel, kinds, notify: (card) => void rung.push(card), ...options });
  hand.greet();
  return { hand, desk, rung };
}

const ids = (desk: CardDesk, sid?: string): string[] => desk.cards(sid).map(({ id }) => id);

describe('the table of kinds', () => {
  it('[RQ-R132, RQ-R140] has a row for each method, and what has none is not for this client', () => {
    const { hand, desk } = table();
    const methods = ['clarify', 'setup_choose', 'approval', 'mcp.setup', 'sudo', 'secret', 'vault.code'];
    for (const [at, method] of methods.entries()) hand.ask(`srq-${at}`, {}, method);
    expect(ids(desk)).toHaveLength(methods.length);
    for (const [at, method] of ['terminal.read', 'tour', 'toString', '__proto__'].entries()) {
      hand.ask(`x-${at}`, {}, method);
      expect(hand.answers(`x-${at}`)).toMatchObject([{ error: { code: -32601 } }]);
    }
  });

  it('[RQ-R138] skips at once what asks nothing, and what an interrupted session asks', () => {
    const { hand, desk, rung } = table(personKinds, { facts: { wasInterrupted: (sid) => sid === 'stopped' } });
    const qs = [{ qid: 'a' }, { qid: 'b' }];
    hand.ask('none', { question: '', questions: [] });
    hand.ask('bare', { question: '' });
    hand.ask('batch', { session_id: 'stopped', questions: qs as never });
    hand.ask('single', { session_id: 'stopped' });
    hand.ask('shown', { questions: qs as never });
    expect(ids(desk)).toEqual(['shown']);
    expect(rung.map(({ id }) => id)).toEqual(['shown']);
    const said = (id: string): unknown => hand.answers(id)[0]?.params?.['result'];
    expect([said('none'), said('bare')]).toEqual([{ answers: {} }, { answer: '' }]);
    expect([said('batch'), said('single')]).toEqual([{ answers: { a: null, b: null } }, { answer: '' }]);
  });

  it('[RQ-R138] and tries again where the answer could not leave', () => {
    const { hand, desk } = table();
    hand.isBroken = true;
    hand.ask('srq-1', { question: '', questions: [] });
    hand.isBroken = false;
    hand.again();
    hand.reply(since, { open_requests: [question('srq-1', { questions: [] })] });
    expect(hand.answers('srq-1')).toHaveLength(1);
    expect(ids(desk)).toEqual([]);
  });

  it('[RQ-R119] refuses again where the refusal could not leave', () => {
    const { hand } = table({ tour: { arrive: () => ({ decline: { code: -32001, message: 'not in this build' } }) } });
    hand.isBroken = true;
    hand.ask('srq-1', {}, 'tour');
    hand.isBroken = false;
    hand.again();
    hand.reply(since, { open_requests: [question('srq-1', {}, 'tour')] });
    expect(hand.answers('srq-1')).toMatchObject([{ error: { code: -32001 } }]);
  });

  it('[RQ-R120] a callback that fails later is reported like one that fails now, and ends no process', async () => {
    const reported: string[] = [];
    const fails = async (): Promise<never> => {
      throw new Error('later');
    };
    const onCallbackError = (error: unknown): never => {
      reported.push(String(error));
      throw new Error('the reporter fails too');
    };
    const hand = new Hand({ onState: fails, onCallbackError });
    hand.channel.onEvent('*', fails);
    hand.channel.onRequest('*', () => ({ announce: fails, changed: fails }));
    hand.greet();
    hand.ask('srq-1');
    await hand.runtime.breathe();
    expect(reported.length).toBeGreaterThanOrEqual(4);
    expect(new Set(reported)).toEqual(new Set(['Error: later']));
  });

  it('[RQ-R126] params that are used again for another session take no card of it away', () => {
    const { hand, desk } = table();
    hand.ask('b-1', { session_id: 'b' });
    const params = { session_id: 'a' };
    void hand.channel.call('session.activate', params);
    params.session_id = 'b';
    hand.reply('session.activate', { open_requests: [] });
    expect(ids(desk)).toEqual(['b-1']);
  });

  it('[RQ-R77, RQ-R141] lets a window act in what it shows, and only there', async () => {
    const acts: string[] = [];
    const act = windowKind(
      async ({ id, params }) => {
        acts.push(id);
        if (params['action'] === 'fail') throw new Error('private');
        return JSON.stringify({ success: true });
      },
      { onScreenOnly: true },
    );
    const facts = { hosts: (sid: string) => sid !== 'far', isOnScreen: (sid: string) => sid === 's' };
    const { hand, desk } = table({ 'preview.act': act }, { facts });
    hand.ask('here', {}, 'preview.act');
    hand.ask('fails', { action: 'fail' }, 'preview.act');
    hand.ask('behind', { session_id: 'back' }, 'preview.act');
    hand.ask('far', { session_id: 'far' }, 'preview.act');
    await hand.runtime.breathe();
    expect(acts).toEqual(['here', 'fails']);
    expect(hand.answers('here')[0]?.params).toMatchObject({ result: { value: '{"success":true}' } });
    expect(hand.answers('behind')[0]?.params).toMatchObject({
      result: { value: expect.stringContaining('background') },
    });
    expect(hand.answers('far')).toMatchObject([{ error: { code: -32004 } }]);
    expect(hand.answers('fails')).toMatchObject([{ error: { code: -32603 } }]);
    expect(hand.texts.join()).not.toContain('private');
    expect(ids(desk)).toEqual([]);
  });
});

describe('cards', () => {
  it('[RQ-R133] of one kind stand beside each other, by session, and flag the one that waits', () => {
    const { hand, desk } = table();
    hand.ask('one', {}, 'approval');
    hand.ask('two', {}, 'approval');
    hand.ask('three', { session_id: 'back' }, 'approval');
    expect(ids(desk)).toEqual(['one', 'two', 'three']);
    expect(ids(desk, 's')).toEqual(['one', 'two']);
    expect([...desk.needInput]).toEqual(['s', 'back']);
    void desk.answer('one', { choice: 'once' });
    expect(ids(desk)).toEqual(['two', 'three']);
  });

  it('[RQ-R134] ring once, and never for what a reconnect brings back', () => {
    const { hand, rung } = table();
    hand.ask('srq-1');
    hand.again();
    hand.reply(since, { open_requests: [question('srq-1'), question('srq-2')] });
    hand.ask('srq-1');
    expect(rung.map(({ id }) => id)).toEqual(['srq-1']);
  });

  it('[RQ-R135] are answered by their id, and what is not open is said to be not', async () => {
    const { hand, desk } = table();
    hand.ask('srq-1');
    expect(desk.answer('srq-9', {})).toBe(false);
    const told = desk.answer('srq-1', { answer: 'x' });
    expect(desk.answer('srq-1', { answer: 'y' })).toBe(false);
    hand.reply('request.answer', { status: 'ok' });
    expect(await told).toMatchObject({ status: 'ok' });
    expect(desk.answer('srq-1', { answer: 'y' })).toBe(false);
    expect(desk.lock('srq-1', 'a', 'x')).toBe(false);
    expect(desk.draft('srq-1', 'x')).toBe(false);
    expect(desk.gone[0]?.words).toMatchObject({ tone: 'calm', title: 'Answered' });
  });

  it('[RQ-R136] leave the screen only when the answer left, and keep what was entered when it did not', async () => {
    const { hand, desk } = table();
    hand.ask('srq-1');
    desk.draft('srq-1', 'typed');
    hand.isBroken = true;
    expect(await desk.answer('srq-1', { answer: 'typed' })).toEqual({ status: 'not-sent' });
    expect(desk.card('srq-1')).toMatchObject({ state: 'detached', draft: 'typed', note: { title: 'Reconnecting' } });
    hand.isBroken = false;
    hand.again();
    hand.reply(since, { open_requests: [question('srq-1')] });
    expect(desk.card('srq-1')).toMatchObject({ state: 'live', draft: 'typed', note: undefined });
    void desk.answer('srq-1', { answer: 'typed' });
    expect(ids(desk)).toEqual([]);
    expect(desk.unconfirmed()).toMatchObject([{ id: 'srq-1', state: 'unconfirmed' }]);
  });

  it('[RQ-R122, RQ-R136] answered while the host is down stay, and nothing is sent for the person behind their back', async () => {
    const { hand, desk } = table();
    hand.ask('srq-1');
    hand.isUp = false;
    hand.cut();
    desk.draft('srq-1', 'typed');
    expect(await desk.answer('srq-1', { answer: 'typed' })).toEqual({ status: 'not-sent' });
    hand.isUp = true;
    hand.again();
    hand.reply(since, { open_requests: [question('srq-1')] });
    expect(hand.answers('srq-1')).toEqual([]);
    expect(desk.card('srq-1')).toMatchObject({ state: 'live', draft: 'typed' });
    const verdict = desk.answer('srq-1', { answer: 'typed' });
    hand.reply('request.answer', { status: 'ok' });
    expect(await verdict).toEqual({ status: 'ok', reply: { status: 'ok' } });
  });

  it('say that an answer is too large, and stay', async () => {
    const { hand, desk } = table();
    hand.ask('srq-1');
    expect(await desk.answer('srq-1', { answer: 'x'.repeat(1_048_576) })).toEqual({ status: 'not-sent' });
    expect(desk.card('srq-1')).toMatchObject({ state: 'live', note: { tone: 'warn', title: 'Not sent' } });
  });

  it('[RQ-R137] go with their own cancellation, in words, and what was typed is kept', () => {
    const { hand, desk } = table();
    hand.ask('one');
    hand.ask('two');
    desk.draft('one', 'half a sentence');
    hand.event('request.cancel', { id: 'one', method: 'clarify', reason: 'interrupted' });
    expect(ids(desk)).toEqual(['two']);
    expect(desk.gone).toMatchObject([
      {
        id: 'one',
        why: 'cancelled',
        unsent: 'half a sentence',
        words: { detail: 'The turn that asked was interrupted.' },
      },
    ]);
    hand.event('request.settled', { id: 'two', method: 'clarify', by: 'response' });
    expect(desk.gone[0]).toMatchObject({ id: 'two', why: 'elsewhere', words: { title: 'Answered elsewhere' } });
  });

  it('[RQ-R139] of a batch show what is locked, also when it comes back', async () => {
    const { hand, desk } = table();
    hand.ask('srq-1', { questions: [{ qid: 'a' }, { qid: 'b' }] as never });
    const told = desk.lock('srq-1', 'a', 'x');
    hand.reply('clarify.lock', { status: 'ok', remaining: ['b'] });
    await told;
    expect(desk.card('srq-1')?.locks).toEqual({ a: 'x' });
    hand.again();
    hand.reply(since, { open_requests: [question('srq-1', { answers: { a: 'x', b: 'elsewhere' } })] });
    expect(desk.card('srq-1')?.locks).toEqual({ a: 'x', b: 'elsewhere' });
  });

  it('that the host refuses come back with its words', async () => {
    const { hand, desk } = table();
    hand.ask('srq-1');
    desk.draft('srq-1', 'typed');
    const told = desk.answer('srq-1', { choice: 'never' });
    hand.refuse('request.answer', 4002);
    expect(await told).toMatchObject({ status: 'refused' });
    expect(desk.card('srq-1')).toMatchObject({ state: 'live', draft: 'typed', note: { title: 'Not accepted' } });
    desk.draft('srq-1', 'again');
    expect(desk.card('srq-1')?.note).toBeUndefined();
  });

  it('[RQ-R40] [RQ-R38] that were given bare come back with the words of the host as well, and take another answer', async () => {
    const kinds = { ...personKinds, approval: { form: 'response' } } as const;
    const { hand, desk } = table(kinds);
    hand.ask('srq-1', {}, 'approval');
    desk.draft('srq-1', 'typed');
    const refused = (id: string, error: JsonObject): void => hand.event('request.refused', { id, error });
    refused('srq-1', { code: 4002, message: 'nobody has answered' });
    expect(desk.card('srq-1')?.note).toBeUndefined();
    for (const message of ['not so', 'nor so']) {
      expect(await desk.answer('srq-1', { choice: 'never' })).toEqual({ status: 'sent' });
      expect(desk.cards()).toEqual([]);
      refused('srq-2', { code: 4002, message: 'another card' });
      expect(desk.cards()).toEqual([]);
      refused('srq-1', { code: 4002, message });
      const note = { title: 'Not accepted', detail: message };
      expect(desk.card('srq-1')).toMatchObject({ state: 'live', draft: 'typed', note });
    }
    // What the reply tells of is not told by an event.
    hand.ask('srq-3');
    const told = desk.answer('srq-3', { answers: {} });
    refused('srq-3', { code: 4002, message: 'of another' });
    expect(desk.unconfirmed().map(({ id }) => id)).toEqual(['srq-3']);
    hand.reply('request.answer', { status: 'ok' });
    expect(await told).toMatchObject({ status: 'ok' });
  });

  it('of secrets keep nothing once it has left, and never anything of what was not sent', () => {
    const { hand, desk } = table();
    for (const id of ['sent', 'not sent']) {
      hand.ask(id, {}, 'sudo');
      desk.draft(id, 'canary');
    }
    void desk.answer('sent', { value: 'canary' });
    hand.event('request.cancel', { id: 'not sent', method: 'sudo', reason: 'timeout' });
    expect(JSON.stringify([desk.cards(), desk.unconfirmed(), desk.gone])).not.toContain('canary');
    hand.reply('request.answer', { status: 'ok' });
    expect(JSON.stringify([desk.cards(), desk.unconfirmed(), desk.gone])).not.toContain('canary');
  });

  it('are observed after each change, and no more after the desk is closed', () => {
    const { hand, desk } = table();
    const seen: number[] = [];
    const off = desk.observe(() => void seen.push(desk.cards().length));
    hand.ask('srq-1');
    hand.event('request.cancel', { id: 'srq-1', method: 'clarify', reason: 'timeout' });
    expect(seen).toEqual([1, 0]);
    off();
    hand.ask('srq-2');
    expect(seen).toEqual([1, 0]);
    desk.close();
    hand.ask('srq-3');
    expect(hand.answers('srq-3')).toMatchObject([{ error: { code: -32601 } }]);
  });

  it('[RQ-R125] that are over by the word of the host are not shown again by what it had said before', () => {
    const { hand, desk } = table();
    for (const id of ['late', 'unknown']) {
      hand.ask(id);
      void desk.answer(id, { answer: 'x' });
      if (id === 'unknown') {
        hand.again();
        hand.reply(since, { open_requests: [question(id)] });
      }
      hand.reply('request.answer', { status: 'expired' });
      expect(desk.gone[0]).toMatchObject({ id, why: id });
      hand.ask(id);
      expect([ids(desk), desk.unconfirmed()]).toEqual([[], []]);
    }
  });

  it('[RQ-R125] that were given up as too many are not shown again on the same line', () => {
    const hand = new Hand({ limits: { unconfirmed: 1 } });
    const kinds = { clarify: { ...personKinds['clarify'], form: 'response' } } as CardKinds;
    const desk = createCardDesk({ channel: hand.channel, kinds });
    hand.greet();
    for (const id of ['one', 'two']) {
      hand.ask(id);
      void desk.answer(id, { answer: 'x' });
    }
    expect(desk.unconfirmed().map(({ id }) => id)).toEqual(['two']);
    hand.ask('one');
    expect(ids(desk)).toEqual([]);
  });

  it('[RQ-R124] [RQ-R139] that are delivered again on the same line are the same, as the host has them now', () => {
    const { hand, desk } = table();
    const bound: string[] = [];
    hand.channel.onRequest('tour', ({ id }) => ({ rebind: () => void bound.push(id) }));
    for (const id of ['srq-1', 'srq-1']) hand.ask(id, {}, 'tour');
    expect(bound).toEqual(['srq-1']);
    hand.ask('one');
    hand.ask('one', { session_id: 'moved' });
    expect(desk.cards().map(({ id, sid }) => [id, sid])).toEqual([['one', 'moved']]);
  });

  it('that are over are told of up to a bound', () => {
    const { hand, desk } = table(personKinds, { keep: 2 });
    for (const id of ['a', 'b', 'c']) {
      hand.ask(id);
      hand.event('request.cancel', { id, method: 'clarify', reason: 'timeout' });
    }
    expect(desk.gone.map(({ id }) => id)).toEqual(['c', 'b']);
  });
});

describe('the words of an end', () => {
  const ends = ['acknowledged', 'locked', 'gone', 'late', 'unknown', 'elsewhere', 'cancelled', 'epoch'] as const;

  it('[RQ-I27] claim that an answer was accepted only where the server said so', () => {
    for (const why of ends) {
      for (const answered of [false, true]) {
        const words = JSON.stringify(endWords({ why, reason: 'timeout', answered }));
        expect(words.includes('accepted'), why).toBe(why === 'acknowledged');
        if (answered && (why === 'unknown' || why === 'epoch')) expect(words).toContain('not known');
        if (answered && (why === 'late' || why === 'cancelled')) expect(words).toContain('too late');
      }
    }
    expect(endWords({ why: 'declined', reason: null, answered: false })).toBeUndefined();
    expect(endWords({ why: 'cancelled', reason: 'of a newer server', answered: false })?.detail).toContain(
      'took it back',
    );
  });
});
