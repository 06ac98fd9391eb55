import type { Reply } from '../api.ts';
import { SIZES } from '../limits.ts';
import type { Draft } from './drafts.ts';
import type { Prompt } from './prompt.ts';

/** Bytes of a frame that are not the reply: method, ids, braces. */
const ENVELOPE = 1_024;

export type Checked =
  | { readonly ok: true; readonly reply: Reply }
  /** `alarm`: the person has done something that cannot be sent, and not merely nothing yet. */
  | { readonly ok: false; readonly problem: string; readonly alarm: boolean };

/** The draft as a reply to its question: by option ids in the order of the card, with the full text. */
export function replyOf(prompt: Prompt, draft: Draft): Checked {
  const selected = prompt.options.filter((option) => draft.selected.includes(option.id)).map((option) => option.id);
  const text = prompt.freeText && draft.text.trim() !== '' ? draft.text : undefined;
  if (text !== undefined && text.length > SIZES.answerText) return tooLong(text.length, SIZES.answerText);
  const broken = text?.search(/\p{Surrogate}/u) ?? -1;
  if (broken >= 0) {
    const problem = `Character ${count(broken + 1)} is broken: it is half of an emoji or sign. Please delete it or type it again.`;
    return { ok: false, problem, alarm: true };
  }
  if (selected.length === 0 && text === undefined) return { ok: false, problem: missing(prompt), alarm: false };
  const reply: Reply = { ...(selected.length > 0 ? { selected } : {}), ...(text === undefined ? {} : { text }) };
  const bytes = text === undefined ? 0 : new TextEncoder().encode(JSON.stringify(reply)).length + ENVELOPE;
  if (bytes > SIZES.frame - ENVELOPE) {
    const problem = `This answer takes ${count(bytes)} bytes to send, and ${count(SIZES.frame)} is the limit. Nothing was cut; please shorten it.`;
    return { ok: false, problem, alarm: true };
  }
  return { ok: true, reply };
}

/** The draft after a click or key on one option. Where one may be chosen, the chosen one can be taken back. */
export function toggle({ multiSelect }: Prompt, draft: Draft, optionId: string): Draft {
  const chosen = draft.selected.includes(optionId);
  const others = multiSelect ? draft.selected.filter((id) => id !== optionId) : [];
  return { selected: chosen ? others : [...others, optionId], text: draft.text };
}

function missing({ options, multiSelect, freeText }: Prompt): string {
  if (options.length === 0) return 'Write an answer first.';
  const choose = multiSelect ? 'Choose one or more' : 'Choose one';
  return freeText ? `${choose}, or write your own answer.` : `${choose} first.`;
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

/** The one text by which a clarification is answered; several choices travel as a JSON list, which holds any comma. */
export function clarifyText({ multiSelect }: Prompt, { selected = [], text }: Reply): string {
  const parts = [...selected, ...(text === undefined ? [] : [text])];
  return multiSelect ? JSON.stringify(parts) : parts.join('\n');
}

/** A clarification's answer as a person reads it. */
export function readableAnswer(answer: string): string {
  try {
    const value: unknown = JSON.parse(answer);
    return Array.isArray(value) ? value.join(', ') : answer;
  } catch {
    return answer;
  }
}

/** The draft that would give this answer again. */
export function draftOf({ options, multiSelect }: Prompt, answer: string): Draft {
  const parts = multiSelect ? list(answer) : [answer];
  const selected = parts.filter((part) => options.some(({ id }) => id === part));
  return { selected, text: parts.filter((part) => !selected.includes(part)).join('\n') };
}

function list(answer: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(answer);
    return Array.isArray(value) ? value.map(String) : [answer];
  } catch {
    return [answer];
  }
}
