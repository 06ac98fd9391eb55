/** Rows to columns and back. State names are stored, never table indices; a context stores what is not ordinary. */
import type { AnswerContext } from '../../machines/journal/answer-facts.ts';
import type { TicketContext } from '../../machines/journal/ticket.ts';
import { restore } from '../../machines/shared/step.ts';
import { ReadbackError } from '../errors.ts';
import { answerChart, debtChart, lossChart, ticketChart } from '../journal/charts.ts';
import {
  type AskCard,
  type EntryRow,
  fingerprintOf,
  isLicensed,
  type LossRow,
  type Provenance,
  type TicketRow,
  tokenOf,
  victimClass,
  type WarningRow,
} from '../journal/rows.ts';

const PLAIN_ANSWER: AnswerContext = Object.freeze({
  token: '',
  key: '',
  known: true,
  returned: false,
  proven: 'no',
  hint: false,
  channel: 'none',
  worded: 'nothing',
  copyCarrier: null,
  copyOut: false,
  rides: Object.freeze([]),
  endedBeside: Object.freeze([]),
  shown: Object.freeze([]),
  attempts: 0,
  carriedReleases: 0,
  erased: false,
  parked: null,
  birth: 'none',
  bornAs: 'foreign',
});
/** What is read from other columns, or was over when the answer was on file. */
const ELSEWHERE: readonly string[] = ['token', 'key', 'known', 'birth', 'bornAs'];
const ANSWER_KEYS = (Object.keys(PLAIN_ANSWER) as (keyof AnswerContext)[]).filter((key) => !ELSEWHERE.includes(key));

/** What differs from an untouched answer, as JSON, or null. */
function packAnswer(context: AnswerContext): string | null {
  let packed: Record<string, unknown> | null = null;
  for (const key of ANSWER_KEYS) {
    const value = context[key];
    const plain = PLAIN_ANSWER[key];
    if (value === plain || (Array.isArray(value) && value.length === 0)) continue;
    // What was proven was returned and has been in front of a reader: that need not be written.
    if (context.proven !== 'no' && (key === 'returned' || key === 'hint')) continue;
    packed ??= {};
    packed[key] = value;
  }
  return packed === null ? null : JSON.stringify(packed);
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(what, cause);
  }
}

/** Marks text that a column cannot hold as it is: half of a surrogate pair has no UTF-8. */
const ESCAPED = '\u0001json:';
const fileText = (text: string): string =>
  text.isWellFormed() && !text.startsWith(ESCAPED) ? text : ESCAPED + JSON.stringify(text);
const plainText = (column: string, what: string): string =>
  column.startsWith(ESCAPED) ? String(parse(column.slice(ESCAPED.length), what)) : column;

const unreadable = (what: string, cause: unknown): ReadbackError =>
  new ReadbackError('store_unreadable', `The row of ${what} cannot be read.`, { cause });

/** Runs a chart's `restore`; a state that the chart does not know means that the file is not ours to read. */
function restored<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw cause instanceof ReadbackError ? cause : unreadable(what, cause);
  }
}

export interface EntryColumns {
  n: number;
  ask_id: string;
  chart: number;
  delivery: string;
  label: string;
  tab: number;
  rank: number;
  licensed: number;
  fingerprint: string | null;
  question: string | null;
  answer: string;
  answered_at: number;
  aged_from: number;
  occupant: string | null;
  provenance: string;
  ticket_seq: number;
  surface: string | null;
  reply: string | null;
  context: string | null;
}

export function packEntry(row: EntryRow, tab: number, chart: number): EntryColumns {
  const { value, context } = row.at;
  return {
    n: row.n,
    ask_id: row.askId,
    chart,
    delivery: value.delivery,
    label: value.label,
    tab,
    rank: victimClass(row),
    licensed: isLicensed(row) && fingerprintOf(row) !== null ? 1 : 0,
    fingerprint: row.fingerprint,
    question: row.question === null ? null : fileText(row.question),
    answer: fileText(row.answer),
    answered_at: row.answeredAt,
    aged_from: row.agedFrom,
    occupant: row.occupant,
    provenance: row.provenance,
    ticket_seq: row.ticketSeq,
    surface: row.surface,
    reply: row.reply === null ? null : JSON.stringify(row.reply),
    context: packAnswer(context),
  };
}

export function unpackEntry(columns: EntryColumns, key: string): EntryRow {
  const token = tokenOf(columns.n);
  const what = `answer ${token}`;
  const context: { -readonly [Name in keyof AnswerContext]: AnswerContext[Name] } = { ...PLAIN_ANSWER };
  if (columns.context !== null) Object.assign(context, parse(columns.context, what));
  if (context.proven !== 'no') {
    context.returned = true;
    context.hint = true;
  }
  context.token = token;
  context.key = key;
  context.known = columns.provenance !== 'unknown';
  const value = { delivery: columns.delivery, label: columns.label };
  return {
    n: columns.n,
    askId: columns.ask_id,
    fingerprint: columns.fingerprint,
    question: columns.question === null ? null : plainText(columns.question, what),
    answer: plainText(columns.answer, what),
    answeredAt: columns.answered_at,
    agedFrom: columns.aged_from,
    occupant: columns.occupant,
    provenance: columns.provenance as Provenance,
    ticketSeq: columns.ticket_seq,
    surface: columns.surface,
    reply: columns.reply === null ? null : (parse(columns.reply, what) as EntryRow['reply']),
    at: restored(what, () => restore(answerChart, value, context)),
  };
}

export interface AskColumns {
  ask_id: string;
  chart: number;
  state: string;
  seq: number;
  tab: number;
  epoch: number;
  occupant: string | null;
  opened_at: number;
  fingerprint: string;
  question: string;
  card: string | null;
  expires_at: number | null;
  reused: number;
  context: string | null;
}

/** What a ticket says beyond one plain opening that somebody or nobody awaits. */
interface PackedTicket {
  readonly context: TicketContext;
  readonly prints: TicketRow['prints'];
}

type PackedPlace = readonly [id: string, index: number, of: number];

/** The card without what is ordinary on it, or null for an ask that has none. */
function packCard(card: AskCard | null): string | null {
  if (card === null) return null;
  const { header, options, multiSelect, freeText, from, expiresAt, batch } = card;
  return JSON.stringify({
    ...(header === '' ? {} : { header }),
    ...(options.length === 0 ? {} : { options }),
    ...(multiSelect ? { multiSelect } : {}),
    ...(freeText === (options.length === 0) ? {} : { freeText }),
    ...(from === '' ? {} : { from }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(batch === null ? {} : { batch: [batch.id, batch.index, batch.of] }),
  });
}

function unpackCard(text: string | null, what: string): AskCard | null {
  if (text === null) return null;
  const { batch: place, ...stored } = parse(text, what) as Partial<Omit<AskCard, 'batch'>> & { batch?: PackedPlace };
  const options = stored.options ?? [];
  const plain = { header: '', multiSelect: false, freeText: options.length === 0, from: '', expiresAt: null };
  const batch = place === undefined ? null : Object.freeze({ id: place[0], index: place[1], of: place[2] });
  return Object.freeze({ ...plain, ...stored, options: Object.freeze(options), batch });
}

export function packTicket(row: TicketRow, tab: number, chart: number): AskColumns {
  const { value, context } = row.at;
  const last = context.openings.length - 1;
  const opening = context.openings[last];
  const plain =
    last === 0 && !context.reused && context.awaiting === (value === 'awaited' ? 1 : 0) && context.why === null;
  const packed: PackedTicket | null = plain ? null : { context, prints: row.prints };
  return {
    ask_id: row.askId,
    chart,
    state: value,
    seq: row.seq,
    tab,
    epoch: opening?.epoch ?? -1,
    occupant: opening?.occupant ?? null,
    opened_at: row.openedAt,
    fingerprint: row.prints[last]?.fingerprint ?? '',
    question: fileText(row.prints[last]?.question ?? ''),
    card: packCard(row.card),
    expires_at: row.card?.expiresAt ?? null,
    reused: context.reused ? 1 : 0,
    context: packed === null ? null : JSON.stringify(packed),
  };
}

export function unpackTicket(columns: AskColumns, key: string): TicketRow {
  const what = `ask ${columns.ask_id}`;
  const packed = columns.context === null ? null : (parse(columns.context, what) as PackedTicket);
  const context: TicketContext = packed?.context ?? {
    askId: columns.ask_id,
    openings: [{ tab: key, epoch: columns.epoch, occupant: columns.occupant }],
    awaiting: columns.state === 'awaited' ? 1 : 0,
    reused: false,
    historyLost: false,
    why: null,
  };
  return {
    askId: columns.ask_id,
    prints: packed?.prints ?? [{ fingerprint: columns.fingerprint, question: plainText(columns.question, what) }],
    openedAt: columns.opened_at,
    seq: columns.seq,
    card: unpackCard(columns.card, what),
    at: restored(what, () => restore(ticketChart, columns.state, context)),
  };
}

export interface DebtColumns {
  id: number;
  state: string;
  context: string;
}

export const packDebt = (id: number, at: LossRow['at'] | WarningRow['at']): DebtColumns => ({
  id,
  state: at.value,
  context: JSON.stringify(at.context),
});

export function unpackLoss({ id, state, context }: DebtColumns): LossRow {
  const what = `loss ${id}`;
  return { id, at: restored(what, () => restore(lossChart, state, parse(context, what) as LossRow['at']['context'])) };
}

export function unpackWarning({ id, state, context }: DebtColumns): WarningRow {
  const what = `warning ${id}`;
  return {
    n: id,
    at: restored(what, () => restore(debtChart, state, parse(context, what) as WarningRow['at']['context'])),
  };
}
