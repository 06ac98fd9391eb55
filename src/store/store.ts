/**
 * What a journal needs of the place where its rows live. One contract for memory and for disk.
 *
 * Rows are holders: a store gives out the same object for the same row as long as anyone may still change it.
 * Every change is staged; `commit` makes all that is staged durable or throws, `rollback` forgets it. All calls are
 * synchronous, so that nothing can slip between a decision and its commit.
 */
import type { AuditQuery, AuditRow } from '../api.ts';
import type { ReadbackError } from '../errors.ts';
import type { EntryRow, LossRow, TicketRow, WarningRow } from '../journal/rows.ts';

/** One (tab, occupant) pair that owns entries which hold the restart gate. */
export interface OwedGroup {
  readonly tab: string;
  readonly occupant: string | null;
  readonly count: number;
}

export interface AuditNote extends Omit<AuditRow, 'id'> {}

/** What a step, or a reopening, changes of a ticket. */
export type TicketChange = Partial<Pick<TicketRow, 'at' | 'prints' | 'openedAt' | 'seq'>>;

export interface Book {
  /** The ticket of an ask while its card is open. */
  ticket(askId: string): TicketRow | undefined;
  /** The ticket in whatever state, as long as it is on file. */
  anyTicket(askId: string): TicketRow | undefined;
  addTicket(row: TicketRow): void;
  /** Applies a step, or a reopening, to a ticket on file. A ticket that is no longer open leaves every open list. */
  setTicket(row: TicketRow, change: TicketChange): void;
  readonly openTickets: number;
  /** The oldest unattended ticket by newest opening, else the oldest of all; never `except`. */
  ticketVictim(except: string): TicketRow | undefined;
  /** Tickets with an opening on this tab. */
  ticketsOn(tab: string): TicketRow[];
  /** Whether the id was ever opened, whatever became of it. */
  wasOpened(askId: string): boolean;
  /** Open tickets, oldest opening first. */
  open(limit: number, tab?: string): TicketRow[];
  /** Tickets whose card was taken off without an answer, newest opening first. */
  ended(limit: number): TicketRow[];
  /** Open tickets whose question has a deadline. */
  deadlines(): { askId: string; expiresAt: number }[];

  entry(n: number): EntryRow | undefined;
  entriesOf(askId: string): readonly EntryRow[];
  /** All entries of a tab in arrival order. */
  entriesOn(tab: string): EntryRow[];
  allEntries(): EntryRow[];
  /** The latest entries, newest first. */
  recent(limit: number): EntryRow[];
  /** Entries of a tab with this fingerprint that are licensed, newest first. */
  licensed(tab: string, fingerprint: string): Iterable<EntryRow>;
  /** The first `pending` entry of the tab that arrived after number `n`. */
  pendingAfter(tab: string, n: number): EntryRow | undefined;
  addEntry(row: EntryRow): void;
  setEntry(row: EntryRow, at: EntryRow['at']): void;
  dropEntry(row: EntryRow): void;
  entryCount(tab?: string): number;
  /** The next entry to go by a bound, on one tab or overall; never number `except`. */
  entryVictim(tab: string | undefined, except: number): EntryRow | undefined;
  owedGroups(): Iterable<OwedGroup>;
  /** Tabs that have a pending entry. */
  pendingTabs(): string[];

  loss(id: number): LossRow | undefined;
  /** Losses on one tab, or all, in the order in which they happened. */
  losses(tab?: string): LossRow[];
  lossOf(token: string): LossRow | undefined;
  addLoss(row: LossRow): void;
  setLoss(row: LossRow, at: LossRow['at']): void;
  dropLoss(row: LossRow): void;
  readonly lossCount: number;
  /** The next name of a loss. */
  nextLoss(): number;

  warning(n: number): WarningRow | undefined;
  warnings(): WarningRow[];
  addWarning(row: WarningRow): void;
  setWarning(row: WarningRow, at: WarningRow['at']): void;
  dropWarning(row: WarningRow): void;

  /** The latest instant on the steady clock at which an entry was recorded, or 0. */
  readonly latestAge: number;
  /** Entries that somebody held, or was about to return, when the process ended: handed off, or `none` and untouched. */
  interruptedEntries(): EntryRow[];
  /** Tickets that say they are awaited and were opened no later than opening `seq`. */
  awaitedTickets(seq: number, limit: number): TicketRow[];
  /** The number of the newest opening. */
  readonly latestSeq: number;

  /** The next number of the counter that all tokens share; never given twice. */
  nextNumber(): number;
  /** The next number of an opening. */
  nextSeq(): number;
  /** Removes tickets, entries, losses and warnings; the counters go on. */
  clear(): void;
}

/** Something to perform after its commit, kept until it was performed: at least once, with the token as key. */
export interface OutboxRow {
  readonly id: number;
  readonly kind: 'recall' | 'offer';
  readonly token: string;
  readonly tab: string;
  /** Why a recall is made. */
  readonly because: string;
}

export interface TabRow {
  readonly tab: string;
  readonly epoch: number;
  readonly gone: readonly string[];
  readonly occupant: string | null;
}

/** A row of requests, approvals or grants, as the coordinator wrote it. The store does not look into it. */
export interface KeptRow {
  readonly id: string;
  /** Which chart its state belongs to: name, version and hash. */
  readonly chart: string;
  /** JSON. */
  readonly body: string;
}

export interface Store {
  readonly kind: string;
  readonly book: Book;
  /** True while something is staged. */
  readonly dirty: boolean;
  /** With nothing staged it changes nothing: a moment in which no row is in use, and rows read may be forgotten. */
  commit(): void;
  rollback(): void;
  note(row: AuditNote): void;
  audit(query: AuditQuery): AuditRow[];
  intend(row: Omit<OutboxRow, 'id'>): number;
  done(id: number): void;
  outbox(): OutboxRow[];
  tabs(): TabRow[];
  saveTab(tab: string, row: TabRow | undefined): void;
  /** Puts a row under its kind and id, or takes it away. A row that is put again keeps its place. */
  keep(kind: string, id: string, row: Omit<KeptRow, 'id'> | undefined): void;
  /** The rows of a kind, in the order in which they were first put. */
  kept(kind: string): KeptRow[];
  /** What something that one of its calls threw means to a caller; undefined when it is no failure of the store. */
  errorOf?(cause: unknown): ReadbackError | undefined;
  /** Called when nothing has happened for a while: checkpoint, prune. Never changes what is readable but for age. */
  tidy(): void;
  close(): void;
}
