/** Requests that have ended and that a later call under their key may still ask for. The oldest go first. */
import type { JsonObject } from '../wire/json.ts';
import type { RequestRow, Settlement } from './api.ts';
import { canonicalJson, sha256 } from './approval-digest.ts';
import { REQUEST_LIMITS } from './limits.ts';
import type { Log } from './log.ts';

export interface KeptRequest {
  readonly id: string;
  readonly method: string;
  readonly sid: string;
  /** Of what was asked under its key. */
  readonly digest: string;
  readonly settlement: Settlement;
}

/** Of everything that was asked: a key stands for one question and gives its answer to no other. */
export const digestOfQuestion = (params: JsonObject, qids: readonly string[]): string =>
  sha256(canonicalJson([params, qids], 'params'));

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

  keep(row: Pick<RequestRow, 'id' | 'key' | 'method' | 'sid' | 'params' | 'qids'>, settlement: Settlement): void {
    const { id, key, method, sid, params, qids } = row;
    if (key === null) return;
    this.#byKey.set(key, { id, method, sid, digest: digestOfQuestion(params, qids), settlement });
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
