import {
  type Card,
  type CardDesk,
  type Channel,
  type ChannelState,
  createCardDesk,
  type GoneCard,
  type JsonObject,
  type JsonValue,
} from '../channel.ts';
import { SIZES } from '../limits.ts';
import { AskBook, askOf, keyOf } from './asks.ts';
import { Board, type Item, openOn, type Past } from './board.ts';
import { type Draft, Drafts } from './drafts.ts';
import { cardKinds, kindOf } from './kinds.ts';
import { type LinkState, nextLink } from './link.ts';
import { clarifyPrompts, textOf } from './prompt.ts';
import { clarifyText, count, replyOf } from './reply.ts';
import { RequestBook } from './requests.ts';
import type { Said } from './words.ts';

/** How many closed cards stay below the open ones; older ones go to the history. */
const KEEP_IN_PLACE = 3;

export interface Outside {
  readonly channel: Channel;
  changed(): void;
  announce(key: string, title: string, body: string): void;
  settled(key: string): void;
  now(): number;
}

/** Everything the page shows: what is open, what became of the rest, drafts, and what is said of them. */
export class Desk {
  readonly drafts = new Drafts();
  readonly asks: AskBook;
  readonly requests: RequestBook;
  readonly #outside: Outside;
  readonly #cards: CardDesk;
  readonly #board: Board;
  /** Closed before our eyes, oldest first; they stay whole for a while. */
  readonly #inPlace: string[] = [];
  /** Over since the last look, the latest last: more may end in one go than the desk of the channel still tells of. */
  #ended: GoneCard[] = [];
  #lastEnded: GoneCard | undefined;
  #link: LinkState = { state: 'connecting', failures: 0 };
  #skew = 0;
  #told = false;
  #total = 0;
  #live = '';
  #isForAll = false;
  #isStale = false;
  #acknowledged: ReadonlySet<string> = new Set();

  constructor(outside: Outside) {
    this.#outside = outside;
    const { channel } = outside;
    this.#cards = createCardDesk({ channel, kinds: cardKinds, notify: (card) => this.#announce(card) });
    const shared = {
      drafts: this.drafts,
      answer: (id: string, result: JsonObject) => this.#cards.answer(id, result),
      changed: () => outside.changed(),
      closed: (key: string) => this.#close(key),
      say: (text: string) => this.#say(text),
      now: () => this.now,
    };
    this.asks = new AskBook({
      ...shared,
      show: (askId) => channel.call('ask.show', { ask_id: askId }),
      arrived: (ask) => this.#say(`New question from ${ask.from || 'an agent'}.`),
    });
    this.requests = new RequestBook({ ...shared, lock: (...lock) => this.#cards.lock(...lock) });
    this.#board = new Board(this.asks, this.requests);
    this.#cards.observe(() => {
      this.#noteEnd();
      this.#acknowledge();
      this.#later();
    });
    channel.onEvent('ask.changed', ({ payload }) => this.#changed(payload));
  }

  get link(): LinkState {
    return this.#link;
  }

  get connected(): boolean {
    return this.#link.state === 'open';
  }

  /** True once the host has told what is open. */
  get told(): boolean {
    return this.#told;
  }

  /** The latest thing to be said to a person who does not look. */
  get live(): string {
    return this.#live;
  }

  /** Whether those who look must be told it too. */
  get isForAll(): boolean {
    return this.#isForAll;
  }

  /** The host's time in milliseconds. Ages are shown by its clock, whatever this browser's says. */
  get now(): number {
    return this.#outside.now() + this.#skew;
  }

  /** How many questions wait, shown or not. */
  get waiting(): number {
    const asks = [...this.asks.all].filter((ask) => ask.state === 'open');
    const open = asks.length + [...this.requests.open].length;
    return this.#told ? open : Math.max(open, this.#total);
  }

  get board(): readonly Item[] {
    return this.#board.items(this.#inPlace);
  }

  get history(): readonly Past[] {
    return this.#board.history(this.#inPlace);
  }

  /** How many that wait are not drawn. */
  more(board: readonly Item[]): number {
    return this.waiting - openOn(board);
  }

  /** Live approvals of the same session, this one among them. */
  approvalsWith({ sid }: Card): readonly Card[] {
    return [...this.requests.open].filter(
      (one) => one.method === 'approval' && one.sid === sid && one.state === 'live',
    );
  }

  /** Whether the answer of a card has left this window. */
  hasLeft(id: string): boolean {
    const card = this.#cards.card(id);
    return card === undefined || card.state === 'unconfirmed';
  }

  linkMoved(state: ChannelState): void {
    this.#sync();
    const before = this.#link;
    this.#link = nextLink(before, state);
    if (this.#link.state === 'lost' && before.state === 'open') this.#say('Connection lost. Your drafts are kept.');
    if (this.#link.state === 'open' && before.state !== 'open') this.#caughtUp(before.state === 'lost');
    this.#outside.changed();
  }

  /** One part of what is open, before its cards are there. */
  resumed(reply: JsonObject): void {
    this.#clock(reply['now']);
    if (typeof reply['open_total'] === 'number') this.#total = reply['open_total'];
    const { recent } = reply;
    for (const one of Array.isArray(recent) ? recent : []) {
      const ask = askOf(one);
      if (ask !== undefined) this.asks.absorb(ask, this.#told);
    }
  }

  edit(key: string, draft: Draft): void {
    this.drafts.set(key, draft);
    this.asks.edited(key);
    this.requests.edited(key.replace(/#.*/s, ''));
    this.#outside.changed();
  }

  /** Sends one question alone. */
  submit(key: string): void {
    if (this.asks.get(key) !== undefined) this.asks.send(key, this.asks.ready(key));
    else this.#lock(key);
    this.#outside.changed();
  }

  decline(askId: string): void {
    this.asks.send(askId, { declined: true });
    this.#outside.changed();
  }

  /** Says that a paste was refused, with the limit. */
  tooLong(key: string, length: number): void {
    const detail = `With it this text would have ${count(length)} characters, and ${count(SIZES.answerText)} is the limit. Nothing was changed: paste a part of it, or name a file that holds it.`;
    const said: Said = { tone: 'warn', title: 'Not pasted', detail };
    if (this.asks.get(key) !== undefined) this.asks.note(key, said);
    else this.requests.note(key.replace(/#.*/s, ''), said);
    this.#outside.changed();
  }

  /** Says that a press did nothing, because what was pressed had only just come under the pointer. */
  missed(): void {
    this.#say('The page had just moved under your pointer, so nothing was pressed. Press again.', true);
    this.#outside.changed();
  }

  /** Moves a closed card to the history, with what was left on it. */
  putAway(key: string): void {
    const at = this.#inPlace.indexOf(key);
    if (at >= 0) this.#inPlace.splice(at, 1);
    for (const ask of this.#board.groups().get(key)?.asks ?? []) this.asks.putAway(ask.askId);
    this.requests.putAway(key);
    this.#outside.changed();
  }

  /** Fixes the answer of one question of a clarification. */
  #lock(key: string): void {
    const card = [...this.requests.open].find(({ id }) => key.startsWith(`${id}#`));
    const prompt = clarifyPrompts(card?.id ?? '', card?.params ?? {}).find((one) => one.key === key);
    if (card?.state !== 'live' || prompt?.qid === undefined) return;
    const draft = this.drafts.get(key);
    const checked = replyOf(prompt, draft);
    if (draft.skipped === true) this.requests.lock(card.id, prompt.qid, null);
    else if (checked.ok) this.requests.lock(card.id, prompt.qid, clarifyText(prompt, checked.reply));
  }

  /** Each end is a change of its own, so the latest is all that can be new. */
  #noteEnd(): void {
    const [latest] = this.#cards.gone;
    if (latest === undefined || latest === this.#lastEnded) return;
    this.#lastEnded = latest;
    this.#ended.push(latest);
  }

  /** A list of thousands arrives in one go, and is read once. */
  #later(): void {
    if (!this.#isStale) queueMicrotask(() => this.#sync());
    this.#isStale = true;
  }

  #sync(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const cards = [...this.#cards.cards(), ...this.#cards.unconfirmed()];
    const isAsk = ({ method }: { method: string }): boolean => method === 'ask';
    this.asks.sync(cards.filter(isAsk), this.#told);
    const gone = this.#ended.reverse();
    this.#ended = [];
    const { caughtUp } = this.#outside.channel.state;
    this.requests.sync(
      cards.filter((card) => !isAsk(card)),
      gone.filter((one) => !isAsk(one)),
      caughtUp,
    );
    if (caughtUp && gone.some(isAsk)) this.asks.settle();
    this.#outside.changed();
  }

  #caughtUp(again: boolean): void {
    if (again) this.#say('Connected again.');
    this.requests.settle();
    this.asks.settle();
    if (!this.#told) this.drafts.prune((key) => this.asks.get(key) !== undefined, this.now);
    this.#told = true;
  }

  #changed({ ask: value, now }: JsonObject): void {
    this.#sync();
    this.#clock(now);
    const ask = askOf(value);
    if (ask !== undefined) this.asks.absorb(ask, true);
    this.#outside.changed();
  }

  #announce(card: Card): void {
    const ask = card.method === 'ask' ? askOf(card.params['ask']) : undefined;
    if (ask !== undefined) {
      this.#outside.announce(keyOf(ask), `${ask.from || 'An agent'} asks`, ask.question);
      return;
    }
    const kind = kindOf(card.method);
    this.requests.arrived(card);
    if (kind === undefined) return;
    this.#say(`New card: ${kind.name}. ${kind.headline(card.params)}`);
    this.#outside.announce(card.id, kind.name, kind.headline(card.params));
  }

  /** Says of each approval, once, that a person can see it now, however it came here. */
  #acknowledge(): void {
    const shown = this.#cards.cards().filter(({ method, state }) => method === 'approval' && state === 'live');
    for (const { id, sid, params } of shown) {
      const request = textOf(params['request_id']);
      if (request === '' || this.#acknowledged.has(id)) continue;
      // A host without a queue of its own does not know the word.
      this.#outside.channel.call('approval.received', { session_id: sid, request_id: request }).catch(() => undefined);
    }
    this.#acknowledged = new Set(shown.map(({ id }) => id));
  }

  #close(key: string): void {
    this.#inPlace.push(key);
    while (this.#inPlace.length > KEEP_IN_PLACE) this.putAway(this.#inPlace[0] ?? '');
    this.#outside.settled(key);
    const groups = this.#board.groups();
    this.asks.fade((ask) => this.#inPlace.includes(keyOf(ask)) || groups.get(keyOf(ask))?.isOpen === true);
  }

  #clock(now: JsonValue | undefined): void {
    if (typeof now === 'number') this.#skew = now - this.#outside.now();
  }

  #say(text: string, isForAll = false): void {
    this.#live = text;
    this.#isForAll = isForAll;
  }
}
