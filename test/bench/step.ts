/** What one event costs through a compiled chart, beside XState's own `transition()` on the same machine. */
import { type AnyStateMachine, assign, initialTransition, setup, transition } from 'xstate';
import { answerMachine } from '../../machines/journal/answer.ts';
import { compile, start, step } from '../../machines/shared/step.ts';
import type { Ratio } from './measure.ts';

export interface StepBench {
  readonly chart: string;
  /** Microseconds for one event, median of the rounds. */
  readonly stepMicros: number;
  readonly transitionMicros: number;
  /** Median of the ratios, each of two measurements taken one after the other. */
  readonly ratio: number;
  readonly rounds: number;
}

interface Sample {
  readonly machine: AnyStateMachine;
  readonly input?: unknown;
  /** Sent over and over, each to the snapshot that the one before left. */
  readonly events: readonly { readonly type: string }[];
}

const ROUNDS = 5;
const TRANSITIONS = 2_000;
const STEPS = 300_000;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function microsEach(count: number, run: (count: number) => void): number {
  const begun = process.hrtime.bigint();
  run(count);
  return Number(process.hrtime.bigint() - begun) / 1_000 / count;
}

/** Measures one chart: medians of five pairs taken in one run, so that a busy machine slows both sides alike. */
export function benchStep({ machine, input, events }: Sample): StepBench {
  const chart = compile(machine);
  const runSteps = (count: number): void => {
    let { snapshot } = start(chart, input as never);
    for (let index = 0; index < count; index += 1) {
      snapshot = step(chart, snapshot, events[index % events.length] as never).snapshot;
    }
  };
  const runTransitions = (count: number): void => {
    let [snapshot] = initialTransition(machine, input);
    for (let index = 0; index < count; index += 1) {
      [snapshot] = transition(machine, snapshot, events[index % events.length] as never);
    }
  };
  // A busy machine compiles late; what is measured is the compiled code.
  for (let round = 0; round < ROUNDS; round += 1) runSteps(STEPS);
  runTransitions(TRANSITIONS);
  const pairs = Array.from({ length: ROUNDS }, () => ({
    ours: microsEach(STEPS, runSteps),
    theirs: microsEach(TRANSITIONS, runTransitions),
  }));
  return {
    chart: machine.id,
    stepMicros: median(pairs.map(({ ours }) => ours)),
    transitionMicros: median(pairs.map(({ theirs }) => theirs)),
    ratio: median(pairs.map(({ ours, theirs }) => theirs / ours)),
    rounds: ROUNDS,
  };
}

const ordered = (): never => {
  throw new Error('a custom action was executed');
};

/** A delivery of the usual size: a guard, an assign and an effect, then a plain move, then a repeat nobody takes. */
const sample = setup({
  types: {
    context: {} as { readonly token: string; readonly attempts: number; readonly carrier: string | null },
    events: {} as { type: 'OFFER'; carrier: string } | { type: 'RECEIPT'; carrier: string } | { type: 'AGAIN' },
  },
  guards: { isCarrier: ({ context, event }) => event.type === 'RECEIPT' && event.carrier === context.carrier },
  actions: {
    carry: assign({
      carrier: ({ event }) => (event.type === 'OFFER' ? event.carrier : null),
      attempts: ({ context }) => context.attempts + 1,
    }),
    tell: ordered,
  },
}).createMachine({
  id: 'sample',
  context: { token: 't', attempts: 0, carrier: null },
  initial: 'pending',
  states: {
    pending: { on: { OFFER: { target: 'handed', actions: ['carry', 'tell'] } } },
    handed: { on: { RECEIPT: { guard: 'isCarrier', target: 'acked' } } },
    acked: { on: { AGAIN: 'pending' } },
  },
});

export function benchSample(): StepBench {
  return benchStep({
    machine: sample,
    events: [
      { type: 'OFFER', carrier: 'c' } as never,
      { type: 'RECEIPT', carrier: 'c' } as never,
      { type: 'RECEIPT', carrier: 'c' } as never,
      { type: 'AGAIN' },
    ],
  });
}

/** The everyday life of an answer that is pushed, handed back, pushed again and returned. */
const ANSWER_LIFE = [
  { type: 'OFFER_TAKEN', losses: [], worded: 'matched', carrier: null },
  { type: 'HANDBACK', carried: false, carrier: null, bound: 3 },
  { type: 'CLOSE' },
  { type: 'OFFER_REFUSED' },
  { type: 'RETURN', carrier: 'turn', replay: false },
  { type: 'HANDBACK', carried: false, carrier: 'turn', bound: 3 },
];

const ANSWER = { token: 'aa1', key: 'tab', retired: false, known: true, awaited: false, label: 'matched' };

export async function stepBench(): Promise<Ratio[]> {
  return [benchSample(), benchStep({ machine: answerMachine, input: ANSWER, events: ANSWER_LIFE as never })].map(
    ({ chart, stepMicros, transitionMicros, ratio, rounds }) => ({
      name: `chart ${chart}: one event / XState's transition()`,
      ratio: 1 / ratio,
      pairs: [1 / ratio],
      limit: 0.01,
      detail: `${stepMicros.toFixed(3)} µs against ${transitionMicros.toFixed(1)} µs, medians of ${rounds} pairs`,
    }),
  );
}
