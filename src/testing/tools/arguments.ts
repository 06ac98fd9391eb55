import type { ToolReader, ToolResponseView } from '../../tools/types.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { live, macrotask, part, Rig, type RigOptions } from './rig.ts';

export const argumentsRules = new Chapter();
const { describe, test: it } = argumentsRules;

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

const outcomeOf = async (reader: ToolReader | undefined): Promise<ToolResponseView | string> =>
  (reader as ToolReader).response.get().catch((error: Error) => error.message);

describe('creation and promotion', () => {
  it('[TL-R30] starts the callback once, soon and not at once, also when withheld or answered', async () => {
    const rig = reading();
    rig.push('r', part('{}', { id: 'answered', result: 1 }), part('{}', { id: 'gated', approval: {} }), part('{'));
    expect(rig.log).toEqual([]);
    await macrotask();
    rig.push('r', part('{}', { id: 'answered', result: 2 }), part('{}', { id: 'gated', approval: {} }), part('{ '));
    await macrotask();
    expect(rig.log).toEqual(['call answered', 'call gated', 'call t']);
  });

  it('[TL-R31, TL-R33] starts nothing for history that keeps its meaning, in other letters too', async () => {
    const rig = reading();
    rig.tracker.reset();
    rig.push('s', part('{"a":1,"b":[1,2]}'));
    for (const text of ['{"a":1,"b":[1,2]}', '{"b":[1,2],"a":1}', ' {"a":1.0,"b":[1,2]}']) rig.push('s', part(text));
    await macrotask();
    expect(rig.log).toEqual([]);
  });

  it('[TL-R32, TL-R60] promotes history that gains a result, and runs nothing', async () => {
    const rig = reading();
    rig.tracker.reset();
    rig.push('s', part('{}'));
    rig.push('s', part('{}', { result: { late: 1 } }));
    await macrotask();
    expect(rig.log).toEqual(['call t']);
    expect(await outcomeOf(rig.readers[0])).toEqual({ result: { late: 1 }, isError: false });
  });

  it('[TL-R34, TL-T07] never runs what history showed answered, whatever its text does', async () => {
    const rig = reading();
    rig.tracker.reset();
    rig.push('s', part('{}', { result: 1 }));
    rig.push('s', part('{"other":1}'));
    await macrotask();
    expect(rig.log).toEqual(['call t']);
  });

  it('[TL-R35, TL-T20] keeps a gate that only history showed', async () => {
    const rig = new Rig();
    rig.push('r', part('{', { approval: null }));
    rig.push('r', part('{'));
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.log).toEqual([]);
  });

  it('[TL-R36] runs history that never changes only when it is adopted', async () => {
    const rig = new Rig();
    rig.push(
      's',
      part('{"a":1}'),
      part('{}', { id: 'answered', result: 1 }),
      part('{}', { id: 'gated', approval: {} }),
    );
    rig.push(
      's',
      part('{"a":1}'),
      part('{}', { id: 'answered', result: 1 }),
      part('{}', { id: 'gated', approval: {} }),
    );
    await macrotask();
    expect(rig.log).toEqual([]);
    expect(['t', 'answered', 'gated', 'unknown'].map((id) => rig.tracker.adopt(id))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(rig.tracker.adopt('t')).toBe(false);
    await macrotask();
    expect(rig.started.map(({ id, args }) => [id, args])).toEqual([['t', { a: 1 }]]);
    expect(rig.results).toHaveLength(1);
  });

  it('[TL-R36] waits for the run when what it adopts is of an open one', async () => {
    const rig = new Rig();
    rig.push('r', part('{}'));
    expect(rig.tracker.adopt('t')).toBe(true);
    await macrotask();
    expect(rig.log).toEqual([]);
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });
});

describe('the reader', () => {
  it('reads paths as they complete, values as they grow, elements one by one', async () => {
    const rig = reading();
    rig.push('r', part('{"head'));
    await macrotask();
    const { args } = rig.readers[0] as ToolReader;
    const seen: unknown[] = [];
    const elements: unknown[] = [];
    const text = '{"head":{"title":"Plan","n":12},"items":[{"id":1},"two",[3],true,null],"last":-1.5e3}';
    const done = Promise.all([
      args.get('head', 'title').then((value) => seen.push(['title', value])),
      args.get('head', 'n').then((value) => seen.push(['n', value])),
      args.get('head').then((value) => seen.push(['head', value])),
      args.get('items', 0, 'id').then((value) => seen.push(['id', value])),
      args.get('last').then((value) => seen.push(['last', value])),
      args.get('missing').then((value) => seen.push(['missing', value])),
      args.get('head', 'missing').then((value) => seen.push(['head missing', value])),
      collect(args.forEach('items'), elements),
    ]);
    const values: unknown[] = [];
    const all = collect(args.streamValues(), values);
    for (let length = 7; length <= text.length; length += 1) {
      rig.push('r', part(text.slice(0, length)));
      await macrotask();
    }
    await done;
    await all;
    expect(seen).toEqual([
      ['title', 'Plan'],
      ['n', 12],
      ['head', { title: 'Plan', n: 12 }],
      ['head missing', undefined],
      ['id', 1],
      ['last', -1500],
      ['missing', undefined],
    ]);
    expect(elements).toEqual([{ id: 1 }, 'two', [3], true, null]);
    expect(values.at(-1)).toEqual(JSON.parse(text));
    // What was given before does not change.
    expect(values).toContainEqual({ head: { title: 'Pl' } });
  });

  it('[TL-R60, TL-R65] settles the response before the arguments close', async () => {
    const rig = reading();
    rig.push('r', part('{"a":"x'));
    await macrotask();
    const order: string[] = [];
    const { args, response } = rig.readers[0] as ToolReader;
    void response.get().then(() => order.push('response'));
    void args.get('a').then((value) => order.push(`arguments ${String(value)}`));
    rig.push('r', part('{"a":"x', { result: null, isError: true, artifact: 'art' }));
    await macrotask();
    expect(order).toEqual(['response', 'arguments undefined']);
    expect(await outcomeOf(rig.readers[0])).toEqual({ result: null, isError: true, artifact: 'art' });
    rig.push('r', part('{"a":"x', { result: 'second' }));
    expect(await outcomeOf(rig.readers[0])).toMatchObject({ result: null });
  });

  it('[TL-R92] gives the outcome of the tool itself', async () => {
    const rig = reading();
    rig.push('s', part('{}'));
    await macrotask();
    expect(await outcomeOf(rig.readers[0])).toEqual({ result: 'done', isError: false });
  });

  it('[TL-R92, TL-T15] ends at a reset: response rejected, streams over, nothing unhandled', async () => {
    const rig = reading();
    rig.push('r', part('{"a":"x'), part('{"a":"y', { id: 'discarded' }), part('{}', { id: 'gated', approval: 1 }));
    await macrotask();
    await rig.tracker.abort({ discardPending: true });
    const streams = rig.readers.map(({ args }) => collect(args.streamText('a')));
    const gets = rig.readers.slice(0, 2).map(({ args }) => args.get('a').catch((error: Error) => error.message));
    rig.tracker.reset();
    expect(await Promise.all(rig.readers.map(outcomeOf))).toEqual(Array(3).fill('Tool execution aborted'));
    expect(await Promise.all(gets)).toEqual(Array(2).fill('Tool execution aborted'));
    await Promise.all(streams);
    expect(rig.readers).toHaveLength(3);
  });
});
