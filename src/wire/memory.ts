/** A map that forgets the key that was set longest ago when it is full. */
export class Memory<Value> {
  readonly #values = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }
  get(key: string): Value | undefined {
    return this.#values.get(key);
  }
  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#limit) return;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limit) return;
      this.#values.delete(oldest);
    }
  }
  keys(): IterableIterator<string> {
    return this.#values.keys();
  }
  keep(isKept: (value: Value) => boolean): void {
    for (const [key, value] of this.#values) if (!isKept(value)) this.#values.delete(key);
  }
}
