/** Client tools out of a stream of snapshots, each run once. Runs in browsers: no package, no timer, nothing of Node. */
import { Tracker } from './tools/tracker.ts';
import type { ToolTracker, ToolTrackerOptions } from './tools/types.ts';

export { toolResponse } from './tools/execute.ts';
export type * from './tools/types.ts';

/** Those without which nothing can run, and those that may be left out: a check of its own, for browsers load it. */
const CALLBACKS = ['tools', 'onResult', 'owner', 'project', 'onStatuses', 'notice'] as const;

/**
 * A tracker of the tool calls of one conversation: feed it every snapshot, and it runs each client tool once.
 *
 * For one call id, within one boundary, the argument callback and the executor start at most once each and at most one
 * result is reported, whatever the snapshots do; in doubt nothing runs and a notice says so. Nothing throws out of it;
 * making it throws a TypeError that names the option which is missing or of another type.
 * Not promised: delivery of a result whose `onResult` threw, and "once" beyond a reset (rules ).
 */
export function createToolTracker(options: ToolTrackerOptions): ToolTracker {
  CALLBACKS.forEach((name, at) => {
    const given: unknown = options?.[name];
    if (typeof given !== 'function' && (at < 2 || given !== undefined))
      throw new TypeError(`${name}: must be a function`);
  });
  return new Tracker(options);
}
