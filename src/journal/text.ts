/** The three pure functions of the journal: identity of a question, text of a reply, preview of a question. */
import { createHash } from 'node:crypto';

/** Ask ids of this tool start so; an id that does not is none of the journal's business. */
export const ASK_ID_PREFIX = 'pa-';

const NOT_TEXT = '[an answer that cannot be written as text]';

const plain = (value: unknown): string => {
  try {
    return String(value);
  } catch {
    return NOT_TEXT;
  }
};

/** White space becomes one space, ends are trimmed; case, punctuation and Unicode form all count. */
const normal = (text: string): string => (/^\s|\s$|[^\S ]|\s\s/.test(text) ? text.replace(/\s+/g, ' ').trim() : text);

/** The JSON text of a value, or undefined if it has none; never throws. */
const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

export interface FingerprintParts {
  readonly question: string;
  readonly header?: unknown;
  readonly multi_select?: unknown;
  readonly options?: unknown;
}

/** Each part carries its kind and its length, so that no text inside a part can imitate a boundary. */
const part = (kind: string, text: string): string => `${kind}${text.length}:${text}`;

const read = (value: unknown, name: string): unknown => {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
};

const isList = (value: unknown): boolean => {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
};

const optionPart = (option: unknown): string => {
  const label = read(option, 'label');
  if (typeof label !== 'string') return part('v', typeof option + (jsonOf(option) ?? plain(option)));
  const description = read(option, 'description');
  return part('l', normal(label)) + part('d', typeof description === 'string' ? normal(description) : '');
};

/**
 * The exact identity of a question: 32 lower-case hexadecimal digits over everything that the person reads.
 *
 * Equal for two asks exactly if question, header, choice mode and options are equal after white space is
 * normalised. Tab, ask id and time take no part. Never throws.
 */
export function askFingerprint(ask: FingerprintParts): string {
  const question = read(ask, 'question');
  const header = read(ask, 'header');
  const options = read(ask, 'options');
  let parts = part(
    'q',
    question === undefined || question === null
      ? ''
      : normal(typeof question === 'string' ? question : plain(question)),
  );
  parts += part('h', typeof header === 'string' ? normal(header) : '');
  parts += read(ask, 'multi_select') === true ? 'm' : 's';
  if (isList(options)) {
    const length = Number(read(options, 'length'));
    for (let i = 0; i < length; i++) parts += optionPart(read(options, String(i)));
  }
  return createHash('sha256').update(parts).digest('hex').slice(0, 32);
}

/** A reply as text: a string unchanged, else its JSON text, else its plain text; never throws. */
export function answerText(reply: unknown): string {
  return typeof reply === 'string' ? reply : (jsonOf(reply) ?? plain(reply));
}

/** At most 60 characters of a question for a log line. */
export function preview(question: string | null | undefined): string {
  const text = normal(question ?? '');
  if (text === '') return '(an unattributed question)';
  if (text.length <= 60) return text;
  const last = text.charCodeAt(56);
  // The cut may not separate a surrogate pair.
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? 56 : 57)}…`;
}
