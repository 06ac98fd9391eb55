/** Asks, answers and audit rows as lines for people. Everything that came from outside passes `safe` or `line`. */

import type { AnswerView, AskView, AuditRow, CardState, ReceiptState } from '../api.ts';
import { answerOf } from '../outcome.ts';
import type { Named } from './asks-known.ts';
import type { Io } from './io.ts';
import { paint } from './io.ts';
import { age, cells, clip, columns, line, pad, safe, span, stamp, wrap } from './text.ts';

/** Receipts as messengers show them. */
export const RECEIPTS: Readonly<Record<ReceiptState, string>> = {
  saved: 'saved',
  handed: 'handed',
  read_back: 'read back',
  parked: 'parked',
  retired: 'retired',
};

const RECEIPT_MEANS: Readonly<Record<ReceiptState, string>> = {
  saved: 'saved; no agent has been given it yet',
  handed: 'handed to the agent, not yet proven to be read',
  read_back: 'read back by the agent',
  parked: 'parked: given several times without a receipt, kept on file',
  retired: 'retired: its conversation is over',
};

const STATE_STYLE: Readonly<Partial<Record<CardState, 'green' | 'yellow' | 'red'>>> = {
  open: 'yellow',
  answered: 'green',
  lost: 'red',
};

function receiptOf(answer: AnswerView): string {
  return answer.why === undefined ? RECEIPTS[answer.receipt] : `${RECEIPTS[answer.receipt]}: ${line(answer.why)}`;
}

function stateOf(ask: AskView): string {
  return ask.state === 'open' ? (ask.awaited ? 'open, awaited' : 'open') : ask.state;
}

/** `2 of 3`: its place among the questions that were put with it; nothing for one that was put alone. */
function placeOf({ batch }: AskView): string {
  return batch === undefined ? '' : `${batch.index} of ${batch.of}`;
}

/** The question with its place before it. */
function placed(ask: AskView, question: string): string {
  return ask.batch === undefined ? question : `(${placeOf(ask)}) ${question}`;
}

function summary(ask: AskView): string {
  const head = ask.header === '' ? '' : `[${line(ask.header)}] `;
  const ids = ask.options.map((option) => line(option.id)).join(' / ');
  const ways = [ids, ask.freeText && ids !== '' ? 'or a text' : ''].filter((part) => part !== '').join(' ');
  return placed(ask, `${head}${line(ask.question)}${ways === '' ? '' : `  (${ways})`}`);
}

/** The open asks as a table, oldest first. */
export function openTable(io: Io, asks: readonly AskView[], ids: ReadonlyMap<string, string>, now: number): string[] {
  const rows = asks.map((ask) => [
    ids.get(ask.askId) ?? ask.askId,
    age(ask.openedAt, now),
    line(ask.from || '-'),
    ask.expiresAt === undefined ? stateOf(ask) : `${stateOf(ask)}, ${left(ask.expiresAt, now)}`,
    summary(ask),
  ]);
  return headed(io, ['ID', 'ASKED', 'FROM', 'STATE', 'QUESTION'], rows);
}

/** Finished and answered asks as a table, newest first. */
export function recentTable(io: Io, asks: readonly AskView[], ids: ReadonlyMap<string, string>, now: number): string[] {
  const rows = asks.map((ask) => {
    const answer = answerOf(ask);
    const question = placed(ask, line(ask.question));
    const id = ids.get(ask.askId) ?? ask.askId;
    if (answer === undefined) {
      const why = ask.why === undefined ? '' : `: ${line(ask.why)}`;
      return [id, age(ask.openedAt, now), ask.state, `no answer${why} · ${question}`];
    }
    return [id, age(answer.answeredAt, now), receiptOf(answer), `${line(answer.text)} · ${question}`];
  });
  return headed(io, ['ID', 'WHEN', 'RECEIPT', 'ANSWER · QUESTION'], rows);
}

function headed(io: Io, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const [first = '', ...rest] = columns([head, ...rows], io.columns);
  return [paint(io)('dim', first), ...rest];
}

function left(expiresAt: number, now: number): string {
  return expiresAt > now ? `${span(expiresAt - now)} left` : 'time is up';
}

/** One whole card. */
export function card(io: Io, ask: AskView, now: number): string[] {
  const ink = paint(io);
  const style = STATE_STYLE[ask.state];
  const state = style === undefined ? stateOf(ask) : ink(style, stateOf(ask));
  const why = ask.why === undefined ? '' : `: ${line(ask.why)}`;
  const facts: [string, string][] = [
    ['state', `${state}${why}`],
    ['asked', `${age(ask.openedAt, now)} (${stamp(ask.openedAt)})`],
    ['from', line(ask.from || '-')],
    ['tab', line(ask.tab)],
  ];
  if (ask.batch !== undefined) facts.push(['batch', `${placeOf(ask)}; each is answered by itself`]);
  if (ask.expiresAt !== undefined) facts.push(['expires', `${stamp(ask.expiresAt)} (${left(ask.expiresAt, now)})`]);
  return [
    ink('bold', line(ask.askId)),
    ...facts.map(([name, value]) => `${ink('dim', pad(name, 9))}${value}`),
    '',
    ...questionLines(io, ask),
    ...(ask.answers.length === 0 ? [] : ['', ...ask.answers.flatMap((answer) => answerLines(io, answer, now))]),
  ];
}

/** The question and what may be answered. */
export function questionLines(io: Io, ask: AskView): string[] {
  const ink = paint(io);
  const width = io.columns - 2;
  const head = ask.header === '' ? [] : [ink('cyan', `[${line(ask.header)}]`)];
  const body = wrap(safe(ask.question), width).map((text) => ink('bold', text));
  const widest = Math.min(24, Math.max(0, ...ask.options.map((option) => cells(line(option.id)))));
  const options = ask.options.flatMap((option) => {
    const first = `  ${ink('green', pad(line(option.id), widest))}  ${line(option.label)}`;
    const more = option.description === undefined ? [] : wrap(safe(option.description), width - widest - 4);
    return [first, ...more.map((text) => `  ${' '.repeat(widest)}  ${ink('dim', text)}`)];
  });
  return [...head, ...body, ...options, ...(options.length === 0 ? [] : [ink('dim', `  (${rule(ask)})`)])];
}

function rule(ask: AskView): string {
  const choice = ask.multiSelect ? 'one or several of these' : 'one of these';
  return ask.freeText ? `${choice}, or a text of your own` : choice;
}

function answerLines(io: Io, answer: AnswerView, now: number): string[] {
  const ink = paint(io);
  const why = answer.why === undefined ? '' : ` (${line(answer.why)})`;
  const where = answer.surface === undefined ? '' : ` on ${line(answer.surface)}`;
  return [
    `${ink('dim', pad('answer', 9))}${age(answer.answeredAt, now)}${where}`,
    ...wrap(safe(answer.text), io.columns - 2).map((text) => `  ${text}`),
    `${ink('dim', pad('receipt', 9))}${ink(answer.receipt === 'read_back' ? 'green' : 'yellow', RECEIPT_MEANS[answer.receipt])}${why}`,
    `${ink('dim', pad('token', 9))}${line(answer.token)}`,
  ];
}

export type Teller = (ask: AskView) => string[] | undefined;

/**
 * Tells changes as they come: a card that is new here is shown whole, with the way to answer it; after that one line
 * for each change that a person would notice. Undefined when there is nothing to say.
 */
export function changeTeller(io: Io): Teller {
  const told = new Map<string, string>();
  return (ask) => {
    const ink = paint(io);
    const answer = answerOf(ask);
    const receipt = answer === undefined ? '' : `  ${receiptOf(answer)}  ${line(answer.text)}`;
    const why = ask.why === undefined || answer !== undefined ? '' : `: ${line(ask.why)}`;
    const news = `${ask.state}${why}${receipt}`;
    const before = told.get(ask.askId);
    told.set(ask.askId, news);
    if (before === news) return undefined;
    const id = ask.askId.slice(0, 11);
    const head = `${ink('dim', stamp(io.now()).slice(11))}  ${ink('bold', id)}  ${news}`;
    if (before !== undefined || ask.state !== 'open') return [io.outTTY ? clip(head, io.columns + 24) : head];
    const way = ink('dim', `readback answer ${id} ${sayOf(ask)}`);
    return [
      `${head}  from ${line(ask.from || '-')}${ask.batch === undefined ? '' : `, ${placeOf(ask)}`}`,
      ...[...questionLines(io, ask), way].map((text) => `          ${text}`),
    ];
  };
}

/** The flag that would answer this card, as an example. */
export function sayOf(ask: AskView): string {
  const first = ask.options[0];
  return first === undefined ? '--text "…"' : `--option ${line(first.id)}`;
}

/** Events whose stored name could be taken for something else. An asker may wait on by another call, as a shell does. */
const EVENTS: Readonly<Record<string, string>> = {
  closed: 'first wait ended',
  awaited: 'waits again',
  unattended: 'later wait ended',
};

const eventOf = (row: AuditRow): string => line(EVENTS[row.event] ?? row.event.replaceAll('_', ' '));

/**
 * Audit rows, one a line: when, which event, of which ask, by whom, what there is to say, and the question. The columns
 * of later rows are never narrower than those of earlier ones.
 */
export function auditTeller(io: Io, name: (askId: string) => Named): (rows: readonly AuditRow[]) => string[] {
  const ink = paint(io);
  const widths = [18, 11];
  return (rows) => {
    const cellsOf = rows.map((row) => {
      const ask = row.askId === undefined ? undefined : name(row.askId);
      return { row, ask, event: eventOf(row), subject: line(ask?.id ?? row.tab ?? '') };
    });
    for (const { event, subject } of cellsOf) {
      widths[0] = Math.max(widths[0] ?? 0, cells(event));
      // An id is never cut; the name of a tab is long and may stand out.
      widths[1] = Math.max(widths[1] ?? 0, cells(subject) <= WIDEST_SUBJECT ? cells(subject) : 0);
    }
    return cellsOf.map(({ row, ask, event, subject }) =>
      [
        ink('dim', `${String(row.id).padStart(6)}  ${stamp(row.at)}`),
        pad(event, widths[0] ?? 0),
        pad(subject, widths[1] ?? 0),
        remarks(row, ask?.question),
      ]
        .join('  ')
        .trimEnd(),
    );
  };
}

/** A whole id. */
const WIDEST_SUBJECT = 39;
const QUESTION_CELLS = 60;

function remarks(row: AuditRow, question: string | undefined): string {
  const who = [row.surface, row.who]
    .filter((part) => part !== undefined)
    .map(line)
    .join(':');
  const rest = [
    who === '' ? '' : `by ${who}`,
    row.token === undefined ? '' : line(`token ${row.token.slice(0, 12)}`),
    row.detail === undefined ? '' : line(row.detail),
    question === undefined ? '' : `“${clip(line(question), QUESTION_CELLS)}”`,
  ];
  return rest.filter((part) => part !== '').join(' · ');
}
