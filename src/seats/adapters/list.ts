/** A log that is a list: the parent of an entry is the one before it. */
import type { Entry, Id } from '../api.ts';
import { type ConversationLog, entryOf, kindOf, NO_ENTRY } from './log.ts';

export interface ListLogOptions<T> {
  /** The list as it is now; the same array may grow, or another one come in its place. */
  readonly entries: () => readonly T[];
  readonly idOf: (entry: T) => string;
  /** Whether the model no longer sees, word for word, what is before this entry; undefined: nobody can tell. */
  readonly isBreak: (entry: T) => boolean | undefined;
  /** The log's own name, put before every id: needed where ids are counted from the start in each log. */
  readonly name?: string;
}

export interface ListLog<T> extends ConversationLog {
  /** The id of an entry as an anchor: with the log's name, if it has one. */
  readonly idOf: (entry: T) => Id;
}

/**
 * A log as a flat list with ids. A rewind truncates such a list, so an anchor that was rewound is absent and reads as
 * `foreign-log`, which refuses like `moved-off`. An id that is there twice proves nothing. Positions are no ids.
 */
export function listLog<T>(options: ListLogOptions<T>): ListLog<T> {
  const idOf = (entry: T): Id => {
    const id: unknown = options.idOf(entry);
    if (typeof id !== 'string' || id === '') return '';
    return options.name === undefined ? id : `${options.name.length}:${options.name}:${id}`;
  };
  const places = new Places(idOf);
  return Object.freeze({
    idOf,
    read: (id: Id): Entry | undefined => {
      const entries = options.entries();
      const place = places.of(entries, id);
      if (place === undefined) return undefined;
      const entry = entries[place];
      if (place < 0 || entry === undefined) return NO_ENTRY;
      const before = place === 0 ? null : idOf(entries[place - 1] as T);
      return entryOf(before, kindOf(options.isBreak(entry)));
    },
    leaf: (): Id | null => {
      const last = options.entries().at(-1);
      return last === undefined ? null : idOf(last);
    },
    lineage: Object.freeze({}),
    // A message is deleted out of the middle, and the leaf is what it was.
    isAppendOnly: false,
  });
}

/** Where each id is; looked up again where the list is no longer what it was. */
class Places<T> {
  readonly #idOf: (entry: T) => Id;
  #list: readonly T[] = [];
  #counted = 0;
  #last: Id | undefined;
  #places = new Map<Id, number>();

  constructor(idOf: (entry: T) => Id) {
    this.#idOf = idOf;
  }

  /** -1: it is there more than once. */
  of(list: readonly T[], id: Id): number | undefined {
    this.#follow(list);
    const place = this.#places.get(id);
    const entry = place === undefined ? undefined : list[place];
    if (place === -1 || (entry !== undefined && this.#idOf(entry) === id)) return place;
    // It is not there, or an entry in the middle was exchanged.
    this.#counted = 0;
    this.#follow(list);
    return this.#places.get(id);
  }

  #follow(list: readonly T[]): void {
    const last = this.#counted === 0 ? undefined : list[this.#counted - 1];
    const isLonger = list === this.#list && last !== undefined && this.#idOf(last) === this.#last;
    if (!isLonger) {
      this.#places = new Map();
      this.#counted = 0;
    }
    this.#list = list;
    for (; this.#counted < list.length; this.#counted += 1) {
      const id = this.#idOf(list[this.#counted] as T);
      this.#places.set(id, this.#places.has(id) ? -1 : this.#counted);
      this.#last = id;
    }
  }
}
