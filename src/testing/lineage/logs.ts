/** Logs for tests: trees in memory, a count of what was read, and readers that misbehave. */
import type { Entry, Id, ReadEntry } from '../../seats.ts';
import { noteStep } from '../rules.ts';

export type Rows = Record<Id, readonly [parent: Id | null, type?: string]>;

/** `a(root) <- b <- c <- d`, `b <- x <- y`, `d <- k(break) <- e <- f`. */
export const EXAMPLE: Rows = {
  a: [null, 'message'],
  b: ['a', 'message'],
  c: ['b', 'message'],
  d: ['c', 'message'],
  x: ['b', 'message'],
  y: ['x', 'message'],
  k: ['d', 'compaction'],
  e: ['k', 'message'],
  f: ['e', 'message'],
};

export class Log {
  readonly entries = new Map<Id, Entry>();
  /** Every id that was asked for, in order. */
  reads: Id[] = [];

  constructor(rows: Rows = EXAMPLE) {
    for (const [id, [parentId, type]] of Object.entries(rows)) this.add(id, parentId, type);
  }

  add(id: Id, parentId: Id | null, type?: string): this {
    this.entries.set(id, type === undefined ? { parentId } : { parentId, type });
    return this;
  }

  /** Puts what is no entry in an entry's place. */
  spoil(id: Id, entry: unknown): this {
    this.entries.set(id, entry as Entry);
    return this;
  }

  readonly read: ReadEntry = (id) => {
    this.reads.push(id);
    noteStep(`  reads ${id}`);
    return this.entries.get(id);
  };

  readonly readLater: ReadEntry = async (id) => {
    await null;
    return this.read(id);
  };

  /** A chain of so many entries under a root: `n0 <- n1 <- …`. */
  static chain(length: number, type = 'message'): Log {
    const log = new Log({});
    for (let n = 0; n < length; n += 1) log.add(`n${n}`, n === 0 ? null : `n${n - 1}`, type);
    return log;
  }
}

export const never: ReadEntry = () => new Promise(() => undefined);
