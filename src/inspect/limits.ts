/** Bounds of the inspection hook. */
export const INSPECT = Object.freeze({
  /** Rows that one inspector is shown beside the coordinator; following one more is refused. */
  rows: 16,
});
