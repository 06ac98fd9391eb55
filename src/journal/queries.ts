/** Reading: recovery, the gate, the lists. Nothing here changes anything (I-25). */
import type { Core } from './core.ts';
import {
  type EntryRow,
  fingerprintOf,
  isAmbiguous,
  isLicensed,
  isMatched,
  isOwed,
  isProven,
  isRetired,
  type Provenance,
  type TicketRow,
} from './rows.ts';

/** One answer on file, as callers see it: a frozen copy of this instant (journal.md 3.2). */
export interface Entry {
  readonly token: string;
  readonly askId: string;
  /** Tab it belongs to and is delivered to. */
  readonly key: string;
  readonly fingerprint: string | null;
  readonly question: string | null;
  readonly answer: string;
  /** Milliseconds since 1970. */
  readonly answeredAt: number;
  readonly correlation: { readonly status: 'matched' | 'foreign'; readonly askId: string };
  readonly recoverable: boolean;
  readonly ambiguousId: boolean;
  readonly retired: boolean;
  readonly incarnation: string | undefined;
  readonly provenance: Provenance;
  readonly delivery: 'none' | 'pending' | 'handed_off';
  readonly channel: 'none' | 'queue' | 'result';
  readonly returned: boolean;
  readonly acked: boolean;
  readonly rides: readonly string[];
  readonly attempts: number;
  readonly carriedReleases: number;
  readonly replayHint: boolean;
  /** Number of losses that its queue copy displays. */
  readonly shown: number;
  readonly copyOut: boolean;
  readonly ticketSeq: number;
  readonly state: 'none' | 'pending' | 'handed_off' | 'acked' | 'retired';
}

/** One open card, as callers see it: a frozen copy of this instant (journal.md 3.1). */
export interface Ticket {
  readonly askId: string;
  readonly tabId: string;
  readonly fingerprint: string;
  readonly question: string;
  readonly openedAt: number;
  readonly seq: number;
  readonly epoch: number;
  readonly awaiting: boolean;
  readonly reused: boolean;
  readonly historyLost: boolean;
  readonly openings: readonly {
    readonly tab: string;
    readonly epoch: number;
    readonly occupant: string | null;
    readonly fingerprint: string;
    readonly question: string;
  }[];
}

export type Recovery =
  | { readonly status: 'recovered'; readonly entry: Entry }
  | { readonly status: 'none' }
  | { readonly status: 'unattributed'; readonly others: readonly Entry[]; readonly withheld: number };

const NO_RIDES: readonly string[] = Object.freeze([]);

export function entryView(core: Core, row: EntryRow): Entry {
  const { context, value } = row.at;
  const state = value.delivery as Entry['state'];
  return Object.freeze({
    token: context.token,
    askId: row.askId,
    key: context.key,
    fingerprint: fingerprintOf(row),
    question: row.question,
    answer: row.answer,
    answeredAt: row.answeredAt,
    correlation: Object.freeze({ status: isMatched(row) ? 'matched' : 'foreign', askId: row.askId }),
    recoverable: isLicensed(row),
    ambiguousId: isAmbiguous(row),
    retired: isRetired(row),
    incarnation: row.occupant ?? undefined,
    provenance: row.provenance,
    delivery: state === 'pending' || state === 'handed_off' ? state : 'none',
    channel: context.channel,
    returned: context.returned,
    acked: isProven(row),
    rides: context.rides.length === 0 ? NO_RIDES : Object.freeze(context.rides),
    attempts: context.attempts,
    carriedReleases: context.carriedReleases,
    replayHint: context.hint,
    shown: context.shown.length === 0 ? 0 : context.shown.filter((id) => core.book.loss(id) !== undefined).length,
    copyOut: context.copyOut,
    ticketSeq: row.ticketSeq,
    state,
  });
}

export function ticketView(row: TicketRow): Ticket {
  const { context, value } = row.at;
  const last = context.openings.length - 1;
  const openings = context.openings.map((opening, i) => Object.freeze({ ...opening, ...print(row, i) }));
  return Object.freeze({
    askId: row.askId,
    tabId: context.openings[last]?.tab ?? '',
    ...print(row, last),
    openedAt: row.openedAt,
    seq: row.seq,
    epoch: context.openings[last]?.epoch ?? 0,
    awaiting: value === 'awaited',
    reused: context.reused,
    historyLost: context.historyLost,
    openings: Object.freeze(openings),
  });
}

const print = (row: TicketRow, i: number): { fingerprint: string; question: string } => ({
  fingerprint: row.prints[i]?.fingerprint ?? '',
  question: row.prints[i]?.question ?? '',
});

export function recover(core: Core, tab: string, fingerprint: string, asker?: string): Recovery {
  const total = core.book.entryCount(tab);
  if (total === 0) return { status: 'none' };
  // An asker of a replaced conversation is given nothing and shown nothing.
  if (asker !== undefined && !isLiveConversation(core, asker))
    return { status: 'unattributed', others: [], withheld: total };
  const occupant = core.peekOccupant(tab);
  core.tellTroubles();
  const now = core.age.steady();
  for (const row of core.book.licensed(tab, fingerprint)) {
    if (core.reaches(row, occupant) && now - row.agedFrom <= core.limits.recoverForMs) {
      return { status: 'recovered', entry: entryView(core, row) };
    }
  }
  const others = core.book.entriesOn(tab).filter((row) => core.reaches(row, occupant));
  return {
    status: 'unattributed',
    others: others.map((row) => entryView(core, row)),
    withheld: total - others.length,
  };
}

export function isLiveConversation(core: Core, askId: string): boolean {
  const ticket = core.openTicket(askId);
  if (ticket !== undefined) {
    const { openings, historyLost } = ticket.at.context;
    return !historyLost && openings.every((opening) => core.gate.isLive(askId, opening));
  }
  if (!core.book.wasOpened(askId)) return true;
  if (core.gate.says(askId) === 'off') return false;
  const entries = core.book.entriesOf(askId);
  return (
    entries.length > 0 && entries.every((row) => row.provenance !== 'unknown' && !isRetired(row) && !isAmbiguous(row))
  );
}

/** True while a restart would strand something: a loss that is owed, or an answer that is owed a push. */
export function hasOutstanding(core: Core): boolean {
  const outstanding = core.book.lossCount > 0 || holdsGate(core);
  core.tellTroubles();
  return outstanding;
}

function holdsGate(core: Core): boolean {
  for (const { tab, occupant } of core.book.owedGroups()) {
    if (core.gate.lineage !== undefined && !isOwedHere(core, tab, occupant)) continue;
    if (core.resolver === undefined) return true;
    // With a resolver wired an unknown occupant, or one that is gone and does not hold the tab, is never delivered to.
    if (occupant === null) continue;
    if (!core.tabs.isGone(tab, occupant) || core.peekOccupant(tab) === occupant) return true;
  }
  return false;
}

const isElsewhere = (core: Core, row: EntryRow): boolean =>
  core.gate.says(row.askId) === 'off' || core.gate.isKept(row);

/** What is owed on another branch only, or is in the log, is owed to nobody here. */
const isOwedHere = (core: Core, tab: string, occupant: string | null): boolean =>
  core.book.entriesOn(tab).some((row) => row.occupant === occupant && isOwed(row) && !isElsewhere(core, row));

export function outstandingDebt(core: Core): { key: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { at } of core.book.losses()) counts.set(at.context.tab, (counts.get(at.context.tab) ?? 0) + 1);
  return [...counts].map(([key, count]) => ({ key, count }));
}

export const allOutstanding = (core: Core): Entry[] =>
  core.book
    .allEntries()
    .filter((row) => !isProven(row))
    .map((row) => entryView(core, row));

/** Whether a reader may have had it before: in a result, in a hand-off that was carried, or in a queue just now. */
export const mayRepeat = (core: Core, { n, at: { context } }: EntryRow): boolean =>
  context.hint || context.returned || context.channel === 'queue' || core.given.has(n);
