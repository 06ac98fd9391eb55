import type { AskChange, Asking } from '../api.ts';
import { nodeRuntime } from '../runtime.ts';

/** One change, for all readers the same object. */
export interface FeedItem extends AskChange {
  readonly now: number;
  /** The JSON text of `{ask, cause, now}`, written out once. */
  readonly json: string;
}

/** One subscription to the coordinator, fanned out to every page and stream. */
export class Feed {
  readonly #readers = new Set<(item: FeedItem) => void>();
  readonly #stop: () => void;

  constructor(coordinator: Asking) {
    this.#stop = coordinator.subscribe((change) => this.#publish(change));
  }

  /** Calls `reader` for every change from now on, in commit order. Returns the way to stop it. */
  read(reader: (item: FeedItem) => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  close(): void {
    this.#stop();
    this.#readers.clear();
  }

  #publish({ ask, cause }: AskChange): void {
    if (this.#readers.size === 0) return;
    const now = nodeRuntime.now();
    let json: string | undefined;
    const item: FeedItem = {
      ask,
      cause,
      now,
      get json() {
        json ??= JSON.stringify({ ask, cause, now });
        return json;
      },
    };
    for (const reader of [...this.#readers]) reader(item);
  }
}
