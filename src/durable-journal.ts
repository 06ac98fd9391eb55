/** The journal's operations over a store: the names and rules of journal.md section 4, each resolving after its commit. */

import { readName } from './card.ts';
import type { Haste } from './commits.ts';
import { invalid } from './errors.ts';
import type { Fences } from './fences.ts';
import { closeAsk, type OpenAsk, openAsk, record } from './journal/attribution.ts';
import { closeAsks, forget, moveKey, retireDebt } from './journal/boundary.ts';
import type { Core } from './journal/core.ts';
import { reportDropped } from './journal/debt.ts';
import {
  ack,
  deliverPending,
  type HandOver,
  handOverHaste,
  type Inject,
  markReturned,
  pendingRows,
  type Release,
  redeliver,
  release,
} from './journal/delivery.ts';
import {
  type Flusher,
  type IncarnationResolver,
  lazy,
  type Op,
  type Revoker,
  reading,
  type TurnAttacher,
} from './journal/operation.ts';
import {
  allOutstanding,
  type Entry,
  entryView,
  hasOutstanding,
  isLiveConversation,
  outstandingDebt,
  type Recovery,
  recover,
  type Ticket,
  ticketView,
} from './journal/queries.ts';
import { type EntryRow, numberIn } from './journal/rows.ts';
import { ASK_ID_PREFIX } from './journal/text.ts';

/** What is no text names nothing on file: it must not fail in the middle of a commit that it shares with others. */
const named = (name: unknown): string => (typeof name === 'string' ? name : '');

type Run = <T>(op: Op<T>, haste?: Haste) => Promise<T>;

/** See `Journal`; the only difference is that each operation returns a promise, and that it survives the process. */
export class DurableJournal {
  readonly #core: Core;
  readonly #run: Run;
  readonly #fences: Pick<Fences, 'check' | 'judged'> | undefined;

  /** @internal */
  constructor(core: Core, run: Run, fences?: Pick<Fences, 'check' | 'judged'>) {
    this.#fences = fences;
    this.#core = core;
    this.#run = run;
  }

  #view = (row: EntryRow): Entry => entryView(this.#core, row);
  #read = <T>(read: () => T): Promise<T> => this.#run(reading(read));

  /** Where there are logs, the one of this tab is asked first. */
  #judged<T>(key: string, go: () => Promise<T>): Promise<T> {
    return this.#fences === undefined ? go() : this.#fences.judged(key, go);
  }

  #handOver(token: string, options: HandOver | undefined): Promise<void> {
    const haste = handOverHaste(this.#core.book.entry(numberIn(token, 'aa')));
    return this.#run(
      lazy(() => markReturned(this.#core, token, options)),
      haste,
    );
  }

  setFlusher(flusher: Flusher): void {
    this.#core.flusher = flusher;
  }

  setRevoker(revoker: Revoker): void {
    this.#core.revoker = revoker;
  }

  setTurnAttacher(attacher: TurnAttacher): void {
    this.#core.attacher = attacher;
  }

  setIncarnationResolver(resolver: IncarnationResolver): void {
    this.#core.resolver = resolver;
  }

  async openAsk(askId: string, ask: OpenAsk): Promise<void> {
    readName(askId, 'askId');
    readName(ask.tabId, 'tabId');
    if (typeof ask.fingerprint !== 'string') throw invalid('fingerprint', 'must be text');
    if (typeof ask.question !== 'string') throw invalid('question', 'must be text');
    return this.#run(lazy(() => openAsk(this.#core, askId, ask)));
  }

  async record(askId: string, reply: unknown, from: { tabId: string }): Promise<Entry> {
    readName(askId, 'askId');
    readName(from.tabId, 'tabId');
    return this.#view(await this.#run(lazy(() => record(this.#core, askId, reply, from))));
  }

  async closeAsk(askId: string): Promise<Entry | null> {
    const row = await this.#run(
      lazy(() => closeAsk(this.#core, named(askId))),
      'prove',
    );
    return row === null ? null : this.#view(row);
  }

  markReturned(token: string, options?: HandOver): Promise<void> {
    return this.#handOver(named(token), options);
  }

  markSurfaced(token: string, options: { askId?: string } = {}): Promise<void> {
    return this.#handOver(named(token), { ...options, replay: true });
  }

  recover(key: string, fingerprint: string, asker?: string): Promise<Recovery> {
    const tab = named(key);
    return this.#judged(tab, () => this.#read(() => recover(this.#core, tab, named(fingerprint), asker)));
  }

  async orphansFor(key: string): Promise<Entry[]> {
    return (await this.entriesFor(key)).filter((entry) => !entry.returned);
  }

  entriesFor(key: string): Promise<Entry[]> {
    return this.#read(() => this.#core.book.entriesOn(named(key)).map(this.#view));
  }

  ticketFor(askId: string): Promise<Ticket | undefined> {
    return this.#read(() => {
      const row = this.#core.openTicket(named(askId));
      return row === undefined ? undefined : ticketView(row);
    });
  }

  pending(key: string): Promise<Entry[]> {
    return this.#judged(named(key), () => this.#read(() => pendingRows(this.#core, named(key)).map(this.#view)));
  }

  async deliverPending(key: string, inject: Inject): Promise<{ delivered: number; blockedOn: Entry | null }> {
    if (this.#fences !== undefined) await this.#fences.check(named(key));
    const { delivered, blockedOn } = await this.#run(deliverPending(this.#core, named(key), inject));
    return { delivered, blockedOn: blockedOn === null ? null : this.#view(blockedOn) };
  }

  ack(token: string, from?: { carrier?: string }): Promise<void> {
    return this.#run(
      lazy(() => ack(this.#core, named(token), from)),
      'prove',
    );
  }

  release(token: string, options?: Release): Promise<void> {
    return this.#run(
      lazy(() => release(this.#core, named(token), options)),
      'prove',
    );
  }

  /**
   * The reader no longer has an answer that was delivered to it, so it is owed again. For a host that knows so without
   * a conversation log; with one the coordinator finds it out. `repeat: false`: it was never seen where it is owed now.
   */
  redeliver(token: string, options?: { readonly repeat?: boolean }): Promise<void> {
    return this.#run(lazy(() => redeliver(this.#core, named(token), options)));
  }

  reportDropped(key: string, options?: { askId?: string }): Promise<number> {
    return this.#run(reportDropped(this.#core, named(key), options));
  }

  async retireDebt(key: string, occupant: string | null | undefined): Promise<void> {
    readName(key, 'key');
    if (occupant != null) readName(occupant, 'occupant');
    return this.#run(retireDebt(this.#core, key, occupant ?? null));
  }

  droppedFor(key: string): Promise<number> {
    return this.#read(() => this.#core.book.losses(named(key)).length);
  }

  outstandingDebt(): Promise<{ key: string; count: number }[]> {
    return this.#read(() => outstandingDebt(this.#core));
  }

  hasOutstanding(): Promise<boolean> {
    return this.#read(() => hasOutstanding(this.#core));
  }

  allOutstanding(): Promise<Entry[]> {
    return this.#read(() => allOutstanding(this.#core));
  }

  async moveKey(from: string, to: string): Promise<void> {
    readName(from, 'from');
    readName(to, 'to');
    return this.#run(moveKey(this.#core, from, to));
  }

  async forget(key: string): Promise<void> {
    readName(key, 'key');
    return this.#run(forget(this.#core, key));
  }

  askBelongsToLiveConversation(askId: string): Promise<boolean> {
    return this.#read(() => isLiveConversation(this.#core, named(askId)));
  }

  async closeAsks(key: string): Promise<void> {
    readName(key, 'key');
    return this.#run(closeAsks(this.#core, key));
  }

  mayDisclose(entry: Pick<Entry, 'token'>): Promise<boolean> {
    return this.#read(() => {
      const row = this.#core.book.entry(numberIn(named(entry.token), 'aa'));
      return row !== undefined && this.#core.reaches(row, this.#core.peekOccupant(row.at.context.key));
    });
  }

  /** Synchronous: the id alone decides. */
  tracks(askId: string): boolean {
    return askId.startsWith(ASK_ID_PREFIX);
  }

  /** Empties the journal, for tests; callbacks and counters stay. */
  reset(): Promise<void> {
    return this.#read(() => {
      this.#core.book.clear();
      this.#core.tabs.send({ type: 'RESET' });
      this.#core.delivering.clear();
    });
  }
}
