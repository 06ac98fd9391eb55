/** Rows as the journal makes them, for tests of a store: stepped through the charts, never put together by hand. */
import { answerMachine } from '../../machines/journal/answer.ts';
import { debtMachine } from '../../machines/journal/debt.ts';
import { lossMachine } from '../../machines/journal/loss.ts';
import { ticketMachine } from '../../machines/journal/ticket.ts';
import { compile, type EventOf, start, step } from '../../machines/shared/step.ts';
import type { Book } from '../store/store.ts';

export type EntryRow = Parameters<Book['addEntry']>[0];
export type TicketRow = Parameters<Book['addTicket']>[0];
export type LossRow = Parameters<Book['addLoss']>[0];
export type WarningRow = Parameters<Book['addWarning']>[0];

const answerChart = compile(answerMachine);
const debtChart = compile(debtMachine);
const lossChart = compile(lossMachine);
const ticketChart = compile(ticketMachine);

export type AnswerEvent = EventOf<typeof answerChart>;
export type TicketEvent = EventOf<typeof ticketChart>;
export type LossEvent = EventOf<typeof lossChart>;
export type DebtEvent = EventOf<typeof debtChart>;

export interface TicketParts {
  readonly tab?: string;
  readonly question?: string;
  readonly fingerprint?: string;
  readonly occupant?: string | null;
  readonly epoch?: number;
  readonly card?: TicketRow['card'];
  readonly reused?: boolean;
}

export function newTicket(book: Book, askId: string, parts: TicketParts = {}): TicketRow {
  const {
    tab = 'tab',
    question = 'q?',
    fingerprint = 'f',
    occupant = null,
    epoch = 0,
    card = null,
    reused = false,
  } = parts;
  const input = { askId, opening: { tab, epoch, occupant }, reused, historyLost: false };
  const { snapshot } = start(ticketChart, input);
  const row: TicketRow = {
    askId,
    prints: [{ fingerprint, question }],
    openedAt: 1_700_000_000_000,
    seq: book.nextSeq(),
    card,
    at: snapshot,
  };
  book.addTicket(row);
  return row;
}

export function stepTicket(book: Book, row: TicketRow, event: TicketEvent): void {
  book.setTicket(row, { at: step(ticketChart, row.at, event).snapshot });
}

/** Opens a ticket once more, as a reopening does. */
export function reopenTicket(book: Book, row: TicketRow, tab: string): void {
  const { snapshot } = step(ticketChart, row.at, { type: 'OPEN', opening: { tab, epoch: 0, occupant: null } });
  const prints = [...row.prints, { fingerprint: 'again', question: 'again?' }];
  book.setTicket(row, { at: snapshot, prints, openedAt: row.openedAt + 1, seq: book.nextSeq() });
}

export interface EntryParts {
  readonly tab?: string;
  readonly answer?: string;
  readonly question?: string | null;
  readonly fingerprint?: string | null;
  readonly occupant?: string | null;
  readonly label?: 'matched' | 'foreign' | 'ambiguous';
  readonly known?: boolean;
  readonly awaited?: boolean;
  readonly retired?: boolean;
  readonly surface?: string;
  readonly reply?: EntryRow['reply'];
  readonly agedFrom?: number;
}

/** An answer to an ask; without more it came late and is `pending`. */
export function newEntry(book: Book, askId: string, parts: EntryParts = {}): EntryRow {
  const { tab = 'tab', label = 'matched', known = true, awaited = false, retired = false } = parts;
  const n = book.nextNumber();
  const { snapshot } = start(answerChart, { token: `aa${n}`, key: tab, label, known, awaited, retired });
  const row: EntryRow = {
    n,
    askId,
    fingerprint: parts.fingerprint === undefined ? 'f' : parts.fingerprint,
    question: parts.question === undefined ? 'q?' : parts.question,
    answer: parts.answer ?? `answer ${n}`,
    answeredAt: 1_700_000_000_000 + n,
    agedFrom: parts.agedFrom ?? 1_700_000_000_000 + n,
    occupant: parts.occupant ?? null,
    provenance: known ? 'ticket' : 'unknown',
    ticketSeq: 7,
    surface: parts.surface ?? null,
    reply: parts.reply ?? null,
    at: snapshot,
  };
  book.addEntry(row);
  return row;
}

export function stepEntry(book: Book, row: EntryRow, ...events: readonly AnswerEvent[]): void {
  for (const event of events) book.setEntry(row, step(answerChart, row.at, event).snapshot);
}

export const TAKEN = { type: 'OFFER_TAKEN', losses: [], worded: 'matched', carrier: null } as const;
export const ridden = (carrier: string | null): AnswerEvent => ({ type: 'RETURN', carrier, replay: false });
export const receipt = (carrier: string | null): AnswerEvent => ({ type: 'RECEIPT', carrier });

export function newLoss(book: Book, of: string, tab = 'tab', occupant: string | null = null): LossRow {
  const input = { tab, occupant, of, rides: ['turn'], endedBeside: [], copyOut: true, copyCarrier: null };
  const row: LossRow = { id: book.nextLoss(), at: start(lossChart, input).snapshot };
  book.addLoss(row);
  return row;
}

export function stepLoss(book: Book, row: LossRow, event: LossEvent): void {
  book.setLoss(row, step(lossChart, row.at, event).snapshot);
}

export function newWarning(book: Book, losses: readonly number[], tab = 'tab'): WarningRow {
  const n = book.nextNumber();
  const row: WarningRow = { n, at: start(debtChart, { token: `aad${n}`, tab, carrier: 'turn', losses }).snapshot };
  book.addWarning(row);
  return row;
}

export function stepWarning(book: Book, row: WarningRow, event: DebtEvent): void {
  book.setWarning(row, step(debtChart, row.at, event).snapshot);
}

/** A row as plain data. How an answer was born is not kept: it matters while it is born and never again. */
export function plainEntry({ at, ...row }: EntryRow): unknown {
  const { birth: _, bornAs: __, ...context } = at.context;
  // A member that says nothing and one that is not there are the same to whoever reads them.
  const plain: unknown = JSON.parse(JSON.stringify(row));
  return structuredClone({ row: plain, value: at.value, context });
}

export const plainTicket = ({ at, ...row }: TicketRow): unknown =>
  structuredClone({ ...row, value: at.value, context: at.context });

export const plainDebt = ({ at, ...row }: LossRow | WarningRow): unknown =>
  structuredClone({ ...row, value: at.value, context: at.context });

/** Everything that a book gives out, as plain data: compare two of these to show that nothing has changed. */
export function plainBook(book: Book, tabs: readonly string[], askIds: readonly string[]): Record<string, unknown> {
  const numbers = (rows: Iterable<EntryRow>): number[] => [...rows].map((row) => row.n);
  const ids = (rows: readonly TicketRow[]): string[] => rows.map((row) => row.askId);
  const sorted = <T>(list: readonly T[]): T[] =>
    [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    entries: book.allEntries().map(plainEntry),
    recent: numbers(book.recent(1_000)),
    tickets: askIds.map((id) =>
      [id, book.anyTicket(id)].map((one) => (typeof one === 'object' ? plainTicket(one) : one)),
    ),
    openNow: askIds.map((id) => [id, book.ticket(id)?.askId]),
    opened: askIds.map((id) => [id, book.wasOpened(id)]),
    answers: askIds.map((id) => [id, numbers(book.entriesOf(id))]),
    open: ids(book.open(1_000)),
    openTickets: book.openTickets,
    deadlines: sorted(book.deadlines()),
    victim: book.ticketVictim('nobody')?.askId,
    awaited: ids(book.awaitedTickets(book.latestSeq, 1_000)),
    interrupted: sorted(numbers(book.interruptedEntries())),
    owed: sorted([...book.owedGroups()].map((group) => ({ ...group }))),
    pendingTabs: sorted(book.pendingTabs()),
    latestAge: book.latestAge,
    entryVictim: book.entryVictim(undefined, 0)?.n,
    entryCount: book.entryCount(),
    losses: book.losses().map(plainDebt),
    warnings: sorted(book.warnings().map(plainDebt)),
    tabs: tabs.map((tab) => ({
      tab,
      entries: numbers(book.entriesOn(tab)),
      count: book.entryCount(tab),
      tickets: sorted(ids(book.ticketsOn(tab))),
      pending: book.pendingAfter(tab, 0)?.n,
      licensed: numbers(book.licensed(tab, 'f')),
      victim: book.entryVictim(tab, 0)?.n,
      losses: book.losses(tab).map((row) => row.id),
    })),
  };
}
