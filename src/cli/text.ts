/**
 * Words for people: ages, receipts, columns; and the gate that untrusted text passes before a terminal sees it.
 *
 * A question, a label, an answer and a name come from an agent or from a paste. None of them may move the
 * cursor, change colours, ring, set the clipboard or turn the reading order of the words around it.
 */

/**
 * Controls, format characters (everything that steers direction or hides), separators of lines, lone surrogates.
 * Line feeds stay, and the two joiners that many scripts and emoji are made of.
 */
const UNSAFE = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function escapeOne(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === '\t') return '  ';
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Untrusted text, several lines allowed: every character that steers a terminal is written out as an escape. */
export function safe(text: string): string {
  const plain = text.replace(/\r\n/g, '\n').replace(UNSAFE, escapeOne);
  if (!RIGHT_TO_LEFT.test(plain)) return plain;
  // An isolate keeps right-to-left text from reordering the columns and ids beside it.
  return plain
    .split('\n')
    .map((line) => (RIGHT_TO_LEFT.test(line) ? `\u2068${line}\u2069` : line))
    .join('\n');
}

/** Untrusted text on one line; line breaks are shown as a sign. */
export function line(text: string): string {
  return safe(text.replace(/\r?\n/g, ' ⏎ '));
}

let segmenter: Intl.Segmenter | undefined;
const WIDE =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
const NOTHING = /^(?:\p{Mark}|\u200d|[\u2066-\u2069])+$/u;

/** What a reader sees as single characters. Made when first needed: it loads a part of ICU. */
function graphemes(text: string): Iterable<{ segment: string }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function cellsOf(grapheme: string): number {
  if (NOTHING.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** How many terminal cells a text takes. */
export function cells(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of graphemes(text)) sum += cellsOf(segment);
  return sum;
}

/** The text in at most `width` cells, with an ellipsis where something is left out. */
export function clip(text: string, width: number): string {
  if (cells(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const { segment } of graphemes(text)) {
    const more = cellsOf(segment);
    if (used + more > width - 1) break;
    out += segment;
    used += more;
  }
  // A cut isolate must still be closed, or the rest of the line stays inside it.
  return `${out}…${out.includes('\u2068') && !out.includes('\u2069') ? '\u2069' : ''}`;
}

/** A quotation for the message of a problem, on one line. Not yet safe: whoever prints the message makes it so. */
export function brief(text: string, width: number): string {
  return clip(text.replace(/\s+/g, ' '), width);
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - cells(text)));
}

/** Lines of aligned columns; each column is as wide as its widest cell, the last one takes what is left. */
export function columns(rows: readonly (readonly string[])[], width: number): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cells(cell));
    });
  const before = widths.slice(0, -1).reduce((sum, w) => sum + w + 2, 0);
  const rest = Math.max(24, width - before);
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? clip(cell, rest) : pad(cell, widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** The text broken at spaces to lines of at most `width` cells; its own line breaks stay. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let current = '';
    for (const word of paragraph.split(' ')) {
      const longer = current === '' ? word : `${current} ${word}`;
      if (current !== '' && cells(longer) > width) {
        lines.push(current);
        current = word;
      } else current = longer;
    }
    return [...lines, current];
  });
}

/** A span of milliseconds in one unit. */
export function span(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? '1 day' : `${days} days`;
}

/** How long ago, for people. A moment in the future (a clock set back) is shown as the date it claims. */
export function age(at: number, now: number): string {
  const past = now - at;
  if (past < -60_000) return stamp(at);
  return past < 5_000 ? 'just now' : `${span(past)} ago`;
}

/** Local date and time, to the second. */
export function stamp(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'unknown time';
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
