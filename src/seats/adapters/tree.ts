/** A log whose entries name their parents. */
import type { Awaitable, Id } from '../api.ts';
import { isLater } from '../watch.ts';
import { type ConversationLog, entryOf, kindOf } from './log.ts';

export interface TreeLogOptions<T> {
  readonly get: (id: Id) => Awaitable<T | null | undefined>;
  readonly parentOf: (entry: T) => Id | null;
  /** Whether the model no longer sees, word for word, what is above this entry; undefined: nobody can tell. */
  readonly isBreak: (entry: T) => boolean | undefined;
  readonly leaf: () => Awaitable<Id | null>;
}

/** A log as a tree with parent ids: everything can be proven, if `isBreak` knows every way this host hides entries. */
export function treeLog<T>({ get, parentOf, isBreak, leaf }: TreeLogOptions<T>): ConversationLog {
  const entry = (found: T | null | undefined) => {
    if (found === null || found === undefined) return undefined;
    return entryOf(parentOf(found), kindOf(isBreak(found)));
  };
  return Object.freeze({
    read: (id: Id) => {
      const found = get(id);
      return isLater(found) ? found.then(entry) : entry(found);
    },
    leaf,
    lineage: Object.freeze({}),
  });
}
