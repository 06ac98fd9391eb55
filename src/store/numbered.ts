const PAGE = 64;

interface Page<T> {
  readonly slots: (T | undefined)[];
  used: number;
}

/**
 * Things by number, for numbers that grow: those that come together lie together. A `Map` from which the oldest is
 * taken each time a new one is put in rebuilds itself all the time, and each of its former tables keeps what it held
 * alive until the next full collection.
 */
export class Numbered<T> {
  readonly #pages = new Map<number, Page<T>>();
  #last: Page<T> | undefined;
  #lastAt = -1;
  size = 0;

  get(n: number): T | undefined {
    return this.#page(Math.floor(n / PAGE))?.slots[n % PAGE];
  }

  set(n: number, thing: T): void {
    const at = Math.floor(n / PAGE);
    let page = this.#page(at);
    if (page === undefined) {
      page = { slots: new Array<T | undefined>(PAGE).fill(undefined), used: 0 };
      this.#pages.set(at, page);
      this.#last = page;
    }
    if (page.slots[n % PAGE] === undefined) {
      page.used += 1;
      this.size += 1;
    }
    page.slots[n % PAGE] = thing;
  }

  delete(n: number): void {
    const at = Math.floor(n / PAGE);
    const page = this.#page(at);
    if (page?.slots[n % PAGE] === undefined) return;
    page.slots[n % PAGE] = undefined;
    page.used -= 1;
    this.size -= 1;
    if (page.used > 0) return;
    this.#pages.delete(at);
    this.#lastAt = -1;
  }

  *values(): Iterable<T> {
    for (const { slots } of this.#pages.values()) {
      for (const thing of slots) if (thing !== undefined) yield thing;
    }
  }

  #page(at: number): Page<T> | undefined {
    if (at !== this.#lastAt) {
      this.#lastAt = at;
      this.#last = this.#pages.get(at);
    }
    return this.#last;
  }
}
