/**
 * A chart as plain data, and the step over it, for code that must not carry XState: a browser bundle.
 *
 * It knows less than `step.ts` on purpose: a parallel machine of flat regions, named guards, named actions, targets in
 * the same region. `tableOf` refuses the rest. A table is written from its machine, which stays the only definition; a
 * test keeps both the same on every edge.
 */
import type { AnyStateMachine } from 'xstate';

/** Guard, target, actions. An empty guard always holds; an empty target stays. */
export type Row = readonly [guard: string, target: string, ...actions: string[]];
export type Rows = Readonly<Record<string, readonly Row[]>>;

export interface Region {
  readonly initial: string;
  readonly states: Readonly<Record<string, Rows>>;
}

export interface Table {
  readonly id: string;
  readonly version: string;
  readonly regions: Readonly<Record<string, Region>>;
}

/** What the names of a table mean: an action that is no write is an order. */
export interface Meaning<Context, Event> {
  readonly guards: Readonly<Record<string, (args: { context: Context; event: Event }) => boolean>>;
  readonly writes: Readonly<Record<string, (args: { context: Context; event: Event }) => Context>>;
}

export interface Place<Context> {
  readonly value: Readonly<Record<string, string>>;
  readonly context: Context;
}

export interface LeanStep<Context> {
  readonly place: Place<Context>;
  readonly orders: readonly string[];
  readonly ignored: boolean;
}

/** The place of a row that nothing has happened to. */
export function firstPlace<Context>({ regions }: Table, context: Context): Place<Context> {
  const names = Object.entries(regions).map(([name, { initial }]) => [name, initial] as const);
  return { value: Object.fromEntries(names), context };
}

/** One event, as a pure function: every region looks before any acts, and acts in the order of the table. */
export function leanStep<Context, Event extends { readonly type: string }>(
  { regions }: Table,
  { guards, writes }: Meaning<Context, Event>,
  place: Place<Context>,
  event: Event,
): LeanStep<Context> {
  const args = { context: place.context, event };
  const taken: (readonly [region: string, row: Row])[] = [];
  for (const region in regions) {
    const rows = regions[region]?.states[place.value[region] ?? '']?.[event.type];
    const row = rows?.find(([guard]) => guard === '' || guards[guard]?.(args) === true);
    if (row !== undefined) taken.push([region, row]);
  }
  if (taken.length === 0) return { place, orders: [], ignored: true };
  const value = { ...place.value };
  const orders: string[] = [];
  let { context } = place;
  for (const [region, [, target, ...actions]] of taken) {
    if (target !== '') value[region] = target;
    for (const action of actions) {
      const write = writes[action];
      if (write === undefined) orders.push(action);
      else context = write({ context, event });
    }
  }
  return { place: { value, context }, orders, ignored: false };
}

const listed = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function rowOf(where: string, raw: unknown): Row {
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
  return named as unknown as Row;
}

function onlyKeys(where: string, config: object, known: readonly string[]): void {
  const strange = Object.keys(config).filter((key) => !known.includes(key));
  if (strange.length > 0) throw new Error(`${where}: ${strange.join(', ')} does not fit a plain table`);
}

type Config = Readonly<Record<string, unknown>> & { readonly states?: Readonly<Record<string, Config>> };

/** The table of a machine; throws, naming the place, for what a plain table cannot say. */
export function tableOf(machine: AnyStateMachine): Table {
  const root = machine.config as unknown as Config;
  onlyKeys(machine.id, root, ['id', 'version', 'description', 'type', 'context', 'states', 'types', 'schemas']);
  if (root['type'] !== 'parallel') throw new Error(`${machine.id}: a plain table has regions`);
  const regions = Object.entries(root.states ?? {}).map(([name, region]) => {
    onlyKeys(`${machine.id}.${name}`, region, ['initial', 'description', 'states']);
    const states = Object.entries(region.states ?? {}).map(([state, config]) => {
      const where = `${machine.id}.${name}.${state}`;
      onlyKeys(where, config, ['description', 'on', 'type']);
      const rows = Object.entries((config['on'] ?? {}) as object).map(
        ([event, raws]) => [event, listed(raws).map((raw) => rowOf(`${where} on ${event}`, raw))] as const,
      );
      return [state, Object.fromEntries(rows)] as const;
    });
    return [name, { initial: String(region['initial']), states: Object.fromEntries(states) }] as const;
  });
  return { id: machine.id, version: machine.version ?? '1', regions: Object.fromEntries(regions) };
}
