/** Every bound of the tool tracker, with its unit, and what hitting it does. In a file of its own for small bundles. */

/** Each can be set in the options of a tracker. */
export const TOOL_LIMITS = {
  /** Calls on record in one boundary; beyond it ended ones shrink to their id, oldest first. */
  records: 10_000,
  /** Ids without a record, oldest first. An id that comes back after so many others could run again. */
  remembered: 50_000,
  /** Ids that stay withheld across a restart of the tracker, oldest first. */
  withheld: 1_024,
  /** Argument text of one call, characters; a longer one is not parsed and its call does not run. */
  textLength: 1_048_576,
  /** Executors at once, without those that wait for a person; the others queue. */
  executors: 32,
  /** Questions to a person that are parked at once; one more is refused. */
  questions: 256,
  /** Notices remembered, so that none is given twice. */
  notices: 1_000,
} as const;
