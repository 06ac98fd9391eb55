/** Paths through a chart that its facade can walk: the same edges, with what may follow what. */
import type { AnyMachineSnapshot, AnyStateMachine, EventFromLogic } from 'xstate';
import { allTransitions, type Edge, type Walk, type WalkOptions, walks } from './graph.ts';
import { noteCoverage, notePaths } from './record.ts';
import { Tracer } from './tracer.ts';

export interface CoverOptions<Machine extends AnyStateMachine> extends WalkOptions<Machine> {
  /** Whether the facade can send this event here, directly after the edge before it. Default: always. */
  readonly allowed?: (edge: Edge<Machine>, before: Edge<Machine> | undefined) => boolean;
  /** Of edges of one walk that are of one kind only the first is wanted; undefined: not wanted. Default: each its own. */
  readonly kind?: (edge: Edge<Machine>, taken: readonly number[]) => string | undefined;
}

export interface EventPath<Machine extends AnyStateMachine> {
  readonly input: unknown;
  readonly events: readonly EventFromLogic<Machine>[];
}

/** The shortest allowed path to each wanted edge that takes a transition. */
export function coverPaths<Machine extends AnyStateMachine>(
  machine: Machine,
  events: readonly EventFromLogic<Machine>[],
  options: CoverOptions<Machine> = {},
): readonly EventPath<Machine>[] {
  const found = walks(machine, events, options);
  const numbers = new Map(allTransitions(machine).map(({ transition }, at) => [transition, at]));
  const paths = found.flatMap((walk) => {
    const { way, order } = allowedWays(walk, options.allowed ?? (() => true));
    const seen = new Set<string>();
    const ends = order.filter((edge) => {
      // Eventless transitions are those of birth; what an event takes is what it selects.
      const taken = machine.getTransitionData(edge.before, edge.event).map((one) => numbers.get(one) ?? -1);
      if (taken.length === 0) return false;
      if (options.kind === undefined) return true;
      const kind = options.kind(edge, taken);
      if (kind === undefined || seen.has(kind)) return false;
      seen.add(kind);
      return true;
    });
    const trails = ends.map((end) => trail(end, way));
    const passed = new Set(trails.flatMap((one) => one.slice(0, -1)));
    return trails
      .filter((one) => !passed.has(one.at(-1) as Edge<Machine>))
      .map((one) => ({ input: walk.input, events: one.map(({ event }) => event) }));
  });
  notePaths(machine.id, paths.length);
  return paths;
}

type Way<Machine extends AnyStateMachine> = Map<Edge<Machine>, Edge<Machine> | undefined>;

/** For each edge that can be reached, the edge before it on a shortest way; breadth first, over edges. */
function allowedWays<Machine extends AnyStateMachine>(
  walk: Walk<Machine>,
  allowed: NonNullable<CoverOptions<Machine>['allowed']>,
): { way: Way<Machine>; order: readonly Edge<Machine>[] } {
  const leaving = new Map<string, Edge<Machine>[]>();
  for (const edge of walk.edges) {
    const here = leaving.get(edge.from);
    if (here === undefined) leaving.set(edge.from, [edge]);
    else here.push(edge);
  }
  const way: Way<Machine> = new Map();
  const order: Edge<Machine>[] = [];
  const take = (edge: Edge<Machine>, before: Edge<Machine> | undefined): void => {
    if (way.has(edge) || !allowed(edge, before)) return;
    way.set(edge, before);
    order.push(edge);
  };
  for (const edge of leaving.get(walk.startKey) ?? []) take(edge, undefined);
  for (const edge of order) for (const next of leaving.get(edge.to) ?? []) take(next, edge);
  return { way, order };
}

function trail<Machine extends AnyStateMachine>(end: Edge<Machine>, way: Way<Machine>): readonly Edge<Machine>[] {
  const back: Edge<Machine>[] = [];
  for (let edge: Edge<Machine> | undefined = end; edge !== undefined; edge = way.get(edge)) back.push(edge);
  return back.reverse();
}

/** Which transition objects of a machine were taken, how often, and which are left, by name. */
export class Coverage<Machine extends AnyStateMachine> {
  readonly #machine: Machine;
  readonly #taken = new Map<object, number>();
  #lazy: Tracer<Machine> | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
    noteCoverage(machine.id, () => this.counts);
  }

  start(input: unknown): void {
    this.#count(this.#tracer.ofStart(input));
  }

  /** What the event selects. */
  step(before: { readonly value: unknown; readonly context: unknown }, event: EventFromLogic<Machine>): void {
    this.#count(this.#machine.getTransitionData(this.#at(before) as never, event));
  }

  /** What the event selects, and the eventless transitions that follow. */
  follow(before: { readonly value: unknown; readonly context: unknown }, event: EventFromLogic<Machine>): void {
    this.#count(this.#tracer.ofEvent(this.#at(before), event));
  }

  get untaken(): readonly string[] {
    return allTransitions(this.#machine)
      .filter(({ transition }) => !this.#taken.has(transition))
      .map(({ name }) => name);
  }

  /** How often each transition was taken, by its key. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      allTransitions(this.#machine).map(({ key, transition }) => [key, this.#taken.get(transition) ?? 0]),
    );
  }

  get #tracer(): Tracer<Machine> {
    this.#lazy ??= new Tracer(this.#machine);
    return this.#lazy;
  }

  #at({ value, context }: { readonly value: unknown; readonly context: unknown }) {
    return this.#machine.resolveState({ value, context } as never) as AnyMachineSnapshot;
  }

  #count(transitions: readonly object[]): void {
    for (const one of transitions) this.#taken.set(one, (this.#taken.get(one) ?? 0) + 1);
  }
}
