/**
 * Which answer settled what has ended lately. Whoever lost the reply gives the same answer again and is told the same
 * a bare response frame has no reply that could be lost. Holds keyed digests and no answer, in memory only.
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
  // Two generations: the older one goes as a whole, for a map that loses its oldest at each step is slow to find it.
  #recent = new Map<string, Receipt>();
  #older = new Map<string, Receipt>();

  /** A key in front is enough of a MAC here: from a cut SHA-512 nothing can be computed that goes on where it ended. */
  digest(result: JsonObject): string | undefined {
    let text: string;
    try {
      text = JSON.stringify(result);
    } catch {
      // It nests without end: of what cannot be written there is no receipt.
      return undefined;
    }
    return hash('sha512-256', this.#key + text, 'base64');
  }

  keep({ id, sid }: Pick<Entry, 'id' | 'sid'>, digest: string, isSecret: boolean): void {
    if (this.#recent.size >= REQUEST_LIMITS.receipts) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(id, { sid, digest, isSecret });
  }

  /** The session whose question this was, while its receipt is remembered. */
  sidOf(id: string): string | undefined {
    return this.#find(id)?.sid;
  }

  /** Whether this answer is the one that settled it. */
  matches(id: string, result: JsonObject): boolean {
    const receipt = this.#find(id);
    if (receipt === undefined) return false;
    if (receipt.digest === this.digest(result)) return true;
    // One wrong guess at a secret is the last one: nobody finds out by trying what was answered.
    if (receipt.isSecret) this.#forget(id);
    return false;
  }

  #find(id: string): Receipt | undefined {
    return this.#recent.get(id) ?? this.#older.get(id);
  }

  #forget(id: string): void {
    this.#recent.delete(id);
    this.#older.delete(id);
  }
}
