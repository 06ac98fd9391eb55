/** What an argument callback reads: arguments while they grow, and the response. */
import { Growing, type Path } from './json.ts';
import type { ArgumentsReader, ToolReader, ToolResponseView } from './types.ts';

export const ABORTED = 'Tool execution aborted';

interface Wait {
  readonly path: Path;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

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
  readonly #json = new Growing();
  readonly #response = new Deferred<ToolResponseView>();
  readonly reader: ToolReader;
  #waits: Wait[] = [];
  #changed: Deferred<void> | undefined;
  #closed = false;
  #gone: Error | undefined;

  constructor() {
    const args: ArgumentsReader = {
      get: (...path) => this.#get(path),
      streamValues: (...path) => this.#values(path),
      streamText: (...path) => this.#text(path),
      forEach: (...path) => this.#elements(path),
    };
    this.reader = { args, response: { get: () => this.#response.promise } };
  }

  feed(piece: string): void {
    if (this.#closed) return;
    this.#json.feed(piece);
    this.#wake();
  }

  /** No more arguments come. */
  close(): void {
    if (this.#closed) return;
    this.#json.close();
    this.#closed = true;
    this.#wake();
  }

  settle(response: ToolResponseView): void {
    this.#response.resolve(response);
  }

  /** The boundary ended: whatever is still open ends without a value. */
  drop(): void {
    const error = new Error(ABORTED);
    this.#gone = error;
    this.#response.reject(error);
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    const still: Wait[] = [];
    for (const wait of this.#waits) if (!this.#serve(wait)) still.push(wait);
    this.#waits = still;
    const changed = this.#changed;
    this.#changed = undefined;
    changed?.resolve();
  }

  #serve({ path, resolve, reject }: Wait): boolean {
    const { found, complete, value } = this.#json.look(path);
    if (found && complete) resolve(value);
    else if (this.#gone !== undefined) reject(this.#gone);
    else if (complete || this.#closed) resolve(undefined);
    else return false;
    return true;
  }

  #get(path: Path): Promise<unknown> {
    const { promise, resolve, reject } = new Deferred<unknown>();
    const wait: Wait = { path, resolve, reject };
    if (!this.#serve(wait)) this.#waits.push(wait);
    return promise;
  }

  #next(): Promise<void> {
    this.#changed ??= new Deferred<void>();
    return this.#changed.promise;
  }

  async *#values(path: Path): AsyncGenerator<unknown, void> {
    let seen = -1;
    let last: unknown;
    while (this.#gone === undefined) {
      const { found, complete, value } = this.#json.look(path);
      const isNews = seen !== this.#json.version;
      seen = this.#json.version;
      // A container is one object while it grows: of it every piece is news.
      if (found && isNews && (typeof value === 'object' || value !== last)) {
        last = value;
        yield complete ? value : this.#json.copy(path);
        if (!complete) continue;
      }
      if (complete || this.#closed) return;
      if (!isNews) await this.#next();
    }
  }

  async *#text(path: Path): AsyncGenerator<string, void> {
    let given = 0;
    while (this.#gone === undefined) {
      const { complete, value } = this.#json.look(path);
      if (typeof value === 'string' && value.length > given) {
        const piece = value.slice(given);
        given = value.length;
        yield piece;
        continue;
      }
      if (complete || this.#closed || (value !== undefined && typeof value !== 'string')) return;
      await this.#next();
    }
  }

  async *#elements(path: Path): AsyncGenerator<unknown, void> {
    let index = 0;
    while (this.#gone === undefined) {
      const element = this.#json.look([...path, index]);
      if (element.found && element.complete) {
        index += 1;
        yield element.value;
        continue;
      }
      if (this.#json.look(path).complete || this.#closed) return;
      await this.#next();
    }
  }
}
