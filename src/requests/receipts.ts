/**
 * Which answer settled what has ended lately. Whoever lost the reply gives the same answer again and is told the same
 * a bare response frame has no reply that could be lost. Holds salted digests and no answer.
 */
import { hash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../wire/json.ts';
import type { Receipt } from './api.ts';
import { canonicalJson } from './approval-digest.ts';
import type { Entry } from './entry.ts';
import { REQUEST_LIMITS } from './limits.ts';

interface KeptReceipt extends Receipt {
  readonly sid: string;
  readonly isSecret: boolean;
}

/** Equal answers have equal digests under one salt, whatever the order of their members. */
function digestOf(result: JsonObject, salt: string): string | undefined {
  let text: string;
  try {
    text = canonicalJson(result);
  } catch {
    // It nests without end: of what cannot be written there is no receipt.
    return undefined;
  }
  // A key in front is enough of a MAC here: from a cut SHA-512 nothing can be computed that goes on where it ended.
  return hash('sha512-256', salt + text, 'base64');
}

export class Receipts {
  // Two generations: the older one goes as a whole, for a map that loses its oldest at each step is slow to find it.
  #recent = new Map<string, KeptReceipt>();
  #older = new Map<string, KeptReceipt>();

  /** Of one answer in each of the forms in which it may be given again. */
  receiptOf(...forms: readonly JsonObject[]): Receipt | undefined {
    const salt = randomBytes(16).toString('base64');
    const digests = forms.flatMap((form) => digestOf(form, salt) ?? []);
    return digests.length === 0 ? undefined : { salt, digests };
  }

  keep({ id, sid }: Pick<Entry, 'id' | 'sid'>, { salt, digests }: Receipt, isSecret: boolean): void {
    if (this.#recent.size >= REQUEST_LIMITS.receipts) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(id, { sid, salt, digests, isSecret });
  }

  /** The session whose question this was, while its receipt is remembered. */
  sidOf(id: string): string | undefined {
    return this.#find(id)?.sid;
  }

  /** Whether this answer is the one that settled it. */
  matches(id: string, result: JsonObject): boolean {
    const receipt = this.#find(id);
    if (receipt === undefined) return false;
    if (this.tells(receipt, result)) return true;
    // One wrong guess at a secret is the last one: nobody finds out by trying what was answered.
    if (receipt.isSecret) this.#forget(id);
    return false;
  }

  tells({ salt, digests }: Receipt, result: JsonObject): boolean {
    const digest = digestOf(result, salt);
    return digest !== undefined && digests.includes(digest);
  }

  #find(id: string): KeptReceipt | undefined {
    return this.#recent.get(id) ?? this.#older.get(id);
  }

  #forget(id: string): void {
    this.#recent.delete(id);
    this.#older.delete(id);
  }
}
