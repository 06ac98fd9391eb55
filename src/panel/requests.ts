import type { AnswerVerdict, Card, GoneCard, JsonObject, LockVerdict } from '../channel.ts';
import type { Drafts } from './drafts.ts';
import { kindOf } from './kinds.ts';
import { clarifyPrompts } from './prompt.ts';
import { type Said, UNCONFIRMED, UNSURE } from './words.ts';

/** Cards that are over and still told of. */
const KEPT = 60;

export interface RequestOutside {
  readonly drafts: Drafts;
  answer(id: string, result: JsonObject): false | Promise<AnswerVerdict>;
  lock(id: string, qid: string, answer: string | null): false | Promise<LockVerdict>;
  changed(): void;
  closed(key: string): void;
  say(text: string): void;
  now(): number;
}

/** A request that is over, and what the page itself knows of its end. */
export interface Over extends GoneCard {
  readonly at: number;
  /** What this window answered, in words; of a secret nothing but that it was given. */
  readonly said: Said | undefined;
}

/** Requests of the host, other than agents' questions: approvals, clarifications, secrets and their kind. */
export class RequestBook {
  readonly #outside: RequestOutside;
  readonly #cards = new Map<string, Card>();
  /** First seen live at; unknown for what was there before this page. */
  readonly #since = new Map<string, number>();
  readonly #said = new Map<string, Said>();
  readonly #notes = new Map<string, Said>();
  /** Of a host that was replaced: the next one may show them again under the same id. */
  readonly #orphans = new Map<string, GoneCard>();
  readonly #heard = new WeakSet<GoneCard>();
  #over: Over[] = [];

  constructor(outside: RequestOutside) {
    this.#outside = outside;
  }

  get open(): IterableIterator<Card> {
    return this.#cards.values();
  }

  get over(): readonly Over[] {
    return this.#over;
  }

  since = (id: string): number | undefined => this.#since.get(id);

  arrived(card: Card): void {
    this.#since.set(card.id, this.#outside.now());
  }

  noteOf({ id, state, note, secret }: Card, connected: boolean): Said | undefined {
    if (state === 'unconfirmed' && !connected) return secret ? { ...UNCONFIRMED, detail: KEPT_TO_SEND } : UNCONFIRMED;
    if (state === 'detached') return undefined;
    return this.#notes.get(id) ?? note;
  }

  /** The cards of the channel, and those that are over, the latest first. */
  sync(cards: readonly Card[], gone: readonly GoneCard[], caughtUp: boolean): void {
    for (const card of cards) {
      this.#cards.set(card.id, card);
      if (this.#orphans.delete(card.id) && this.#said.delete(card.id))
        this.#note(card.id, card.secret ? { ...UNSURE, detail: TYPE_AGAIN } : UNSURE);
    }
    const fresh = gone.filter((one) => !this.#heard.has(one));
    for (const one of fresh.reverse()) {
      this.#heard.add(one);
      if (one.why === 'epoch' && !caughtUp) this.#orphan(one);
      else this.#end(one);
    }
    const listed = new Set(cards.map(({ id }) => id));
    for (const id of this.#cards.keys()) if (!listed.has(id) && !this.#orphans.has(id)) this.#cards.delete(id);
  }

  /** What a replaced host asked, and the next one does not, is over. */
  settle(): void {
    for (const one of this.#orphans.values()) this.#end(one);
    this.#orphans.clear();
  }

  edited(id: string): void {
    this.#notes.delete(id);
  }

  /** `said`: what the answer is, in words. `others`: ids that the same answer is for. */
  answer(id: string, result: JsonObject, said: Said, others: readonly string[] = []): void {
    this.#notes.delete(id);
    const given = this.#outside.answer(id, result);
    if (given === false) return;
    for (const one of [id, ...others]) this.#said.set(one, said);
    void given.then((verdict) => {
      if (verdict.status === 'ok' || verdict.status === 'unknown' || verdict.status === 'sent') return;
      for (const one of [id, ...others]) this.#said.delete(one);
      this.#outside.changed();
    });
  }

  lock(id: string, qid: string, answer: string | null): void {
    this.#notes.delete(id);
    const locked = this.#outside.lock(id, qid, answer);
    if (locked === false) return;
    void locked.then((verdict) => {
      if (verdict.status === 'ok') this.#outside.drafts.remove(`${id}#${qid}`);
      if (verdict.status === 'ok') this.#outside.say('Saved. It can be changed until all are answered.');
      if (verdict.status === 'refused') this.#note(id, { ...NOT_SAVED, detail: verdict.error.message });
      if (verdict.status === 'not-sent') this.#note(id, NOT_SAVED);
      this.#outside.changed();
    });
  }

  note(id: string, said: Said): void {
    this.#note(id, said);
  }

  putAway(id: string): void {
    this.#notes.delete(id);
    for (const one of this.#over) if (one.id === id) this.#dropDrafts(one);
  }

  #orphan(one: GoneCard): void {
    const card = this.#cards.get(one.id);
    if (card === undefined) return;
    this.#orphans.set(one.id, one);
    this.#cards.set(one.id, Object.freeze({ ...card, state: 'detached', note: undefined }));
  }

  #end(one: GoneCard): void {
    const { id, why, reason, words } = one;
    // Whether it was decided by an answer of this window that was for all: the host takes the others back as resolved.
    const ours = why === 'acknowledged' || why === 'gone' || (why === 'cancelled' && reason === 'resolved');
    const said = ours ? this.#said.get(id) : undefined;
    if (why === 'acknowledged' || why === 'locked') this.#dropDrafts(one);
    this.#cards.delete(id);
    this.#said.delete(id);
    this.#notes.delete(id);
    this.#since.delete(id);
    this.#over = [{ ...one, said, at: this.#outside.now() }, ...this.#over.filter((other) => other.id !== id)];
    this.#over.length = Math.min(this.#over.length, KEPT);
    const { title, detail } = said ?? words;
    this.#outside.say(`${kindOf(one.method)?.name ?? 'Request'}: ${title}. ${detail ?? ''}`);
    this.#outside.closed(id);
  }

  #dropDrafts({ id, method, params }: GoneCard): void {
    const keys = method === 'clarify' ? clarifyPrompts(id, params).map(({ key }) => key) : [];
    for (const key of [id, ...keys]) this.#outside.drafts.remove(key);
  }

  #note(id: string, said: Said): void {
    this.#notes.set(id, said);
    this.#outside.say(`${said.title}. ${said.detail ?? ''}`);
  }
}

const KEPT_TO_SEND =
  'The connection ended before the host replied. What you entered is in no field and in no file any more; this window sends it again when the host shows the question.';
const TYPE_AGAIN = 'The host was replaced before it replied. Nothing was stored here: please type it again.';
const NOT_SAVED: Said = { tone: 'warn', title: 'Not saved', detail: 'Try it again when the connection is back.' };
