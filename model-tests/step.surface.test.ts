import { describe, expect, expectTypeOf, it } from 'vitest';
import { assign, setup } from 'xstate';
import { can, compile, type EffectOf, restore, type SnapshotOf, start, step } from '../machines/shared/step.ts';
import { DEMO_EVENTS, endedDemo, flatDemo, parallelDemo } from './support/demos.ts';

const flat = compile(flatDemo);
const parallel = compile(parallelDemo);
const CONTEXT = { count: 0, note: '' };

describe('a chart', () => {
  it('is compiled once for a machine, and anew for another machine of the same config', () => {
    expect(compile(flatDemo)).toBe(flat);
    expect(compile(flatDemo.provide({}))).not.toBe(flat);
  });

  it('says its id, version, values and events', () => {
    expect([flat.id, flat.version]).toEqual(['flat', '7']);
    expect(parallel.version).toBe('1');
    expect(flat.values).toEqual(['idle', 'busy', 'gate', 'over']);
    expect(parallel.values).toHaveLength(9);
    expect(parallel.values).toContainEqual({ left: 'done', right: 'high', quiet: 'only' });
    expect(flat.events).toEqual(['RESET', 'AGAIN', 'GO', 'STAY', 'BACK', 'NOTE', 'alarm.fire', 'END']);
  });

  it('starts with no rule behind it where no transition led', () => {
    const quiet = setup({}).createMachine({ initial: 'a', states: { a: {} } });
    expect(start(compile(quiet))).toMatchObject({ effects: [], rules: [], ignored: false });
  });

  it('gives its config as plain data that survives JSON, with guards spelled out', () => {
    const text = JSON.stringify(flat.config);
    expect(JSON.parse(text)).toEqual(flat.config);
    expect(text).toContain('{"guard":{"or":["never",{"not":["isBig"]}]}');
    expect(text).toContain('"context":"[function]"');
    expect(Object.isFrozen(flat.config)).toBe(true);
  });
});

describe('a step', () => {
  it('gives back the very snapshot, and a shared frozen list, when it ignores the event', () => {
    const chart = compile(endedDemo);
    const { snapshot } = start(chart);
    const results = [step(chart, snapshot, { type: 'BACK' }), step(chart, snapshot, { type: 'END' })];
    for (const result of results) {
      expect(result.ignored).toBe(true);
      expect(result.snapshot).toBe(snapshot);
      expect(result.effects).toBe(results[0]?.effects);
    }
    expect(Object.isFrozen(results[0]?.effects)).toBe(true);
  });

  it('is not ignored when the event is forbidden, but cannot be taken', () => {
    const at = restore(flat, 'idle', CONTEXT);
    const result = step(flat, at, { type: 'STAY' });
    expect([result.ignored, result.snapshot === at, result.effects.length]).toEqual([false, true, 0]);
    expect(can(flat, at, { type: 'STAY' })).toBe(false);
  });

  it('never changes what it is given', () => {
    for (const value of parallel.values) {
      const at = restore(parallel, value, Object.freeze({ ...CONTEXT }));
      const before = JSON.stringify(at);
      for (const event of DEMO_EVENTS) step(parallel, at, Object.freeze({ ...event }));
      expect(JSON.stringify(at)).toBe(before);
    }
  });

  it('leaves nothing behind when an assign throws', () => {
    const machine = setup({
      types: { context: {} as { n: number }, events: {} as { type: 'E' } },
      actions: {
        inc: assign({ n: ({ context }) => context.n + 1 }),
        fail: assign(() => {
          throw new Error('bad assign');
        }),
      },
    }).createMachine({
      context: { n: 0 },
      initial: 'a',
      states: { a: { on: { E: { target: 'b', actions: ['inc', 'fail'] } } }, b: {} },
    });
    const chart = compile(machine);
    const { snapshot } = start(chart);
    expect(() => step(chart, snapshot, { type: 'E' })).toThrow('bad assign');
    expect(JSON.stringify(snapshot)).toBe('{"value":"a","context":{"n":0}}');
  });

  it.each(['spawn', 'self', 'system'] as const)('throws when an assign reaches for %s', (what) => {
    const machine = setup({
      types: { context: {} as { n: number }, events: {} as { type: 'E' } },
      actions: { reach: assign((args) => ({ n: args[what as 'self'] === undefined ? 1 : 2 })) },
    }).createMachine({ context: { n: 0 }, initial: 'a', states: { a: { on: { E: { actions: 'reach' } } } } });
    const chart = compile(machine);
    expect(() => step(chart, start(chart).snapshot, { type: 'E' })).toThrow(`reached for ${what}`);
  });

  it('refuses events of XState, also when a wildcard would take them', () => {
    const at = restore(flat, 'idle', CONTEXT);
    for (const type of ['xstate.init', 'xstate.stop', 'xstate.done.state.flat']) {
      expect(() => step(flat, at, { type } as never)).toThrow(`event "${type}"`);
    }
  });

  it('refuses the snapshot of another chart, and anything that is none', () => {
    const at = restore(flat, 'idle', CONTEXT);
    expect(() => step(parallel, at as never, { type: 'BACK' })).toThrow('not a snapshot of chart "parallel"');
    expect(() => step(flat, { value: 'idle', context: CONTEXT, done: false }, { type: 'BACK' })).toThrow(TypeError);
  });

  it('remembers only so many words that no state names', () => {
    const at = restore(flat, 'busy', CONTEXT);
    for (let index = 0; index < 5_000; index += 1) {
      expect(step(flat, at, { type: `w${index}` } as never).effects).toHaveLength(1);
    }
    const { at: place } = at as unknown as { at: { decisions: Map<string, unknown> } };
    expect(place.decisions.size).toBeLessThan(200);
  });

  it('throws rather than loop', () => {
    const machine = setup({ actions: { ring: () => {} } }).createMachine({
      id: 'loop',
      initial: 'a',
      states: { a: { on: { E: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
    });
    const chart = compile(machine);
    expect(() => step(chart, start(chart).snapshot, { type: 'E' })).toThrow('chart "loop" loops in');
  });
});

describe('restore', () => {
  it('stands where a live snapshot stood, for every value', () => {
    for (const value of parallel.values) {
      const at = restore(parallel, JSON.parse(JSON.stringify(value)), CONTEXT);
      expect(at.value).toBe(value);
      expect(Object.isFrozen(at.value)).toBe(true);
    }
    expect(restore(flat, 'over', CONTEXT).done).toBe(true);
  });

  it.each([
    ['a name that is no state', 'gone'],
    ['a name of Object', 'constructor'],
    ['no name', undefined],
    ['a value of regions for a flat chart', { left: 'near' }],
  ])('refuses %s', (_what, value) => {
    expect(() => restore(flat, value, CONTEXT)).toThrow(
      /chart "flat" has no state .*it has "idle", "busy", "gate", "over"/,
    );
  });

  it.each([
    ['a plain name', 'near'],
    ['a region left out', { left: 'near', right: 'low' }],
    ['a region too many', { left: 'near', right: 'low', quiet: 'only', more: 'x' }],
    ['a state of another region', { left: 'low', right: 'low', quiet: 'only' }],
    ['null', null],
  ])('refuses, for a chart of regions, %s', (_what, value) => {
    expect(() => restore(parallel, value, CONTEXT)).toThrow(/chart "parallel" has no state .*"left":"near"/);
  });
});

describe('the types', () => {
  it('come from the machine', () => {
    const { snapshot, effects } = step(flat, start(flat, { count: 1 }).snapshot, { type: 'GO', by: 1 });
    expectTypeOf(snapshot).toEqualTypeOf<SnapshotOf<typeof flat>>();
    expectTypeOf(snapshot.value).toEqualTypeOf<'idle' | 'busy' | 'gate' | 'over'>();
    expectTypeOf(snapshot.context.count).toEqualTypeOf<number>();
    for (const effect of effects) {
      if (effect.type === 'tell') expectTypeOf(effect.params.kind).toEqualTypeOf<string>();
    }
    expectTypeOf<EffectOf<typeof flat>['type']>().toExtend<string>();
    // @ts-expect-error an event that the machine does not know
    step(flat, snapshot, { type: 'NOPE' });
    // @ts-expect-error an event without its payload
    step(flat, restore(flat, 'busy', CONTEXT), { type: 'GO' });
    // @ts-expect-error a context of another shape
    restore(flat, 'idle', { count: 'one' });
  });
});
