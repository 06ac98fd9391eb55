import type { AskView } from '../api.ts';
import type { Card } from '../channel.ts';
import { type AskBook, keyOf, lastTime } from './asks.ts';
import type { Over, RequestBook } from './requests.ts';

const HISTORY = 30;
/** Open cards that are drawn; a page of thousands stands still. */
const DRAWN = 500;

/** A question of an agent, or all that were put with it; open while one of them is. */
export interface AskItem {
  readonly kind: 'ask';
  readonly key: string;
  readonly asks: readonly AskView[];
  readonly isOpen: boolean;
}

/** One place on the page. */
export type Item =
  | AskItem
  | { readonly kind: 'request'; readonly key: string; readonly card: Card }
  | { readonly kind: 'over'; readonly key: string; readonly over: Over };

export type Past = AskView | Over;

/** What stands where. */
export class Board {
  readonly #asks: AskBook;
  readonly #requests: RequestBook;

  constructor(asks: AskBook, requests: RequestBook) {
    this.#asks = asks;
    this.#requests = requests;
  }

  /** Open cards in the order in which they came, and below them those that closed before our eyes. */
  items(inPlace: readonly string[]): readonly Item[] {
    const groups = this.groups();
    const asks = [...groups.values()].filter(({ isOpen }) => isOpen);
    const requests = [...this.#requests.open].map((card): Item => ({ kind: 'request', key: card.id, card }));
    const open = [...asks, ...requests].sort((a, b) => this.#order(a) - this.#order(b)).slice(0, DRAWN);
    const shown = new Set(open.map(({ key }) => key));
    const closed = inPlace.map((key) => (shown.has(key) ? undefined : (groups.get(key) ?? this.#overItem(key))));
    return [...open, ...closed.filter((item) => item !== undefined)];
  }

  /** Closed cards, the latest first. */
  history(inPlace: readonly string[]): readonly Past[] {
    const closed = [...this.groups().values()].filter(({ key, isOpen }) => !isOpen && !inPlace.includes(key));
    const over = this.#requests.over.filter(({ id }) => !inPlace.includes(id));
    return [...closed.flatMap(({ asks }) => asks), ...over].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, HISTORY);
  }

  groups(): Map<string, AskItem> {
    const groups = new Map<string, AskView[]>();
    for (const ask of this.#asks.all) {
      const group = groups.get(keyOf(ask)) ?? [];
      groups.set(keyOf(ask), group);
      group.push(ask);
    }
    const made = [...groups].map(([key, all]): [string, AskItem] => {
      const asks = all.sort((a, b) => (a.batch?.index ?? 0) - (b.batch?.index ?? 0));
      return [key, { kind: 'ask', key, asks, isOpen: asks.some(({ state }) => state === 'open') }];
    });
    return new Map(made);
  }

  #overItem(key: string): Item | undefined {
    const over = this.#requests.over.find(({ id }) => id === key);
    return over === undefined ? undefined : { kind: 'over', key, over };
  }

  /** What was there before this page stands above what came since. */
  #order(item: Item): number {
    return item.kind === 'ask' ? (item.asks[0]?.openedAt ?? 0) : (this.#requests.since(item.key) ?? 0);
  }
}

/** How many open questions are among them. */
export function openOn(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + openIn(item), 0);
}

function openIn(item: Item): number {
  if (item.kind === 'ask') return item.asks.filter(({ state }) => state === 'open').length;
  return item.kind === 'request' ? 1 : 0;
}

const timeOf = (one: Past): number => ('askId' in one ? lastTime(one) : one.at);
