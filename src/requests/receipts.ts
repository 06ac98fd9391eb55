/**
 * Which answer settled what has ended lately. Whoever lost the reply gives the same answer again and is told the same
 * . Holds keyed digests and no answer, in memory only.
 */
import { hash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../wire/json.ts';
import type { Entry } from './entry.ts';
import { REQUEST_LIMITS } from './limits.ts';

interface Receipt {
  readonly sid: string;
  readonly digest: string;
  readonly isSecret: boolean;
}

export class Receipts {
  // Of this object alone: without it short answers could be guessed from their digests.
  readonly #key = randomBytes(32).toString('hex');
  readonly #byId = new Map<string, Receipt>();

  /** Keyed twice, as HMAC is; an `Hmac` object for each answer would cost several times as much. */
  digest(result: JsonObject): string {
    const inner = hash('sha256', this.#key + JSON.stringify(result));
    return hash('sha256', this.#key + inner, 'base64');
  }

  keep({ id, sid }: Pick<Entry, 'id' | 'sid'>, digest: string, isSecret: boolean): void {
    this.#byId.set(id, { sid, digest, isSecret });
    if (this.#byId.size <= REQUEST_LIMITS.receipts) return;
    const [oldest] = this.#byId.keys();
    if (oldest !== undefined) this.#byId.delete(oldest);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The session whose question this was, while its receipt is remembered. */
  sidOf(id: string): string | undefined {
    return this.#byId.get(id)?.sid;
  }

  /** Whether this answer is the one that settled it. */
  matches(id: string, result: JsonObject): boolean {
    const receipt = this.#byId.get(id);
    if (receipt === undefined) return false;
    if (receipt.digest === this.digest(result)) return true;
    // One wrong guess at a secret is the last one: nobody finds out by trying what was answered.
    if (receipt.isSecret) this.#byId.delete(id);
    return false;
  }
}
