/** The only file that takes `@xstate/graph`: adjacency maps, paths that take every transition, and what they cover. */
import { getAdjacencyMap } from '@xstate/graph';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventFromLogic,
  initialTransition,
  type SnapshotFrom,
} from 'xstate';
import { getAdjacencyMap as getBundledAdjacencyMap } from 'xstate/graph';
import { allTransitions, nodesOf, type RawNode, Tracer } from './tracer.ts';

export { allTransitions };

export interface WalkOptions<Machine extends AnyStateMachine> {
  /** One walk for each input. Default: one walk without any. */
  readonly inputs?: readonly unknown[];
  /** What makes two snapshots the same place; clamp what grows. Default: value and whole context. */
  readonly serialize?: (snapshot: SnapshotFrom<Machine>) => string;
  /** The walk fails above so many edges. Default 20 000. */
  readonly limit?: number;
  readonly stopWhen?: (snapshot: SnapshotFrom<Machine>) => boolean;
}

export interface Edge<Machine extends AnyStateMachine> {
  readonly before: AnyMachineSnapshot;
  readonly event: EventFromLogic<Machine>;
  readonly after: AnyMachineSnapshot;
  readonly from: string;
  readonly to: string;
}

export interface Walk<Machine extends AnyStateMachine> {
  readonly input: unknown;
  readonly start: AnyMachineSnapshot;
  readonly startKey: string;
  /** In the order of a breadth-first search. */
  readonly edges: readonly Edge<Machine>[];
}

export interface PathStep<Machine extends AnyStateMachine> {
  readonly event: EventFromLogic<Machine>;
  /** After the event. */
  readonly state: SnapshotFrom<Machine>;
}

export interface Path<Machine extends AnyStateMachine> {
  readonly description: string;
  readonly input: unknown;
  readonly start: SnapshotFrom<Machine>;
  readonly steps: readonly PathStep<Machine>[];
}

type Adjacency<Event> = Readonly<
  Record<
    string,
    {
      readonly state: AnyMachineSnapshot;
      readonly transitions: Readonly<Record<string, { readonly event: Event; readonly state: AnyMachineSnapshot }>>;
    }
  >
>;

/** Value with sorted keys: XState turns their order round when a parallel machine is done. */
export function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, canonical(part)]));
}

function defaultKey(snapshot: { readonly value: unknown; readonly context: unknown }): string {
  return JSON.stringify([canonical(snapshot.value), snapshot.context]);
}

function readAdjacency<Machine extends AnyStateMachine>(
  read: typeof getAdjacencyMap,
  machine: Machine,
  events: readonly EventFromLogic<Machine>[],
  input: unknown,
  options: WalkOptions<Machine>,
): Adjacency<EventFromLogic<Machine>> {
  const serialize = options.serialize ?? defaultKey;
  const { stopWhen } = options;
  // The package's types reject machines with exact optional properties; what comes back is what the machine makes.
  return read(machine as AnyStateMachine, {
    events,
    input,
    limit: options.limit ?? 20_000,
    serializeState: (snapshot) => serialize(snapshot as SnapshotFrom<Machine>),
    ...(stopWhen === undefined ? {} : { stopWhen: (snapshot) => stopWhen(snapshot as SnapshotFrom<Machine>) }),
  }) as unknown as Adjacency<EventFromLogic<Machine>>;
}

/** Both packages' adjacency maps as plain data, for the test that they are equal. */
export function bothAdjacencyMaps<Machine extends AnyStateMachine>(
  machine: Machine,
  events: readonly EventFromLogic<Machine>[],
  options: WalkOptions<Machine> = {},
): readonly [unknown, unknown] {
  const readers = [getAdjacencyMap, getBundledAdjacencyMap as unknown as typeof getAdjacencyMap] as const;
  const [own, bundled] = readers.map((read) =>
    (options.inputs ?? [undefined]).map((input) =>
      Object.entries(readAdjacency(read, machine, events, input, options)).map(([key, { transitions }]) => [
        key,
        Object.entries(transitions).map(([event, { state }]) => [event, defaultKey(state)]),
      ]),
    ),
  );
  return [own, bundled];
}

/** Every edge of the adjacency map of a machine, for each input. Events must be all of them: a missing one is silent. */
export function walks<Machine extends AnyStateMachine>(
  machine: Machine,
  events: readonly EventFromLogic<Machine>[],
  options: WalkOptions<Machine> = {},
): readonly Walk<Machine>[] {
  const serialize = (snapshot: AnyMachineSnapshot) =>
    options.serialize?.(snapshot as SnapshotFrom<Machine>) ?? defaultKey(snapshot);
  return (options.inputs ?? [undefined]).map((input) => {
    const [initial] = initialTransition(machine as AnyStateMachine, input);
    if (initial.status === 'error') throw new Error(`machine "${machine.id}" does not start`, { cause: initial.error });
    const map = readAdjacency(getAdjacencyMap, machine, events, input, options);
    const edges = Object.entries(map).flatMap(([from, { state: before, transitions }]) =>
      Object.values(transitions).map(({ event, state }) => ({
        before,
        event,
        after: state,
        from,
        to: serialize(state),
      })),
    );
    return { input, start: initial, startKey: serialize(initial), edges };
  });
}

/** Throws, by name, when the walks leave a transition untaken or a state unreached. */
export function requireFullCoverage<Machine extends AnyStateMachine>(
  machine: Machine,
  found: readonly Walk<Machine>[],
): { readonly transitions: number; readonly states: number } {
  const tracer = new Tracer(machine);
  const taken = new Set<object>();
  const reached = new Set<string>();
  for (const walk of found) {
    for (const one of tracer.ofStart(walk.input)) taken.add(one);
    for (const id of idsOf(machine, walk.start)) reached.add(id);
    for (const { before, event, after } of walk.edges) {
      for (const one of tracer.ofEvent(before, event)) taken.add(one);
      for (const id of idsOf(machine, after)) reached.add(id);
    }
  }
  const all = allTransitions(machine);
  const states = nodesOf(machine);
  // A state that is left again within the same step is never seen at rest: having been left is proof of it.
  for (const node of states) {
    const own = [...node.transitions.values(), node.always ?? []].flat();
    if (own.some((one) => taken.has(one))) reached.add(node.id);
  }
  const untaken = all.filter(({ transition: one }) => !taken.has(one)).map(({ name }) => `not taken: ${name}`);
  const unreached = states.filter(({ id }) => !reached.has(id)).map(({ id }) => `not reached: ${id}`);
  const gaps = [...untaken, ...unreached];
  if (gaps.length > 0) throw new Error(`machine "${machine.id}" is not covered:\n  ${gaps.join('\n  ')}`);
  return { transitions: all.length, states: states.length };
}

function idsOf(machine: AnyStateMachine, snapshot: AnyMachineSnapshot): readonly string[] {
  const below = (node: RawNode, value: unknown): string[] => {
    const parts = typeof value === 'string' ? [[value, undefined] as const] : Object.entries(value ?? {});
    return [node.id, ...parts.flatMap(([key, inner]) => below(node.states[key] as RawNode, inner))];
  };
  return below(machine.root as unknown as RawNode, snapshot.value);
}

export interface PathOptions<Machine extends AnyStateMachine> extends WalkOptions<Machine> {
  /**
   * `edge` (default): every event in every place that takes a transition there.
   * `transition`: each transition object once, by the shortest way; few and short, for slow systems.
   */
  readonly each?: 'edge' | 'transition';
  /** Also the events that a place ignores. Default false. */
  readonly ignored?: boolean;
}

/** Throws, by name, when a transition or a state of the machine cannot be got at with these events. */
export function transitionPaths<Machine extends AnyStateMachine>(
  machine: Machine,
  events: readonly EventFromLogic<Machine>[],
  options: PathOptions<Machine> = {},
): readonly Path<Machine>[] {
  const found = walks(machine, events, options);
  requireFullCoverage(machine, found);
  const tracer = new Tracer(machine);
  const taken = new Set<object>();
  return found.flatMap((walk) => {
    for (const one of tracer.ofStart(walk.input)) taken.add(one);
    const wanted = walk.edges.filter(({ before, event }) => {
      const transitions = tracer.ofEvent(before, event);
      const fresh = transitions.filter((one) => !taken.has(one));
      for (const one of fresh) taken.add(one);
      if (options.each === 'transition') return fresh.length > 0;
      return transitions.length > 0 || options.ignored === true;
    });
    return cover(walk, wanted);
  });
}

function cover<Machine extends AnyStateMachine>(
  walk: Walk<Machine>,
  wanted: readonly Edge<Machine>[],
): readonly Path<Machine>[] {
  const way = shortestWays(walk);
  const ways = wanted.map((edge) => [...(way.get(edge.from) ?? []), edge]);
  // A path whose last edge lies on the way of another path is a beginning of that one.
  const passed = new Set(ways.flatMap((one) => one.slice(0, -1)));
  return ways
    .filter((one) => !passed.has(one.at(-1) as Edge<Machine>))
    .map((edges) => ({
      description: edges.map(({ event }) => JSON.stringify(event)).join(' '),
      input: walk.input,
      start: walk.start as SnapshotFrom<Machine>,
      steps: edges.map(({ event, after }) => ({ event, state: after as SnapshotFrom<Machine> })),
    }));
}

function shortestWays<Machine extends AnyStateMachine>(walk: Walk<Machine>): Map<string, readonly Edge<Machine>[]> {
  const leaving = new Map<string, Edge<Machine>[]>();
  for (const edge of walk.edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
  const way = new Map<string, readonly Edge<Machine>[]>([[walk.startKey, []]]);
  for (const [place, soFar] of way) {
    for (const edge of leaving.get(place) ?? []) {
      if (!way.has(edge.to)) way.set(edge.to, [...soFar, edge]);
    }
  }
  return way;
}
