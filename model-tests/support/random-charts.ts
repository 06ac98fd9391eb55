/** Random flat and parallel machines out of everything that `compile` supports, and random traces for them. */
import * as fc from 'fast-check';
import { type AnyStateMachine, and, assign, not, or, setup, stateIn } from 'xstate';

interface Context {
  readonly n: number;
  readonly s: string;
}
type Event = { type: string; v: number };
type Json = Record<string, unknown>;

const ordered = (): never => {
  throw new Error('a custom action was executed');
};

const parts = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as number },
  guards: {
    yes: () => true,
    no: () => false,
    even: ({ context }) => context.n % 2 === 0,
    big: ({ event }) => event.v > 1,
    atLeast: ({ context }, { min }: { min: number }) => context.n >= min,
    evenAndBig: and(['even', 'big']),
    isDone: ({ event }) => event.type.startsWith('xstate.'),
  },
  actions: {
    inc: assign({ n: ({ context }) => (context.n + 1) % 4 }),
    zero: assign({ n: 0 }),
    mark: assign(({ event }, { to }: { to: string }) => ({ s: `${to}${event.type.at(-1)}` })),
    mix: assign({ n: ({ context }) => (context.s.length + context.n) % 4, s: ({ context }) => `${context.n}` }),
    ring: ordered,
    ding: ordered,
    tell: (_, _params: unknown) => ordered(),
  },
});

const TYPES = ['x', 'A', 'B', 'C', 'x.one', 'x.two.more'];
const DESCRIPTORS = ['A', 'A', 'B', 'B', 'C', 'x.one', 'x.*', 'x.two.*', '*'];

const action: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom('inc', 'zero', 'mix', 'ring', 'ding'),
  fc.constantFrom('p', 'q').map((to) => ({ type: 'mark', params: { to } })),
  fc.constant({ type: 'mark', params: ({ context }: { context: Context }) => ({ to: `${context.n}` }) }),
  fc.nat(3).map((k) => ({ type: 'tell', params: { k } })),
  fc.constant({
    type: 'tell',
    params: ({ context, event }: { context: Context; event: Event }) => [context.n, context.s, event.type],
  }),
);
const actions = fc.array(action, { maxLength: 3 });

function guardOf(places: readonly unknown[]): fc.Arbitrary<unknown> {
  const simple = fc.oneof(
    fc.constantFrom('yes', 'no', 'even', 'big', 'evenAndBig', 'isDone'),
    fc.nat(3).map((min) => ({ type: 'atLeast', params: { min } })),
    fc.constant({ type: 'atLeast', params: ({ event }: { event: Event }) => ({ min: event.v }) }),
    fc.constantFrom(...places).map((place) => stateIn(place as never)),
  );
  const pair = fc.tuple(simple, simple);
  return fc.oneof(
    { weight: 4, arbitrary: simple },
    pair.map((both) => and(both as never)),
    pair.map((both) => or(both as never)),
    simple.map((one) => not(one as never)),
  );
}

interface Aims {
  /** Targets that such a node may name, each as a config writes it. */
  readonly targets: readonly unknown[];
  readonly places: readonly unknown[];
  readonly reenter: boolean;
}

function transitionOf({ targets, places, reenter }: Aims, guarded: boolean): fc.Arbitrary<Json> {
  return fc
    .record({
      target:
        targets.length === 0 ? fc.constant(undefined) : fc.option(fc.constantFrom(...targets), { nil: undefined }),
      guard: guarded ? guardOf(places) : fc.option(guardOf(places), { nil: undefined }),
      actions: fc.option(actions, { nil: undefined }),
      reenter: reenter ? fc.option(fc.boolean(), { nil: undefined }) : fc.constant(undefined),
    })
    .map((one) => Object.fromEntries(Object.entries(one).filter(([, part]) => part !== undefined)));
}

function onOf(aims: Aims): fc.Arbitrary<Json> {
  const list = fc.array(transitionOf(aims, false), { minLength: 1, maxLength: 3 });
  return fc.dictionary(fc.constantFrom(...DESCRIPTORS), list, { maxKeys: 4 });
}

interface Scope {
  readonly on: boolean;
  readonly always: boolean;
}

function bodyOf(aims: Aims, { on, always }: Scope): fc.Arbitrary<Json> {
  return fc.record({
    entry: actions,
    exit: actions,
    ...(on ? { on: onOf(aims) } : {}),
    ...(always ? { always: fc.array(transitionOf(aims, true), { minLength: 1, maxLength: 2 }) } : {}),
  });
}

const names = ['a', 'b', 'c', 'd', 'e'];

/** The states of one container; the last one is final when it has an end. */
function statesOf(size: number, places: readonly unknown[], finals: boolean, always: boolean): fc.Arbitrary<Json> {
  const own = names.slice(0, size);
  const leaves = own.map((_, index) => {
    if (finals && index === size - 1) {
      return bodyOf({ targets: [], places, reenter: false }, { on: false, always: false }).map((body) => ({
        ...body,
        type: 'final',
      }));
    }
    const body = bodyOf({ targets: own, places, reenter: true }, { on: true, always: false });
    // Mostly towards later states, which come to rest; sometimes anywhere, which may loop and must fail on both sides.
    const later = fc.oneof(
      { weight: 9, arbitrary: fc.constant(own.slice(index + 1)) },
      { weight: 1, arbitrary: fc.constant(own) },
    );
    const eventless = later.chain((targets) =>
      fc.array(transitionOf({ targets, places, reenter: false }, true), { minLength: 1, maxLength: 2 }),
    );
    return always
      ? fc
          .tuple(body, fc.option(eventless, { nil: undefined }))
          .map(([rest, list]) => (list === undefined ? rest : { ...rest, always: list }))
      : body;
  });
  return fc.tuple(...leaves).map((list) => Object.fromEntries(list.map((leaf, index) => [own[index], leaf])));
}

const flat: fc.Arbitrary<Json> = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.boolean(), fc.boolean())
  .chain(([size, finals, always]) => {
    const own = names.slice(0, size);
    const places = [...own, ...own.map((one) => `#m.${one}`)];
    // Only its final state may be targeted from the root of a machine that can finish.
    const targets = (finals ? own.slice(-1) : own).map((one) => `.${one}`);
    return fc
      .tuple(
        statesOf(size, places, finals, always),
        bodyOf({ targets, places, reenter: false }, { on: true, always: false }),
        fc.constantFrom(...own),
      )
      .map(([states, root, initial]): Json => ({ id: 'm', initial, states, ...root }));
  });

const parallel: fc.Arbitrary<Json> = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    fc.integer({ min: -1, max: 2 }),
  )
  .chain(([sizes, ends, eventless]) => {
    const regions = sizes.map((size, index) => ({
      name: `r${index}`,
      own: names.slice(0, size),
      ends: ends[index] === true,
    }));
    const finishes = regions.every((region) => region.ends);
    const places = regions.flatMap(({ name: region, own }) =>
      own.flatMap((one) => [{ [region]: one }, `#m.${region}.${one}`, `${region}.${one}`]),
    );
    const bodies = regions.map(({ name: region, own, ends: finals }, index) => {
      const inner = finishes ? own.slice(-1) : own;
      const targets = [...inner.map((one) => `.${one}`), ...(finishes ? [] : [region])];
      return fc
        .tuple(
          statesOf(own.length, places, finals, index === eventless),
          bodyOf({ targets, places, reenter: false }, { on: true, always: false }),
          fc.constantFrom(...own),
        )
        .map(([states, self, initial]): Json => ({ ...self, initial, states }));
    });
    const leaves = regions.map(({ name: region, own }) => own.map((one) => `.${region}.${one}`));
    const single = leaves.flat();
    const whole = leaves.map((list) => list[0] as string);
    const targets = finishes
      ? [leaves.map((list) => list.at(-1) as string)]
      : [...single, whole, ...regions.map((one) => `.${one.name}`)];
    return fc.tuple(fc.tuple(...bodies), bodyOf({ targets, places, reenter: false }, { on: true, always: false })).map(
      ([list, root]): Json => ({
        id: 'm',
        type: 'parallel',
        states: Object.fromEntries(list.map((one, index) => [`r${index}`, one])),
        ...root,
      }),
    );
  });

export interface RandomCase {
  readonly machine: AnyStateMachine;
  readonly input: number;
  readonly events: readonly Event[];
}

function machineOf(config: Json): AnyStateMachine {
  const context = ({ input }: { input: number }) => ({ n: input, s: '' });
  // A random config cannot have the type of a written one.
  return parts.createMachine({
    ...config,
    context,
    options: { maxIterations: 30 },
  } as never) as unknown as AnyStateMachine;
}

const event: fc.Arbitrary<Event> = fc.record({ type: fc.constantFrom(...TYPES, 'Z'), v: fc.nat(3) });

export const randomCase: fc.Arbitrary<RandomCase> = fc.record({
  machine: fc.oneof(flat, parallel).map(machineOf),
  input: fc.nat(3),
  events: fc.array(event, { minLength: 8, maxLength: 20 }),
});
