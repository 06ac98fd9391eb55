/**
 * A chart as plain data, and the step over it, for code that must not carry XState: a browser bundle.
 *
 * It knows less than `step.ts` on purpose: a parallel machine of flat regions, named guards, named actions, targets in
 * the same region. `tableOf` refuses the rest. A table is written from its machine, which stays the only definition; a
 * test keeps both the same on every edge.
 */
import type { AnyStateMachine } from 'xstate';

/** What is undefined does not hold. */
export type Guard<Context, Event> = (context: Context, event: Event) => boolean | undefined;
/** The fields that change. */
export type Write<Context, Event> = (context: Context, event: Event) => Partial<Context>;

/** Guard, target, actions. An empty guard always holds; an empty target stays; an action that is a name is an order. */
export type Row<Context = object, Event = never> = readonly [
  guard: Guard<Context, Event> | '',
  target: string,
  ...actions: (Write<Context, Event> | string)[],
];
export type Rows<Context = object, Event = never> = Readonly<Record<string, readonly Row<Context, Event>[]>>;

/** Regions, their states, and what each does on which event. The state that comes first is the initial one. */
export type Table<Context = object, Event = never> = Readonly<
  Record<string, Readonly<Record<string, Rows<Context, Event>>>>
>;

export interface Place<Context> {
  readonly value: Readonly<Record<string, string>>;
  readonly context: Context;
}

export interface LeanStep<Context> {
  /** The very place that went in, when nothing was taken. */
  readonly place: Place<Context>;
  readonly orders: readonly string[];
}

/** The place of a row that nothing has happened to. */
export function firstPlace<Context, Event>(table: Table<Context, Event>, context: Context): Place<Context> {
  const value: Record<string, string> = {};
  for (const region in table) [value[region] = ''] = Object.keys(table[region] ?? {});
  return { value, context };
}

/** One event, as a pure function: every region looks before any acts, and acts in the order of the table. */
export function leanStep<Context, Event extends { readonly type: string }>(
  table: Table<Context, Event>,
  before: Place<Context>,
  event: Event,
): LeanStep<Context> {
  const orders: string[] = [];
  let place = before;
  for (const region in table) {
    const rows = table[region]?.[before.value[region] ?? '']?.[event.type];
    const row = rows?.find(([guard]) => guard === '' || guard(before.context, event));
    if (row === undefined) continue;
    const [, target, ...actions] = row;
    let { context } = place;
    for (const action of actions) {
      if (typeof action === 'string') orders.push(action);
      else context = { ...context, ...action(context, event) };
    }
    place = { value: target === '' ? place.value : { ...place.value, [region]: target }, context };
  }
  return { place, orders };
}

/** What the names of a machine mean. */
export interface Meaning {
  readonly guards: Readonly<Record<string, Guard<never, never>>>;
  readonly writes: Readonly<Record<string, Write<never, never>>>;
}

const listed = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function rowOf(where: string, { guards, writes }: Meaning, raw: unknown): Row {
  const {
    guard = '',
    target = '',
    actions,
    meta,
    description,
    ...rest
  } = (typeof raw === 'string' ? { target: raw } : raw) as Record<string, unknown>;
  const named = [guard, target, ...listed(actions)];
  if (Object.keys(rest).length > 0 || !named.every((one) => typeof one === 'string')) {
    throw new Error(`${where}: only named guards, actions and targets fit a plain table`);
  }
  const [asked, to, ...acts] = named as string[];
  if (asked !== '' && guards[asked as string] === undefined) throw new Error(`${where}: no guard ${asked}`);
  return [guards[asked as string] ?? '', to as string, ...acts.map((act) => writes[act] ?? act)] as unknown as Row;
}

function onlyKeys(where: string, config: object, known: readonly string[]): void {
  const strange = Object.keys(config).filter((key) => !known.includes(key));
  if (strange.length > 0) throw new Error(`${where}: ${strange.join(', ')} does not fit a plain table`);
}

type Config = Readonly<Record<string, unknown>> & { readonly states?: Readonly<Record<string, Config>> };

/** The table of a machine; throws, naming the place, for what a plain table cannot say. */
export function tableOf(machine: AnyStateMachine, meaning: Meaning): Table {
  const root = machine.config as unknown as Config;
  onlyKeys(machine.id, root, ['id', 'version', 'description', 'type', 'context', 'states', 'types', 'schemas']);
  if (root['type'] !== 'parallel') throw new Error(`${machine.id}: a plain table has regions`);
  const regions = Object.entries(root.states ?? {}).map(([name, region]) => {
    onlyKeys(`${machine.id}.${name}`, region, ['initial', 'description', 'states']);
    if (Object.keys(region.states ?? {})[0] !== region['initial']) {
      throw new Error(`${machine.id}.${name}: the initial state stands first in a plain table`);
    }
    const states = Object.entries(region.states ?? {}).map(([state, config]) => {
      const where = `${machine.id}.${name}.${state}`;
      onlyKeys(where, config, ['description', 'on', 'type']);
      const rows = Object.entries((config['on'] ?? {}) as object).map(
        ([event, raws]) => [event, listed(raws).map((raw) => rowOf(`${where} on ${event}`, meaning, raw))] as const,
      );
      return [state, Object.fromEntries(rows)] as const;
    });
    return [name, Object.fromEntries(states)] as const;
  });
  return Object.fromEntries(regions);
}
