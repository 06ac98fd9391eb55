/** The bounds of the MCP rim, each with its unit and what hitting it does. */
export const MCP_BOUNDS = Object.freeze({
  /** Times an answer is put before an agent again after the first time; the next result says that it is parked. */
  repeats: 3,
  /** Milliseconds between two progress notifications. */
  progress: 5_000,
  /** Longest hold that a call or a forwarder may name, in milliseconds. A longer one is refused by name. */
  hold: 3_600_000,
  /** Tokens that one call may acknowledge. More are refused by name. */
  tokens: 256,
  /** UTF-16 units of a token or an ask id. A longer one is refused by name. */
  id: 256,
  /** Parent ids that one call may name. More are refused by name. */
  parents: 2_048,
  /** Entries of one conversation that are remembered as its client named them; the oldest go, and prove nothing more. */
  links: 8_192,
  /** Sessions at the same time. Beyond it the one that was idle longest ends; with none idle a new one gets 503. */
  sessions: 256,
  /** Milliseconds that a forwarder's session outlives its event stream. */
  grace: 5_000,
  /** Calls per session that a cancellation may still reach after their result was written. Older ones count as read. */
  crossings: 64,
  /** Cancellations without a reason that are kept to find two alike. */
  unexplained: 8,
  /** Milliseconds after which a broken stream without a result has lost its call. */
  settle: 250,
  /** Milliseconds that a closing host waits for the results of its last calls to be written. */
  parting: 1_000,
  /** Milliseconds that a forwarder waits for the host to hear its farewell. */
  farewell: 1_000,
});
