/** Bounds of the inspect page, with their units, and what hitting one does. */
export const INSPECT_BOUNDS = Object.freeze({
  /** Open pages. One more is refused with 503, and tries again later. */
  viewers: 16,
  /** Bytes that may wait for one page. Beyond it the page is dropped; it connects again and reads everything anew. */
  buffered: 1_048_576,
  /** Milliseconds for which steps are gathered before they are written, so that a burst costs one write. */
  gather: 20,
  /** Steps of one write. Others wait for the next; those that the tap does not keep so long are counted, and the page reads anew. */
  burst: 256,
  /** Rows of each chart that a page is shown at first, the newest; a search finds the others. */
  listed: 200,
  /** Rows of the audit of which one story is told, the newest. */
  rows: 2_000,
  /** UTF-16 units of what is searched for. */
  find: 256,
  /** Milliseconds between two signs of life on a quiet stream. */
  ping: 15_000,
});
