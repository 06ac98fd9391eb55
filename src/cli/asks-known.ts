/** Names of asks for people: an id as short as `show` still takes it, and the question. */

import type { AskView } from '../api.ts';
import type { Client } from './client.ts';
import { LOOK_BACK, shortIds } from './find.ts';

/** A log is kept and read later, when there are more asks: its ids are longer than they need to be now. */
const LASTING = 11;

export interface Named {
  readonly id: string;
  /** Undefined when the host no longer knows the ask. */
  readonly question: string | undefined;
}

export class AsksKnown {
  readonly #questions = new Map<string, string | undefined>();
  #short: ReadonlyMap<string, string> = new Map();

  /** Looks up whichever of these is not known yet. */
  async learn(client: Client, askIds: readonly string[]): Promise<void> {
    const news = new Set(askIds.filter((askId) => !this.#questions.has(askId)));
    if (news.size === 0) return;
    const lists = await Promise.all([client.list('open', LOOK_BACK), client.list('recent', LOOK_BACK)]);
    const listed: readonly AskView[] = lists.flat();
    // What stands in no list is found by its whole id alone, so it gets no short one.
    this.#short = shortIds(listed);
    for (const { askId, question } of listed) this.#questions.set(askId, question);
    for (const askId of news) {
      if (!this.#questions.has(askId)) this.#questions.set(askId, (await client.show(askId))?.question);
    }
  }

  name(askId: string): Named {
    const short = this.#short.get(askId) ?? askId;
    return { id: askId.slice(0, Math.max(short.length, LASTING)), question: this.#questions.get(askId) };
  }
}
