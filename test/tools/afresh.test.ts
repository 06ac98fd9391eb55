/** What is read or started afresh, and what is not: snapshots that say the same or broke off, what waited at a restart. */
import { describe, expect, it } from 'vitest';
import { macrotask, message, part } from '../../src/testing/tools/rig.ts';
import { live, Rig } from './rig.ts';

const projecting = () => {
  const state = { isBroken: false, text: '{}' };
  function* project(): Iterable<never> {
    if (state.isBroken) throw new Error('half');
    yield { id: 't', name: 'x', argsText: state.text } as never;
  }
  return { state, project };
};

describe('snapshots', () => {
  it('[TL-R10] reads the same list again when it no longer loads', () => {
    const rig = new Rig();
    const messages = [message(part('{}'))];
    rig.tracker.push({ messages, isRunning: false, isLoading: true });
    expect(rig.tracker.place.value['intake']).toBe('loading');
    rig.tracker.push({ messages, isRunning: false, isLoading: false });
    expect(rig.tracker.place.value['intake']).toBe('live');
  });

  it('[TL-R10, TL-R13] reads the same list again when it broke off in the middle of a session', async () => {
    const { state, project } = projecting();
    const rig = new Rig({ project });
    rig.tracker.push({ messages: [], isRunning: false });
    Object.assign(state, { isBroken: true, text: '{"a":1}' });
    const messages = [message()];
    rig.tracker.push({ messages, isRunning: false });
    state.isBroken = false;
    rig.tracker.push({ messages, isRunning: false });
    await macrotask();
    expect(rig.started.map(({ args }) => args)).toEqual([{ a: 1 }]);
  });

  it('[TL-R130] stays where it was in its intake while it is inert, and goes on from there after a reset', async () => {
    const { state, project } = projecting();
    const rig = new Rig({ project });
    state.isBroken = true;
    for (const messages of [[], [], []]) {
      rig.tracker.fail(new Error('driver'));
      rig.tracker.push({ messages, isRunning: false });
      expect(rig.tracker.place.value['intake']).toBe('pendingRestore');
    }
    expect(rig.tracker.place.value['driver']).toBe('inert');
    state.isBroken = false;
    rig.tracker.reset();
    rig.tracker.push({ messages: [], isRunning: false });
    state.text = '{"a":1}';
    rig.tracker.push({ messages: [], isRunning: false });
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });

  it.each(['loading', 'live'])('[TL-R130] stays %s while it is inert', (from) => {
    const rig = live();
    for (let time = 0; time < 3; time += 1) {
      rig.tracker.fail(new Error('driver'));
      if (from === 'loading') rig.loading('s');
      else rig.push('s');
      expect(rig.tracker.place.value['intake']).toBe(from);
    }
    expect(rig.tracker.place.value['driver']).toBe('inert');
  });
});

describe('parts', () => {
  it('[TL-R23, TL-I13] notes a message that cannot be read, once, and reads the ones behind it', async () => {
    const rig = live();
    const torn = {
      get role(): string {
        throw new Error('torn');
      },
    };
    for (let time = 0; time < 2; time += 1) {
      rig.tracker.push({ messages: [torn, message(part('{}'))], isRunning: false });
      await macrotask();
    }
    expect(rig.started).toHaveLength(1);
    expect(rig.notices).toStrictEqual([['malformed-part', { error: new Error('torn') }]]);
  });

  it('[TL-R63] takes a name that is no text for an empty one', async () => {
    const names: unknown[] = [];
    const rig = live({
      owner: ({ name }) => {
        names.push(name);
        return 'client';
      },
    });
    rig.push('s', part('{}', { name: 7 }));
    await macrotask();
    expect([names, rig.started]).toEqual([[''], []]);
  });

  it('[TL-R25] takes one part that is met twice for one call, and two of one id for a fault', () => {
    const rig = live();
    const one = part('{');
    rig.push('r', one, one);
    expect(rig.kinds).toEqual([]);
    rig.push('r', one, { ...one });
    expect(rig.kinds).toEqual(['duplicate-id']);
  });

  it('[TL-R43] takes more text behind closed arguments for a change, and runs nothing again', async () => {
    const rig = live();
    rig.push('s', part('{"a":1}'));
    await macrotask();
    rig.push('s', part('{"a":1}{'));
    await macrotask();
    expect([rig.started.length, rig.kinds]).toEqual([1, ['changed']]);
  });

  it('[TL-R45] takes a text that is gone for another text, and not for arguments that were never there', () => {
    const rig = live();
    rig.push('r', part('{"a"'));
    rig.push('s', part(''));
    expect(rig.kinds).toEqual(['diverged']);
  });
});

describe('what a tool says for the model', () => {
  it.each([[undefined], ['a text'], [{ 0: 'no list' }]])(
    '[TL-R74] is left out when it is no list: %j',
    async (given) => {
      const rig = live({ tool: { execute: () => 'done', toModelOutput: () => given as never } });
      rig.push('s', part('{}'));
      await macrotask();
      expect(rig.results).toHaveLength(1);
      expect(rig.results[0]).not.toHaveProperty('modelContent');
    },
  );

  it('[TL-R74] is left out when it throws, and the notice says why', async () => {
    const error = new Error('no words');
    const toModelOutput = (): never => {
      throw error;
    };
    const rig = live({ tool: { execute: () => 'done', toModelOutput } });
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.results[0]?.result).toBe('done');
    expect(rig.notices).toStrictEqual([['model-output-threw', { toolCallId: 't', error }]]);
  });
});

describe('a restart', () => {
  it.each(['text', 'adopt'])(
    '[TL-R84, TL-R131, TL-R132] starts anew what waited for a person, by its %s',
    async (how) => {
      const rig = live({ execute: 'hang' });
      rig.push('s', part('{"a":1}'));
      await macrotask();
      const asked = rig.started[0]?.human('may I?').catch((error: Error) => error.message);
      rig.tracker.fail(new Error('driver'));
      rig.push('s', part('{ "a": 1 }'));
      await macrotask();
      expect([await asked, rig.record()?.phase, rig.started.length]).toEqual(['Tool execution aborted', 'restored', 1]);
      if (how === 'text') rig.push('s', part('{"a":2}'));
      else expect(rig.tracker.adopt('t')).toBe(true);
      await macrotask();
      expect(rig.started.map(({ args }) => args)).toEqual([{ a: 1 }, { a: how === 'text' ? 2 : 1 }]);
      expect(rig.status()).toBe('executing');
      rig.started[0]?.resolve('late');
      await macrotask();
      expect(rig.results).toEqual([]);
    },
  );

  it('[TL-R132] never starts again what went on beside a question of its callback', async () => {
    let ask: ((payload: unknown) => Promise<unknown>) | undefined;
    const rig: Rig = new Rig({
      tool: {
        streamCall: (_reader, { human }) => {
          ask = human;
        },
        execute: (args: unknown, context) => rig.execute(args, context, 'hang'),
      },
    });
    rig.push('s');
    rig.push('s', part('{"a":1}'));
    await macrotask();
    ask?.('may I?').catch(() => undefined);
    rig.tracker.fail(new Error('driver'));
    rig.push('s', part('{"a":1}'));
    rig.push('s', part('{"a":2}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });

  it('[TL-R64, TL-R110, TL-R133] keeps a discard, and a reset forgets it', async () => {
    const rig = live();
    rig.push('r', part('{'));
    await rig.tracker.abort({ discardPending: true });
    rig.tracker.fail(new Error('driver'));
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(0);
    rig.tracker.reset();
    rig.push('s');
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });
});
