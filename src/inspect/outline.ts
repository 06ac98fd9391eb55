/** A chart as what there is to draw and to write down: regions, states, transitions. Read from the machine, by nobody's hand. */

/** What is read of a machine; XState's own types stay out of what this folder passes on. */
export interface ChartSource {
  readonly id: string;
  readonly config: object;
  readonly implementations: { readonly actions: object };
}

/** One transition, as the chart's literal states it. */
export interface Arrow {
  /** State or region it belongs to; empty: the chart itself. */
  readonly from: string;
  /** `always`: taken by itself. */
  readonly event: string;
  readonly guard: string | undefined;
  /** The state that it enters; undefined: it stays where it is. */
  readonly to: string | undefined;
  /** Place among the transitions of its event, which are tried in this order. */
  readonly index: number;
  /** Every action, as `name` or `name(params)`. */
  readonly actions: readonly string[];
  /** Those that are orders to the shell; the others change the context. */
  readonly orders: readonly string[];
  readonly rules: readonly string[];
  readonly description: string | undefined;
}

export interface State {
  /** `<region>.<state>`; in a flat chart the state alone. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly isFinal: boolean;
  readonly arrows: readonly Arrow[];
}

export interface Region {
  /** Undefined in a flat chart, which is one region. */
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Id of the first state. */
  readonly initial: string;
  readonly states: readonly State[];
  /** What the region does in whichever state it is. */
  readonly arrows: readonly Arrow[];
}

export interface Outline {
  readonly id: string;
  readonly description: string;
  readonly isParallel: boolean;
  readonly regions: readonly Region[];
  /** What the chart does in whichever state it is. */
  readonly arrows: readonly Arrow[];
}

interface RawAction {
  readonly type: string;
  readonly params?: Readonly<Record<string, unknown>>;
}
interface RawArrow {
  readonly target?: string;
  readonly guard?: string;
  readonly actions?: string | RawAction | readonly (string | RawAction)[];
  readonly description?: string;
  readonly meta?: { readonly rules?: readonly string[] };
}
interface RawNode {
  readonly type?: string;
  readonly initial?: string;
  readonly description?: string;
  readonly states?: Readonly<Record<string, RawNode>>;
  readonly on?: Readonly<Record<string, RawArrow | readonly RawArrow[]>>;
  readonly always?: RawArrow | readonly RawArrow[];
}

/** The outline of a machine that is flat or one level of parallel regions. */
export function outline(machine: ChartSource): Outline {
  const root = machine.config as RawNode;
  const reader = new Reader(machine);
  const isParallel = root.type === 'parallel';
  const regions = isParallel
    ? Object.entries(root.states ?? {}).map(([name, node]) => reader.region(name, node))
    : [reader.region(undefined, root)];
  return {
    id: machine.id,
    description: root.description ?? '',
    isParallel,
    regions,
    arrows: reader.arrows('', '', root),
  };
}

class Reader {
  readonly #implementations: Readonly<Record<string, unknown>>;

  constructor(machine: ChartSource) {
    this.#implementations = machine.implementations.actions as Readonly<Record<string, unknown>>;
  }

  region(name: string | undefined, node: RawNode): Region {
    const prefix = name === undefined ? '' : `${name}.`;
    const states = Object.entries(node.states ?? {}).map(([key, one]) => ({
      id: prefix + key,
      name: key,
      description: one.description,
      isFinal: one.type === 'final',
      arrows: this.arrows(prefix + key, prefix, one),
    }));
    return {
      name,
      description: name === undefined ? undefined : node.description,
      initial: prefix + (node.initial ?? ''),
      states,
      arrows: name === undefined ? [] : this.arrows(name, prefix, node),
    };
  }

  arrows(from: string, prefix: string, node: RawNode): readonly Arrow[] {
    const lists = [
      ...Object.entries(node.on ?? {}),
      ...(node.always === undefined ? [] : [['always', node.always] as const]),
    ];
    return lists.flatMap(([event, raw]) =>
      listOf(raw).map((one, index) => {
        const actions = listOf(one.actions ?? []);
        return {
          from,
          event,
          guard: one.guard,
          to: one.target === undefined ? undefined : prefix + one.target,
          index,
          actions: actions.map(worded),
          orders: actions.filter((action) => this.#isOrder(action)).map(worded),
          rules: one.meta?.rules ?? [],
          description: one.description,
        };
      }),
    );
  }

  /** An assign has no effect outside the chart. */
  #isOrder(action: string | RawAction): boolean {
    const made = this.#implementations[typeof action === 'string' ? action : action.type];
    return typeof made !== 'function' || !('type' in made) || made.type !== 'xstate.assign';
  }
}

const listOf = <One>(value: One | readonly One[]): readonly One[] =>
  Array.isArray(value) ? (value as readonly One[]) : [value as One];

function worded(action: string | RawAction): string {
  if (typeof action === 'string') return action;
  const params = Object.values(action.params ?? {});
  return params.length === 0 ? action.type : `${action.type}(${params.join(', ')})`;
}

/** Every transition of a chart, in the order of its literal: those of the chart, of a region, of a state. */
export function arrowsOf(chart: Outline): readonly Arrow[] {
  return [
    ...chart.arrows,
    ...chart.regions.flatMap((region) => [...region.arrows, ...region.states.flatMap(({ arrows }) => arrows)]),
  ];
}
