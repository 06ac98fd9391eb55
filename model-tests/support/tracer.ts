/** The transition objects of a machine, and which of them an event takes. */
import { type AnyMachineSnapshot, type AnyStateMachine, createActor, type EventFromLogic } from 'xstate';

/** A transition object of the machine; it is counted by identity. */
export interface Taken {
  readonly name: string;
  /** State, region or nothing that it belongs to; event or `always`; place in its list: as in an outline of the chart. */
  readonly key: string;
  readonly transition: object;
}

/** The fields of XState's state node that are read; its own types carry `any`. */
export interface RawNode {
  readonly id: string;
  readonly states: Readonly<Record<string, RawNode>>;
  readonly transitions: ReadonlyMap<string, readonly RawTransition[]>;
  readonly always?: readonly RawTransition[];
}
interface RawTransition {
  readonly target?: readonly { readonly id: string }[];
}

export const keyOf = ({ from, event, index }: { from: string; event: string; index: number }): string =>
  `${from} ${event} ${index}`;

/** Every transition object of the machine: those of events, forbidden ones too, and eventless ones. */
export function allTransitions(machine: AnyStateMachine): readonly Taken[] {
  return nodesOf(machine).flatMap((node) => {
    const lists = [...node.transitions, ...(node.always === undefined ? [] : [['always', node.always] as const])];
    return lists.flatMap(([event, list]) =>
      list.map((one, index) => {
        const targets = one.target?.map(({ id }) => id).join(', ') ?? 'nowhere';
        const from = node.id.slice(machine.id.length + 1);
        return {
          name: `${node.id} on ${event}[${index}] -> ${targets}`,
          key: keyOf({ from, event, index }),
          transition: one,
        };
      }),
    );
  });
}

export function nodesOf(machine: AnyStateMachine): readonly RawNode[] {
  const below = (node: RawNode): RawNode[] => [node, ...Object.values(node.states).flatMap(below)];
  return below(machine.root as unknown as RawNode);
}

/** Finds the transition objects that an event takes, eventless ones included. */
export class Tracer<Machine extends AnyStateMachine> {
  readonly #machine: Machine;
  readonly #quiet: AnyStateMachine | undefined;
  readonly #originals = new Map<object, object>();

  constructor(machine: Machine) {
    this.#machine = machine;
    if (!nodesOf(machine).some((node) => node.always !== undefined)) return;
    // Only a running actor tells which eventless transitions it took, and a running actor executes: a twin
    // whose custom actions do nothing is run, and its transition objects are led back to the machine's own.
    const actions = Object.entries(machine.implementations.actions).map(([name, action]) => [
      name,
      'resolve' in (action as object) ? action : () => {},
    ]);
    this.#quiet = machine.provide({ actions: Object.fromEntries(actions) }) as AnyStateMachine;
    const own = allTransitions(machine);
    for (const [index, { transition: twin }] of allTransitions(this.#quiet).entries()) {
      this.#originals.set(twin, own[index]?.transition ?? {});
    }
  }

  ofEvent(before: AnyMachineSnapshot, event: EventFromLogic<Machine>): readonly object[] {
    if (this.#quiet !== undefined && before.status === 'active') {
      return this.#watch({ snapshot: before }, event);
    }
    return this.#machine.getTransitionData(before, event);
  }

  ofStart(input: unknown): readonly object[] {
    return this.#quiet === undefined ? [] : this.#watch({ input }, undefined);
  }

  #watch(options: object, event: EventFromLogic<Machine> | undefined): readonly object[] {
    if (this.#quiet === undefined) return [];
    const taken: object[] = [];
    const actor = createActor(this.#quiet, {
      ...options,
      inspect: (seen) => {
        if (seen.type !== '@xstate.microstep') return;
        for (const one of seen._transitions) taken.push(this.#originals.get(one) ?? one);
      },
    });
    if (event === undefined) return taken;
    taken.length = 0;
    actor.subscribe({ error: () => {} });
    actor.start();
    actor.send(event);
    actor.stop();
    return taken;
  }
}
