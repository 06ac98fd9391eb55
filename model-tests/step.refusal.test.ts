import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  assign,
  cancel,
  emit,
  enqueueActions,
  log,
  not,
  raise,
  sendTo,
  setup,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate';
import { ChartRefusal, compile, compileLater, start } from '../machines/shared/step.ts';

const toSelf = ({ self }: { self: never }) => self;

const parts = setup({
  types: { context: {} as { n: number }, events: {} as { type: string } },
  delays: { soon: 10 },
  guards: { yes: () => true, again: ({ context }) => context.n > 0 },
  actions: {
    inc: assign({ n: ({ context }) => context.n + 1 }),
    ring: () => {},
    raise: raise({ type: 'E' }),
    raiseLater: raise({ type: 'E' }, { delay: 5 }),
    send: sendTo(toSelf as never, { type: 'E' } as never),
    sendLater: sendTo(toSelf as never, { type: 'E' } as never, { delay: 5 }),
    emit: emit({ type: 'E' } as never),
    log: log('x'),
    cancel: cancel('x'),
    spawn: spawnChild('x' as never),
    stop: stopChild('x'),
    enqueue: enqueueActions(({ enqueue }) => enqueue('ring')) as never,
  },
});

type Config = Record<string, unknown>;

function refusalOf(config: Config): string {
  // A config that is wrong on purpose has no type of its own.
  const machine = parts.createMachine({ id: 'm', context: { n: 0 }, ...config } as never) as unknown as AnyStateMachine;
  try {
    compile(machine);
  } catch (error) {
    if (error instanceof ChartRefusal) return error.message;
    throw error;
  }
  return 'compiled';
}

const flat = (a: Config, more: Config = {}): Config => ({ initial: 'a', states: { a, b: {} }, ...more });
const two = (left: Config, right: Config = {}, more: Config = {}): Config => ({
  type: 'parallel',
  states: {
    left: { initial: 'a', states: { a: {}, b: {} }, ...left },
    right: { initial: 'c', states: { c: {}, d: {} }, ...right },
  },
  ...more,
});
const on = (transition: unknown): Config => flat({ on: { E: transition } });

const A = 'state "m.a"';
const A_E = 'state "m.a", event "E"';

const REFUSED: readonly (readonly [feature: string, config: Config, where: string, names: string])[] = [
  ['invoke', flat({ invoke: { src: 'x' } }), A, 'invoke'],
  ['invoke on the root', flat({}, { invoke: { src: 'x' } }), 'root', 'invoke'],
  ['after', flat({ after: { 5: 'b' } }), A, 'after'],
  ['onDone of a region', two({ onDone: { actions: 'ring' } }), 'state "m.left"', 'onDone'],
  ['onDone of the root', two({}, {}, { onDone: { actions: 'ring' } }), 'root', 'onDone'],
  ['output', flat({}, { output: 1 }), 'root', 'output'],
  ['output of a final state', flat({ type: 'final', output: 1 }), A, 'output'],
  ['route', flat({ id: 'r', route: {} }), 'state "r"', 'route'],
  ['history', flat({}, { states: { a: {}, b: {}, h: { type: 'history' } } }), 'state "m.h"', 'history'],
  ['nesting', flat({ initial: 'x', states: { x: {} } }), A, 'nesting'],
  ['parallel below a flat root', flat({ type: 'parallel', states: { x: {} } }), A, 'nesting'],
  ['two levels of regions', two({ states: { a: { initial: 'x', states: { x: {} } } } }), 'state "m.left.a"', 'nesting'],
  [
    'parallel in parallel',
    two({ type: 'parallel', initial: undefined }),
    'state "m.left"',
    'a region of type parallel',
  ],
  [
    'a region without states',
    two({ states: undefined, initial: undefined }),
    'state "m.left"',
    'a region of type atomic',
  ],
  ['no states', {}, 'root', 'a machine without states'],
  ['no regions', { type: 'parallel', states: {} }, 'root', 'a machine without states'],
  [
    'an initial transition',
    flat({}, { initial: { target: 'a', actions: 'ring' } }),
    'root',
    'an initial transition object',
  ],
  ['an option', flat({}, { options: { strict: true } }), 'root', 'option "strict"'],
  ['an unknown key of the root', flat({}, { predictable: true }), 'root', 'predictable'],
  ['an unknown key of a state', flat({ activities: [] }), A, 'activities'],
  ['an unknown key of a transition', on({ internal: true, target: 'b' }), A_E, 'internal'],
  ['a delayed transition key', on({ delay: 5, target: 'b' }), A_E, 'delay'],
  ['an inline guard', on({ guard: () => true }), A_E, 'an inline guard'],
  ['an inline action', on({ actions: () => {} }), A_E, 'an inline action'],
  ['an inline assign', on({ actions: assign({ n: 1 }) }), A_E, 'an inline action'],
  ['an inline entry action', flat({ entry: () => {} }), 'state "m.a", event "entry"', 'an inline action'],
  ['an inline exit action', flat({ exit: () => {} }), 'state "m.a", event "exit"', 'an inline action'],
  [
    'an inline action of always',
    flat({ always: { actions: () => {} } }),
    'state "m.a", event "always"',
    'an inline action',
  ],
  ['an action nobody registered', on({ actions: 'lost' }), A_E, 'action "lost"'],
  ['a guard nobody registered', on({ guard: 'lost' }), A_E, 'guard "lost"'],
  ['a guard of Object', on({ guard: 'toString' }), A_E, 'guard "toString"'],
  ['a guard that is in no state', on({ guard: stateIn(5 as never) }), A_E, 'stateIn'],
  [
    'a guard of an unknown kind',
    on({ guard: Object.assign(() => true, { check: () => true }) }),
    A_E,
    'an unknown guard',
  ],
  ['a guard that is null', on({ guard: null }), A_E, 'a nameless guard'],
  ['an extra key of an action', on({ actions: { type: 'ring', delay: 5 } }), A_E, '"delay" on action "ring"'],
  ['raise', on({ actions: 'raise' }), A_E, 'xstate.raise'],
  ['delayed raise', on({ actions: 'raiseLater' }), A_E, 'xstate.raise'],
  ['sendTo', on({ actions: 'send' }), A_E, 'xstate.sendTo'],
  ['delayed sendTo', on({ actions: 'sendLater' }), A_E, 'xstate.sendTo'],
  ['emit', on({ actions: 'emit' }), A_E, 'xstate.emit'],
  ['log', on({ actions: 'log' }), A_E, 'xstate.log'],
  ['cancel', on({ actions: 'cancel' }), A_E, 'xstate.cancel'],
  ['spawnChild', on({ actions: 'spawn' }), A_E, 'xstate.spawnChild'],
  ['stopChild', on({ actions: 'stop' }), A_E, 'xstate.stopChild'],
  ['enqueueActions', on({ actions: 'enqueue' }), A_E, 'xstate.enqueueActions'],
  ['several targets', on({ target: ['a', 'b'] }), A_E, 'several targets'],
  ['an empty target list', on({ target: [] }), A_E, 'an empty target list'],
  ['a state that targets the root', on({ target: '#m' }), A_E, 'target "m"'],
  [
    'reenter on the root',
    flat({}, { on: { E: { target: '.a', reenter: true } } }),
    'root, event "E"',
    'reenter on the root',
  ],
  [
    'two states of a flat machine',
    flat({}, { on: { E: { target: ['.a', '.b'] } } }),
    'root, event "E"',
    'several targets',
  ],
  [
    'a target across regions',
    two({ on: { E: { target: '#m.right.d' } } }),
    'state "m.left", event "E"',
    'target "m.right.d"',
  ],
  [
    'a leaf that targets its region',
    two({ states: { a: { on: { E: '#m.left' } }, b: {} } }),
    'state "m.left.a", event "E"',
    'target "m.left"',
  ],
  [
    'reenter on a region',
    two({ on: { E: { target: '.a', reenter: true } } }),
    'state "m.left", event "E"',
    'reenter on a region',
  ],
  [
    'two targets in one region',
    two({}, {}, { on: { E: { target: ['.left.a', '.left.b'] } } }),
    'root, event "E"',
    'several targets',
  ],
  ['an event of XState', flat({ on: { 'xstate.done.state.m': 'b' } }), A, 'event "xstate.done.state.m"'],
  ['a wildcard in the middle', flat({ on: { 'a.*.b': 'b' } }), A, 'the wildcard "a.*.b"'],
  ['a partial wildcard', flat({ on: { 'a*': 'b' } }), A, 'the wildcard "a*"'],
  ['a numeric name', flat({}, { states: { a: {}, 1: {} } }), 'state "m.1"', 'the name "1"'],
  ['a name with a dot', flat({}, { states: { a: {}, 'x.y': {} } }), 'state "m.x.y"', 'the name "x.y"'],
  ['an id twice', flat({ id: 'same' }, { states: { a: { id: 'same' }, b: { id: 'same' } } }), 'state "same"', 'twice'],
  ['a transition of a final state', flat({ type: 'final', on: { E: 'b' } }), A, 'a transition of a final state'],
  ['always of a final state', flat({ type: 'final', always: 'b' }), A, 'a transition of a final state'],
  [
    'a root transition out of a final state',
    flat({ type: 'final' }, { on: { E: '.b' } }),
    'root',
    'event "E", which leaves a final state',
  ],
  [
    'a region transition out of the end',
    two({ states: { a: { type: 'final' }, b: {} }, on: { E: '.b' } }, { states: { c: { type: 'final' }, d: {} } }),
    'root',
    'event "E", which leaves a final state',
  ],
  [
    'always on a parallel root',
    two({}, {}, { always: { guard: 'yes', actions: 'ring' } }),
    'root',
    'always on a parallel root',
  ],
  [
    'always with actions in two regions',
    two(
      { always: { guard: 'yes', actions: 'ring' } },
      { states: { c: { always: { guard: 'yes', actions: 'ring' } }, d: {} } },
    ),
    'root',
    'always with actions in two regions',
  ],
];

describe('compile refuses, naming state and feature', () => {
  it.each(REFUSED)('%s', (_feature, config, where, names) => {
    const message = refusalOf(config);
    expect(message.startsWith(`chart "m", ${where}: `), message).toBe(true);
    expect(message).toContain(names);
    expect(message).toMatch(/ is refused: \w/);
  });

  it('a value with too many combinations', () => {
    const states = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`s${index}`, {}]));
    const region = { initial: 's0', states };
    expect(refusalOf({ type: 'parallel', states: { p: region, q: region, r: region } })).toContain(
      '10648 configurations',
    );
  });

  it('a guard that refers to itself', () => {
    const machine = parts.createMachine({
      context: { n: 0 },
      initial: 'a',
      states: { a: { on: { E: { guard: 'again' } } } },
    });
    const twisted = machine.provide({ guards: { again: Object.assign(() => true, notOf('again')) as never } });
    expect(() => compile(twisted)).toThrow(/guard "again" is refused: it refers to itself/);
  });

  it('at once by compile(), and with the first use by compileLater()', () => {
    const machine = parts.createMachine({ context: { n: 0 }, initial: 'a', states: { a: { after: { 5: 'a' } } } });
    const chart = compileLater(machine);
    expect(() => start(chart, undefined)).toThrow(ChartRefusal);
    expect(() => start(chart, undefined)).toThrow(ChartRefusal);
    expect(() => compile(machine)).toThrow(ChartRefusal);
  });

  it('nothing of the plain shapes that the refused ones were made from', () => {
    const said = { description: 'said', meta: { rules: ['R-1'] }, tags: ['shown'], entry: 'ring', exit: 'ring' };
    for (const config of [flat(said), two({ states: { a: said, b: {} } }), on({ target: 'b', delay: undefined })]) {
      expect(refusalOf(config)).toBe('compiled');
    }
    for (const config of [flat({}), two({}), on({ target: 'b', guard: 'yes', actions: ['inc', 'ring'] })]) {
      expect(refusalOf(config)).toBe('compiled');
    }
  });

  it('a region that ends may be left while another goes on', () => {
    expect(refusalOf(two({ states: { a: { type: 'final' }, b: {} }, on: { E: '.b' } }))).toBe('compiled');
  });
});

function notOf(name: string): object {
  const { check, guards } = not(name) as unknown as { check: unknown; guards: unknown };
  return { check, guards };
}
