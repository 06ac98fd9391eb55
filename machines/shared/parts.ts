import { type AnyStateMachine, and, matchesState, not, or, stateIn } from 'xstate';
import { isWhole } from './whole.ts';

export interface EventLike {
  readonly type: string;
}

/** A custom action that a step orders: its name and its parameters. Nothing has been executed. */
export interface Effect {
  readonly type: string;
  readonly params?: unknown;
}

export type ValueLike = string | { readonly [region: string]: string };

/** Thrown by `compile` when a machine uses something that the table is not proved equal for. */
export class ChartRefusal extends Error {
  override readonly name = 'ChartRefusal';
  readonly feature: string;

  constructor(chart: string, where: string, feature: string, reason: string) {
    super(`chart "${chart}", ${where}: ${feature} is refused: ${reason}`);
    this.feature = feature;
  }
}

/** What guards, assigns and params functions are called with. Actors do not exist here, so reaching for one throws. */
export class StepArgs {
  context: object;
  readonly event: EventLike;

  constructor(context: object, event: EventLike) {
    this.context = context;
    this.event = event;
  }
  get spawn(): never {
    return this.refuse('spawn');
  }
  get self(): never {
    return this.refuse('self');
  }
  get system(): never {
    return this.refuse('system');
  }
  private refuse(what: string): never {
    throw new Error(`on event "${this.event.type}" a function reached for ${what}: compiled charts have no actors`);
  }
}

/** Gives a context that nobody else has seen yet. */
export type Assign = (args: StepArgs) => object;

/** A condition. A registered function is called with nothing but the arguments that XState gives it. */
export interface Guard {
  readonly holds: (args: StepArgs, value?: ValueLike) => unknown;
  /** It does not read the value. */
  readonly bare: boolean;
}

export const holds = ({ holds: ask, bare }: Guard, args: StepArgs, value: ValueLike): boolean =>
  Boolean(bare ? ask(args) : ask(args, value));

/** One action: an assign, an effect known beforehand, or an effect with computed params. Exactly one is set. */
export interface Op {
  readonly assign: Assign | undefined;
  /** What the assign writes, when it calls no function. */
  readonly constants: readonly (readonly [string, unknown])[] | undefined;
  /** The assign gives a whole context, not only what changes. */
  readonly whole: boolean;
  readonly fixed: Effect | undefined;
  readonly made: ((args: StepArgs) => Effect) | undefined;
}

/** One transition. `to` holds a leaf index for each region, -1 where the region stays as it is. */
export interface Move {
  readonly guard: Guard | undefined;
  readonly ops: readonly Op[];
  readonly to: readonly number[] | undefined;
  /** The regions themselves are left and entered too: a transition of a parallel root that has a target. */
  readonly outer: boolean;
  /** False for a forbidden event: it matches, and does nothing. */
  readonly live: boolean;
  /** The ids of the rules that its `meta` names. */
  readonly rules: readonly string[];
}

export interface Scope {
  readonly order: number;
  readonly entry: readonly Op[];
  readonly exit: readonly Op[];
  readonly on: ReadonlyMap<string, readonly Move[]>;
  readonly always: readonly Move[];
}

export interface Leaf extends Scope {
  readonly name: string;
  readonly final: boolean;
}

/** One region of a parallel machine, or the whole of a flat one; then `self` is empty and the root speaks. */
export interface Region {
  readonly name: string;
  readonly self: Scope;
  readonly leaves: readonly Leaf[];
  readonly initial: number;
  readonly doneEvent: EventLike;
}

export interface Model {
  readonly id: string;
  readonly parallel: boolean;
  readonly root: Scope;
  readonly regions: readonly Region[];
  readonly context: object | ((args: { readonly input: unknown }) => object);
  /** Microsteps allowed in one step. */
  readonly limit: number;
}

const NO_OP: Op = { assign: undefined, constants: undefined, whole: false, fixed: undefined, made: undefined };

/** Says where a part stands and why it is refused. */
export type Refuse = (feature: string, reason: string) => never;

type Fn = (args: StepArgs, params?: unknown) => unknown;
type Combinator = Fn & { readonly check: unknown; readonly guards: readonly unknown[]; readonly stateValue: unknown };
type Builtin = Fn & { readonly type: string; readonly resolve: unknown; readonly assignment: unknown };

// XState tells its combinators apart by their `check`; function names do not survive a minifier.
const checkOf = (guard: unknown): unknown => (guard as Combinator).check;
const AND = checkOf(and([]));
const OR = checkOf(or([]));
const NOT = checkOf(not('x'));
const IN = checkOf(stateIn('x'));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compiles the action that a chart names; throws through `refuse` for anything but assign and custom actions. */
export function readAction(machine: AnyStateMachine, raw: unknown, copy: Copy, refuse: Refuse): Op {
  const { type, params } = readReference(raw, 'action', refuse);
  const found = implementation(machine.implementations.actions, type);
  if (found === undefined) return refuse(`action "${type}"`, 'it is not a function registered in setup()');
  if (!('resolve' in found)) {
    if (typeof params !== 'function') {
      return { ...NO_OP, fixed: Object.freeze({ type, params }) };
    }
    const compute = params as Fn;
    return { ...NO_OP, made: (args) => ({ type, params: compute(args, undefined) }) };
  }
  const builtin = found as Builtin;
  if (builtin.type !== 'xstate.assign') return refuse(`${builtin.type} (action "${type}")`, 'only assign is built in');
  const { assignment } = builtin;
  const constant =
    isRecord(assignment) && ![params, ...Object.values(assignment)].some((one) => typeof one === 'function');
  return {
    ...NO_OP,
    assign: readAssign(assignment, params, copy),
    constants: constant ? Object.entries(assignment) : undefined,
    whole: isWhole(assignment),
  };
}

/** Makes an own, writable copy of a context. */
export type Copy = (context: object) => object;

export const copyAnything: Copy = (context) => Object.assign({}, context);

function readAssign(assignment: unknown, params: unknown, copy: Copy): Assign {
  const compute: Fn = typeof params === 'function' ? (params as Fn) : () => params;
  if (typeof assignment === 'function') {
    const update = assignment as Fn;
    if (isWhole(assignment) && params === undefined) return update as Assign;
    if (isWhole(assignment)) return (args) => update(args, compute(args, undefined)) as object;
    return (args) => Object.assign(copy(args.context), update(args, compute(args, undefined)));
  }
  const fields = Object.entries(assignment as Readonly<Record<string, unknown>>);
  return (args) => {
    const given = compute(args, undefined);
    const next = copy(args.context) as Record<string, unknown>;
    for (const [key, value] of fields) next[key] = typeof value === 'function' ? (value as Fn)(args, given) : value;
    return next;
  };
}

/** Compiles the guard that a chart names, through `and`, `or`, `not` and `stateIn`. */
export function readGuard(
  machine: AnyStateMachine,
  raw: unknown,
  refuse: Refuse,
  inside: readonly string[] = [],
): Guard {
  if (typeof raw === 'function') {
    return 'check' in raw
      ? readCombinator(machine, raw as Combinator, refuse, inside)
      : refuse('an inline guard', 'register it in setup() and name it');
  }
  const { type, params } = readReference(raw, 'guard', refuse);
  if (inside.includes(type)) return refuse(`guard "${type}"`, 'it refers to itself');
  const found = implementation(machine.implementations.guards, type);
  if (found === undefined) return refuse(`guard "${type}"`, 'it is not a function registered in setup()');
  if ('check' in found) return readCombinator(machine, found as Combinator, refuse, [...inside, type]);
  if (params === undefined) return { holds: found as Guard['holds'], bare: true };
  if (typeof params !== 'function') return { holds: (args) => found(args, params), bare: true };
  const compute = params as Fn;
  return { holds: (args) => found(args, compute(args, undefined)), bare: true };
}

function readCombinator(machine: AnyStateMachine, raw: Combinator, refuse: Refuse, inside: readonly string[]): Guard {
  if (raw.check === IN) return readStateIn(machine, raw.stateValue, refuse);
  if (raw.check !== AND && raw.check !== OR && raw.check !== NOT)
    return refuse('an unknown guard combinator', 'not proved');
  const parts = raw.guards.map((part) => readGuard(machine, part, refuse, inside));
  const all = (args: StepArgs, value: ValueLike = '') => parts.every((part) => holds(part, args, value));
  if (raw.check === AND) return { holds: all, bare: false };
  if (raw.check === NOT) return { holds: (args, value) => !all(args, value), bare: false };
  return { holds: (args, value = '') => parts.some((part) => holds(part, args, value)), bare: false };
}

function readStateIn(machine: AnyStateMachine, wanted: unknown, refuse: Refuse): Guard {
  if (typeof wanted !== 'string' && !isRecord(wanted))
    return refuse('stateIn', 'it names a state, an "#id" or a value');
  if (typeof wanted !== 'string' || !wanted.startsWith('#')) {
    return { holds: (_args, value = '') => matchesState(wanted as ValueLike, value), bare: false };
  }
  const path = machine.getStateNodeById(wanted).path;
  if (path.length === 0) return { holds: () => true, bare: true };
  return { holds: (_args, value = '') => matchesState(path.join('.'), value), bare: false };
}

/** The context that a machine starts with. */
export function firstContext(model: Model, event: { readonly input: unknown }): object {
  const { context } = model;
  return typeof context === 'function' ? context(new FirstArgs(model.id, event.input)) : context;
}

/** What a context factory is called with: reaching for an actor throws. */
class FirstArgs {
  readonly input: unknown;
  readonly #chart: string;

  constructor(chart: string, input: unknown) {
    this.#chart = chart;
    this.input = input;
  }
  get spawn(): never {
    return this.#refuse();
  }
  get self(): never {
    return this.#refuse();
  }
  #refuse(): never {
    throw new Error(`chart "${this.#chart}": its context reached for an actor; compiled charts have none`);
  }
}

function readReference(raw: unknown, kind: string, refuse: Refuse): { type: string; params: unknown } {
  if (typeof raw === 'string') return { type: raw, params: undefined };
  if (typeof raw === 'function') return refuse(`an inline ${kind}`, 'register it in setup() and name it');
  if (!isRecord(raw) || typeof raw.type !== 'string') return refuse(`a nameless ${kind}`, 'name it');
  for (const key of Object.keys(raw)) {
    if (key !== 'type' && key !== 'params') return refuse(`"${key}" on ${kind} "${raw.type}"`, 'only type and params');
  }
  return { type: raw.type, params: raw.params };
}

function implementation(registered: object, name: string): Fn | undefined {
  const found: unknown = Object.hasOwn(registered, name) ? Reflect.get(registered, name) : undefined;
  return typeof found === 'function' ? (found as Fn) : undefined;
}

/** A config as data, for a hash: combinators are spelled out, any other function is only said to be there. */
export function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map((item) => toPlain(item) ?? null));
  if (typeof value === 'function') {
    const { check, guards, stateValue } = value as Combinator;
    if (check === IN) return Object.freeze({ stateIn: toPlain(stateValue) });
    const name = check === AND ? 'and' : check === OR ? 'or' : check === NOT ? 'not' : undefined;
    return name === undefined ? '[function]' : Object.freeze({ [name]: toPlain(guards) });
  }
  if (!isRecord(value)) return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.freeze(Object.fromEntries(entries.map(([key, item]) => [key, toPlain(item)])));
}
