import { createHash } from 'node:crypto';

/** Twelve hexadecimal digits of a text. */
const digitsOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * The request ids under which asks travel: `srq-` and twelve digits of the ask id, so that a card has the same id after
 * a restart. An id stands for one ask for as long as it is known here, whatever the digits of another one are.
 */
export class AskIds {
  readonly #digits: (text: string) => string;
  readonly #byAsk = new Map<string, string>();
  readonly #byId = new Map<string, string>();

  constructor(digits: (text: string) => string = digitsOf) {
    this.#digits = digits;
  }

  /** The id of an ask; a new ask gets one. `opening` tells one that was opened anew from what it was before. */
  of(askId: string, opening = askId): string {
    const known = this.#byAsk.get(askId);
    if (known !== undefined) return known;
    let id = `srq-${this.#digits(opening)}`;
    // Two asks with the same digits: the later one is counted on, for an answer must never cross.
    for (let n = 1; this.#byId.has(id); n += 1) id = `srq-${this.#digits(`${opening}#${n}`)}`;
    this.#byAsk.set(askId, id);
    this.#byId.set(id, askId);
    return id;
  }

  ask(id: string): string | undefined {
    return this.#byId.get(id);
  }

  forget(askId: string): void {
    const id = this.#byAsk.get(askId);
    this.#byAsk.delete(askId);
    if (id !== undefined) this.#byId.delete(id);
  }
}
