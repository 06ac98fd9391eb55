import { describe, expect, it } from 'vitest';
import { macrotask, part, type RigOptions } from '../../src/testing/tools/rig.ts';
import type { ToolReader } from '../../src/tools/types.ts';
import { live, Rig } from './rig.ts';

/** A rig whose tool has an argument callback that keeps its reader. */
function reading(options: RigOptions = {}): Rig & { readers: ToolReader[] } {
  const readers: ToolReader[] = [];
  const rig: Rig = live({
    tool: {
      execute: (args: unknown, context) => rig.execute(args, context, options.execute),
      streamCall: (reader, { toolCallId }) => {
        rig.log.push(`call ${toolCallId}`);
        readers.push(reader);
      },
    },
    ...options,
  });
  return Object.assign(rig, { readers });
}

async function collect<Value>(stream: AsyncIterable<Value> | undefined, into: Value[] = []): Promise<Value[]> {
  if (stream !== undefined) for await (const value of stream) into.push(value);
  return into;
}

describe('arguments', () => {
  it('[TL-R40] gives exactly the pieces that are added', async () => {
    const rig = reading();
    rig.push('r', part('{"text":"a'));
    await macrotask();
    const pieces: string[] = [];
    const all = collect(rig.readers[0]?.args.streamText('text'), pieces);
    for (const text of [
      '{"text":"ab',
      '{"text":"ab\\n',
      '{"text":"ab\\n\\u00',
      '{"text":"ab\\n\\u00e9"',
      '{"text":"ab\\n\\u00e9"}',
    ]) {
      rig.push('r', part(text));
      await macrotask();
    }
    await all;
    expect(pieces).toEqual(['a', 'b', '\n', 'é']);
  });

  it('[TL-R40, TL-I15] gives a value again only when it has changed', async () => {
    const rig = reading();
    rig.push('r', part('{"a":"x'));
    await macrotask();
    const values: unknown[] = [];
    const others: unknown[] = [];
    const all = [collect(rig.readers[0]?.args.streamValues('a'), values)];
    all.push(collect(rig.readers[0]?.args.streamValues('n'), others));
    for (const text of ['{"a":"x\\', '{"a":"x\\n', '{"a":"x\\n"', '{"a":"x\\n","n":1', '{"a":"x\\n","n":12}']) {
      rig.push('r', part(text));
      await macrotask();
    }
    await Promise.all(all);
    expect([values, others]).toEqual([['x', 'x\n'], [12]]);
  });

  it('[TL-R40, TL-R92] gives a callback that comes after the end all of it, and the end', async () => {
    const rig = reading();
    rig.push('s', part('{"a":1}'), part('12', { id: 'number' }));
    await macrotask();
    const gets = rig.readers.map(({ args }) => Promise.all([args.get(), args.get('missing')]));
    expect(await Promise.all(gets)).toEqual([
      [{ a: 1 }, undefined],
      [12, undefined],
    ]);
  });

  it.each<[string, (rig: Rig) => unknown]>([
    ['it is handed over', (rig) => rig.push('s', part('-12'))],
    ['it has waited', (rig) => [rig.push('r', part('-1')), rig.push('s', part('-12'))]],
    ['a gate comes', (rig) => rig.push('s', part('-12', { approval: 1 }))],
    ['it has waited for a gate', (rig) => [rig.push('r', part('-1')), rig.push('s', part('-12', { approval: 1 }))]],
    ['a result comes', (rig) => rig.push('r', part('-12', { result: 1 }))],
    ['it has waited for a result', (rig) => [rig.push('r', part('-1')), rig.push('r', part('-12', { result: 1 }))]],
    ['it is discarded', (rig) => [rig.tracker.abort({ discardPending: true }), rig.push('s', part('-12'))]],
    [
      'it is discarded, and answered',
      (rig) => [rig.tracker.abort({ discardPending: true }), rig.push('r', part('-12', { result: 1 }))],
    ],
  ])('[TL-R50, TL-R60, TL-R65] closes them when %s', async (_when, close) => {
    const rig = reading();
    rig.push('r', part('-'));
    await macrotask();
    let value: unknown = 'open';
    void rig.readers[0]?.args.get().then((read) => {
      value = read;
    });
    close(rig);
    await macrotask();
    // A number ends where the text does.
    expect(value).toBe(-12);
  });

  it('[TL-R92] gives nothing more of a call whose boundary ended, also of what had come', async () => {
    const rig = reading();
    rig.push('r', part('{"a":"x'));
    await macrotask();
    const pieces: string[] = [];
    const all = collect(rig.readers[0]?.args.streamText('a'), pieces);
    await macrotask();
    rig.push('r', part('{"a":"xy'));
    rig.tracker.reset();
    await all;
    expect(pieces).toEqual(['x']);
  });

  it('[TL-R41] takes an equal text in silence, refuses a divergent one, and goes on when it continues again', async () => {
    const rig = reading();
    rig.push('r', part('{"a":1,"b":2}'));
    rig.push('r', part('{"b":2,"a":1}'));
    expect(rig.kinds).toEqual([]);
    rig.push('r', part('{"c":'));
    expect(rig.kinds).toEqual(['changed']);
    rig.push('r', part('{"b":2,"a":1} '));
    expect(rig.record()?.streamed).toBe('{"b":2,"a":1} ');
    rig.push('s', part('{"b":2,"a":1} '));
    await macrotask();
    expect(rig.started.map(({ args }) => args)).toEqual([{ a: 1, b: 2 }]);
  });

  it('[TL-R41, TL-R42] says so when a text regresses, and appends what continues the streamed one', async () => {
    const rig = reading({ owner: () => 'client' });
    rig.push('r', part('{"a":0'));
    await macrotask();
    const values: unknown[] = [];
    const all = collect(rig.readers[0]?.args.streamValues(), values);
    rig.push('r', part('{"a":-1}'));
    await macrotask();
    expect(rig.kinds).toEqual(['diverged']);
    expect(rig.started).toEqual([]);
    rig.push('r', part('{"a":0,"b":1}'));
    await all;
    await macrotask();
    expect(values.at(-1)).toEqual({ a: 0, b: 1 });
    expect(rig.started.map(({ args }) => args)).toEqual([{ a: 0, b: 1 }]);
  });

  it('[TL-R42] closes nothing on a whole text that contradicts the streamed one', async () => {
    for (const streamed of ['{"a":1', '{"a":1}']) {
      const rig = live();
      rig.push('r', part(streamed));
      rig.push('s', part('{"a":2}'));
      await macrotask();
      expect(rig.log).toEqual([]);
    }
  });

  it('[TL-R43] notes another text behind the end, and remembers an equal one', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{"a":1,"b":2}'));
    await macrotask();
    rig.push('s', part('{"b":2,"a":1}'));
    expect(rig.kinds).toEqual([]);
    rig.push('s', part('{"b":2,"a":1,"c":3}'));
    expect(rig.notices).toEqual([
      ['changed', { toolCallId: 't', previous: '{"b":2,"a":1}', next: '{"b":2,"a":1,"c":3}' }],
    ]);
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });

  it('[TL-R44, TL-T16] gives one notice for fifty divergent snapshots', () => {
    const rig = live();
    rig.push('r', part('{"a":1'));
    for (let i = 0; i < 50; i += 1) rig.push('r', part(`{"b":${i}`));
    expect(rig.kinds).toEqual(['diverged']);
  });

  it('[TL-R45, TL-T17] never runs an empty text, and says so when the run closes', async () => {
    const rig = live();
    rig.push('r', part(''));
    expect(rig.kinds).toEqual([]);
    rig.push('s', part(''));
    rig.push('r', part(''));
    rig.push('s', part(''));
    await macrotask();
    expect(rig.log).toEqual([]);
    expect(rig.kinds).toEqual(['empty-arguments']);
  });

  it('[TL-R46] withholds a text over the bound, unread', async () => {
    const rig = reading({ limits: { textLength: 20 } });
    rig.push('r', part('{"a":"x'));
    rig.push('s', part(`{"a":"${'x'.repeat(40)}"}`), part(`{"a":"${'y'.repeat(12)}"}`, { id: 'fits' }));
    await macrotask();
    expect(rig.notices).toEqual([['too-long', { toolCallId: 't', limit: 20 }]]);
    expect(rig.started.map(({ id }) => id)).toEqual(['fits']);
    // It stays withheld when it shrinks.
    rig.push('s', part('{"a":"xx"}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });

  it.each(['{"__proto__":{"a":1}}', '{"a":[{"__proto__":1}]}', '{"constructor":{"prototype":{}}}'])(
    '[TL-R47, TL-T13] reports %s as an error, with and without a callback',
    async (text) => {
      for (const rig of [live(), reading()]) {
        rig.push('s', part(text));
        await macrotask();
        expect(rig.started).toEqual([]);
        expect(rig.results).toMatchObject([{ isError: true, result: expect.stringContaining('Invalid arguments') }]);
      }
    },
  );

  it('[TL-R47] lets harmless keys pass', async () => {
    const rig = live();
    rig.push('s', part('{"constructor":"ACME","proto":1,"a":{"prototype":1,"constructor":null}}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });

  it.each([
    ['12', '12e', '12e1', 120],
    ['"a"', '"a" ', '"a"  ', 'a'],
    ['[1]', '[1] ', '[1]  ', [1]],
  ])('[TL-R50] knows for %s that a whole text may be a beginning', async (first, second, third, args) => {
    const rig = live();
    rig.push('r', part(first));
    expect(rig.record()?.phase).toBe('waitingForRun');
    rig.push('r', part(second));
    rig.push('r', part(third));
    rig.push('s', part(third));
    await macrotask();
    expect(rig.started.map((one) => one.args)).toEqual([args]);
  });

  it.each(['{}}', '{}{}', '[}', 'tru', '"', '{"a":1,}', '{]', 'nul', '-', '{"a"}'])(
    '[TL-R50] takes %s for no whole text',
    async (text) => {
      const rig = live();
      for (let length = 1; length < text.length; length += 1) rig.push('r', part(text.slice(0, length)));
      rig.push('s', part(text));
      await macrotask();
      expect(rig.record()?.phase).toBe('streaming');
      expect(rig.log).toEqual([]);
    },
  );

  it('[TL-R12, TL-R33] remembers the latest letters of history', () => {
    const rig = new Rig();
    for (const text of ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a":1,"b":2}']) {
      rig.push('r', part(text));
      expect([rig.record()?.phase, rig.record()?.streamed]).toEqual(['restored', text]);
    }
  });

  it('[TL-R46, TL-R31] leaves history over the bound history while it stays the same', () => {
    const rig = new Rig({ limits: { textLength: 8 } });
    const long = part('{"a":"much too long"}');
    rig.push('s', long);
    rig.push('r', long);
    expect([rig.record()?.phase, rig.kinds]).toEqual(['restored', []]);
    rig.push('r', part('{"a":"another that is"}'));
    expect([rig.record()?.phase, rig.kinds]).toEqual(['streaming', ['too-long']]);
  });
});
