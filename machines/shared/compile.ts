import type { AnyStateMachine } from 'xstate';
import {
  ChartRefusal,
  type Copy,
  type Leaf,
  type Model,
  type Move,
  type Op,
  type Refuse,
  type Region,
  readAction,
  readGuard,
  type Scope,
} from './parts.ts';

// The fields of XState's StateNode that are read. All are public there, but typed with `any`.
interface RawTransition {
  readonly target: readonly RawNode[] | undefined;
  readonly source: RawNode;
  readonly guard: unknown;
  readonly actions: readonly unknown[];
  readonly reenter: boolean;
  readonly meta: { readonly rules?: unknown } | undefined;
}
interface RawNode {
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly parent: RawNode | undefined;
  readonly order: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly states: Readonly<Record<string, RawNode>>;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly transitions: ReadonlyMap<string, readonly RawTransition[]>;
  readonly always: readonly RawTransition[] | undefined;
}

const LEAF_KEYS = ['id', 'type', 'description', 'meta', 'tags', 'entry', 'exit', 'on', 'always'];
const REGION_KEYS = [...LEAF_KEYS, 'initial', 'states'];
const ROOT_KEYS = [...REGION_KEYS, 'version', 'context', 'types', 'schemas', 'options'];
const TRANSITION_KEYS = [
  'target',
  'guard',
  'actions',
  'reenter',
  'description',
  'meta',
  'source',
  'eventType',
  'toJSON',
];
const MAX_CONFIGURATIONS = 10_000;
/** XState loops for ever by default; a chart that takes this many microsteps in one step is a loop. */
const MAX_MICROSTEPS = 1_000;
const namesIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
const EMPTY: Scope = { order: -1, entry: [], exit: [], on: new Map(), always: [] };

/** Reads a machine into the model that step.ts runs; throws ChartRefusal at the first thing it cannot vouch for. */
export function readMachine(machine: AnyStateMachine, copy: Copy): Model {
  return new Reader(machine, copy).read();
}

class Reader {
  private readonly machine: AnyStateMachine;
  private readonly copy: Copy;
  private readonly root: RawNode;
  private readonly parallel: boolean;
  /** The nodes whose children are the plain states: the regions, or the root of a flat machine. */
  private readonly containers: readonly RawNode[];
  private readonly places = new Map<RawNode, { readonly region: number; readonly leaf: number }>();

  constructor(machine: AnyStateMachine, copy: Copy) {
    this.machine = machine;
    this.copy = copy;
    // The one cast from XState's node type, whose fields are `any`, to the fields read here.
    this.root = machine.root as unknown as RawNode;
    this.parallel = this.root.type === 'parallel';
    this.containers = this.parallel ? Object.values(this.root.states) : [this.root];
  }

  read(): Model {
    this.checkShape();
    const model: Model = {
      id: this.machine.id,
      parallel: this.parallel,
      root: this.scope(this.root),
      regions: this.containers.map((node) => this.region(node)),
      context: (this.machine.config.context ?? {}) as Model['context'],
      limit: Math.min(this.machine.options.maxIterations ?? MAX_MICROSTEPS, MAX_MICROSTEPS),
    };
    this.checkFinals(model);
    this.checkEventless(model);
    return model;
  }

  private refuse(node: RawNode, feature: string, reason: string, event?: string): never {
    const state = node.parent === undefined ? 'root' : `state "${node.id}"`;
    const where = event === undefined ? state : `${state}, event "${event}"`;
    throw new ChartRefusal(this.machine.id, where, feature, reason);
  }

  private checkShape(): void {
    const { root } = this;
    this.checkKeys(root, ROOT_KEYS);
    if (root.type !== 'compound' && !this.parallel) this.refuse(root, 'a machine without states', 'it has no value');
    for (const key of Object.keys(this.machine.options)) {
      if (key !== 'maxIterations') this.refuse(root, `option "${key}"`, 'its effect is not known');
    }
    const ids = new Set([root.id]);
    let configurations = 1;
    for (const [region, container] of this.containers.entries()) {
      if (this.parallel) this.checkRegion(container, region, ids);
      for (const [index, leaf] of Object.values(container.states).entries()) this.checkLeaf(leaf, region, index, ids);
      configurations *= Object.keys(container.states).length;
    }
    if (this.containers.length === 0) this.refuse(root, 'a machine without states', 'it has no value');
    if (configurations > MAX_CONFIGURATIONS) {
      this.refuse(root, `${configurations} configurations`, `at most ${MAX_CONFIGURATIONS}`);
    }
  }

  private checkRegion(node: RawNode, region: number, ids: Set<string>): void {
    this.checkKeys(node, REGION_KEYS);
    if (node.type !== 'compound') this.refuse(node, `a region of type ${node.type}`, 'a region has plain states');
    this.checkName(node, ids);
    this.places.set(node, { region, leaf: -1 });
  }

  private checkLeaf(node: RawNode, region: number, leaf: number, ids: Set<string>): void {
    if (node.type === 'history') this.refuse(node, 'history', 'a value would not say where to return to');
    if (node.type !== 'atomic' && node.type !== 'final') {
      this.refuse(node, 'nesting', 'charts are flat, or one level of parallel regions');
    }
    this.checkKeys(node, LEAF_KEYS);
    this.checkName(node, ids);
    this.places.set(node, { region, leaf });
  }

  private checkKeys(node: RawNode, allowed: readonly string[]): void {
    for (const [key, value] of Object.entries(node.config)) {
      if (value !== undefined && !allowed.includes(key))
        this.refuse(node, key, 'it is not one of the supported features');
    }
    const { initial } = node.config;
    if (initial !== undefined && typeof initial !== 'string') {
      this.refuse(node, 'an initial transition object', 'name the initial state');
    }
  }

  // Names like "1" reorder the keys of a value, names with dots read as paths, and equal ids share one place.
  private checkName(node: RawNode, ids: Set<string>): void {
    if (!/^[A-Za-z][\w-]*$/.test(node.key)) {
      this.refuse(node, `the name "${node.key}"`, 'a name is a letter followed by letters, digits, _ or -');
    }
    if (ids.has(node.id)) this.refuse(node, `the id "${node.id}" twice`, 'ids are unique');
    ids.add(node.id);
  }

  private region(node: RawNode): Region {
    return {
      name: node.key,
      self: this.parallel ? this.scope(node) : EMPTY,
      leaves: Object.values(node.states).map((leaf) => this.leaf(leaf)),
      initial: this.initialOf(node),
      doneEvent: Object.freeze({ type: `xstate.done.state.${node.id}`, output: undefined }),
    };
  }

  private initialOf(container: RawNode): number {
    const index = Object.keys(container.states).indexOf(String(container.config.initial));
    if (index < 0) this.refuse(container, `initial "${String(container.config.initial)}"`, 'there is no such state');
    return index;
  }

  private leaf(node: RawNode): Leaf {
    const final = node.type === 'final';
    if (final && (node.transitions.size > 0 || node.always !== undefined)) {
      this.refuse(node, 'a transition of a final state', 'a final state ends its chart or region');
    }
    return { ...this.scope(node), name: node.key, final };
  }

  private scope(node: RawNode): Scope {
    const on = new Map<string, readonly Move[]>();
    for (const [descriptor, list] of node.transitions) {
      if (descriptor.startsWith('xstate.')) this.refuse(node, `event "${descriptor}"`, 'it belongs to XState');
      if (descriptor.includes('*') && !/^(\*|[^*]+\.\*)$/.test(descriptor)) {
        this.refuse(node, `the wildcard "${descriptor}"`, 'only "*" and "prefix.*" are wildcards');
      }
      on.set(
        descriptor,
        list.map((raw) => this.move(node, raw, descriptor)),
      );
    }
    return {
      order: node.order,
      entry: this.actions(node, node.entry, 'entry'),
      exit: this.actions(node, node.exit, 'exit'),
      on,
      always: (node.always ?? []).map((raw) => this.move(node, raw, 'always')),
    };
  }

  private actions(node: RawNode, list: readonly unknown[], event: string): Op[] {
    return list.map((raw) =>
      readAction(this.machine, raw, this.copy, (feature, reason) => this.refuse(node, feature, reason, event)),
    );
  }

  private move(node: RawNode, raw: RawTransition, event: string): Move {
    for (const [key, value] of Object.entries(raw)) {
      if (value !== undefined && !TRANSITION_KEYS.includes(key)) this.refuse(node, key, 'not supported', event);
    }
    const refuse = (feature: string, reason: string): never => this.refuse(node, feature, reason, event);
    return {
      guard: raw.guard === undefined ? undefined : readGuard(this.machine, raw.guard, refuse),
      ops: this.actions(node, raw.actions, event),
      to: raw.target === undefined ? undefined : this.targets(raw, raw.target, refuse),
      outer: this.parallel && node === this.root && raw.target !== undefined,
      live: raw.target !== undefined || raw.actions.length > 0,
      rules: namesIn(raw.meta?.rules),
    };
  }

  private targets(raw: RawTransition, targets: readonly RawNode[], refuse: Refuse): readonly number[] | undefined {
    const { source } = raw;
    const [first, ...more] = targets;
    if (first === undefined) return refuse('an empty target list', 'leave the target out');
    if (source === this.root) return this.rootTargets(raw, targets, refuse);
    if (more.length > 0) return refuse('several targets', 'only a parallel root may name one for each region');
    const from = this.places.get(source);
    const to = this.places.get(first);
    if (from === undefined || to === undefined || from.region !== to.region || (to.leaf < 0 && from.leaf >= 0)) {
      return refuse(`target "${first.id}"`, 'it leaves the region or the machine');
    }
    if (from.leaf < 0 && raw.reenter) return refuse('reenter on a region', 'it restarts every other region');
    // XState neither leaves nor enters a state that targets itself without `reenter`.
    if (first === source && from.leaf >= 0 && !raw.reenter) return undefined;
    return this.containers.map((container, region) => {
      if (region !== to.region) return -1;
      return to.leaf < 0 ? this.initialOf(container) : to.leaf;
    });
  }

  // A targeted root transition restarts every region that it does not name.
  private rootTargets(raw: RawTransition, targets: readonly RawNode[], refuse: Refuse): readonly number[] {
    if (raw.reenter) return refuse('reenter on the root', 'it leaves the machine itself');
    const to = this.containers.map((container) => this.initialOf(container));
    const named = new Set<number>();
    for (const target of targets) {
      if (target === this.root && targets.length === 1) return to;
      const place = this.places.get(target);
      if (place === undefined || named.has(place.region)) return refuse('several targets', 'one for each region');
      named.add(place.region);
      if (place.leaf >= 0) to[place.region] = place.leaf;
    }
    return to;
  }

  // XState calls a machine that ever was in its final states `done` for ever, which a stored state name cannot say.
  private checkFinals(model: Model): void {
    if (!model.regions.every((region) => region.leaves.some((leaf) => leaf.final))) return;
    for (const scope of [model.root, ...model.regions.map((region) => region.self)]) {
      for (const [descriptor, moves] of scope.on) {
        for (const { to } of moves) {
          if (to?.some((leaf, region) => leaf >= 0 && model.regions[region]?.leaves[leaf]?.final !== true)) {
            this.refuse(
              this.root,
              `event "${descriptor}", which leaves a final state`,
              'a finished chart stays finished',
            );
          }
        }
      }
    }
  }

  // XState takes eventless transitions in the order in which states were entered, which a stored value cannot say.
  private checkEventless(model: Model): void {
    if (!model.parallel) return;
    if (model.root.always.length > 0) this.refuse(this.root, 'always on a parallel root', 'regions would conflict');
    const acting = model.regions.filter((region) =>
      [region.self, ...region.leaves].some((scope) => scope.always.some((move) => move.ops.length > 0)),
    );
    if (acting.length > 1) this.refuse(this.root, 'always with actions in two regions', 'their order would be chance');
  }
}
