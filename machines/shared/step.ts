import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom, SnapshotFrom, StateMachine } from 'xstate';
import { readMachine } from './compile.ts';
import {
  type Assign,
  ChartRefusal,
  type Copy,
  copyAnything,
  type Effect,
  type EventLike,
  firstContext,
  holds,
  StepArgs,
  toPlain,
  type ValueLike,
} from './parts.ts';
import { joinedRules } from './rules.ts';
import type { Snapshot } from './snapshot.ts';
import { type Choice, type Configuration, type Decision, type Plan, Tables } from './tables.ts';

export type { Snapshot } from './snapshot.ts';
export { ChartRefusal, type Effect, type EventLike };

/** What one event did. When `ignored`, no transition matched and `snapshot` is the object that was passed in. */
export interface Step<Context, Value, Order = Effect> {
  readonly snapshot: Snapshot<Context, Value>;
  /** The custom actions, in XState's order; none has been executed. */
  readonly effects: readonly Order[];
  readonly ignored: boolean;
  /** The ids of the rules that the transitions taken name, in their order. */
  readonly rules: readonly string[];
}

/** A machine together with its transition table; the machine stays the only definition of what happens. */
export interface Chart<Context, Event extends EventLike, Value, Input, Order = Effect> {
  readonly id: string;
  readonly version: string;
  readonly machine: AnyStateMachine;
  /** The machine's config as frozen plain data; a function appears only as the word `[function]`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Every configuration, by name. */
  readonly values: readonly Value[];
  /** Every event type that some state names, without wildcards. */
  readonly events: readonly Event['type'][];
  /** Carries the types; never present. */
  readonly '~types'?: { context: Context; event: Event; value: Value; input: Input; order: Order };
}

// One letter for each type parameter that is passed over; XState has no other way to ask for the actions.
type ActionOf<Machine> =
  Machine extends StateMachine<
    infer _A,
    infer _B,
    infer _C,
    infer _D,
    infer Action,
    infer _F,
    infer _G,
    infer _H,
    infer _I,
    infer _J,
    infer _K,
    infer _L,
    infer _M,
    infer _N,
    infer _O
  >
    ? Action
    : never;

/** The chart of a machine, for code that names its type. */
export type ChartOf<Machine extends AnyStateMachine> = Chart<
  ContextFrom<Machine>,
  EventFromLogic<Machine>,
  SnapshotFrom<Machine>['value'],
  InputFrom<Machine>,
  Readonly<ActionOf<Machine>>
>;

type Types<One> = One extends { readonly '~types'?: infer Carried } ? NonNullable<Carried> : never;
type Part<One, Name extends string> = Types<One> extends Record<Name, infer Found> ? Found : never;

/** The type of a chart's snapshots. */
export type SnapshotOf<One> = Snapshot<Part<One, 'context'>, Part<One, 'value'>>;
/** The type of a chart's effects: actions by name, each with the type of its params. */
export type EffectOf<One> = Part<One, 'order'>;
/** The type of a chart's events. */
export type EventOf<One> = Part<One, 'event'>;

type InputArgs<Input> = undefined extends Input ? [input?: Input] : [input: Input];
type AnyStep = Step<object, ValueLike>;

const NOTHING: readonly never[] = Object.freeze([]);
const charts = new WeakMap<AnyStateMachine, Compiled>();

class Compiled {
  readonly id: string;
  readonly version: string;
  readonly machine: AnyStateMachine;
  readonly #copy: Copy;
  #config: Readonly<Record<string, unknown>> | undefined;
  #tables: Tables | undefined;

  constructor(machine: AnyStateMachine, copy: Copy) {
    this.id = machine.id;
    this.version = machine.version ?? '1';
    this.machine = machine;
    this.#copy = copy;
  }
  get config(): Readonly<Record<string, unknown>> {
    this.#config ??= toPlain({ ...this.machine.config, types: undefined }) as Readonly<Record<string, unknown>>;
    return this.#config;
  }
  get tables(): Tables {
    this.#tables ??= new Tables(readMachine(this.machine, this.#copy));
    return this.#tables;
  }
  get values(): readonly ValueLike[] {
    return Object.freeze(this.tables.configurations.map((each) => each.value));
  }
  get events(): readonly string[] {
    return Object.freeze([...this.tables.types]);
  }
}

class Standing implements Snapshot<object, ValueLike> {
  readonly at: Configuration;
  readonly context: object;

  constructor(at: Configuration, context: object) {
    this.at = at;
    this.context = context;
  }
  get value(): ValueLike {
    return this.at.value;
  }
  get done(): boolean {
    return this.at.done;
  }
  toJSON(): unknown {
    return { value: this.value, context: this.context };
  }
}

/**
 * Compiles a machine, once, into a chart that `step` runs exactly as XState's `transition()` would.
 * Throws ChartRefusal, naming state and feature, for whatever is not proved equal; guards and assigns must be pure.
 * `copy` makes an own copy of a context; naming its fields in a literal is several times faster than the general way.
 */
export function compile<Machine extends AnyStateMachine>(
  machine: Machine,
  copy?: (context: ContextFrom<Machine>) => ContextFrom<Machine>,
): ChartOf<Machine> {
  const chart = compileLater(machine, copy);
  // A refusal is heard here and now.
  inside(chart).tables;
  return chart;
}

/** The same, but its table is made when it is first used: the first ask waits for no chart that it does not need. */
export function compileLater<Machine extends AnyStateMachine>(
  machine: Machine,
  copy?: (context: ContextFrom<Machine>) => ContextFrom<Machine>,
): ChartOf<Machine> {
  let chart = charts.get(machine);
  if (chart === undefined) {
    chart = new Compiled(machine, copy === undefined ? copyAnything : (copy as unknown as Copy));
    charts.set(machine, chart);
  }
  // The types of a chart are those of its machine; Compiled itself is untyped on purpose, so that it is compiled once.
  return chart as unknown as ChartOf<Machine>;
}

/** The first snapshot of a chart, with the effects of entering it. */
export function start<Context, Event extends EventLike, Value, Input, Order>(
  chart: Chart<Context, Event, Value, Input, Order>,
  ...input: InputArgs<Input>
): Step<Context, Value, Order> {
  const { tables } = inside(chart);
  const event = { type: 'xstate.init', input: input[0] };
  const args = new StepArgs(firstContext(tables.model, event), event);
  const plan = tables.initial;
  const effects = run(plan, args);
  return outside(settle(undefined, plan, plan.to, args, effects));
}

/** One event, as a pure function; throws what a guard or an assign throws, and then nothing has happened. */
export function step<Context, Event extends EventLike, Value, Input, Order>(
  chart: Chart<Context, Event, Value, Input, Order>,
  snapshot: Snapshot<Context, Value>,
  event: NoInfer<Event>,
): Step<Context, Value, Order> {
  const from = standing(chart, snapshot);
  const { at } = from;
  const args = new StepArgs(from.context, event);
  const plan = select(at, at.decisions.get(event.type) ?? firstMeeting(at, event.type), args);
  if (plan === undefined) {
    if (at.always === undefined) return { snapshot, effects: NOTHING, ignored: true, rules: NOTHING };
    return outside(settle(from, undefined, at, args, NOTHING));
  }
  const effects = run(plan, args);
  const { to } = plan;
  if (to.always !== undefined || plan.raised.length > 0) return outside(settle(from, plan, to, args, effects));
  const next = changes(plan, at) ? new Standing(to, args.context) : from;
  return outside({ snapshot: next, effects, ignored: false, rules: plan.rules });
}

/** Puts a stored row back where it stood; throws, naming the states, when the value is none of the chart. */
export function restore<Context, Event extends EventLike, Value, Input, Order>(
  chart: Chart<Context, Event, Value, Input, Order>,
  value: unknown,
  context: Context,
): Snapshot<Context, Value> {
  const { tables } = inside(chart);
  const at = tables.find(value);
  if (at === undefined) {
    const { values } = chart;
    const known = values.slice(0, 20).map((each) => JSON.stringify(each));
    if (values.length > known.length) known.push('…');
    throw new Error(`chart "${chart.id}" has no state ${JSON.stringify(value)}; it has ${known.join(', ')}`);
  }
  return new Standing(at, context as object) as unknown as Snapshot<Context, Value>;
}

/** Whether the event would be taken here by a transition that is not forbidden. */
export function can<Context, Event extends EventLike, Value, Input, Order>(
  chart: Chart<Context, Event, Value, Input, Order>,
  snapshot: Snapshot<Context, Value>,
  event: NoInfer<Event>,
): boolean {
  const { at, context } = standing(chart, snapshot);
  const decision = at.decisions.get(event.type) ?? firstMeeting(at, event.type);
  return select(at, decision, new StepArgs(context, event))?.live ?? false;
}

function firstMeeting(at: Configuration, type: string): Decision {
  if (type.startsWith('xstate.')) throw new Error(`event "${type}": names beginning with "xstate." are XState's own`);
  return at.tables.decide(at, type);
}

/** The plan that is taken, or undefined when the event means nothing here. Nearly every row asks one state only. */
function select(at: Configuration, { only, parts, fallback }: Decision, args: StepArgs): Plan | undefined {
  if (only !== undefined) return firstOpen(only, args, at.value)?.plan;
  let taken: Choice | undefined;
  for (let i = 0; i < parts.length; i += 1) {
    const choice = firstOpen(parts[i] as readonly Choice[], args, at.value);
    if (choice !== undefined) taken = taken === undefined ? choice : at.tables.join(at, taken, choice);
  }
  return (taken ?? firstOpen(fallback, args, at.value))?.plan;
}

// Plain index loops here and below: a step is so short that an iterator would be a good part of its price.
function firstOpen(choices: readonly Choice[], args: StepArgs, value: ValueLike): Choice | undefined {
  for (let i = 0; i < choices.length; i += 1) {
    const choice = choices[i] as Choice;
    if (choice.guard === undefined || holds(choice.guard, args, value)) return choice;
  }
  return undefined;
}

/** Takes one plan: moves the context on in `args`, and gives the effects. */
function run(plan: Plan, args: StepArgs): readonly Effect[] {
  if (plan.computed) return runComputed(plan, args);
  const { assigns } = plan;
  for (let i = 0; i < assigns.length; i += 1) args.context = (assigns[i] as Assign)(args);
  return plan.effects;
}

function runComputed(plan: Plan, args: StepArgs): readonly Effect[] {
  const effects: Effect[] = [];
  for (const { assign, fixed, made } of plan.ops) {
    if (assign !== undefined) args.context = assign(args);
    else if (fixed !== undefined) effects.push(fixed);
    else if (made !== undefined) effects.push(made(args));
  }
  return effects;
}

const selectEventless = (at: Configuration, args: StepArgs): Plan | undefined =>
  at.always === undefined ? undefined : select(at, at.always, args);

const joined = <T>(some: readonly T[], more: readonly T[]): readonly T[] =>
  more.length === 0 ? some : some.length === 0 ? more : [...some, ...more];

const changes = (plan: Plan, at: Configuration): boolean => plan.to !== at || plan.assigns.length > 0;

/**
 * Eventless transitions and the events of finished regions, until the chart is at rest: XState's macrostep.
 * `first` is the plan that led from snapshot `from` to `start`, or undefined when the event matched nothing.
 */
function settle(
  from: Standing | undefined,
  first: Plan | undefined,
  start: Configuration,
  begun: StepArgs,
  ordered: readonly Effect[],
): AnyStep {
  const { limit, id } = start.tables.model;
  let at = start;
  let args = begun;
  let effects = ordered;
  let rules = first?.rules ?? NOTHING;
  let queue: readonly EventLike[] = first?.raised ?? [];
  let heard = 0;
  let eventless = true;
  let changed = from === undefined || (first !== undefined && changes(first, from.at));
  let ignored = first === undefined;
  for (let count = 1; !at.done; count += 1) {
    if (count > limit) throw new Error(`chart "${id}" loops in ${JSON.stringify(at.value)}`);
    let plan: Plan | undefined = eventless ? selectEventless(at, args) : undefined;
    // An eventless transition that changed nothing would be taken for ever; XState stops there too.
    eventless = plan === undefined || changes(plan, at);
    if (plan === undefined) {
      const event = queue[heard];
      if (event === undefined) break;
      heard += 1;
      args = new StepArgs(args.context, event);
      plan = select(at, at.tables.decide(at, event.type), args);
      if (plan === undefined) continue;
    }
    effects = joined(effects, run(plan, args));
    rules = joinedRules(rules, plan.rules);
    queue = joined(queue, plan.raised);
    changed ||= changes(plan, at);
    ignored = false;
    at = plan.to;
  }
  return { snapshot: changed || from === undefined ? new Standing(at, args.context) : from, effects, ignored, rules };
}

// The three casts between the typed surface and the untyped table: a chart's types are those of its machine,
// and a snapshot is only ever made here, which `standing` checks.
function inside(chart: object): Compiled {
  if (chart instanceof Compiled) return chart;
  throw new TypeError('this is not a chart made by compile()');
}

function standing(chart: object & { readonly id: string }, snapshot: object): Standing {
  if (snapshot instanceof Standing && snapshot.at.tables === (chart as Compiled).tables) return snapshot;
  throw new TypeError(`this is not a snapshot of chart "${chart.id}"`);
}

function outside<Context, Value, Order>(result: AnyStep): Step<Context, Value, Order> {
  return result as unknown as Step<Context, Value, Order>;
}
