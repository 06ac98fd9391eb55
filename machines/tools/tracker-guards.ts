/** What the chart of the tracker asks. One function for each name of a guard. */
import type { TrackerContext, TrackerFacts } from './tracker-facts.ts';

type Asks = (context: TrackerContext, event: TrackerFacts) => boolean | undefined;

export const isMalformed: Asks = (_, { malformed }) => malformed;
export const isLoading: Asks = (_, { loading }) => loading;
export const mayRestart: Asks = ({ restartUsed }) => !restartUsed;
/** A restart needs the snapshot that triggers it, also an identical one. */
export const isRepeat: Asks = ({ well }, { identical }) => identical && well;
export const isSpent: Asks = ({ well, restartUsed }) => !well && restartUsed;
export const discards: Asks = (_, { discard }) => discard;
