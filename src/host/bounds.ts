/** Bounds of the host, with their units, and what hitting one does. */
export const HOST_BOUNDS = Object.freeze({
  /** Open page sockets. One more is refused with 503. */
  pages: 64,
  /** Open event streams. One more is refused with 503. */
  streams: 64,
  /** Bytes that may wait for one reader. Beyond it the reader is dropped; it connects again and is told everything. */
  buffered: 8_388_608,
  /** Requests of one page socket that may be running. One more gets an error and may be sent again. */
  inFlight: 64,
  /** Bytes of a frame of the host that cards may take up; texts beyond it are shown cut off. Less than `SIZES.frame`. */
  cards: 1_015_808,
  /** Milliseconds between two pings. A socket that has not answered the previous one by then is dropped. */
  ping: 15_000,
  /** Milliseconds in which the greeting must have left; otherwise the socket is dropped. */
  firstFrame: 10_000,
  /** Open requests in one part of the list that a page gets when it connects; it asks for the next part. */
  openCards: 500,
  /** Answers of a page's history. */
  history: 30,
  /** Closed cards whose request ids are known. An answer to an older one is `expired`, without a verdict. */
  closedCards: 4_096,
  /** Tokens handed to the CLI of which the carrier is remembered. The oldest goes first; its receipt is then refused. */
  carriers: 10_000,
  /** Calls that were given one token and are remembered; the oldest goes first, and its receipt then counts for none. */
  perToken: 16,
  /** The longest `limit` of a list. */
  list: 1_000,
  /** UTF-16 units of an id, a token or a name that somebody sends. */
  id: 256,
  /** Tokens in one receipt call. */
  tokens: 1_000,
  /** Milliseconds that `close()` waits for streams and sockets to end before it cuts them. */
  close: 1_000,
});

/** What a page or script may wait for at the most, in milliseconds: one day. */
export const LONGEST_WAIT_MS = 86_400_000;
