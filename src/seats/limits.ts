/** The bounds of seats and lineage (seats section of SPEC.md). */
export const SEAT_LIMITS = Object.freeze({
  /** Sessions in one cache. */
  capacity: 256,
  /** A mistyped option must not become a leak. */
  capacityMost: 65_536,
  /** Parent links of one walk. */
  maxSteps: 2_048,
  maxStepsMost: 65_536,
  /** Milliseconds for one check: it sits on the start of a turn, and a replay is always there. */
  deadlineMs: 2_000,
  /** Findings that one checker remembers; the least recently used goes. */
  remembered: 1_024,
  /** Checks of a leg after the leaf has moved. */
  rechecks: 1,
});
