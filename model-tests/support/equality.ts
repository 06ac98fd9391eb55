/** The proof that a compiled chart is its machine: compared with XState's own `transition()`, edge by edge. */
import { isDeepStrictEqual } from 'node:util';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventFromLogic,
  getMicrosteps,
  initialTransition,
  transition,
} from 'xstate';
import { can, compile, restore, type Snapshot, start, step } from '../../machines/shared/step.ts';
import { canonical, requireFullCoverage, type WalkOptions, walks } from './graph.ts';

export interface EqualityOptions<Machine extends AnyStateMachine> extends WalkOptions<Machine> {
  /** False: the events need not take every transition. For random machines, whose transitions may be dead. */
  readonly coverage?: boolean;
}

export interface Proof {
  readonly edges: number;
  readonly ignored: number;
  readonly effects: number;
  readonly transitions: number;
}

interface Outcome {
  readonly value: unknown;
  readonly context: unknown;
  readonly done: boolean;
  readonly effects: readonly Order[];
  readonly ignored: boolean;
  readonly can: boolean;
}
type Order = { readonly type: string; readonly params: unknown };
type AnySnapshot = Snapshot<unknown, unknown>;

/** Compares chart and machine on every edge of the machine's adjacency map; throws at the first difference. */
export function proveEqual<Machine extends AnyStateMachine>(
  machine: Machine,
  events: readonly EventFromLogic<Machine>[],
  options: EqualityOptions<Machine> = {},
): Proof {
  const found = walks(machine, events, options);
  let ignored = 0;
  let effects = 0;
  let edges = 0;
  const { transitions } = options.coverage === false ? { transitions: 0 } : requireFullCoverage(machine, found);
  for (const walk of found) {
    compareStart(machine, walk.input);
    for (const { before, event } of walk.edges) {
      const outcome = compareStep(machine, before, standing(machine, before), event);
      edges += 1;
      if (outcome.ignored) ignored += 1;
      effects += outcome.effects.length;
    }
  }
  if (edges === 0) throw new Error(`machine "${machine.id}": nothing was compared`);
  return { edges, ignored, effects, transitions };
}

/** Compares chart and machine along one trace, each going on from its own snapshot. Returns the steps compared. */
export function proveTrace<Machine extends AnyStateMachine>(
  machine: Machine,
  input: unknown,
  events: readonly EventFromLogic<Machine>[],
): number {
  const begun = compareStart(machine, input);
  if (begun === undefined) return 0;
  let theirs = begun;
  let ours: AnySnapshot = begin(machine, input).snapshot;
  let compared = 0;
  for (const event of events) {
    compared += 1;
    if (compareStep(machine, theirs, ours, event).failed) return compared;
    theirs = transition(machine as AnyStateMachine, theirs, event)[0];
    ours = step(compile(machine), ours as never, event as never).snapshot;
  }
  return compared;
}

function standing<Machine extends AnyStateMachine>(machine: Machine, at: AnyMachineSnapshot): AnySnapshot {
  return restore(compile(machine), at.value, at.context);
}

function begin(machine: AnyStateMachine, input: unknown): { snapshot: AnySnapshot; effects: readonly unknown[] } {
  return start(compile(machine), input as never);
}

function compareStart<Machine extends AnyStateMachine>(
  machine: Machine,
  input: unknown,
): AnyMachineSnapshot | undefined {
  const [snapshot, actions] = initialTransition(machine as AnyStateMachine, input);
  const where = `machine "${machine.id}", start with ${JSON.stringify(input)}`;
  if (snapshot.status === 'error') {
    mustThrow(where, () => begin(machine, input));
    return undefined;
  }
  const ours = begin(machine, input);
  mustEqual(where, 'value', canonical(snapshot.value), canonical(ours.snapshot.value));
  mustEqual(where, 'context', snapshot.context, ours.snapshot.context);
  mustEqual(where, 'done', snapshot.status === 'done', ours.snapshot.done);
  mustEqual(
    where,
    'effects',
    actions.map(order),
    ours.effects.map((one) => order(one)),
  );
  return snapshot;
}

function compareStep<Machine extends AnyStateMachine>(
  machine: Machine,
  theirs: AnyMachineSnapshot,
  ours: AnySnapshot,
  event: EventFromLogic<Machine>,
): Outcome & { readonly failed: boolean } {
  freeze(theirs.context);
  freeze(ours.context);
  freeze(event);
  const where = `machine "${machine.id}", ${JSON.stringify([theirs.value, theirs.context])} on ${JSON.stringify(event)}`;
  const expected = attempt(() => xstateOutcome(machine, theirs, event));
  if (expected === undefined) {
    mustThrow(where, () => step(compile(machine), ours as never, event as never));
    return { value: '', context: {}, done: false, effects: [], ignored: false, can: false, failed: true };
  }
  const { snapshot, effects, ignored } = step(compile(machine), ours as never, event as never);
  mustEqual(where, 'value', expected.value, canonical(snapshot.value));
  mustEqual(where, 'context', expected.context, snapshot.context);
  mustEqual(where, 'done', expected.done, snapshot.done);
  mustEqual(
    where,
    'effects',
    expected.effects,
    effects.map((one) => order(one)),
  );
  mustEqual(where, 'ignored', expected.ignored, ignored);
  mustEqual(where, 'can', expected.can, can(compile(machine), ours as never, event as never));
  if (ignored) mustEqual(where, 'identity of an ignored snapshot', true, snapshot === ours);
  return { ...expected, failed: false };
}

function xstateOutcome<Machine extends AnyStateMachine>(
  machine: Machine,
  before: AnyMachineSnapshot,
  event: EventFromLogic<Machine>,
): Outcome {
  const [after, actions] = transition(machine as AnyStateMachine, before, event);
  const matched = machine.getTransitionData(before, event).length > 0;
  // XState always makes one microstep for the event itself, even where nothing matches it.
  const ignored = !matched && getMicrosteps(machine as AnyStateMachine, before, event).length === 1;
  return {
    value: canonical(after.value),
    context: after.context,
    done: after.status === 'done',
    effects: actions.map(order),
    ignored,
    can: before.can(event),
  };
}

function order(one: unknown): Order {
  const { type, params } = one as Order;
  return { type, params };
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function mustThrow(where: string, run: () => unknown): void {
  if (attempt(() => [run()]) !== undefined) throw new Error(`${where}: XState failed, the chart went on`);
}

function mustEqual(where: string, what: string, expected: unknown, found: unknown): void {
  if (isDeepStrictEqual(expected, found)) return;
  const text = [expected, found].map((one) => JSON.stringify(one, (_key, part) => (part === undefined ? '∅' : part)));
  throw new Error(`${where}: ${what} differs\n  XState: ${text[0]}\n  chart:  ${text[1]}`);
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
