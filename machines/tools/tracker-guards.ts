/** What the chart of the tracker asks. One function for each name of a guard. */
import type { TrackerArgs } from './tracker-facts.ts';

export const isMalformed = ({ event }: TrackerArgs): boolean => event.malformed === true;
export const isLoading = ({ event }: TrackerArgs): boolean => event.loading === true;
export const mayRestart = ({ context }: TrackerArgs): boolean => !context.restartUsed;
/** A restart needs the snapshot that triggers it, also an identical one. */
export const isRepeat = ({ context, event }: TrackerArgs): boolean =>
  event.identical === true && context.health === 'healthy';
export const isSpent = ({ context }: TrackerArgs): boolean => context.health !== 'healthy' && context.restartUsed;
export const discards = ({ event }: TrackerArgs): boolean => event.discard === true;
