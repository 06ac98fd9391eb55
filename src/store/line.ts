/** What stands in a line: a number that only grows with arrival, and the lines that it is on now, one bit each. */
export interface Member {
  readonly n: number;
  on: number;
}

/**
 * Members in the order of their numbers, who leave lazily: the first one costs the same however many there are.
 *
 * Numbers only grow, so adding is nearly always an append. Whoever clears the bit of this line from a member calls
 * `leave`; the member stays in the list until it is met or swept.
 */
export class Line<M extends Member> {
  #members: M[] = [];
  #head = 0;
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
    const members = this.#members;
    const last = members.length - 1;
    if (last < 0 || member.n > (members[last] as M).n) {
      members.push(member);
      return;
    }
    const at = this.#firstAtLeast(member.n);
    // It was here before, itself or as it was filed then.
    if (members[at]?.n === member.n) members[at] = member;
    else if (at === this.#head && this.#head > 0) members[--this.#head] = member;
    else members.splice(at, 0, member);
  }

  /** One member has left. */
  leave(): void {
    this.#live -= 1;
    const length = this.#members.length - this.#head;
    if (length > 64 && length > 4 * this.#live) this.#sweep();
  }

  first(): M | undefined {
    const members = this.#members;
    while (this.#head < members.length) {
      const member = members[this.#head] as M;
      if ((member.on & this.#bit) !== 0) return member;
      this.#head += 1;
      if (this.#head > 1024 && this.#head * 2 > members.length) {
        members.splice(0, this.#head);
        this.#head = 0;
      }
    }
    if (members.length > 0) {
      this.#members = [];
      this.#head = 0;
    }
    return undefined;
  }

  /** The first member with a number larger than `n`. */
  after(n: number): M | undefined {
    if (this.first() === undefined) return undefined;
    for (let at = this.#firstAtLeast(n + 1); at < this.#members.length; at++) {
      const candidate = this.#members[at] as M;
      if ((candidate.on & this.#bit) !== 0) return candidate;
    }
    return undefined;
  }

  /** All members, in order. */
  all(): M[] {
    const all: M[] = [];
    for (let at = this.#head; at < this.#members.length; at++) {
      const member = this.#members[at] as M;
      if ((member.on & this.#bit) !== 0) all.push(member);
    }
    return all;
  }

  #firstAtLeast(n: number): number {
    let low = this.#head;
    let high = this.#members.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#members[middle] as M).n < n) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sweep(): void {
    this.#members = this.all();
    this.#head = 0;
  }
}
