/** What the chart of the tracker remembers and hears. */

export interface TrackerContext {
  /** Counts up; "once" means once in each. */
  readonly boundary: number;
  readonly restartUsed: boolean;
  /** Work may start: the driver is healthy. */
  readonly well: boolean;
}

export const FIRST_TRACKER: TrackerContext = { boundary: 1, restartUsed: false, well: true };

export type TrackerEvent =
  | {
      readonly type: 'SNAPSHOT';
      readonly malformed: boolean;
      /** The same list and the same flags as the last one that was processed. */
      readonly identical: boolean;
      readonly loading: boolean;
    }
  | { readonly type: 'PROCESSED'; readonly loading: boolean }
  | { readonly type: 'BROKE_OFF'; readonly loading: boolean }
  | { readonly type: 'FAIL' }
  | { readonly type: 'ABORT'; readonly discard: boolean }
  | { readonly type: 'RESET' };

/** All that an event may carry, as guards and writes see it. */
export interface TrackerFacts {
  readonly type: TrackerEvent['type'];
  readonly malformed?: boolean;
  readonly identical?: boolean;
  readonly loading?: boolean;
  readonly discard?: boolean;
}
