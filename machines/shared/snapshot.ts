/** Where a row stands. Apart from step.ts, so that whoever shows it shows nothing of XState. */

/** Where one row stands in its chart. It never changes; a step makes a new one. */
export interface Snapshot<Context, Value> {
  readonly value: Value;
  readonly context: Context;
  /** True in a final state (of every region). */
  readonly done: boolean;
}
