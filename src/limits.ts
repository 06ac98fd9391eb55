/** Every bound, with its unit, and what hitting it does. */

/** Bounds of the journal (journal.md section 7, R-016). */
export interface JournalLimits {
  /** Open tickets. Beyond it the oldest unattended card becomes unattributable. */
  readonly tickets: number;
  /** Entries on one tab. Beyond it one entry goes, acked ones first. */
  readonly entriesPerTab: number;
  /** Entries over all tabs. */
  readonly entriesTotal: number;
  /** Milliseconds, inclusive, for which an answer may be returned for an identical question. */
  readonly recoverForMs: number;
  /** Carried hand-backs of a queue copy after which it counts as read. */
  readonly carriedReleases: number;
}

export const JOURNAL_LIMITS: JournalLimits = Object.freeze({
  tickets: 1024,
  entriesPerTab: 48,
  entriesTotal: 192,
  recoverForMs: 600_000,
  carriedReleases: 3,
});

/** With a store behind it the journal can afford more before it must drop anything. */
export const DURABLE_LIMITS: JournalLimits = Object.freeze({
  ...JOURNAL_LIMITS,
  tickets: 4_096,
  entriesPerTab: 1_024,
  entriesTotal: 16_384,
});

/** Sizes of what people and agents may send. Beyond one the submission is `invalid` and names the field. */
export const SIZES = Object.freeze({
  /** UTF-16 units. */
  question: 8_192,
  header: 256,
  /** A header longer than this is shown, and the asker is given a hint. */
  headerHint: 12,
  options: 64,
  optionId: 128,
  optionLabel: 512,
  optionDescription: 2_048,
  /** Questions that are put, or waited for, together. */
  batch: 4,
  /** Free text of one answer, UTF-16 units. */
  answerText: 262_144,
  reason: 1_024,
  from: 128,
  /** Rows of one list or one read of the audit. */
  listed: 1_000_000,
  /** One frame on a socket, bytes. */
  frame: 1_048_576,
});

/** Clocks of the durable shell, in milliseconds. */
export const TIMES = Object.freeze({
  /** How long `ask` waits for a person before it returns `pending`. */
  hold: 50_000,
  /** Operations that only prove something may share a commit this much later. */
  lazyCommit: 50,
  /** A page that left less than this ago may be reloading: an ask waits for it. */
  surfaceGrace: 3_000,
  /** A surface that the host has just opened gets this long to appear. */
  surfaceOpen: 10_000,
  /** After this much quiet the write-ahead log is checkpointed and old rows are pruned. */
  idle: 250,
  /** So long tidying may be put off while there is always something to do. */
  tidyAtMost: 5_000,
  /** Calls that wait for one ask with less than this between them are one wait to the audit. */
  waitGap: 10_000,
  /** What could not be committed, and whose caller is gone, is tried again after so long. */
  retry: 1_000,
  /** `close()` gives running calls this long to settle. */
  close: 2_000,
});

/** Bounds of answers that are fenced by the log of their conversation. Their number is that of asks on file. */
export const FENCES = Object.freeze({
  /** Tabs of whose logs what was proven is remembered; the one asked least recently is proven anew. */
  branches: 256,
  /** Milliseconds for reading the leaf; later it counts as unreadable, and nothing is delivered. */
  leafMs: 2_000,
  /** Checks after the leaf has moved during one; if it moves again nothing is delivered, until the next. */
  rechecks: 1,
});

/** How much history is kept; the oldest goes first, when the coordinator is idle. */
export const KEEP = Object.freeze({
  auditRows: 200_000,
  finishedAsks: 20_000,
});

/** Bounds of the tap; hitting one takes something from a reader, never from the coordinator. */
export const TAP = Object.freeze({
  /** Steps that a reader may be behind; beyond it the oldest are lost to it, and it is told how many. */
  behind: 1_024,
  /** Steps that a reader is told in one go; the next ones come a tick later. */
  atOnce: 256,
  /** UTF-16 units of one fact; a longer one is cut. */
  fact: 128,
  /** Members of a fact that is a list; the rest is left out. */
  list: 16,
});

/** Bounds of `readback conform`, in milliseconds unless said otherwise. */
export const CONFORM = Object.freeze({
  /** Loading the module; beyond it nothing is tried. */
  load: 10_000,
  /** One test; beyond it the process is ended, the rule is broken, and the next test goes on in a new process. */
  test: 5_000,
  /** Looking for fewer steps that break one test; beyond it the fewest found so far are told. */
  shorter: 1_000,
  /** Sequences that are tried for it, as a number; beyond it likewise. */
  shorterTries: 200,
  /** Processes, as a number; after so many that hung or ended the rest is not tried. */
  processes: 12,
  /** Processes that one method may hang or end, as a number; then what calls it is not tried, and the others are. */
  losses: 3,
  /** Steps that are kept of a test that hangs, as a number; beyond it the earliest go. */
  told: 1_000,
  /** Everything; beyond it the rest is not tried. */
  total: 180_000,
  /** Steps that are shown of one broken test, as a number, also in the error that a runner gets; the rest is counted. */
  steps: 40,
  /** UTF-16 units of one message or step. */
  text: 2_000,
});

/** Bounds of the calls of client tools that are on file. */
export const CALL_LIMITS = Object.freeze({
  /** Calls on file that are not under way; beyond it the oldest goes, with a line. Should it come back it could run again. */
  kept: 16_384,
  /** Outcomes on file; beyond it the oldest goes, with a line, and its call stays spent. */
  outcomes: 1_024,
  /** UTF-16 units of one outcome as JSON; a longer one is reported and not kept, with a line, and its call is spent. */
  outcome: 65_536,
  /** Calls under way, those that wait for a person counted; one more is refused and does not begin. */
  underWay: 4_096,
  /** Questions of one call on file; one more is refused. */
  questions: 256,
  /** UTF-16 units of a boundary, of a call id and of the name of a tool; beyond it the call does not begin. */
  name: 512,
});
export type CallLimits = { readonly [Name in keyof typeof CALL_LIMITS]: number };
