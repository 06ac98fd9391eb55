/** Reads what people type: durations, options of a card, texts. Each refusal names the field and the remedy. */

import type { AskOption, Question } from '../api.ts';
import { SIZES } from '../limits.ts';
import { usage } from './problem.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A timer of Node cannot wait longer; a larger number would fire at once. */
const LONGEST_WAIT_MS = 2_147_483_647;
/** The MCP endpoint holds no call longer. */
const LONGEST_HOLD_MS = 3_600_000;

/** Milliseconds from `90`, `90s`, `5m`, `1.5h`, `2d` or `250ms`; a number without a unit is seconds. */
export function duration(field: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim());
  const factor = UNITS[match?.[2] ?? 's'];
  const value = match === null || factor === undefined ? Number.NaN : Math.round(Number(match[1]) * factor);
  if (!(value > 0)) throw usage(field, `"${text}" is no duration above zero`, 'write seconds, or a unit: 90, 5m, 1h');
  if (value > LONGEST_WAIT_MS)
    throw usage(field, `"${text}" is longer than 24 days`, 'choose a shorter time, or leave it out');
  return value;
}

/** How long a tool call of an agent may be held, in milliseconds: a second to an hour. */
export function hold(text: string): number {
  const value = duration('--hold', text);
  if (value < 1_000 || value > LONGEST_HOLD_MS) {
    throw usage(
      '--hold',
      `"${text}" is not between 1 s and 1 h`,
      'stay some seconds below the time limit of the client',
    );
  }
  return value;
}

/** A whole number from `low` to `high`. */
export function whole(field: string, text: string, low: number, high: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= low && value <= high)) {
    throw usage(field, `"${text}" is no whole number from ${low} to ${high}`, `choose one from ${low} to ${high}`);
  }
  return value;
}

/** One option of a card: `id=Label::description`, `id=Label`, or `id` alone, which is its own label. */
export function option(text: string): AskOption {
  const equals = text.indexOf('=');
  const id = (equals < 0 ? text : text.slice(0, equals)).trim();
  const rest = equals < 0 ? id : text.slice(equals + 1);
  const colons = rest.indexOf('::');
  const label = (colons < 0 ? rest : rest.slice(0, colons)).trim();
  const description = colons < 0 ? '' : rest.slice(colons + 2).trim();
  const remedy = 'write --option id=Label::description, for example --option yes="Ship it"::"starts at once"';
  if (id === '') throw usage('--option', `"${text}" has no id`, remedy);
  if (label === '') throw usage('--option', `"${text}" has no label`, remedy);
  bounded('--option', `the id of "${clipped(text)}"`, id, SIZES.optionId);
  bounded('--option', `the label of "${clipped(id)}"`, label, SIZES.optionLabel);
  bounded('--option', `the description of "${clipped(id)}"`, description, SIZES.optionDescription);
  return description === '' ? { id, label } : { id, label, description };
}

export interface QuestionFlags {
  readonly option?: readonly string[] | undefined;
  readonly multi?: boolean | undefined;
  readonly text?: boolean | undefined;
  readonly header?: string | undefined;
}

/** The card that the flags of `ask` describe. */
export function question(text: string, flags: QuestionFlags): Question {
  if (text.trim() === '')
    throw usage('question', 'is empty', 'write the question as the first argument, or - to read it from stdin');
  bounded('question', 'the question', text, SIZES.question);
  if (flags.header !== undefined) bounded('--header', 'the header', flags.header, SIZES.header);
  const options = (flags.option ?? []).map(option);
  if (options.length > SIZES.options) {
    throw usage('--option', `${options.length} options are more than ${SIZES.options}`, 'offer fewer');
  }
  const seen = new Set<string>();
  for (const { id } of options) {
    if (seen.has(id)) throw usage('--option', `the id "${id}" is offered twice`, 'give each option an id of its own');
    seen.add(id);
  }
  if (flags.multi === true && options.length === 0) {
    throw usage('--multi', 'there is nothing to choose several of', 'add --option, or leave --multi out');
  }
  return {
    question: text,
    ...(flags.header === undefined ? {} : { header: flags.header }),
    ...(options.length === 0 ? {} : { options }),
    ...(flags.multi === true ? { multiSelect: true } : {}),
    freeText: flags.text === true || options.length === 0,
  };
}

/** Refuses what is longer than its bound (UTF-16 units), instead of cutting it. */
export function bounded(field: string, what: string, text: string, limit: number): void {
  if (text.length <= limit) return;
  throw usage(
    field,
    `${what} has ${text.length} characters; ${limit} is the most`,
    'shorten it; nothing is cut for you',
  );
}

/** Text from bytes of a pipe. Refuses bytes that are no UTF-8 rather than replacing them unseen. */
export function utf8(field: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw usage(field, 'what came on stdin is no UTF-8 text', 'convert it first, for example with iconv -t utf-8');
  }
}

function clipped(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
