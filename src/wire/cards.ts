/** The cards of one window: what is on the screen, what was typed on it, and what became of it. */

import type { CardEnd } from '../../machines/requests/card-facts.ts';
import { requireFields } from '../fields.ts';
import type { CardKind, CardKinds, SessionFacts } from './card-kinds.ts';
import { DETACHED, endWords, type Words } from './card-words.ts';
import type { Channel } from './channel.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Question } from './question.ts';
import type { AnswerVerdict, LockVerdict, QuestionOwner } from './question-types.ts';

/** One card. A view: it does not change, the next one does. */
export interface Card {
  readonly id: string;
  readonly sid: string;
  readonly method: string;
  readonly params: JsonObject;
  /** `live`: can be answered. `detached`: waits for the host to show it again. `unconfirmed`: answered, off the screen. */
  readonly state: 'live' | 'detached' | 'unconfirmed';
  /** Answers of a batch that are fixed: its ticks. */
  readonly locks: Readonly<Record<string, JsonValue>>;
  /** What the person entered and has not sent. */
  readonly draft: JsonValue | undefined;
  readonly secret: boolean;
  /** What is to be said on the card. */
  readonly note: Words | undefined;
}

/** A card that is over. */
export interface GoneCard {
  readonly id: string;
  readonly sid: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly why: CardEnd;
  /** The server's reason, where it took the question back. */
  readonly reason: string | null;
  readonly words: Words;
  /** Entered and never sent; of a secret never. */
  readonly unsent: JsonValue | undefined;
  /** What the host said of the answer, with members of its own. */
  readonly reply: JsonObject | undefined;
}

export interface CardDeskOptions {
  readonly channel: Channel;
  readonly kinds: CardKinds;
  readonly facts?: Partial<SessionFacts> | undefined;
  /** A card nobody saw before: ring, notify. Not called for what a reconnect brings back. */
  readonly notify?: ((card: Card) => void) | undefined;
  /** Cards that are over and still told of; the oldest goes first. Default 100. */
  readonly keep?: number | undefined;
}

interface Row {
  readonly question: Question;
  readonly kind: CardKind;
  draft: JsonValue | undefined;
  note: Words | undefined;
  answered: boolean;
}

const KEPT = 100;
const FACTS: SessionFacts = { hosts: () => true, isOnScreen: () => true, wasInterrupted: () => false };

export class CardDesk {
  readonly #options: CardDeskOptions;
  readonly #facts: SessionFacts;
  readonly #rows = new Map<string, Row>();
  readonly #gone: GoneCard[] = [];
  readonly #observers = new Set<() => void>();
  readonly #off: () => void;

  constructor(options: CardDeskOptions) {
    requireFields(options, { 'channel.onRequest': 'function', kinds: 'object', facts: 'object?', notify: 'function?' });
    this.#options = options;
    this.#facts = { ...FACTS, ...options.facts };
    this.#off = options.channel.onRequest('*', (question) => this.#arrived(question));
  }

  /** Takes no more questions. Those it has stay the channel's. */
  close(): void {
    this.#off();
    this.#observers.clear();
  }

  /** Cards on the screen, of one session or of all, in the order of their arrival. */
  cards(sid?: string): readonly Card[] {
    return this.#views(sid).filter(({ state }) => state !== 'unconfirmed');
  }

  /** Answered, and not confirmed yet. */
  unconfirmed(sid?: string): readonly Card[] {
    return this.#views(sid).filter(({ state }) => state === 'unconfirmed');
  }

  /** Cards that are over, the latest first. */
  get gone(): readonly GoneCard[] {
    return [...this.#gone].reverse();
  }

  /** Sessions that wait for a person. */
  get needInput(): ReadonlySet<string> {
    return new Set(this.cards().map(({ sid }) => sid));
  }

  card(id: string): Card | undefined {
    const row = this.#rows.get(id);
    return row === undefined ? undefined : viewOf(row);
  }

  /** Called after each change. What it throws is the channel's `onCallbackError`, and keeps no other one from being told. */
  observe(observer: () => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Keeps what the person enters, through lost connections. False: there is no such card. */
  draft(id: string, value: JsonValue | undefined): boolean {
    const row = this.#rows.get(id);
    if (row === undefined) return false;
    row.draft = value;
    row.note = undefined;
    this.#changed();
    return true;
  }

  /** Answers a card; false when nothing of that id is open. It leaves the screen only if the answer left. */
  answer(id: string, result: JsonObject): false | Promise<AnswerVerdict> {
    const row = this.#rows.get(id);
    if (row === undefined || row.question.state === 'unconfirmed') return false;
    row.note = undefined;
    try {
      return this.#send(row, result);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      row.note = { tone: 'warn', title: 'Not sent', detail: error.message };
      this.#changed();
      return Promise.resolve({ status: 'not-sent' });
    }
  }

  /** Fixes one answer of a batch. False when nothing of that id is open. */
  lock(id: string, qid: string, answer: string | null): false | Promise<LockVerdict> {
    return this.#rows.get(id)?.question.lock(qid, answer) ?? false;
  }

  #send(row: Row, result: JsonObject): Promise<AnswerVerdict> {
    const { question, kind } = row;
    if (kind.form !== 'response') return question.answer(result);
    return Promise.resolve({ status: question.respond(result) });
  }

  #arrived(question: Question): false | QuestionOwner {
    const kind = Object.hasOwn(this.#options.kinds, question.method) ? this.#options.kinds[question.method] : undefined;
    if (kind === undefined) return false;
    const arrival = kind.arrive?.(question, this.#facts) ?? 'show';
    if (arrival === false) return false;
    if (arrival === 'show') {
      const row: Row = { question, kind, draft: undefined, note: undefined, answered: false };
      this.#rows.set(question.id, row);
      return this.#owner(row);
    }
    if ('decline' in arrival) {
      const { decline } = arrival;
      question.fail(decline);
      // What did not leave is said again when the question is.
      return { rebind: () => void question.fail(decline) };
    }
    const given = 'answer' in arrival ? arrival.answer : undefined;
    return new Errand(question, kind, given === undefined && 'act' in arrival ? arrival.act : () => given ?? {});
  }

  #owner(row: Row): QuestionOwner {
    return {
      announce: () => this.#options.notify?.(viewOf(row)),
      changed: (question) => {
        const { state } = question;
        row.answered = state === 'unconfirmed' || (question.isOver && row.answered);
        // A secret that has left is in no field any more; it is sent again from where it waits for its receipt.
        if (row.answered && row.kind.secret === true) row.draft = undefined;
        row.note = noteOf(row);
        if (question.isOver) this.#end(row);
        this.#changed();
      },
    };
  }

  #end(row: Row): void {
    const { question, kind, answered, draft } = row;
    this.#rows.delete(question.id);
    const why = question.why ?? 'gone';
    const words = endWords({ why, reason: question.reason, answered });
    if (words === undefined) return;
    const { id, sessionId: sid, method, params, reason, reply } = question;
    const unsent = answered || kind.secret === true ? undefined : draft;
    this.#gone.push({ id, sid, method, params, why, reason, words, unsent, reply });
    const keep = this.#options.keep ?? KEPT;
    if (this.#gone.length > keep) this.#gone.splice(0, this.#gone.length - keep);
  }

  #views(sid: string | undefined): Card[] {
    return [...this.#rows.values()].map(viewOf).filter((card) => sid === undefined || card.sid === sid);
  }

  #changed(): void {
    for (const observer of [...this.#observers]) this.#options.channel.guarded(observer);
  }
}

/** An answer that no person is asked for. It waits for the connection like any other. */
class Errand implements QuestionOwner {
  readonly #kind: CardKind;
  #give: ((question: Question) => void) | undefined;

  constructor(question: Question, kind: CardKind, act: () => JsonObject | Promise<JsonObject>) {
    this.#kind = kind;
    const result = act();
    if (!('then' in result) || typeof result.then !== 'function') {
      this.#done(question, result as JsonObject);
      return;
    }
    const done = (value: JsonObject): void => this.#done(question, value);
    void (result as Promise<JsonObject>).then(done).catch(() => this.#failed(question));
  }

  rebind(question: Question): void {
    this.#give?.(question);
  }

  #done(question: Question, result: JsonObject): void {
    this.#give = () => void (this.#kind.form === 'response' ? question.respond(result) : question.answer(result));
    this.#give(question);
  }

  #failed(question: Question): void {
    this.#give = () => void question.fail({ code: -32603, message: 'the window could not do it' });
    this.#give(question);
  }
}

function viewOf({ question, kind, draft, note }: Row): Card {
  const { id, sessionId: sid, method, params, locks, state } = question;
  const shown = state === 'detached' || state === 'unconfirmed' ? state : 'live';
  return Object.freeze({ id, sid, method, params, state: shown, locks, draft, secret: kind.secret === true, note });
}

function noteOf({ question, note }: Row): Words | undefined {
  if (question.state === 'detached') return DETACHED;
  const { error } = question;
  if (error !== undefined) return { tone: 'warn', title: 'Not accepted', detail: error.message };
  return note === DETACHED ? undefined : note;
}

/** The cards of a window over its channel; make it before `open()`, so that no question finds it missing. */
export function createCardDesk(options: CardDeskOptions): CardDesk {
  return new CardDesk(options);
}
