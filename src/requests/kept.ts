/** Requests that have ended and that a later call under their key may still ask for. The oldest go first. */
import type { Settlement } from './api.ts';
import type { Entry } from './entry.ts';
import { REQUEST_LIMITS } from './limits.ts';
import type { Log } from './log.ts';

export interface KeptRequest {
  readonly id: string;
  readonly method: string;
  readonly sid: string;
  readonly settlement: Settlement;
}

export class Kept {
  readonly #byKey = new Map<string, KeptRequest>();
  readonly #ids = new Set<string>();
  readonly #evicted: KeptRequest[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  find(key: string): KeptRequest | undefined {
    return this.#byKey.get(key);
  }

  hasId(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The ids that must go when so many more come. Changes nothing. */
  evicting(more: number): string[] {
    const excess = this.#byKey.size + more - REQUEST_LIMITS.kept;
    if (more === 0 || excess <= 0) return [];
    return [...this.#byKey.values()].slice(0, excess).map(({ id }) => id);
  }

  keep({ id, key, method, sid }: Pick<Entry, 'id' | 'key' | 'method' | 'sid'>, settlement: Settlement): void {
    if (key === null) return;
    this.#byKey.set(key, { id, method, sid, settlement });
    this.#ids.add(id);
    for (const [oldest, kept] of this.#byKey) {
      if (this.#byKey.size <= REQUEST_LIMITS.kept) break;
      this.#byKey.delete(oldest);
      this.#ids.delete(kept.id);
      this.#evicted.push(kept);
    }
  }

  /** Says what went, once everything is in place. */
  sayEvicted(): void {
    for (const { id, method } of this.#evicted.splice(0)) {
      this.#log.say('warn', `the bound of ${REQUEST_LIMITS.kept} ended requests took ${id} (${method})`);
    }
  }
}
