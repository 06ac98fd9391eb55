import { randomUUID } from 'node:crypto';
import type {
  AskAllOptions,
  Asking,
  AskOptions,
  AskView,
  Attach,
  AuditRow,
  Author,
  AwaitOptions,
  BatchOutcome,
  BatchPlace,
  ListQuery,
  Outcome,
  Question,
  Reply,
  Surface,
  Verdict,
} from '../../src/api.ts';
import { batchWord } from '../../src/outcomes.ts';
import { type Card, type Entry, type Told, textOf, viewOf } from './fake-cards.ts';

/** A coordinator in memory with the promises of `Asking` that the MCP rim leans on, and no others. */
export class FakeCoordinator implements Asking {
  readonly told: Told[] = [];
  readonly #cards = new Map<string, Card>();
  readonly #surfaces = new Set<Surface>();
  /** Set to make the next call of an operation fail. */
  failing: Error | undefined;

  async ask(question: Question, options: AskOptions): Promise<Outcome> {
    this.#fail();
    const askId = `pa-${randomUUID()}`;
    if (!this.hasSurface()) return { outcome: 'undeliverable', askId, reason: 'Nothing is open that could show it.' };
    const card = this.#put(askId, question, options);
    options.onOpen?.(askId);
    return this.#wait(card, options);
  }

  async askAll(questions: readonly Question[], options: AskAllOptions): Promise<BatchOutcome> {
    this.#fail();
    const [id, of] = [`pb-${randomUUID()}`, questions.length];
    const places = questions.map((_, i) => ({ askId: `pa-${randomUUID()}`, batch: { id, index: i + 1, of } }));
    if (!this.hasSurface()) {
      const reason = 'Nothing is open that could show it.';
      return together(places.map(({ askId }) => ({ outcome: 'undeliverable', askId, reason })));
    }
    const cards = questions.map((question, i) => {
      const { askId = '', batch } = places[i] ?? {};
      return this.#put(askId, question, options, of === 1 ? undefined : batch);
    });
    options.onOpen?.(cards.map(({ askId }) => askId));
    return this.#waitAll(cards, options);
  }

  async awaitAll(askIds: readonly string[], options: AwaitOptions = {}): Promise<BatchOutcome> {
    this.#fail();
    return this.#waitAll(
      askIds.map((askId) => this.#cards.get(askId) ?? askId),
      options,
    );
  }

  async #waitAll(cards: readonly (Card | string)[], options: AwaitOptions): Promise<BatchOutcome> {
    // First everything is waited for without taking anything, then all of it is given out at once.
    const known = cards.filter((card) => typeof card !== 'string');
    await Promise.all(known.map((card) => this.#settled(card, options)));
    return together(
      cards.map((card) =>
        typeof card === 'string'
          ? { outcome: 'unknown', askId: card, reason: 'No such ask is on file.' }
          : this.#outcome(card, options),
      ),
    );
  }

  #put(
    askId: string,
    question: Question,
    options: { readonly tab: string; readonly from?: string | undefined },
    batch?: BatchPlace,
  ): Card {
    const card: Card = {
      askId,
      tab: options.tab,
      from: options.from ?? '',
      question,
      openedAt: Date.now(),
      batch,
      state: 'open',
      why: undefined,
      awaited: 0,
      entry: undefined,
      waiters: new Set(),
    };
    this.#cards.set(askId, card);
    return card;
  }

  async awaitAnswer(askId: string, options: AwaitOptions = {}): Promise<Outcome> {
    this.#fail();
    const card = this.#cards.get(askId);
    if (card === undefined) return { outcome: 'unknown', askId, reason: 'No such ask is on file.' };
    return this.#wait(card, options);
  }

  async answer(askId: string, reply: Reply, author: Author): Promise<Verdict> {
    const card = this.#cards.get(askId);
    if (card === undefined) return { verdict: 'unknown', askId, saved: false, message: 'Unknown ask.' };
    const entry = card.entry;
    if (entry !== undefined) {
      const same = JSON.stringify(entry.reply) === JSON.stringify(reply);
      return {
        verdict: same ? 'duplicate' : 'conflict',
        askId,
        saved: same,
        token: entry.token,
        message: 'Answered already.',
      };
    }
    if (card.state !== 'open') return { verdict: 'withdrawn', askId, saved: false, message: card.why ?? '' };
    card.entry = {
      token: `aa-${randomUUID()}`,
      reply,
      text: textOf(card.question, reply),
      answeredAt: Date.now(),
      rides: new Set(),
      returned: false,
      acked: false,
      parked: undefined,
    };
    card.state = 'answered';
    this.#wake(card);
    const verdict = card.awaited > 0 ? 'accepted' : 'late_accepted';
    return { verdict, askId, saved: true, token: card.entry.token, message: `Saved from ${author.surface}.` };
  }

  async withdraw(askId: string, reason: string, author: Author): Promise<Verdict> {
    const card = this.#cards.get(askId);
    if (card === undefined) return { verdict: 'unknown', askId, saved: false, message: 'No such ask is on file.' };
    if (card.entry !== undefined) {
      return {
        verdict: 'conflict',
        askId,
        saved: false,
        message: 'The person has answered already.',
        ask: viewOf(card),
      };
    }
    card.state = 'withdrawn';
    card.why = `${reason} (${author.surface})`;
    this.#wake(card);
    return {
      verdict: 'withdrawn',
      askId,
      saved: false,
      message: 'The question is off every surface.',
      ask: viewOf(card),
    };
  }

  async ack(tokens: readonly string[], carrier: string) {
    return tokens.map((token) => {
      const entry = this.#entry(token);
      const accepted = entry !== undefined && (entry.acked || entry.rides.has(carrier));
      if (accepted) entry.acked = true;
      this.told.push({ what: 'ack', token, carrier });
      return { token, accepted };
    });
  }

  async handBack(token: string, carrier: string): Promise<void> {
    this.told.push({ what: 'handBack', token, carrier });
    this.#entry(token)?.rides.delete(carrier);
  }

  async handOver(token: string, attach: Attach, askId?: string): Promise<boolean> {
    const entry = this.#entry(token);
    const card = [...this.#cards.values()].find((each) => each.entry === entry);
    if (entry === undefined || card === undefined) return false;
    this.#return(card, entry, attach, askId);
    this.told.push({ what: 'handOver', token });
    return true;
  }

  async park(token: string, why: string): Promise<void> {
    this.told.push({ what: 'park', token });
    const entry = this.#entry(token);
    if (entry !== undefined) entry.parked = why;
  }

  async unread(tab: string) {
    this.#fail();
    return [...this.#cards.values()].flatMap((card) => {
      const entry = card.entry;
      if (card.tab !== tab || entry === undefined || entry.acked || entry.parked !== undefined) return [];
      const { token, text, reply, answeredAt, returned } = entry;
      const { askId, question } = card;
      return [
        {
          token,
          askId,
          question: question.question,
          text,
          reply,
          answeredAt,
          possibleRepeat: returned,
          handedTo: [...entry.rides],
        },
      ];
    });
  }

  async list(query: ListQuery = {}): Promise<readonly AskView[]> {
    const wanted = (card: Card) => (query.what === 'recent' ? card.state !== 'open' : card.state === 'open');
    return [...this.#cards.values()]
      .filter((card) => wanted(card) && (query.tab === undefined || query.tab === card.tab))
      .slice(0, query.limit ?? 100)
      .map((card) => viewOf(card));
  }

  async show(askId: string): Promise<AskView | undefined> {
    const card = this.#cards.get(askId);
    return card === undefined ? undefined : viewOf(card);
  }

  async audit(): Promise<readonly AuditRow[]> {
    return [];
  }

  attachSurface(surface: Surface): () => void {
    this.#surfaces.add(surface);
    return () => this.#surfaces.delete(surface);
  }

  hasSurface(): boolean {
    return this.#surfaces.size > 0;
  }

  async idle() {
    return { idle: true, reason: null } as const;
  }

  subscribe(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    for (const card of this.#cards.values()) this.#wake(card);
  }

  async #wait(card: Card, options: AwaitOptions): Promise<Outcome> {
    await this.#settled(card, options);
    return this.#outcome(card, options);
  }

  async #settled(card: Card, options: AwaitOptions): Promise<void> {
    card.awaited += 1;
    if (card.state === 'open' && options.signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, options.timeoutMs ?? 50_000);
        card.waiters.add(() => {
          clearTimeout(timer);
          resolve();
        });
        options.signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    card.awaited -= 1;
  }

  #outcome(card: Card, options: AwaitOptions): Outcome {
    const { askId } = card;
    if (options.signal?.aborted === true) return { outcome: 'cancelled', askId, reason: 'The call ended.' };
    const entry = card.entry;
    if (entry !== undefined) return this.#given(card, entry, options.attach);
    if (card.state === 'withdrawn') return { outcome: 'cancelled', askId, reason: `Withdrawn: ${card.why ?? ''}` };
    return { outcome: 'pending', askId, openedAt: card.openedAt, others: [], withheld: 0 };
  }

  #given(card: Card, entry: Entry, attach: Attach | undefined): Outcome {
    const possibleRepeat = entry.returned;
    this.#return(card, entry, attach, card.askId);
    const { token, text, answeredAt, reply } = entry;
    const base = {
      askId: card.askId,
      token,
      text,
      answeredAt,
      question: card.question.question,
      possibleRepeat,
      readBack: entry.acked,
    };
    return reply.declined === true ? { ...base, outcome: 'declined' } : { ...base, outcome: 'answered', reply };
  }

  #return(card: Card, entry: Entry, attach: Attach | undefined, askId: string | undefined): void {
    entry.returned = true;
    const carrier = attach?.(card.tab, entry.token, askId);
    if (carrier !== null && carrier !== undefined) entry.rides.add(carrier);
  }

  #entry(token: string): Entry | undefined {
    return [...this.#cards.values()].find((card) => card.entry?.token === token)?.entry;
  }

  #wake(card: Card): void {
    for (const waiter of card.waiters) waiter();
    card.waiters.clear();
  }

  #fail(): void {
    const error = this.failing;
    this.failing = undefined;
    if (error !== undefined) throw error;
  }
}

const together = (outcomes: readonly Outcome[]): BatchOutcome => ({ outcome: batchWord(outcomes), outcomes });
