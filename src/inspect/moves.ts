/** Which transitions an event takes from where something stands. */
import type { AnyStateMachine } from 'xstate';
import { hearersOf } from './next-moves.ts';
import type { Arrow } from './outline.ts';

/** What a chart stands on when it is asked which way it would go. */
export interface Standing {
  readonly value: unknown;
  readonly context: unknown;
}

/** The names of the states in a value: one a region. */
export function statesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value as Record<string, string>).map(([region, state]) => `${region}.${state}`);
}

/** Asks one guard of the chart. One that cannot judge what it is given does not hold. */
function holds(machine: AnyStateMachine, guard: string, args: { context: unknown; event: unknown }): boolean {
  const found = machine.implementations.guards[guard] as ((args: unknown, params: unknown) => boolean) | undefined;
  try {
    return found?.(args, undefined) === true;
  } catch {
    return false;
  }
}

/** The transitions that an event takes, one a region at the most; `always` asks which way something is born. */
export function taken(
  machine: AnyStateMachine,
  arrows: readonly Arrow[],
  { value, context }: Standing,
  event: { readonly type: string },
): Arrow[] {
  const first = (from: string): Arrow | undefined =>
    arrows.find(
      (arrow) =>
        arrow.from === from &&
        arrow.event === event.type &&
        (arrow.guard === undefined || holds(machine, arrow.guard, { context, event })),
    );
  const own = statesIn(value).flatMap(
    (state) =>
      hearersOf(state)
        .map(first)
        .find((arrow) => arrow !== undefined) ?? [],
  );
  const common = own.length === 0 ? first('') : undefined;
  return common === undefined ? own : [common];
}
