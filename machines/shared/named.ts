/** Functions of a plain table, in the form in which XState calls them. */
import type { Guard, Write } from './lean.ts';

interface Args<Context, Event> {
  readonly context: Context;
  readonly event: Event;
}

/** Guards under the names of their functions. */
export function namedGuards<Context, Event, Name extends string>(
  guards: Readonly<Record<Name, Guard<Context, Event>>>,
): Record<Name, (args: Args<Context, Event>) => boolean> {
  const named = Object.entries<Guard<Context, Event>>(guards).map(
    ([name, guard]) => [name, ({ context, event }: Args<Context, Event>) => guard(context, event) === true] as const,
  );
  return Object.fromEntries(named) as Record<Name, (args: Args<Context, Event>) => boolean>;
}

/** A write as `assign` takes it. */
export const written =
  <Context, Event>(write: Write<Context, Event>) =>
  ({ context, event }: Args<Context, Event>): Partial<Context> =>
    write(context, event);
