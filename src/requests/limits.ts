import { SIZES, TIMES } from '../limits.ts';

/** Bounds of server→client requests, with their units, and what hitting each does. */
export const REQUEST_LIMITS = Object.freeze({
  /** Open requests of one session; beyond it `send` throws `too_many`. */
  perSession: 1_024,
  /** Open requests in all; beyond it `send` throws `too_many`. */
  total: 65_536,
  /** Ended requests that are kept for their key; the oldest go first, with a line. */
  kept: 1_024,
  /** Ended requests whose answer may be given again for the same receipt; the oldest go, so many at a time. */
  receipts: 4_096,
  /** UTF-16 units of a key, of a question id, of a session id. */
  name: 512,
  /** Bytes of the params of a request as JSON, with the answers that are locked: a frame and its envelope hold no more. */
  params: SIZES.frame - 4_096,
  /** Questions of one batch. */
  questions: 256,
  /** UTF-16 units of what a client says went wrong; the rest is cut off. */
  errorMessage: 1_024,
  /** Milliseconds after which what could not be committed is tried again. */
  retry: TIMES.retry,
  /** Milliseconds that a child process has for its verdict; then it counts as not reached, and others may answer. */
  verdict: 10_000,
  /** Milliseconds for which a peer that has said nothing may still turn out to be capable. */
  grace: 2_000,
});
