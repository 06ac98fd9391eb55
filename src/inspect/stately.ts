/** The hook for Stately's inspector: the only file that knows of `@statelyai/inspect`, which is installed by who wants it. */
import { invalid } from '../errors.ts';
import type { TapReader, TapStep } from '../tap.ts';
import { INSPECT } from './limits.ts';
import { inspectionEvents, rootActor, type ShownEvent } from './shapes.ts';

/** What takes XState's inspection events: the `inspect` of a Stately inspector, or anything of that shape. */
export interface Inspection {
  readonly next?: ((event: never) => void) | undefined;
}

export interface StatelyOptions {
  /** Ids of the rows to show beside the coordinator: tokens, ask ids, request ids. More can be followed later. */
  readonly rows?: readonly string[] | undefined;
}

export interface StatelyHook {
  /** Goes to `openCoordinator({ inspect })`, or to `coordinator.tap`. */
  readonly inspect: TapReader;
  /** Shows one more row, from its next step on. Throws `invalid_input` beyond `INSPECT.rows`. */
  follow(id: string): void;
  /** Shows a row no longer. */
  leave(id: string): void;
}

/**
 * Makes a reader of steps that tells an inspector of the coordinator and of chosen rows: actors, events, snapshots and
 * definitions.
 *
 * It is given steps and nothing else, so no answer, question or secret can reach an inspector, whatever that does with
 * it. Does not show every row: an inspector is slow, and needs about 50 µs a step. Throws `invalid_input`.
 */
export function inspectWith(inspection: Inspection, { rows = [] }: StatelyOptions = {}): StatelyHook {
  const { next } = inspection ?? {};
  if (typeof next !== 'function') throw invalid('inspection', 'must have a function `next`; give inspector.inspect');
  const followed = new Set<string>();
  const shown = new Set<string>();
  const tell = (event: ShownEvent): void => (next as (event: ShownEvent) => void).call(inspection, event);
  const follow = (id: string): void => {
    if (typeof id !== 'string' || id === '') throw invalid('id', 'must be the id of a row');
    if (!followed.has(id) && followed.size >= INSPECT.rows)
      throw invalid('id', `is one too many: an inspector shows ${INSPECT.rows} rows at the most, so leave one first`);
    followed.add(id);
  };
  for (const id of rows) follow(id);
  const show = (step: TapStep): void => {
    const isRoot = step.machine === 'coordinator';
    if (!isRoot && !followed.has(step.id)) return;
    if (!isRoot && shown.size === 0) {
      shown.add('coordinator:coordinator');
      tell(rootActor());
    }
    const name = `${step.machine}:${step.id}`;
    const isNew = !shown.has(name);
    shown.add(name);
    for (const event of inspectionEvents(step, isNew)) tell(event);
  };
  return {
    inspect: show,
    follow,
    leave: (id) => {
      followed.delete(id);
      for (const name of shown) if (name.endsWith(`:${id}`) && !name.startsWith('coordinator:')) shown.delete(name);
    },
  };
}

export interface StatelyConnection extends StatelyHook {
  /** Closes the connection; what comes afterwards is dropped. */
  stop(): void;
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Connects to a relay of Stately's protocol on this machine, through `@statelyai/inspect` 0.7 (an optional peer).
 *
 * Refuses any address that is not on loopback: a relay knows no authentication, and whoever reaches it reads along.
 * Rejects with `invalid_input` for such an address, and when the package is not installed.
 */
export async function connectStately(url: string, options: StatelyOptions = {}): Promise<StatelyConnection> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'ws:' || !LOOPBACK.has(address.hostname)) {
    throw invalid('url', 'must be a ws: address on 127.0.0.1, [::1] or localhost, so that nobody else reads along');
  }
  const { createWebSocketInspector } = await import('@statelyai/inspect').catch((cause: unknown) => {
    throw invalid('url', `cannot be connected to, for @statelyai/inspect 0.7 is not installed (${String(cause)})`);
  });
  const inspector = createWebSocketInspector({ url });
  return { ...inspectWith(inspector.inspect as Inspection, options), stop: () => inspector.stop() };
}
