/** What a random run is made of: a way the host behaves, and a list of commands. Plain data, so that a run is a file. */
import fc from 'fast-check';

/** One thing that people, agents, tabs or the clock do. Numbers are read modulo what there is to choose from. */
export const OPS = [
  'ask',
  'reopen',
  'answer',
  'answerSame',
  'answerHandled',
  'answerUnknown',
  'close',
  'timeout',
  'recover',
  'markReturned',
  'deliver',
  'startTurn',
  'endTurn',
  'killAgent',
  'wearOut',
  'ackStray',
  'releaseStray',
  'report',
  'boundary',
  'takeover',
  'occupant',
  'disconnect',
  'retireOther',
  'rename',
  'forget',
  'clock',
] as const;
export type Op = (typeof OPS)[number];

/** A callback that may call back into the journal. */
export const HOOKS = ['inject', 'flusher', 'revoker', 'attacher', 'logger'] as const;
export type Hook = (typeof HOOKS)[number];

export interface Cmd {
  readonly op: Op;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** Do it twice in a row, and compare (I-26). */
  readonly twice?: boolean;
  /** What the first such callback does before it answers. */
  readonly nest?: { readonly at: Hook; readonly cmds: readonly Cmd[] };
}

export interface Config {
  readonly resolver: boolean;
  readonly attacher: boolean;
  readonly revoker: 'truthful' | 'deaf' | 'absent';
  /** What the flusher does: nothing, or deliver at once. */
  readonly flush: 'note' | 'deliver';
  /** Whether pushes into a running turn name their carrier: one of their own, or the turn's, as rides do. */
  readonly named: boolean | 'turn';
  /** Numbers, from 1, of the callback and log calls that throw. */
  readonly fail: readonly number[];
}

export interface Sequence {
  readonly config: Config;
  readonly cmds: readonly Cmd[];
}

/** How often each command is drawn. */
const WEIGHTS: Readonly<Record<Op, number>> = {
  ask: 9,
  reopen: 3,
  answer: 12,
  answerSame: 2,
  answerHandled: 6,
  answerUnknown: 1,
  close: 5,
  timeout: 5,
  recover: 4,
  markReturned: 5,
  deliver: 7,
  startTurn: 7,
  endTurn: 6,
  killAgent: 1,
  wearOut: 1,
  ackStray: 3,
  releaseStray: 1,
  report: 4,
  boundary: 2,
  takeover: 1,
  occupant: 2,
  disconnect: 1,
  retireOther: 1,
  rename: 2,
  forget: 1,
  clock: 2,
};

const small = fc.nat({ max: 11 });
const op = fc.oneof(...OPS.map((value) => ({ arbitrary: fc.constant(value), weight: WEIGHTS[value] })));
const plain: fc.Arbitrary<Cmd> = fc.record({ op, a: small, b: small, c: small });
const twice: fc.Arbitrary<Cmd> = fc.record({ op, a: small, b: small, c: small, twice: fc.constant(true) });
const nested: fc.Arbitrary<Cmd> = fc.record({
  op,
  a: small,
  b: small,
  c: small,
  nest: fc.record({ at: fc.constantFrom(...HOOKS, 'inject'), cmds: fc.array(plain, { minLength: 1, maxLength: 2 }) }),
});

const callback = {
  resolver: fc.boolean(),
  attacher: fc.oneof({ arbitrary: fc.constant(true), weight: 7 }, { arbitrary: fc.constant(false), weight: 1 }),
  revoker: fc.oneof(
    { arbitrary: fc.constant('truthful' as const), weight: 6 },
    { arbitrary: fc.constantFrom('deaf' as const, 'absent' as const), weight: 1 },
  ),
  flush: fc.constantFrom('note' as const, 'deliver' as const),
  named: fc.constantFrom(false, true, 'turn' as const),
};

/** Long enough that the bounds of three per tab and five in all are passed several times. */
const maxLength = 60;
const size = 'max';

const none: fc.Arbitrary<readonly number[]> = fc.constant([]);
const single: fc.Arbitrary<readonly number[]> = fc.nat({ max: 90 }).map((n) => [n + 1]);
const many: fc.Arbitrary<readonly number[]> = fc.uniqueArray(fc.integer({ min: 1, max: 150 }), {
  minLength: 2,
  maxLength: 30,
});

const run = (fail: fc.Arbitrary<readonly number[]>, cmd: fc.Arbitrary<Cmd>): fc.Arbitrary<Sequence> =>
  fc.record({ config: fc.record({ ...callback, fail }), cmds: fc.array(cmd, { maxLength, size }) });

const calm = fc.oneof({ arbitrary: plain, weight: 5 }, { arbitrary: twice, weight: 1 });
const wild = fc.oneof({ arbitrary: plain, weight: 2 }, { arbitrary: nested, weight: 1 });

/** Everything that can happen: callbacks that behave, that call back, that throw once, and that throw often. */
export const anySequence: fc.Arbitrary<Sequence> = fc.oneof(
  { arbitrary: run(none, calm), weight: 4 },
  { arbitrary: run(none, wild), weight: 2 },
  { arbitrary: run(single, plain), weight: 2 },
  { arbitrary: run(many, wild), weight: 1 },
);

/** One callback or log call throws, nothing else is unusual (I-30). */
export const singleFailure: fc.Arbitrary<Sequence> = run(single, plain);

/** Callbacks that behave: for runs that are compared with one another. */
export const calmSequence: fc.Arbitrary<Sequence> = run(none, plain);

export const isSequence = (value: unknown): value is Sequence =>
  typeof value === 'object' && value !== null && 'config' in value && 'cmds' in value && Array.isArray(value.cmds);
