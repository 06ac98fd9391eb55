/** Complete tables of state and event: each cell says where an event leads, or that it is ignored there. */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { restore, step } from '../../machines/shared/step.ts';
import { allTransitions } from './graph.ts';

/** One way a guard can go: the facts that open it, and where it leads then. */
export interface Variant<State extends string> {
  /** What the context holds beyond the usual. */
  readonly given?: object;
  /** What the event says beyond the usual. */
  readonly with?: object;
  readonly to: State | 'ignored';
}
/** The target, which may be the state itself; `ignored`; or one of these for each way a guard can go. */
export type Cell<State extends string> = State | 'ignored' | readonly Variant<State>[];

export interface TableChart {
  readonly machine: AnyStateMachine;
  readonly chart: never;
  /** The parallel region that the table is about; none for a flat chart. */
  readonly region?: string;
  readonly place: (state: string) => { readonly value: unknown; readonly context: object };
  readonly event: (type: string) => { readonly type: string };
}

interface Source {
  readonly source: { readonly id: string };
}

type Table = Readonly<Record<string, Readonly<Record<string, Cell<string>>>>>;

/** What differs between a table and its chart, and which transitions its cells take. */
export function judgeTable(
  subject: TableChart,
  table: Table,
): { readonly faults: readonly string[]; readonly cells: number; readonly taken: ReadonlySet<object> } {
  const cells = Object.entries(table).flatMap(([state, row]) =>
    Object.entries(row).flatMap(([type, cell]) =>
      (typeof cell === 'string' ? [{ to: cell }] : cell).map((variant) => judgeCell(subject, state, type, variant)),
    ),
  );
  return {
    faults: cells.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
    cells: cells.length,
    taken: new Set(cells.flatMap(({ taken }) => taken)),
  };
}

function judgeCell(
  { machine, chart, region, place, event }: TableChart,
  state: string,
  type: string,
  { given = {}, with: extra, to }: Variant<string>,
): { readonly fault: string | undefined; readonly taken: readonly object[] } {
  const own = region === undefined ? machine.id : `${machine.id}.${region}`;
  const { value, context } = place(state);
  const sent = { ...event(type), ...extra };
  const before = machine.resolveState({ value, context: { ...context, ...given } } as never);
  const at = restore(chart, before.value as never, before.context as never) as never;
  const selected = machine.getTransitionData(before as AnyMachineSnapshot, sent) as unknown as Source[];
  const isOwn = ({ source }: Source): boolean =>
    source.id === own || source.id.startsWith(`${own}.`) || source.id === machine.id;
  const taken = selected.filter(isOwn);
  const after = (step(chart, at, sent as never) as { snapshot: { value: unknown } }).snapshot.value;
  const reached = region === undefined ? after : (after as Record<string, string>)[region];
  const found = taken.length === 0 ? 'ignored' : String(reached);
  const isMoved = taken.length === 0 && reached !== state;
  const where = `${state} on ${JSON.stringify(sent)} given ${JSON.stringify(given)}`;
  return { fault: found === to && !isMoved ? undefined : `${where}: ${found}, not ${to}`, taken };
}

/** Transitions of events that no cell takes, by name. Those of birth are eventless. */
export function untakenBy(machine: AnyStateMachine, ...sets: readonly ReadonlySet<object>[]): readonly string[] {
  return allTransitions(machine)
    .filter(({ name, transition }) => !name.includes(' on always[') && !sets.some((set) => set.has(transition)))
    .map(({ name }) => name);
}
