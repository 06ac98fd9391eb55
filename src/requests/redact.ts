/**
 * Hides credentials in a text that is about to leave: shown, kept, logged.
 *
 * What a shell would run is never taken for a secret: a person must see it, or a command could hide behind a password.
 * So the end of a value is found by a scanner that knows quotes, and not by a pattern that guesses.
 */

import { heed } from '../../machines/shared/heed.ts';

export const REDACTED = '[redacted]';

/** Parts of names that say that the value is a secret, in any spelling: DB_PASSWORD, apiKey, client-secret. */
const LONG =
  'passw(?:or)?d|passphrase|passcode|secret|token|api[-_.]?key|access[-_.]?key|private[-_.]?key|signing[-_.]?key|' +
  'encryption[-_.]?key|auth[-_.]?key|credentials?|session[-_.]?(?:id|key)';
/** These must be a word of their own: a spin is no pin. */
const WORDS = '(?<![a-z0-9])(?:pass|pwd|pin|otp|auth|cookie)';
const NAME = `(?:${LONG}|${WORDS})`;
const TAIL = '(?:[_.-][\\w.-]{0,64})?';
const HEADER = '(?:proxy-)?authorization|(?:set-)?cookie|x-[\\w-]{0,40}(?:key|token|secret|auth)[\\w-]{0,40}';

/** What stands before a value: a header, a name with = or :, an option and its argument. */
const HEADERS = new RegExp(`(?<![\\w-])(?:${HEADER})["']?\\s*[:=]\\s*`, 'gi');
const ASSIGNED = new RegExp(`${NAME}${TAIL}(?:\\\\?["'])?\\s*[=:]\\s*`, 'gi');
const OPTIONS = new RegExp(`(?:^|[\\s"'(])--?[\\w.-]{0,64}?${NAME}[ \\t]+(?!-)`, 'gi');
const LOGINS = /(?:^|\s)(?:-u|--user|--proxy-user)[=\s]\s*(?=["']?[^\s:"']{1,200}:)/g;
const CLIENTS = /\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)\b[^\n|;&]{0,200}?\s-p(?=\S)/g;

/** Credentials that can be told by their shape, with what stays of them. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  // A block of PEM: headers and lines of base64, and nothing that could be a command.
  [
    /-----BEGIN [A-Z0-9 ]{1,40}-----(?:\s|\\[nr]|[A-Za-z0-9+/=]{16,}|[A-Z][\w-]+: [\w,-]+)*(?:[A-Za-z0-9+/=]{1,16}(?:\s|\\[nr])*(?=-----END))?(?:-----END [A-Z0-9 ]{1,40}-----)?/g,
    REDACTED,
  ],
  // A user and a password, or a lone token, in an address.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)(?:(?!\$\()[^\s/@"'<>;&|`]){1,400}@/gi, `$1${REDACTED}@`],
  [/\b(bearer|basic)(\s+)[\w.~+/-]{8,}=*/gi, `$1$2${REDACTED}`],
  [/\b(?:AKIA|ASIA|AROA|AIDA|AGPA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\b(?:gh[pousr]_\w{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{30,}|pypi-[\w-]{30,})/g, REDACTED],
  [/\b(?:sk|pk|rk)[-_][\w-]{16,}/gi, REDACTED],
  [/\bxox[a-z]-[\w-]{8,}|\bxapp-[\w-]{8,}|\bhooks\.slack\.com\/services\/[\w/]+/g, REDACTED],
  [/\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bSG\.[\w-]{16,100}\.[\w-]{16,}|\bhf_\w{20,}/g, REDACTED],
  [/\beyJ[\w-]{8,2000}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
];

const SCHEME = /^(?:bearer|basic|digest|token|negotiate)[ \t]+/i;
/** Ends a word of a shell. */
const BREAK = /[\s;&|<>()`]/;

const runsCommand = (text: string, at: number): boolean =>
  text[at] === '`' || (text[at] === '$' && text[at + 1] === '(');

/** The quote that is open at each place that is asked for, in rising order; a line break closes what is open. */
function quoteReader(text: string): (upTo: number) => string {
  let open = '';
  let at = 0;
  return (upTo) => {
    for (; at < upTo; at += 1) {
      const char = text[at] as string;
      if (char === '\n') open = '';
      else if (char === '\\' && open !== "'") at += 1;
      else if (char === open) open = '';
      else if (open === '' && (char === '"' || char === "'")) open = char;
    }
    return open;
  };
}

/** Where a quoted text that begins at `from`, behind its quote, ends; before the quote, or before what would run. */
function endOfQuoted(text: string, from: number, quote: string, outer: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== outer && !runsCommand(text, at)) {
    at += text[at] === '\\' && quote === '"' ? 2 : 1;
  }
  return Math.min(at, text.length);
}

function endOfWord(text: string, from: number, outer: string): number {
  let at = from;
  while (at < text.length && !BREAK.test(text[at] as string) && !runsCommand(text, at)) {
    const char = text[at] as string;
    if (char === outer) break;
    if (char === '"' || char === "'") {
      at = endOfQuoted(text, at + 1, char, outer);
      if (text[at] !== char) break;
      at += 1;
    } else at += char === '\\' ? 2 : 1;
  }
  return Math.min(at, text.length);
}

/** The value that begins at `from` ends here. `wide`: inside quotes it goes up to the quote, blanks and all. */
function endOfValue(text: string, from: number, outer: string, wide: boolean): number {
  if (text.startsWith('\\"', from)) {
    // JSON inside a quoted text.
    const end = text.indexOf('\\"', from + 2);
    return end < 0 ? endOfWord(text, from + 2, outer) : end;
  }
  if (outer === '')
    return endOfWord(text, from + (wide ? (SCHEME.exec(text.slice(from, from + 40))?.[0].length ?? 0) : 0), '');
  if (wide) return endOfQuoted(text, from, outer, '\n');
  if (text[from] !== outer) return endOfWord(text, from, outer);
  // Either the quote closes here, or the count of quotes was wrong (an apostrophe): a plain text is hidden all the same.
  const end = text.indexOf(outer, from + 1);
  return end > 0 && !/[;&|`\n]|\$\(/.test(text.slice(from, end)) ? end + 1 : from;
}

function hideValues(text: string, prefixes: RegExp, wide: boolean): string {
  const openAt = quoteReader(text);
  let hidden = '';
  let done = 0;
  for (const match of text.matchAll(prefixes)) {
    const from = match.index + match[0].length;
    if (from < done || text.startsWith(REDACTED, from)) continue;
    const end = endOfValue(text, from, openAt(from), wide);
    if (end <= from) continue;
    hidden += text.slice(done, from) + REDACTED;
    done = end;
  }
  return hidden + text.slice(done);
}

/**
 * The text with what looks like a credential replaced by `[redacted]`. It knows common forms, not every secret: whoever
 * has others gives an own function to `createApprovals`.
 */
export function redact(text: string): string {
  let hidden = text;
  for (const [shape, put] of SHAPES) hidden = hidden.replace(shape, put);
  hidden = hideValues(hidden, HEADERS, true);
  for (const prefixes of [ASSIGNED, OPTIONS, LOGINS, CLIENTS]) hidden = hideValues(hidden, prefixes, false);
  return hidden;
}

/** A redaction that fails closed: what cannot be redacted is hidden whole. */
export function redactor(own: ((text: string) => string) | undefined): (text: string) => string {
  const hide = own ?? redact;
  return (text) => {
    try {
      const hidden: unknown = hide(text);
      heed(hidden, () => undefined);
      return typeof hidden === 'string' ? hidden : REDACTED;
    } catch {
      return REDACTED;
    }
  };
}
