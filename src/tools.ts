/** Client tools out of a stream of snapshots, each run once. Runs in browsers: no package, no timer, nothing of Node. */
import { Tracker } from './tools/tracker.ts';
import type { ToolTracker, ToolTrackerOptions } from './tools/types.ts';

export { toolResponse } from './tools/execute.ts';
export type * from './tools/types.ts';

/**
 * A tracker of the tool calls of one conversation: feed it every snapshot, and it runs each client tool once.
 *
 * For one call id, within one boundary, the argument callback and the executor start at most once each and at most one
 * result is reported, whatever the snapshots do; in doubt nothing runs and a notice says so. Nothing throws out of it.
 * Not promised: delivery of a result whose `onResult` threw, and "once" beyond a reset (rules ).
 */
export function createToolTracker(options: ToolTrackerOptions): ToolTracker {
  return new Tracker(options);
}
