/** A conversation log in the test's hand: a tree of entries, a leaf, and faults on demand. */
import type { ConversationLog, Entry } from '../../src/seats.ts';

export class HandLog {
  readonly entries = new Map<string, Entry>();
  at: string | null = null;
  /** Nothing can be read. */
  isDown = false;
  reads = 0;
  /** Called within each read, for a log that moves meanwhile. */
  onRead: (() => void) | undefined;
  #ids = 0;

  /** Appends under the leaf and moves it there. */
  add(id = `e${++this.#ids}`, type = 'entry', parentId = this.at): string {
    this.entries.set(id, { parentId, type });
    this.at = id;
    return id;
  }

  compact(id?: string): string {
    return this.add(id ?? `k${++this.#ids}`, 'compaction');
  }

  readonly read = (id: string): Entry | undefined => {
    if (this.isDown) throw new Error('the log is down');
    this.reads += 1;
    this.onRead?.();
    return this.entries.get(id);
  };

  readonly log: ConversationLog = {
    read: this.read,
    leaf: () => this.at,
    lineage: {},
  };
}
