/** What an argument callback reads: arguments while they grow, and the response. */
import { Growing, type Look, type Path } from './json.ts';
import type { ToolReader, ToolResponseView } from './types.ts';

export const ABORTED = 'Tool execution aborted';

/** A promise with its ends outside; its rejection is never unhandled, also when nobody asked. */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve!: (value: Value) => void;
  reject!: (error: Error) => void;

  constructor() {
    this.promise = new Promise<Value>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => undefined);
  }
}

/** The tracker's end of a reader. */
export class ReaderFeed {
  readonly reader: ToolReader = {
    args: {
      get: (...path) => this.#get(path),
      streamValues: (...path) => this.#values(path),
      streamText: (...path) => this.#text(path),
      forEach: (...path) => this.#elements(path),
    },
    response: { get: () => this.#response.promise },
  };
  readonly #json = new Growing();
  readonly #response = new Deferred<ToolResponseView>();
  /** Each is asked after every change, until it says that it was served. */
  readonly #waits = new Set<() => boolean>();
  #version = 0;
  #closed = false;
  #gone: Error | undefined;

  feed(piece: string): void {
    if (!this.#closed) this.#json.feed(piece);
    this.#wake();
  }

  /** No more arguments come. */
  close(): void {
    this.#json.close();
    this.#closed = true;
    this.#wake();
  }

  settle(response: ToolResponseView): void {
    this.#response.resolve(response);
  }

  /** The boundary ended: whatever is still open ends without a value. */
  drop(): void {
    this.#gone = new Error(ABORTED);
    this.#response.reject(this.#gone);
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    this.#version += 1;
    for (const wait of this.#waits) if (wait()) this.#waits.delete(wait);
  }

  #get(path: Path): Promise<unknown> {
    const { promise, resolve, reject } = new Deferred<unknown>();
    const serve = (): boolean => {
      const { found, complete, value } = this.#json.look(path);
      if (!complete && !this.#closed) return false;
      if (this.#gone === undefined || (found && complete)) resolve(complete ? value : undefined);
      else reject(this.#gone);
      return true;
    };
    if (!serve()) this.#waits.add(serve);
    return promise;
  }

  /** What is news at a path, after each change, until nothing more can come. */
  async *#stream<Item>(path: Path, news: (look: Look) => readonly Item[]): AsyncGenerator<Item, void> {
    while (this.#gone === undefined) {
      const version = this.#version;
      const look = this.#json.look(path);
      for (const item of news(look)) if (this.#gone === undefined) yield item;
      if (look.complete) return;
      // While an item was taken, more may have come.
      if (version !== this.#version) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#waits.add(() => {
          resolve();
          return true;
        });
      });
    }
  }

  #values(path: Path): AsyncIterable<unknown> {
    let last: unknown;
    return this.#stream(path, ({ found, complete, value }) => {
      // A container is one object while it grows: of it every piece is news.
      if (!found || (value === last && typeof value !== 'object')) return [];
      last = value;
      return [complete ? value : this.#json.copy(value)];
    });
  }

  #text(path: Path): AsyncIterable<string> {
    let given = 0;
    return this.#stream(path, ({ value }) => {
      const piece = typeof value === 'string' ? value.slice(given) : '';
      given += piece.length;
      return piece === '' ? [] : [piece];
    });
  }

  #elements(path: Path): AsyncIterable<unknown> {
    let index = 0;
    return this.#stream(path, ({ value }) => {
      const from = index;
      while (this.#isWhole([...path, index])) index += 1;
      return Array.isArray(value) ? value.slice(from, index) : [];
    });
  }

  #isWhole(path: Path): boolean {
    const { found, complete } = this.#json.look(path);
    return found && complete;
  }
}
