/** Whose answer is it: opening an ask, recording an answer, closing an ask (4.7 to 4.9). Decided once, by exact identity. */
import type { Opening } from '../../machines/journal/ticket.ts';
import { start } from '../../machines/shared/step.ts';
import type { Author, Reply } from '../api.ts';
import { boundEntries, boundTickets } from './bounds.ts';
import { answerChart, ticketChart } from './charts.ts';
import type { Core } from './core.ts';
import { sayTicket } from './lines.ts';
import { Done, type Effects, type Op } from './operation.ts';
import {
  type AskCard,
  type EntryRow,
  isAmbiguous,
  isOfThisCard,
  isRetired,
  type Provenance,
  type TicketRow,
  tokenOf,
} from './rows.ts';
import { answerText } from './text.ts';

export interface OpenAsk {
  readonly tabId: string;
  readonly fingerprint: string;
  readonly question: string;
}

export function openAsk(core: Core, askId: string, ask: OpenAsk, card: AskCard | null = null): Op<void> {
  const { book } = core;
  const { tabId: tab } = ask;
  const fx = core.effects();
  const opening = { tab, epoch: core.tabs.epoch(tab), occupant: core.occupant(tab) };
  const print = { fingerprint: ask.fingerprint, question: ask.question };
  const earlier = core.openTicket(askId);
  const seen = book.wasOpened(askId);
  const entries = book.entriesOf(askId);
  const openedAt = core.now();
  const seq = book.nextSeq();
  if (earlier !== undefined) {
    core.stepTicket(earlier, { type: 'OPEN', opening }, fx, { openedAt, seq, prints: [...earlier.prints, print] });
  } else {
    const input = { askId, opening, reused: seen || entries.length > 0, historyLost: seen };
    const born = start(ticketChart, input);
    const { snapshot, effects } = born;
    core.watch?.tell?.(ticketChart.id, askId, undefined, { type: 'xstate.init', tab }, born);
    const row: TicketRow = { askId, prints: [print], openedAt, seq, card, at: snapshot };
    book.addTicket(row);
    if (effects.length > 0) for (const effect of effects) sayTicket(effect.type, row, fx);
  }
  for (const entry of entries) core.stepEntry(entry, { type: 'BLUR', erase: true }, fx);
  boundTickets(core, askId, fx);
  core.gate.lineage?.opened(askId, tab);
  core.note?.('opened', { askId, tab, digest: ask.fingerprint });
  return core.finish(fx, undefined);
}

/** Everything that attribution decides about one arriving answer. */
interface Attribution {
  readonly attributable: boolean;
  readonly key: string;
  readonly question: string | null;
  readonly fingerprint: string | null;
  readonly provenance: Provenance;
  readonly retired: boolean;
  readonly occupant: string | null;
  readonly label: 'matched' | 'foreign' | 'ambiguous';
}

function attribute(
  core: Core,
  ticket: TicketRow | undefined,
  siblings: readonly EntryRow[],
  tabId: string,
): Attribution {
  const reused = ticket?.at.context.reused === true;
  const attributable = ticket !== undefined && !reused && siblings.length === 0;
  const print = ticket !== undefined && !reused ? ticket.prints[0] : undefined;
  const key = attributable ? (ticket.at.context.openings[0]?.tab ?? tabId) : tabId;
  const named =
    ticket === undefined ? siblings.find((row) => row.at.context.key === key && !isAmbiguous(row)) : undefined;
  const { provenance, retired, occupant } =
    ticket === undefined ? bySibling(core, siblings, key) : byTicket(core, ticket, key);
  return {
    attributable,
    key,
    question: print?.question ?? named?.question ?? null,
    fingerprint: attributable ? (print?.fingerprint ?? null) : null,
    label: reused || siblings.length > 0 ? 'ambiguous' : attributable ? 'matched' : 'foreign',
    provenance,
    retired,
    occupant,
  };
}

/** Judged by those openings that were drawn on the entry's own tab; mixed evidence is no evidence. */
function byTicket(
  core: Core,
  ticket: TicketRow,
  key: string,
): Pick<Attribution, 'provenance' | 'retired' | 'occupant'> {
  const { openings, historyLost } = ticket.at.context;
  let first = undefined as Opening | undefined;
  let live = 0;
  let here = 0;
  let oneOccupant = true;
  // What is retired at birth is so for good, and a branch may be taken up again.
  const isPlaced = core.gate.isPlaced(ticket.askId);
  for (const opening of openings) {
    if (opening.tab !== key) continue;
    first ??= opening;
    here += 1;
    if (isPlaced || core.gate.isOfEpoch(opening)) live += 1;
    if (opening.occupant !== first.occupant) oneOccupant = false;
  }
  const known = here > 0 && oneOccupant && (live === 0 || live === here) && !historyLost;
  return {
    provenance: known ? 'ticket' : 'unknown',
    retired: known && live === 0,
    occupant: (oneOccupant && first !== undefined ? first.occupant : null) ?? core.occupant(key),
  };
}

/** An entry of a reused id is no witness: its id named another card before, or names another one now. */
const namesItsCard = (row: EntryRow): boolean =>
  row.provenance !== 'unknown' && row.question !== null && isOfThisCard(row);

function bySibling(
  core: Core,
  siblings: readonly EntryRow[],
  key: string,
): Pick<Attribution, 'provenance' | 'retired' | 'occupant'> {
  const known = siblings.filter((row) => row.at.context.key === key && namesItsCard(row));
  const [sibling] = known;
  if (sibling === undefined) return { provenance: 'unknown', retired: false, occupant: core.occupant(key) };
  return { provenance: 'sibling', retired: known.some(isRetired), occupant: sibling.occupant };
}

export interface RecordMeta {
  readonly author?: Author | undefined;
  readonly reply?: Reply | undefined;
}

export function record(
  core: Core,
  askId: string,
  reply: unknown,
  { tabId }: { tabId: string },
  meta: RecordMeta = {},
): Op<EntryRow> {
  const { book } = core;
  const answer = answerText(reply);
  const ticket = core.openTicket(askId);
  const siblings = book.entriesOf(askId);
  const reused = ticket?.at.context.reused === true;
  if (!reused) for (const row of siblings) if (row.answer === answer && !isAmbiguous(row)) return new Done(row);

  const fx = core.effects();
  const facts = attribute(core, ticket, siblings, tabId);
  for (const sibling of siblings) core.stepEntry(sibling, { type: 'BLUR', erase: false }, fx);
  const row = file(core, askId, answer, facts, ticket, meta, fx);
  if (ticket !== undefined) core.stepTicket(ticket, { type: 'ANSWER' }, fx);
  core.gate.lineage?.answered(askId, fx);
  boundEntries(core, facts.key, row, fx);
  core.note?.('answered', {
    askId,
    token: tokenOf(row.n),
    tab: facts.key,
    surface: meta.author?.surface,
    who: meta.author?.who,
    // A text that no outlet may show is reported to the audit instead.
    ...(facts.retired || facts.provenance === 'unknown' ? { detail: answer } : {}),
  });
  sayArrival(core, row, facts, siblings, ticket, fx);
  return core.finish(fx, row);
}

function file(
  core: Core,
  askId: string,
  answer: string,
  facts: Attribution,
  ticket: TicketRow | undefined,
  meta: RecordMeta,
  fx: Effects,
): EntryRow {
  const n = core.book.nextNumber();
  const born = start(answerChart, {
    token: tokenOf(n),
    key: facts.key,
    retired: facts.retired,
    known: facts.provenance !== 'unknown',
    awaited: ticket?.at.value === 'awaited',
    label: facts.label,
  });
  const { snapshot, effects } = born;
  core.watch?.tell?.(answerChart.id, tokenOf(n), undefined, { type: 'xstate.init', tab: facts.key, askId }, born);
  const answeredAt = core.now();
  const row: EntryRow = {
    n,
    askId,
    fingerprint: facts.fingerprint,
    question: facts.question,
    answer,
    answeredAt,
    agedFrom: core.age.steady(answeredAt),
    occupant: facts.occupant,
    provenance: facts.provenance,
    ticketSeq: ticket?.seq ?? 0,
    surface: meta.author?.surface ?? null,
    reply: meta.reply ?? null,
    at: snapshot,
  };
  core.book.addEntry(row);
  if (effects.length > 0) for (const { type } of effects) if (type === 'flushTab') fx.addFlush(facts.key);
  return row;
}

function sayArrival(
  core: Core,
  row: EntryRow,
  facts: Attribution,
  siblings: readonly EntryRow[],
  ticket: TicketRow | undefined,
  fx: Effects,
): void {
  // Not `siblings[-1]`: what is not there is looked up by name.
  const last = siblings.length === 0 ? undefined : siblings[siblings.length - 1];
  if (last !== undefined) {
    const before = last.answer === row.answer ? '' : `; the one before: ${last.answer}`;
    fx.say(
      'warn',
      `ask ${row.askId.slice(0, 12)} was answered again, so neither answer is licensed: ${row.answer}${before}`,
    );
  }
  if (isRetired(row)) {
    fx.say(
      'warn',
      `ask ${row.askId.slice(0, 8)} on tab ${facts.key} belongs to a conversation that was replaced; its answer reaches no agent: ${row.answer}`,
    );
  } else if (!facts.attributable) {
    const why =
      ticket === undefined
        ? 'its ticket is missing'
        : ticket.at.context.reused
          ? 'its id was reused'
          : 'it was answered before';
    fx.say('warn', `an answer to ask ${row.askId.slice(0, 8)} is not attributed, for ${why}: ${row.answer}`);
  }
  if (core.resolver !== undefined && facts.occupant === null) {
    fx.say('warn', `the occupant of tab ${facts.key} is unknown, so this answer can be shown to nobody: ${row.answer}`);
  }
}

export function closeAsk(core: Core, askId: string): Op<EntryRow | null> {
  const { book } = core;
  const fx = core.effects();
  const entries = book.entriesOf(askId);
  const ticket = core.openTicket(askId);
  if (ticket !== undefined) core.stepTicket(ticket, { type: 'CLOSE', answered: entries.length > 0 }, fx);
  let armed: EntryRow | null = null;
  if (ticket?.at.value !== 'awaited') {
    for (const entry of entries) {
      if (core.stepEntry(entry, { type: 'CLOSE' }, fx)) armed = entry;
    }
  }
  if (ticket !== undefined) core.note?.('closed', { askId });
  return core.finish(fx, armed);
}
