/** Compares the tables with the names that running code uses. */
import type { Pack } from './pack.ts';

/** Names taken from the running code: what is mounted, what was emitted, what was sent. */
export interface RunningNames {
  /** Methods with a handler. */
  readonly handlers: Iterable<string>;
  /** Types of events that were emitted. */
  readonly emitted: Iterable<string>;
  /** Methods of requests that were sent. */
  readonly sent: Iterable<string>;
}

function difference(what: string, names: Iterable<string>, from: { has(name: string): boolean }): string[] {
  return [...new Set(names)]
    .filter((name) => !from.has(name))
    .sort()
    .map((name) => `${what}: ${name}`);
}

/** Everything that is on one side only, one line each; empty: complete. */
export function incompleteness(pack: Pack, running: RunningNames): string[] {
  const handlers = new Set(running.handlers);
  const emitted = new Set(running.emitted);
  const sent = new Set(running.sent);
  return [
    ...difference('method without contract', handlers, pack.methods),
    ...difference('contract without handler', pack.methods.keys(), handlers),
    ...difference('emitted event without contract', emitted, pack.events),
    ...difference('orphan event contract', pack.events.keys(), emitted),
    ...difference('sent request without contract', sent, pack.requests),
    ...difference('orphan request contract', pack.requests.keys(), sent),
  ];
}
