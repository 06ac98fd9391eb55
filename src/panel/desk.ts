import type { AskView, Reply, Verdict } from '../api.ts';
import { SIZES } from '../limits.ts';
import { type Draft, Drafts, EMPTY } from './drafts.ts';
import type { LinkState } from './link.ts';
import { count, replyOf, sameReply } from './reply.ts';
import type { Calls, Told } from './wire.ts';
import { Unsure } from './wire.ts';
import { closedWords, receiptWords, type Said, verdictWords } from './words.ts';

/** How many closed cards stay below the open ones; older ones go to the history. */
const KEEP_IN_PLACE = 3;
const HISTORY = 30;
/** Closed cards that are remembered beyond the history, so that a late receipt finds its card. */
const REMEMBERED = 100;

export interface Outside {
  call<M extends keyof Calls>(method: M, params: object): Promise<Calls[M]['result']>;
  changed(): void;
  arrived(ask: AskView): void;
  settled(askId: string): void;
  now(): number;
}

/** Everything the page shows: cards as the host tells them, drafts, answers under way, and what was said of them. */
export class Desk {
  readonly drafts = new Drafts();
  readonly #outside: Outside;
  readonly #cards = new Map<string, AskView>();
  readonly #sending = new Set<string>();
  readonly #notes = new Map<string, Said>();
  /** What this window sent last on a card, whether or not the host's reply came back. */
  readonly #sent = new Map<string, Reply>();
  /** Answered by this window, as far as this page has lived. */
  readonly #here = new Set<string>();
  /** Closed before our eyes, oldest first; they stay whole for a while. */
  readonly #inPlace: string[] = [];
  #link: LinkState = { state: 'connecting', failures: 0 };
  #skew = 0;
  #told = false;
  #more = 0;
  #live = '';

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  get link(): LinkState {
    return this.#link;
  }

  /** True once the host has told what is open. */
  get told(): boolean {
    return this.#told;
  }

  /** Open cards that the host has not told of yet. */
  get more(): number {
    return this.#more;
  }

  /** The latest thing to be said to a person who does not look. */
  get live(): string {
    return this.#live;
  }

  /** The host's time in milliseconds. Ages are shown by its clock, whatever this browser's says. */
  get now(): number {
    return this.#outside.now() + this.#skew;
  }

  get open(): readonly AskView[] {
    return [...this.#cards.values()].filter((ask) => ask.state === 'open').sort(byOpening);
  }

  /** Open cards, and below them those that closed before our eyes, each in the order in which they were asked. */
  get board(): readonly AskView[] {
    const closed = [...this.#cards.values()].filter((ask) => ask.state !== 'open' && this.#inPlace.includes(ask.askId));
    return [...this.open, ...closed.sort(byOpening)];
  }

  /** Closed cards, the latest first. */
  get history(): readonly AskView[] {
    return [...this.#cards.values()]
      .filter((ask) => ask.state !== 'open' && !this.#inPlace.includes(ask.askId))
      .sort((a, b) => lastTime(b) - lastTime(a))
      .slice(0, HISTORY);
  }

  isSending = (askId: string): boolean => this.#sending.has(askId);
  isHere = (askId: string): boolean => this.#here.has(askId);
  noteOf = (askId: string): Said | undefined => this.#notes.get(askId);

  linkMoved(state: LinkState): void {
    if (state.state === 'lost' && this.#link.state === 'open') this.#say('Connection lost. Your drafts are kept.');
    if (state.state === 'open' && this.#link.state === 'lost') this.#say('Connected again.');
    this.#link = state;
    this.#outside.changed();
  }

  hear(told: Told): void {
    this.#skew = told.params.now - this.#outside.now();
    if (told.method === 'ask') this.#absorb(told.params.ask);
    else if (told.method === 'more') this.#more = told.params.count;
    else this.#resync(told.params.open, told.params.recent, told.params.openTotal);
    this.#outside.changed();
  }

  edit(askId: string, draft: Draft): void {
    this.drafts.set(askId, draft);
    // Whatever was said about the last attempt is about another answer now.
    this.#notes.delete(askId);
    this.#outside.changed();
  }

  submit(askId: string): void {
    const ask = this.#cards.get(askId);
    if (ask === undefined) return;
    const checked = replyOf(ask, this.drafts.get(askId));
    if (checked.ok) void this.#send(ask, checked.reply);
  }

  decline(askId: string): void {
    const ask = this.#cards.get(askId);
    if (ask !== undefined) void this.#send(ask, { declined: true });
  }

  /** Says that a paste was refused, with the limit. */
  tooLong(askId: string, length: number): void {
    const detail = `With it this text would have ${count(length)} characters, and ${count(SIZES.answerText)} is the limit. Nothing was changed: paste a part of it, or name a file that holds it.`;
    this.#note(askId, { tone: 'warn', title: 'Not pasted', detail });
    this.#outside.changed();
  }

  /** Moves a closed card to the history, with what was left on it. */
  putAway(askId: string): void {
    const at = this.#inPlace.indexOf(askId);
    if (at >= 0) this.#inPlace.splice(at, 1);
    this.#notes.delete(askId);
    this.drafts.remove(askId);
    this.#outside.changed();
  }

  /** What was typed on a card that closed before it was sent. */
  unsent(ask: AskView): Draft {
    return ask.state === 'open' || this.#here.has(ask.askId) ? EMPTY : this.drafts.get(ask.askId);
  }

  async #send(ask: AskView, reply: Reply): Promise<void> {
    const { askId } = ask;
    if (ask.state !== 'open' || this.#link.state !== 'open' || this.#sending.has(askId)) return;
    this.#sending.add(askId);
    this.#sent.set(askId, reply);
    this.#notes.delete(askId);
    this.#outside.changed();
    try {
      this.#judge(await this.#outside.call('answer', { askId, reply }));
    } catch (error) {
      this.#note(
        askId,
        error instanceof Unsure ? UNSURE : { tone: 'warn', title: 'Not sent', detail: messageOf(error) },
      );
    } finally {
      this.#sending.delete(askId);
      this.#outside.changed();
    }
  }

  #judge(verdict: Verdict): void {
    const { askId, ask } = verdict;
    if (verdict.verdict === 'accepted' || verdict.verdict === 'duplicate' || verdict.verdict === 'late_accepted') {
      this.#isOurs(askId);
    }
    const said = verdictWords(verdict, this.now);
    const overtaken = verdict.verdict === 'late_accepted' && this.#movedOn(askId);
    if (said !== undefined && !overtaken) this.#note(askId, said);
    // Notifications arrive in commit order, a verdict may be overtaken by them: it only ever closes a card.
    const known = this.#cards.get(askId);
    if (ask !== undefined && (known === undefined || known.state === 'open')) this.#absorb(ask);
    else if (ask === undefined && known?.state === 'open' && verdict.verdict === 'unknown') this.#forget(known);
  }

  /** True once the answer is no longer just saved. */
  #movedOn(askId: string): boolean {
    const last = this.#cards.get(askId)?.answers.at(-1);
    return last !== undefined && last.receipt !== 'saved';
  }

  #absorb(ask: AskView): void {
    const before = this.#cards.get(ask.askId);
    this.#cards.set(ask.askId, ask);
    if (ask.state === 'open') {
      if (before?.state === 'open') return;
      this.#say(`New question from ${ask.from || 'an agent'}.`);
      this.#outside.arrived(ask);
      return;
    }
    if (before?.state === 'open') this.#close(ask);
    else this.#sayReceipt(before, ask);
  }

  #close(ask: AskView): void {
    this.#inPlace.push(ask.askId);
    while (this.#inPlace.length > KEEP_IN_PLACE) this.putAway(this.#inPlace[0] ?? '');
    // Known by the answer itself, because the verdict may come later, or was lost with its connection.
    if (sameReply(this.#sent.get(ask.askId), ask.answers.at(-1)?.reply)) this.#isOurs(ask.askId);
    const { title, detail } = closedWords(ask, this.#here.has(ask.askId));
    const last = ask.answers.at(-1);
    const saved = last?.receipt === 'saved' && !ask.awaited ? receiptWords(last, false) : undefined;
    const parts = [title, detail, saved?.title, saved?.detail].filter((part) => part !== undefined);
    this.#say(parts.map((part) => part.replace(/\.?$/, '.')).join(' '));
    this.#outside.settled(ask.askId);
    this.#fade();
  }

  /** A page that stays open for weeks does not keep every card it ever saw. */
  #fade(): void {
    const closed = [...this.#cards.values()].filter(
      (ask) => ask.state !== 'open' && !this.#inPlace.includes(ask.askId),
    );
    if (closed.length <= REMEMBERED) return;
    for (const { askId } of closed.sort((a, b) => lastTime(b) - lastTime(a)).slice(REMEMBERED)) {
      for (const memory of [this.#cards, this.#notes, this.#sent, this.#here]) memory.delete(askId);
    }
  }

  #isOurs(askId: string): void {
    this.#here.add(askId);
    this.#notes.delete(askId);
    this.drafts.remove(askId);
  }

  #sayReceipt(before: AskView | undefined, ask: AskView): void {
    const [was, is] = [before?.answers.at(-1), ask.answers.at(-1)];
    if (is === undefined || was?.receipt === is.receipt) return;
    // What was said when it was saved is no longer so.
    if (this.#notes.get(ask.askId)?.tone === 'calm') this.#notes.delete(ask.askId);
    const { title, detail } = receiptWords(is, ask.awaited);
    this.#say(`${title}. ${detail ?? ''}`);
  }

  #resync(open: readonly AskView[], recent: readonly AskView[], total: number | undefined): void {
    const first = !this.#told;
    this.#told = true;
    this.#more = Math.max(0, (total ?? 0) - open.length);
    const listed = new Set([...open, ...recent].map((ask) => ask.askId));
    const missing = this.open.filter((ask) => !listed.has(ask.askId));
    for (const ask of [...recent, ...open]) {
      // What was there when the page opened is no news.
      if (first) this.#cards.set(ask.askId, ask);
      else this.#absorb(ask);
    }
    for (const ask of missing) void this.#askAfter(ask);
    if (first) this.drafts.prune((askId) => this.#cards.has(askId), this.now);
  }

  /** A card that was open before the connection was lost, and is in no list now: asks what became of it. */
  async #askAfter(ask: AskView): Promise<void> {
    try {
      const { ask: found } = await this.#outside.call('show', { askId: ask.askId });
      if (found === null) this.#forget(ask);
      else if (this.#cards.get(ask.askId)?.state === 'open') this.#absorb(found);
      this.#outside.changed();
    } catch {
      // The next connection asks again.
      return;
    }
  }

  #forget(ask: AskView): void {
    this.#absorb({ ...ask, state: 'lost', why: 'The host no longer has this card on file.' });
  }

  #note(askId: string, said: Said): void {
    this.#notes.set(askId, said);
    this.#say(`${said.title}. ${said.detail ?? ''}`);
  }

  #say(text: string): void {
    this.#live = text;
  }
}

const UNSURE: Said = {
  tone: 'warn',
  title: 'Not confirmed',
  detail:
    'The connection ended before the host replied. Your answer is still here: send it again. If it had arrived, you get the same receipt.',
};

function byOpening(a: AskView, b: AskView): number {
  return a.openedAt - b.openedAt;
}

function lastTime(ask: AskView): number {
  return ask.answers.at(-1)?.answeredAt ?? ask.openedAt;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
