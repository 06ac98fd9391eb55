import { randomUUID } from 'node:crypto';
import type {
  AnswerView,
  AskAllOptions,
  AskChange,
  Asking,
  AskOptions,
  AskView,
  Author,
  AwaitOptions,
  BatchOutcome,
  IdleAnswer,
  Outcome,
  Question,
  Reply,
  Verdict,
  VerdictWord,
} from '../../src/api.ts';
import { createIdle, type IdleLedger, type IdleProof } from '../../src/idle.ts';
import { batchWord } from '../../src/outcomes.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Row {
  ask: AskView;
  carrier: string | undefined;
  waiters: Set<() => void>;
}

/** What the tests of the rims need beside `Asking`: the events that only an agent's host can cause. */
export interface Rig {
  readonly asking: Asking;
  /** The conversation of this tab is replaced: its open cards and unread answers are retired. */
  replaceConversation(tab: string): Promise<void>;
  close(): Promise<void>;
}

/** The fake one has an idle proof that a test can retire, and ledgers that a test supplies. */
export interface FakeRig extends Rig {
  readonly proof: IdleProof;
}

/** A small coordinator in memory: right verdicts, receipts and changes, no journal and no clock of its own. */
export function fakeRig(ledgers: readonly IdleLedger[] = []): FakeRig {
  const fake = new FakeCoordinator(ledgers);
  return {
    asking: fake,
    proof: fake.proof,
    replaceConversation: (tab) => fake.replace(tab),
    close: () => fake.close(),
  };
}

class FakeCoordinator implements Asking {
  readonly #rows = new Map<string, Row>();
  readonly #listeners = new Set<(change: AskChange) => void>();
  readonly #surfaces = new Map<symbol, string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly proof: IdleProof;

  constructor(ledgers: readonly IdleLedger[]) {
    const rows = (wanted: (row: Row) => boolean) => () => {
      const owners = [...this.#rows.values()].filter(wanted).map((row) => row.ask.askId);
      return { count: owners.length, owners };
    };
    this.proof = createIdle({
      ledgers: [
        ...ledgers,
        { name: 'calls', probe: 'turn', read: rows((row) => row.waiters.size > 0) },
        { name: 'asks', probe: 'input', read: rows((row) => row.ask.state === 'open') },
      ],
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  }

  async ask(question: Question, options: AskOptions): Promise<Outcome> {
    const askId = `pa-${randomUUID()}`;
    if (!this.hasSurface()) return { askId, outcome: 'undeliverable', reason: 'Nothing can show the question now.' };
    this.proof.admit();
    const choices = question.options ?? [];
    const ask: AskView = {
      askId,
      tab: options.tab,
      state: 'open',
      awaited: true,
      question: question.question,
      header: question.header ?? '',
      options: choices,
      multiSelect: question.multiSelect ?? false,
      freeText: question.freeText ?? choices.length === 0,
      from: options.from ?? '',
      openedAt: Date.now(),
      ...(options.expiresInMs === undefined ? {} : { expiresAt: Date.now() + options.expiresInMs }),
      answers: [],
    };
    this.#rows.set(askId, { ask, carrier: undefined, waiters: new Set() });
    if (options.supersedes !== undefined)
      this.#finish(options.supersedes, 'superseded', 'A newer question took its place.');
    if (options.expiresInMs !== undefined) {
      this.#later(options.expiresInMs, () => this.#finish(askId, 'expired', 'Nobody answered in time.'));
    }
    this.#publish(askId, 'opened');
    options.onOpen?.(askId);
    return this.awaitAnswer(askId, options);
  }

  async askAll(questions: readonly Question[], options: AskAllOptions): Promise<BatchOutcome> {
    const { supersedes: _none, onOpen: _opened, ...rest } = options;
    return inAll(await Promise.all(questions.map((question) => this.ask(question, rest))));
  }

  async awaitAll(askIds: readonly string[], options: AwaitOptions = {}): Promise<BatchOutcome> {
    return inAll(await Promise.all(askIds.map((askId) => this.awaitAnswer(askId, options))));
  }

  async awaitAnswer(askId: string, options: AwaitOptions = {}): Promise<Outcome> {
    const row = this.#rows.get(askId);
    if (row === undefined) return { askId, outcome: 'unknown', reason: 'No ask with this id is on file.' };
    await this.#settled(row, options);
    const answer = row.ask.answers.at(-1);
    if (options.signal?.aborted === true)
      return { askId, outcome: 'cancelled', reason: 'The call was ended. The question stays.' };
    if (answer === undefined) return this.#unanswered(row);
    const carrier = options.attach?.(row.ask.tab, answer.token, askId) ?? undefined;
    row.carrier = carrier;
    if (answer.receipt === 'saved') this.#receipt(row, 'handed', undefined);
    const shared = {
      askId,
      text: answer.text,
      token: answer.token,
      question: row.ask.question,
      answeredAt: answer.answeredAt,
    };
    if (answer.reply.declined === true)
      return { ...shared, outcome: 'declined', possibleRepeat: false, readBack: false };
    return {
      ...shared,
      outcome: 'answered',
      reply: answer.reply,
      possibleRepeat: answer.receipt !== 'saved',
      readBack: answer.receipt === 'read_back',
    };
  }

  async answer(askId: string, reply: Reply, author: Author): Promise<Verdict> {
    const row = this.#rows.get(askId);
    if (row === undefined)
      return { verdict: 'unknown', askId, saved: false, message: 'No ask with this id is on file.' };
    const { ask } = row;
    const first = ask.answers[0];
    if (first !== undefined) {
      const same = JSON.stringify(first.reply) === JSON.stringify(reply);
      if (same)
        return this.#verdict(row, 'duplicate', 'This answer is on file already.', { saved: true, token: first.token });
      return this.#verdict(row, 'conflict', 'Another answer was accepted before.', { winner: first });
    }
    if (ask.state !== 'open') {
      const word = ask.state === 'lost' || ask.state === 'answered' ? 'undetermined' : ask.state;
      return this.#verdict(row, word, ask.why ?? 'The card is closed.');
    }
    const wrong = fault(ask, reply);
    if (wrong !== undefined)
      return this.#verdict(row, 'invalid', `${wrong.field}: ${wrong.reason}.`, { field: wrong.field });
    const late = row.waiters.size === 0;
    const token = `tok-${randomUUID()}`;
    const answer: AnswerView = {
      token,
      reply,
      text: textOf(ask, reply),
      answeredAt: Date.now(),
      receipt: 'saved',
      surface: author.surface,
    };
    row.ask = { ...ask, state: 'answered', awaited: false, answers: [answer] };
    this.#publish(askId, 'answered');
    for (const wake of row.waiters) wake();
    const message = late ? 'Saved. The agent gets it at its next opportunity.' : 'Saved.';
    return this.#verdict(row, late ? 'late_accepted' : 'accepted', message, { saved: true, token });
  }

  async withdraw(askId: string, reason: string): Promise<Verdict> {
    const row = this.#rows.get(askId);
    if (row === undefined)
      return { verdict: 'unknown', askId, saved: false, message: 'No ask with this id is on file.' };
    if (row.ask.state !== 'open') return this.#verdict(row, 'conflict', 'It was too late to withdraw this.');
    this.#finish(askId, 'withdrawn', reason);
    return this.#verdict(row, 'withdrawn', 'The card was withdrawn.');
  }

  async ack(tokens: readonly string[], carrier: string): Promise<{ token: string; accepted: boolean }[]> {
    return tokens.map((token) => {
      const row = this.#byToken(token);
      const accepted = row !== undefined && row.carrier === carrier;
      if (accepted) this.#receipt(row, 'read_back', undefined);
      return { token, accepted };
    });
  }

  async handBack(token: string, carrier: string): Promise<void> {
    const row = this.#byToken(token);
    if (row?.carrier !== carrier) return;
    row.carrier = undefined;
    this.#receipt(row, 'saved', undefined);
  }

  async handOver(): Promise<boolean> {
    return false;
  }

  async park(token: string, why: string): Promise<void> {
    const row = this.#byToken(token);
    if (row !== undefined) this.#receipt(row, 'parked', why);
  }

  async unread(): Promise<[]> {
    return [];
  }

  async list(query: { what?: 'open' | 'recent' | undefined; limit?: number | undefined } = {}): Promise<AskView[]> {
    const asks = [...this.#rows.values()].map((row) => row.ask);
    const found =
      query.what === 'recent'
        ? asks.filter((ask) => ask.answers.length > 0).reverse()
        : asks.filter((ask) => ask.state === 'open');
    return found.slice(0, query.limit ?? 100);
  }

  async show(askId: string): Promise<AskView | undefined> {
    return this.#rows.get(askId)?.ask;
  }

  async audit(): Promise<[]> {
    return [];
  }

  attachSurface({ kind, id }: { kind: string; id: string }): () => void {
    const key = Symbol(id);
    this.#surfaces.set(key, `${kind}:${id}`);
    return () => this.#surfaces.delete(key);
  }

  hasSurface(): boolean {
    return this.#surfaces.size > 0;
  }

  idle(): Promise<IdleAnswer> {
    return this.proof.idle();
  }

  subscribe(listener: (change: AskChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const row of this.#rows.values()) for (const wake of row.waiters) wake();
  }

  async replace(tab: string): Promise<void> {
    for (const row of this.#rows.values()) {
      if (row.ask.tab !== tab) continue;
      this.#finish(row.ask.askId, 'retired', 'Its conversation was replaced.');
      if (row.ask.answers.some((one) => one.receipt !== 'read_back')) {
        this.#receipt(row, 'retired', 'Its conversation was replaced; no agent will be shown it.');
      }
    }
  }

  async #settled(row: Row, { timeoutMs = 50_000, signal }: AwaitOptions): Promise<void> {
    if (row.ask.state !== 'open' || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      row.waiters.add(resolve);
      this.#later(timeoutMs, resolve);
      signal?.addEventListener('abort', () => resolve());
    }).finally(() => row.waiters.clear());
  }

  #unanswered({ ask }: Row): Outcome {
    const { askId } = ask;
    if (ask.state === 'open') return { askId, outcome: 'pending', openedAt: ask.openedAt, others: [], withheld: 0 };
    const outcome = ask.state === 'expired' || ask.state === 'superseded' ? ask.state : 'cancelled';
    return { askId, outcome, reason: ask.why ?? ask.state };
  }

  #verdict(row: Row, verdict: VerdictWord, message: string, more: Partial<Mutable<Verdict>> = {}): Verdict {
    return { verdict, askId: row.ask.askId, saved: false, message, ask: row.ask, ...more };
  }

  #finish(askId: string, state: AskView['state'], why: string): void {
    const row = this.#rows.get(askId);
    if (row === undefined || row.ask.state !== 'open') return;
    row.ask = { ...row.ask, state, why, awaited: false };
    this.#publish(askId, state);
    for (const wake of row.waiters) wake();
  }

  #receipt(row: Row, receipt: AnswerView['receipt'], why: string | undefined): void {
    row.ask = { ...row.ask, answers: row.ask.answers.map((one) => ({ ...one, receipt, why })) };
    this.#publish(row.ask.askId, receipt);
  }

  #byToken(token: string): Row | undefined {
    return [...this.#rows.values()].find((row) => row.ask.answers.some((one) => one.token === token));
  }

  #publish(askId: string, cause: string): void {
    const ask = this.#rows.get(askId)?.ask;
    if (ask !== undefined) for (const listener of this.#listeners) listener({ ask, cause });
  }

  #later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }
}

function fault(ask: AskView, reply: Reply): { field: string; reason: string } | undefined {
  if (reply.declined === true) return undefined;
  const stranger = reply.selected?.find((id) => !ask.options.some((option) => option.id === id));
  if (stranger !== undefined) return { field: 'selected', reason: `"${stranger}" was not offered` };
  if (!ask.multiSelect && (reply.selected?.length ?? 0) > 1)
    return { field: 'selected', reason: 'only one may be chosen' };
  if (/\p{Surrogate}/u.test(reply.text ?? '')) return { field: 'text', reason: 'holds half a character' };
  if (reply.text !== undefined && !ask.freeText) return { field: 'text', reason: 'this card takes no own text' };
  if ((reply.selected?.length ?? 0) === 0 && (reply.text ?? '').trim() === '')
    return { field: 'text', reason: 'is empty' };
  return undefined;
}

function textOf(ask: AskView, reply: Reply): string {
  if (reply.declined === true) return 'declined';
  const labels = (reply.selected ?? []).map((id) => ask.options.find((option) => option.id === id)?.label ?? id);
  return [labels.join(', '), reply.text ?? ''].filter((part) => part !== '').join('; ');
}

const inAll = (outcomes: readonly Outcome[]): BatchOutcome => ({ outcome: batchWord(outcomes), outcomes });
