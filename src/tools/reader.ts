/** What an argument callback reads: arguments while they grow, and the response. */
import { ABORTED } from './execute.ts';
import { Growing, type Look, type Path } from './json.ts';
import type { ToolReader, ToolResponseView } from './types.ts';

/** Its rejection is never unhandled, also when nobody asked. */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

/** A promise with its ends outside. */
export class Deferred<Value> {
  resolve!: (value: Value) => void;
  reject!: (error: Error) => void;
  readonly promise = quiet(
    new Promise<Value>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    }),
  );
}

/** The tracker's end of a reader. */
export class ReaderFeed {
  readonly reader: ToolReader = {
    args: {
      get: (...path) => quiet(this.#get(path)),
      streamValues: (...path) => this.#values(path),
      streamText: (...path) => this.#text(path),
      forEach: (...path) => this.#elements(path),
    },
    response: { get: () => this.#response.promise },
  };
  readonly #json = new Growing();
  readonly #response = new Deferred<ToolResponseView>();
  #change = new Deferred<void>();
  #closed = false;
  #gone: Error | undefined;

  get mayBeWhole(): boolean {
    return this.#json.mayBeWhole;
  }

  feed(piece: string): void {
    this.#json.feed(piece);
    this.#changed();
  }

  /** No more arguments come. */
  close(): void {
    this.#json.close();
    this.#closed = true;
    this.#changed();
  }

  settle(response: ToolResponseView): void {
    this.#response.resolve(response);
  }

  /** The boundary ended: whatever is still open ends without a value. */
  drop(): void {
    this.#gone = new Error(ABORTED);
    this.#response.reject(this.#gone);
    this.#closed = true;
    this.#changed();
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = new Deferred();
  }

  /** What stands at a path, now and after each change, until nothing more can come. */
  async *#looks(path: Path): AsyncGenerator<Look, void> {
    for (let isLast = false; !isLast; ) {
      const { promise } = this.#change;
      const look = this.#json.look(path);
      isLast = look.complete || this.#closed;
      yield look;
      // While it was taken, more may have come; this promise has then settled.
      if (!isLast) await promise;
    }
  }

  async #get(path: Path): Promise<unknown> {
    for await (const { complete, value } of this.#looks(path)) if (complete) return value;
    if (this.#gone !== undefined) throw this.#gone;
    return undefined;
  }

  /** What is news at a path, after each change. */
  async *#stream<Item>(path: Path, news: (look: Look) => readonly Item[]): AsyncGenerator<Item, void> {
    for await (const look of this.#looks(path)) {
      for (const item of news(look)) if (this.#gone === undefined) yield item;
    }
  }

  #values(path: Path): AsyncIterable<unknown> {
    let last: unknown;
    return this.#stream(path, ({ complete, value }) => {
      // A container is one object while it grows: of it every piece is news.
      if (value === undefined || (value === last && typeof value !== 'object')) return [];
      last = value;
      return [complete ? value : this.#json.copy(value)];
    });
  }

  #text(path: Path): AsyncIterable<string> {
    let given = 0;
    return this.#stream(path, ({ value, tail }) => {
      if (typeof value !== 'string') return [];
      const piece = given + tail.length === value.length ? tail : value.slice(given);
      given = value.length;
      return piece === '' ? [] : [piece];
    });
  }

  #elements(path: Path): AsyncIterable<unknown> {
    let index = 0;
    const isWhole = ({ value, complete }: Look): boolean => value !== undefined && complete;
    return this.#stream(path, ({ value }) => {
      const from = index;
      while (isWhole(this.#json.look([...path, index]))) index += 1;
      return Array.isArray(value) ? value.slice(from, index) : [];
    });
  }
}
