/** What stands in a line: a number that only grows with arrival, and the lines that it is on now, one bit each. */
export interface Member {
  readonly n: number;
  on: number;
}

/**
 * Members in the order of their numbers, who leave lazily: the first one costs the same however many there are.
 *
 * Numbers only grow, so adding is nearly always an append, and it is nearly always the first or the last who leaves.
 * Whoever clears the bit of this line from a member calls `leave`; one that left from the middle keeps its place until
 * all before it or all after it have left, or until it is swept.
 */
export class Line<M extends Member> {
  /** From `head` to `end`; places outside hold nothing, so that nobody is kept in memory who has left. */
  #places: (M | undefined)[] = [];
  #head = 0;
  #end = 0;
  #live = 0;
  readonly #bit: number;

  constructor(bit: number) {
    this.#bit = bit;
  }

  /** Members, not counting those that have left. */
  get size(): number {
    return this.#live;
  }

  add(member: M): void {
    this.#live += 1;
    const places = this.#places;
    const last = this.#end > this.#head ? places[this.#end - 1] : undefined;
    if (last === undefined || member.n > last.n) {
      places[this.#end++] = member;
      return;
    }
    const at = this.#firstAtLeast(member.n);
    // It was here before, itself or as it was filed then.
    if (places[at]?.n === member.n) places[at] = member;
    else if (at === this.#head && this.#head > 0) places[--this.#head] = member;
    else {
      places.splice(at, 0, member);
      this.#end += 1;
    }
  }

  /** One member has left. */
  leave(): void {
    this.#live -= 1;
    const places = this.#places;
    while (this.#head < this.#end && this.#hasLeft(this.#head)) places[this.#head++] = undefined;
    while (this.#head < this.#end && this.#hasLeft(this.#end - 1)) places[--this.#end] = undefined;
    if (this.#head === this.#end) {
      this.#head = 0;
      this.#end = 0;
      return;
    }
    const length = this.#end - this.#head;
    if (length > 64 + 2 * this.#live || this.#head > 64 + length) this.#sweep();
  }

  first(): M | undefined {
    return this.#live === 0 ? undefined : this.#places[this.#head];
  }

  /** The first member with a number larger than `n`. */
  after(n: number): M | undefined {
    if (this.#live === 0) return undefined;
    for (let at = this.#firstAtLeast(n + 1); at < this.#end; at++) {
      const candidate = this.#places[at] as M;
      if ((candidate.on & this.#bit) !== 0) return candidate;
    }
    return undefined;
  }

  /** All members, in order. */
  all(): M[] {
    const all: M[] = [];
    for (let at = this.#head; at < this.#end; at++) {
      const member = this.#places[at] as M;
      if ((member.on & this.#bit) !== 0) all.push(member);
    }
    return all;
  }

  #hasLeft(at: number): boolean {
    return ((this.#places[at] as M).on & this.#bit) === 0;
  }

  #firstAtLeast(n: number): number {
    let low = this.#head;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#places[middle] as M).n < n) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sweep(): void {
    this.#places = this.all();
    this.#head = 0;
    this.#end = this.#places.length;
  }
}
