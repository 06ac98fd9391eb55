/** What the chart of the tracker writes down. One function for each name of such an action. */
import type { TrackerArgs, TrackerContext } from './tracker-facts.ts';

export const noteFailed = ({ context }: TrackerArgs): TrackerContext => ({ ...context, health: 'failed' });
export const noteInert = ({ context }: TrackerArgs): TrackerContext => ({ ...context, health: 'inert' });
export const noteRestart = ({ context }: TrackerArgs): TrackerContext => ({
  boundary: context.boundary + 1,
  restartUsed: true,
  health: 'healthy',
});
export const noteReset = ({ context }: TrackerArgs): TrackerContext => ({
  ...context,
  boundary: context.boundary + 1,
});
export const rearm = ({ context }: TrackerArgs): TrackerContext => ({
  ...context,
  restartUsed: false,
  health: 'healthy',
});
