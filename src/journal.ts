/** `readback/journal`: the answer journal in memory, synchronous, with no dependency but xstate. */

import type { Watch } from '../machines/shared/tap.ts';
import { requireGiven } from './given.ts';
import { closeAsk, type OpenAsk, openAsk, record } from './journal/attribution.ts';
import { closeAsks, forget, moveKey, retireDebt } from './journal/boundary.ts';
import { Core } from './journal/core.ts';
import { reportDropped } from './journal/debt.ts';
import {
  ack,
  deliverPending,
  type HandOver,
  type Inject,
  markReturned,
  pendingRows,
  type Release,
  release,
} from './journal/delivery.ts';
import {
  type Flusher,
  HostFailure,
  type IncarnationResolver,
  type Op,
  type Revoker,
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
import { Tabs } from './journal/tabs.ts';
import { ASK_ID_PREFIX } from './journal/text.ts';
import { JOURNAL_LIMITS, type JournalLimits } from './limits.ts';
import { type Clock, consoleLogger, type Logger, nodeRuntime } from './runtime.ts';
import { MemoryBook } from './store/memory.ts';

export type { AnswerPayload, Inject } from './journal/delivery.ts';
export type { Entry, Recovery, Ticket } from './journal/queries.ts';
export { ASK_ID_PREFIX, answerText, askFingerprint, preview } from './journal/text.ts';
export type { JournalLimits } from './limits.ts';
export type { Clock, Logger } from './runtime.ts';

/** How long an answer may be returned for an identical question, in milliseconds, the limit itself included. */
export const RECOVERY_WINDOW_MS = JOURNAL_LIMITS.recoverForMs;

export interface JournalOptions {
  readonly limits?: Partial<JournalLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** Default: warnings and errors go to the console. */
  readonly logger?: Logger | undefined;
  /** Where steps are told: the `watch` of `createTap()` of `readback/inspect`. Costs nothing while nobody looks on. */
  readonly watch?: Watch | undefined;
}

/** Runs an operation in memory, where there is no commit to wait for. */
function run<T>(op: Op<T>): T {
  try {
    for (;;) {
      const next = op.next();
      if (next.done === true) return next.value;
    }
  } catch (error) {
    throw error instanceof HostFailure ? error.cause : error;
  }
}

/**
 * Keeps every answer a person gives until it is provably read, and never gives it to a question, conversation or tab
 * that it was not an answer to.
 *
 * In memory and synchronous: it starts no timer and does no input or output but through the logger. It does not
 * survive the process; `openCoordinator` does. Entries and tickets that it hands out are frozen; bounds and
 * clock can be set. What the host owes it is listed as H-01 to H-15 in machines/journal/SPEC.md.
 */
export class Journal {
  readonly #core: Core;
  readonly #tabs: Tabs;

  constructor({ limits, clock, logger, watch }: JournalOptions = {}) {
    this.#tabs = new Tabs('open', {}, undefined, watch);
    this.#core = new Core({
      book: new MemoryBook(),
      tabs: this.#tabs,
      limits: { ...JOURNAL_LIMITS, ...limits },
      clock: clock ?? nodeRuntime,
      logger: logger ?? consoleLogger,
      watch,
    });
  }

  /** Sets who is told that a tab has something to deliver. */
  setFlusher(flusher: Flusher): void {
    this.#core.flusher = flusher;
  }

  /** Sets who pulls an unread copy out of an agent's queue; true means that it is out. */
  setRevoker(revoker: Revoker): void {
    this.#core.revoker = revoker;
  }

  /** Sets who names the turn that carries a token; null means that no turn does (R-004, H-14). */
  setTurnAttacher(attacher: TurnAttacher): void {
    this.#core.attacher = attacher;
  }

  /** Sets who knows the occupant of a tab; null or undefined means unknown. */
  setIncarnationResolver(resolver: IncarnationResolver): void {
    this.#core.resolver = resolver;
  }

  /** Notes that a card is about to be drawn; call it before the card goes out. */
  openAsk(askId: string, ask: OpenAsk): void {
    run(openAsk(this.#core, askId, ask));
  }

  /** Puts an answer on file the instant it is validated; an equal one is the same entry. */
  record(askId: string, reply: unknown, from: { tabId: string }): Entry {
    return entryView(this.#core, run(record(this.#core, askId, reply, from)));
  }

  /** Says that the handler of an ask has finished, however; returns the last entry it armed. */
  closeAsk(askId: string): Entry | null {
    const row = run(closeAsk(this.#core, askId));
    return row === null ? null : entryView(this.#core, row);
  }

  /** Says that an answer goes into a tool result now; never a proof. */
  markReturned(token: string, options?: HandOver): void {
    run(markReturned(this.#core, token, options));
  }

  /** The same for an answer that was recovered; read `replayHint` before. */
  markSurfaced(token: string, options: { askId?: string } = {}): void {
    run(markReturned(this.#core, token, { ...options, replay: true }));
  }

  /** Looks for an earlier answer to the identical question of this conversation. */
  recover(key: string, fingerprint: string, asker?: string): Recovery {
    return recover(this.#core, key, fingerprint, asker);
  }

  /** Entries of a tab that no tool result ever carried; diagnostic only, no gate is applied. */
  orphansFor(key: string): Entry[] {
    return this.entriesFor(key).filter((entry) => !entry.returned);
  }

  /** All entries of a tab in arrival order; diagnostic only. */
  entriesFor(key: string): Entry[] {
    return this.#core.book.entriesOn(key).map((row) => entryView(this.#core, row));
  }

  /** The ticket of an open card; diagnostic only. */
  ticketFor(askId: string): Ticket | undefined {
    const row = this.#core.openTicket(askId);
    return row === undefined ? undefined : ticketView(row);
  }

  /** Entries of a tab that are owed a push and may reach a live turn, in arrival order. */
  pending(key: string): Entry[] {
    return pendingRows(this.#core, key).map((row) => entryView(this.#core, row));
  }

  /** Offers what is pending to an agent's queue, in arrival order, until one is refused. */
  deliverPending(key: string, inject: Inject): { delivered: number; blockedOn: Entry | null } {
    const { delivered, blockedOn } = run(deliverPending(this.#core, key, inject));
    return { delivered, blockedOn: blockedOn === null ? null : entryView(this.#core, blockedOn) };
  }

  /** Takes a receipt: the turn that carried the token ended with its own result. */
  ack(token: string, from?: { carrier?: string }): void {
    run(ack(this.#core, token, from));
  }

  /** Takes a hand-back: a hand-off ended without a receipt. */
  release(token: string, options?: Release): void {
    run(release(this.#core, token, options));
  }

  /** How many losses the reader of a tab must be told of now; a carrier makes the telling provable. */
  reportDropped(key: string, options?: { askId?: string }): number {
    return run(reportDropped(this.#core, key, options));
  }

  /** Says that an occupant has been absent for its grace time. */
  retireDebt(key: string, occupant: string | null | undefined): void {
    run(retireDebt(this.#core, key, occupant ?? null));
  }

  /** All losses that are owed on a tab, displayed ones included. */
  droppedFor(key: string): number {
    return this.#core.book.losses(key).length;
  }

  /** What is owed, per tab. */
  outstandingDebt(): { key: string; count: number }[] {
    return outstandingDebt(this.#core);
  }

  /** The restart gate: true while a restart would strand something. */
  hasOutstanding(): boolean {
    return hasOutstanding(this.#core);
  }

  /** Every entry that is not proven, for the exit notice. */
  allOutstanding(): Entry[] {
    return allOutstanding(this.#core);
  }

  /** Renames a tab; flush the new key afterwards. */
  moveKey(from: string, to: string): void {
    run(moveKey(this.#core, from, to));
  }

  /** Writes the answers of a tab that is gone to the log and removes them. */
  forget(key: string): void {
    run(forget(this.#core, key));
  }

  /** Whether the conversation in which this ask was opened is still there. */
  askBelongsToLiveConversation(askId: string): boolean {
    return isLiveConversation(this.#core, askId);
  }

  /** Says that the conversation on a tab was replaced: nothing of it may be shown to the next one. */
  closeAsks(key: string): void {
    run(closeAsks(this.#core, key));
  }

  /** Whether the content of an entry may be shown on its tab now; counts always may. */
  mayDisclose(entry: Pick<Entry, 'token'>): boolean {
    const row = this.#core.book.entry(Number(entry.token.slice(2)));
    if (row === undefined) return false;
    const may = this.#core.reaches(row, this.#core.peekOccupant(row.at.context.key));
    this.#core.tellTroubles();
    return may;
  }

  /** Whether an ask id is one of this journal. */
  tracks(askId: string): boolean {
    return askId.startsWith(ASK_ID_PREFIX);
  }

  /** Empties the journal, for tests; callbacks and counters stay. */
  reset(): void {
    this.#core.book.clear();
    this.#tabs.send({ type: 'RESET' });
    this.#core.delivering.clear();
  }
}

/** Makes a journal of its own. See `Journal`. */
export function createJournal(options: JournalOptions = {}): Journal {
  requireGiven(options, { limits: 'object?', clock: 'object?', logger: 'object?' });
  return new Journal(options);
}

/** The journal of this process. */
export const journal: Journal = new Journal();
