import type { AskView, Reply } from '../api.ts';
import { SIZES } from '../limits.ts';
import type { Draft } from './drafts.ts';

/** Bytes of a frame that are not the reply: method, ids, braces. */
const ENVELOPE = 1_024;

export type Checked =
  | { readonly ok: true; readonly reply: Reply }
  /** `alarm`: the person has done something that cannot be sent, and not merely nothing yet. */
  | { readonly ok: false; readonly problem: string; readonly alarm: boolean };

/** The draft as a reply to its card: by option ids in the order of the card, with the full text. */
export function replyOf(ask: AskView, draft: Draft): Checked {
  const selected = ask.options.filter((option) => draft.selected.includes(option.id)).map((option) => option.id);
  const text = ask.freeText && draft.text.trim() !== '' ? draft.text : undefined;
  if (text !== undefined && text.length > SIZES.answerText) return tooLong(text.length, SIZES.answerText);
  const broken = text?.search(/\p{Surrogate}/u) ?? -1;
  if (broken >= 0) {
    const problem = `Character ${count(broken + 1)} is broken: it is half of an emoji or sign. Please delete it or type it again.`;
    return { ok: false, problem, alarm: true };
  }
  if (selected.length === 0 && text === undefined) return { ok: false, problem: missing(ask), alarm: false };
  const reply: Reply = { ...(selected.length > 0 ? { selected } : {}), ...(text === undefined ? {} : { text }) };
  const bytes = text === undefined ? 0 : new TextEncoder().encode(JSON.stringify(reply)).length + ENVELOPE;
  if (bytes > SIZES.frame) {
    const problem = `This answer takes ${count(bytes)} bytes to send, and ${count(SIZES.frame)} is the limit. Nothing was cut; please shorten it.`;
    return { ok: false, problem, alarm: true };
  }
  return { ok: true, reply };
}

/** The draft after a click or key on one option. On a card of one choice, the chosen one can be taken back. */
export function toggle(ask: AskView, draft: Draft, optionId: string): Draft {
  const chosen = draft.selected.includes(optionId);
  if (!ask.multiSelect) return { ...draft, selected: chosen ? [] : [optionId] };
  const selected = chosen ? draft.selected.filter((id) => id !== optionId) : [...draft.selected, optionId];
  return { ...draft, selected };
}

function missing(ask: AskView): string {
  if (ask.options.length === 0) return 'Write an answer first.';
  const choose = ask.multiSelect ? 'Choose one or more' : 'Choose one';
  return ask.freeText ? `${choose}, or write your own answer.` : `${choose} first.`;
}

function tooLong(length: number, limit: number): Checked {
  const problem = `This text has ${count(length)} characters, and ${count(limit)} is the limit. Nothing was cut; please shorten it.`;
  return { ok: false, problem, alarm: true };
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

export function sameReply(a: Reply | undefined, b: Reply | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.declined === true || b.declined === true) return a.declined === b.declined;
  return (a.text ?? '') === (b.text ?? '') && (a.selected ?? []).join('\n') === (b.selected ?? []).join('\n');
}
