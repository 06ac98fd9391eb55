import type { AskView, Reply, Verdict } from '../api.ts';
import type { AnswerVerdict, Card, JsonObject, JsonValue } from '../channel.ts';
import { answerOf } from '../outcome.ts';
import { type Draft, type Drafts, EMPTY } from './drafts.ts';
import { isObject, promptOf } from './prompt.ts';
import { replyOf, sameReply } from './reply.ts';
import { closedWords, overtakenWords, receiptWords, type Said, UNCONFIRMED, UNSURE, verdictWords } from './words.ts';

/** Closed cards that are remembered, so that a late receipt finds its card. */
const REMEMBERED = 130;

export interface AskOutside {
  readonly drafts: Drafts;
  answer(id: string, result: JsonObject): false | Promise<AnswerVerdict>;
  show(askId: string): Promise<JsonObject>;
  changed(): void;
  arrived(ask: AskView): void;
  /** Nothing of it is open any more: a card, or the last one of a batch. */
  closed(key: string): void;
  say(text: string): void;
  now(): number;
}

/** Where a card is shown: alone, or with those that were put with it. */
export const keyOf = ({ askId, batch }: AskView): string => batch?.id ?? askId;

/** What of a card can be done now. */
export type Reach = Card['state'];

/** Agents' questions, as the host tells them. What became of one is said by the host's journal, never by its card. */
export class AskBook {
  readonly #outside: AskOutside;
  readonly #asks = new Map<string, AskView>();
  /** The cards on the channel, by ask. */
  readonly #cards = new Map<string, Card>();
  readonly #notes = new Map<string, Said>();
  /** What this window sent last, whether or not the host's reply came back. */
  readonly #sent = new Map<string, Reply>();
  /** Answered by this window, as far as this page has lived. */
  readonly #here = new Set<string>();
  readonly #asking = new Set<string>();

  constructor(outside: AskOutside) {
    this.#outside = outside;
  }

  get all(): IterableIterator<AskView> {
    return this.#asks.values();
  }

  get(askId: string): AskView | undefined {
    return this.#asks.get(askId);
  }

  isHere = (askId: string): boolean => this.#here.has(askId);

  reach(askId: string): Reach {
    return this.#cards.get(askId)?.state ?? 'detached';
  }

  /** What is said about the last attempt. `connected`: whether the host can still reply. */
  noteOf(askId: string, connected: boolean): Said | undefined {
    if (this.reach(askId) === 'unconfirmed' && !connected) return UNCONFIRMED;
    return this.#notes.get(askId);
  }

  /** The cards of the channel that are asks. `isNews`: not part of what the page found when it opened. */
  sync(cards: readonly Card[], isNews: boolean): void {
    const gone = new Set(this.#cards.keys());
    for (const card of cards) {
      const ask = askOf(card.params['ask']);
      if (ask === undefined) continue;
      gone.delete(ask.askId);
      const known = this.#cards.get(ask.askId);
      this.#cards.set(ask.askId, card);
      if (known?.params !== card.params) this.absorb(ask, isNews);
    }
    for (const askId of gone) this.#cards.delete(askId);
  }

  /** Every open card is on the channel now: asks what became of those that are not. */
  settle(): void {
    for (const ask of this.#asks.values()) {
      if (ask.state === 'open' && !this.#cards.has(ask.askId)) void this.#askAfter(ask);
    }
  }

  absorb(ask: AskView, isNews: boolean): void {
    const known = this.#asks.get(ask.askId);
    const isAnew = known !== undefined && known.state !== 'open' && ask.openedAt > known.openedAt;
    // A list may be older than what was told since; what is over stays over, unless it was opened anew.
    if (ask.state === 'open' && known !== undefined && known.state !== 'open' && !isAnew) return;
    if (isAnew) this.#drop(ask.askId);
    const before = isAnew ? undefined : known;
    this.#asks.set(ask.askId, ask);
    if (ask.state === 'open') {
      if (isNews && before === undefined) this.#outside.arrived(ask);
      return;
    }
    if (before?.state === 'open') this.#close(ask);
    else if (isNews) this.#sayReceipt(before, ask);
  }

  edited(askId: string): void {
    // Whatever was said about the last attempt is about another answer now.
    this.#notes.delete(askId);
  }

  /** The open card, and its draft as a reply. */
  ready(askId: string): Reply | undefined {
    const ask = this.#asks.get(askId);
    if (ask?.state !== 'open' || this.reach(askId) !== 'live') return undefined;
    const checked = replyOf(promptOf(ask), this.#outside.drafts.get(askId));
    return checked.ok ? checked.reply : undefined;
  }

  send(askId: string, reply: Reply | undefined): void {
    const card = this.#cards.get(askId);
    if (reply === undefined || card?.state !== 'live') return;
    this.#notes.delete(askId);
    this.#sent.set(askId, reply);
    const given = this.#outside.answer(card.id, reply as JsonObject);
    if (given !== false) void given.then((verdict) => this.#told(askId, verdict));
  }

  note(askId: string, said: Said): void {
    this.#notes.set(askId, said);
    this.#outside.say(`${said.title}. ${said.detail ?? ''}`);
  }

  putAway(askId: string): void {
    this.#notes.delete(askId);
    if (this.#asks.get(askId)?.state !== 'open') this.#outside.drafts.remove(askId);
  }

  /** What was entered on a card that closed before it was sent. */
  unsent({ askId, state }: AskView): Draft {
    return state === 'open' || this.#here.has(askId) ? EMPTY : this.#outside.drafts.get(askId);
  }

  /** A page that stays open for weeks does not keep every card it ever saw. */
  fade(isShown: (ask: AskView) => boolean): void {
    const closed = [...this.#asks.values()].filter((ask) => ask.state !== 'open' && !isShown(ask));
    if (closed.length <= REMEMBERED) return;
    for (const { askId } of closed.sort((a, b) => lastTime(b) - lastTime(a)).slice(REMEMBERED)) this.#drop(askId);
  }

  #drop(askId: string): void {
    for (const memory of [this.#asks, this.#notes, this.#sent, this.#here]) memory.delete(askId);
  }

  #told(askId: string, answer: AnswerVerdict): void {
    const verdict = 'reply' in answer ? verdictOf(answer.reply?.['verdict']) : undefined;
    const ask = this.#asks.get(askId);
    if (verdict !== undefined) this.#judge(verdict);
    else if (answer.status === 'refused') {
      this.note(askId, { tone: 'warn', title: 'Not sent', detail: answer.error.message });
    } else if (answer.status === 'expired' && ask !== undefined && ask.state !== 'open') {
      if (!this.#here.has(askId)) this.note(askId, overtakenWords(ask, this.#outside.now()));
    } else if (answer.status === 'unknown' && ask?.state === 'open') this.note(askId, UNSURE);
    this.#outside.changed();
  }

  #judge(verdict: Verdict): void {
    const { askId, ask } = verdict;
    const isTaken = ['accepted', 'duplicate', 'late_accepted'].includes(verdict.verdict);
    if (isTaken) this.#isOurs(askId);
    const said = verdictWords(verdict, this.#outside.now());
    const overtaken = verdict.verdict === 'late_accepted' && this.#movedOn(askId);
    if (said !== undefined && !overtaken) this.note(askId, said);
    // News arrives in commit order, a verdict may be overtaken by it: it only ever closes a card.
    const known = this.#asks.get(askId);
    if (ask !== undefined && (known === undefined || known.state === 'open')) this.absorb(ask, true);
    else if (ask === undefined && known?.state === 'open' && verdict.verdict === 'unknown') this.#forget(known);
  }

  /** True once the answer is no longer just saved. */
  #movedOn(askId: string): boolean {
    const last = this.#asks.get(askId)?.answers.at(-1);
    return last !== undefined && last.receipt !== 'saved';
  }

  #close(ask: AskView): void {
    // Known by the answer itself, because the verdict may come later, or was lost with its connection.
    const last = answerOf(ask);
    if (sameReply(this.#sent.get(ask.askId), last?.reply)) this.#isOurs(ask.askId);
    const { title, detail } = closedWords(ask, this.#here.has(ask.askId));
    const saved = last?.receipt === 'saved' && !ask.awaited ? receiptWords(last, false) : undefined;
    const parts = [title, detail, saved?.title, saved?.detail].filter((part) => part !== undefined);
    this.#outside.say(parts.map((part) => part.replace(/\.?$/, '.')).join(' '));
    const key = keyOf(ask);
    const isOver = ![...this.#asks.values()].some((other) => keyOf(other) === key && other.state === 'open');
    if (isOver) this.#outside.closed(key);
  }

  #isOurs(askId: string): void {
    this.#here.add(askId);
    this.#notes.delete(askId);
    this.#outside.drafts.remove(askId);
  }

  #sayReceipt(before: AskView | undefined, ask: AskView): void {
    const [was, is] = [before?.answers.at(-1), ask.answers.at(-1)];
    if (is === undefined || was?.receipt === is.receipt) return;
    // What was said when it was saved is no longer so.
    if (this.#notes.get(ask.askId)?.tone === 'calm') this.#notes.delete(ask.askId);
    const { title, detail } = receiptWords(is, ask.awaited);
    this.#outside.say(`${title}. ${detail ?? ''}`);
  }

  async #askAfter(ask: AskView): Promise<void> {
    if (this.#asking.has(ask.askId)) return;
    this.#asking.add(ask.askId);
    try {
      const { ask: found } = await this.#outside.show(ask.askId);
      if (this.#asks.get(ask.askId)?.state === 'open' && !this.#cards.has(ask.askId)) {
        const view = askOf(found);
        if (view === undefined) this.#forget(ask);
        else this.absorb(view, true);
      }
      this.#outside.changed();
    } catch {
      // The next connection asks again.
      return;
    } finally {
      this.#asking.delete(ask.askId);
    }
  }

  #forget(ask: AskView): void {
    this.absorb({ ...ask, state: 'lost', why: 'The host no longer has this card on file.' }, true);
  }
}

/** The last moment at which something happened to it. */
export const lastTime = (ask: AskView): number => answerOf(ask)?.answeredAt ?? ask.openedAt;

/** The host's own word is not checked twice; what is no ask is passed over. */
export function askOf(value: JsonValue | undefined): AskView | undefined {
  return isObject(value) && typeof value['askId'] === 'string' ? (value as unknown as AskView) : undefined;
}

const verdictOf = (value: JsonValue | undefined): Verdict | undefined =>
  isObject(value) ? (value as unknown as Verdict) : undefined;
