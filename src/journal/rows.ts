/** What is on file: one holder a row, whose chart snapshot is replaced as it steps. */

import type { AnswerContext, AnswerValue } from '../../machines/journal/answer-facts.ts';
import type { DebtContext, DebtValue } from '../../machines/journal/debt.ts';
import type { LossContext, LossValue } from '../../machines/journal/loss.ts';
import type { TicketContext, TicketValue } from '../../machines/journal/ticket.ts';
import type { Snapshot } from '../../machines/shared/snapshot.ts';
import type { AskOption, BatchPlace, Reply } from '../api.ts';

export type AnswerSnapshot = Snapshot<AnswerContext, AnswerValue>;
export type DebtSnapshot = Snapshot<DebtContext, DebtValue>;
export type LossSnapshot = Snapshot<LossContext, LossValue>;
export type TicketSnapshot = Snapshot<TicketContext, TicketValue>;

export type Provenance = 'ticket' | 'sibling' | 'unknown';

/** What a surface needs to draw the card beyond the question itself. */
export interface AskCard {
  readonly header: string;
  readonly options: readonly AskOption[];
  readonly multiSelect: boolean;
  readonly freeText: boolean;
  readonly from: string;
  readonly expiresAt: number | null;
  /** Its place among questions that were put together, or null. */
  readonly batch: BatchPlace | null;
}

export interface TicketRow {
  readonly askId: string;
  /** Question identity and text of each opening, oldest first; parallel to `openings` of the chart. */
  prints: readonly { readonly fingerprint: string; readonly question: string }[];
  openedAt: number;
  /** Number of the newest opening, process-wide and growing. */
  seq: number;
  readonly card: AskCard | null;
  at: TicketSnapshot;
}

export interface EntryRow {
  /** Arrival number; the token is `aa` and this number. */
  readonly n: number;
  readonly askId: string;
  readonly fingerprint: string | null;
  readonly question: string | null;
  readonly answer: string;
  readonly answeredAt: number;
  /** Age is counted from here on the journal's own clock, which never runs backwards. */
  readonly agedFrom: number;
  readonly occupant: string | null;
  readonly provenance: Provenance;
  readonly ticketSeq: number;
  /** The kind of surface it was given on; who gave it stands in the audit. */
  readonly surface: string | null;
  readonly reply: Reply | null;
  at: AnswerSnapshot;
}

export interface LossRow {
  readonly id: number;
  at: LossSnapshot;
}

export interface WarningRow {
  readonly n: number;
  at: DebtSnapshot;
}

export const isOpen = (row: TicketRow): boolean => row.at.value === 'awaited' || row.at.value === 'unattended';
/** The states of a ticket whose card is gone although nobody answered it. */
export const ENDED: readonly string[] = Object.freeze(['withdrawn', 'superseded', 'expired', 'evicted']);

export const isRetired = (row: EntryRow): boolean => row.at.value.delivery === 'retired';
export const isProven = (row: EntryRow): boolean => row.at.context.proven !== 'no';
export const isMatched = (row: EntryRow): boolean => row.at.value.label === 'matched';
export const isAmbiguous = (row: EntryRow): boolean => row.at.value.label === 'ambiguous';
/** It was given for the card as it is drawn now. Of one from before its id was opened anew the card is gone. */
export const isOfThisCard = (row: EntryRow): boolean => !row.at.context.erased;
/** The licence: true exactly if the label is `matched` and the entry is not retired (I-09). */
export const isLicensed = (row: EntryRow): boolean => isMatched(row) && !isRetired(row);
/** Counts for the restart gate: owed a push, or handed off while owed one. */
export const isOwed = (row: EntryRow): boolean =>
  row.at.value.delivery === 'pending' || row.at.value.delivery === 'handed_off';
export const fingerprintOf = (row: EntryRow): string | null => (isOfThisCard(row) ? row.fingerprint : null);
export const tokenOf = (n: number): string => `aa${n}`;
export const warningTokenOf = (n: number): string => `aad${n}`;

/** The number in a token, or 0 for a string that is no token of that kind: not `aa01`, not `aa1.0`, not `aa1e3`. */
export function numberIn(token: string, prefix: 'aa' | 'aad'): number {
  const from = prefix.length;
  if (!token.startsWith(prefix) || token.length > from + 15 || token.charCodeAt(from) === 48) return 0;
  let n = 0;
  for (let i = from; i < token.length; i++) {
    const digit = token.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return 0;
    n = n * 10 + digit;
  }
  return n;
}

/** The order in which bounds take entries: proven, retired, returned, all others. */
export const victimClass = (row: EntryRow): 0 | 1 | 2 | 3 =>
  isProven(row) ? 0 : isRetired(row) ? 1 : row.at.context.returned ? 2 : 3;

/** Somebody held it, or was about to return it (D-4). */
export const wasInterrupted = (row: EntryRow): boolean =>
  row.at.value.delivery === 'handed_off' ||
  row.at.context.copyOut ||
  (row.at.value.delivery === 'none' && victimClass(row) === 3);
