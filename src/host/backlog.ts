/** Open cards that a page has not been told of yet, because it is told of a bounded number at once. */
export class Backlog {
  readonly #shown: Set<string>;
  readonly #waiting: Set<string>;

  /** `open`: the ids of all open cards in their order, of which the page is told the first `told`. */
  constructor(open: readonly string[], told: number) {
    this.#shown = new Set(open.slice(0, told));
    this.#waiting = new Set(open.slice(told));
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Takes note of a change that the page is told of. Returns the id of the card whose turn it is then, if there is one. */
  heard(askId: string, open: boolean): string | undefined {
    this.#waiting.delete(askId);
    if (open) {
      this.#shown.add(askId);
      return undefined;
    }
    // The receipts of a closed card change it again and again; only its closing makes room.
    if (!this.#shown.delete(askId)) return undefined;
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    this.#waiting.delete(next);
    this.#shown.add(next);
    return next;
  }
}
