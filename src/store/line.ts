/**
 * Numbers in rising order whose members leave lazily: the first member costs the same however many there are.
 *
 * Arrival numbers only grow, so adding is nearly always an append. A number that has left stays in the list until
 * it is met or swept; `isMember` says which are still meant.
 */
export class Line {
  #numbers: number[] = [];
  #head = 0;
  #live = 0;
  readonly #isMember: (n: number) => boolean;

  constructor(isMember: (n: number) => boolean) {
    this.#isMember = isMember;
  }

  /** Members, not counting those that have left. */
  get size(): number {
    return this.#live;
  }

  add(n: number): void {
    this.#live += 1;
    const numbers = this.#numbers;
    const last = numbers[numbers.length - 1];
    if (last === undefined || n > last) {
      numbers.push(n);
      return;
    }
    const at = this.#firstAtLeast(n);
    if (numbers[at] === n) return;
    if (at === this.#head && this.#head > 0) numbers[--this.#head] = n;
    else numbers.splice(at, 0, n);
  }

  /** One member has left; which one is known by `isMember`. */
  leave(): void {
    this.#live -= 1;
    if (this.#numbers.length - this.#head > 64 && this.#numbers.length - this.#head > 4 * this.#live) this.#sweep();
  }

  first(): number | undefined {
    const numbers = this.#numbers;
    while (this.#head < numbers.length) {
      const n = numbers[this.#head] as number;
      if (this.#isMember(n)) return n;
      this.#head += 1;
      if (this.#head > 1024 && this.#head * 2 > numbers.length) {
        numbers.splice(0, this.#head);
        this.#head = 0;
      }
    }
    if (numbers.length > 0) {
      this.#numbers = [];
      this.#head = 0;
    }
    return undefined;
  }

  /** The smallest member larger than `n`. */
  after(n: number): number | undefined {
    if (this.first() === undefined) return undefined;
    for (let at = this.#firstAtLeast(n + 1); at < this.#numbers.length; at++) {
      const candidate = this.#numbers[at] as number;
      if (this.#isMember(candidate)) return candidate;
    }
    return undefined;
  }

  #firstAtLeast(n: number): number {
    let low = this.#head;
    let high = this.#numbers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] as number) < n) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sweep(): void {
    const isMember = this.#isMember;
    this.#numbers = this.#numbers.slice(this.#head).filter((n) => isMember(n));
    this.#head = 0;
  }
}
