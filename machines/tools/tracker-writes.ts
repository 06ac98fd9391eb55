/** What the chart of the tracker writes down: the fields that change. One function for each name of such an action. */
import type { TrackerContext, TrackerFacts } from './tracker-facts.ts';

type Writes = (context: TrackerContext, event: TrackerFacts) => Partial<TrackerContext>;

export const noteFailed: Writes = () => ({ well: false });
export const noteRestart: Writes = ({ boundary }) => ({
  boundary: boundary + 1,
  restartUsed: true,
  well: true,
});
export const noteReset: Writes = ({ boundary }) => ({ boundary: boundary + 1 });
export const rearm: Writes = () => ({ restartUsed: false, well: true });
