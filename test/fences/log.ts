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
  /** Each look at the leaf finds another one. */
  isMoving = false;
  /** Whoever asks for the leaf waits. */
  isMute = false;
  #ids = 0;
  #asking: (() => void)[] = [];

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
    leaf: () => (this.isMute ? this.#later() : this.#leaf()),
    lineage: {},
  };

  /** Answers those who wait. */
  speak(): void {
    this.isMute = false;
    for (const ask of this.#asking.splice(0)) ask();
  }

  #leaf(): string | null {
    return this.isMoving ? this.add() : this.at;
  }

  async #later(): Promise<string | null> {
    await new Promise<void>((resolve) => this.#asking.push(resolve));
    return this.#leaf();
  }
}
