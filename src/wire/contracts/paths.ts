/** Where in a value something is wrong, as a path of keys and positions, and as the text of it. */

export type Path = readonly (string | number)[];

/** What is wrong there. Never the value: it may be a secret. */
export type Problem =
  | 'unknown key'
  | 'missing'
  | 'wrong type or value'
  | 'nested too deeply'
  | 'too large'
  | 'not JSON';

/** One thing that is wrong with a value. */
export interface Fault {
  readonly path: Path;
  readonly problem: Problem;
}

/** Segments a path text shows, and characters of one. The client chose the keys, so their size is nobody's promise. */
const SHOWN_SEGMENTS = 32;
const SHOWN_CHARACTERS = 128;

/** A key of a client may hold line ends or half characters; a log line must not. */
const PLAIN = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u;

function segment(part: string | number): string {
  const text = String(part);
  const cut = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return PLAIN.test(cut)
    ? cut
    : JSON.stringify(cut.toWellFormed())
        .slice(1, -1)
        .replaceAll(/\p{C}|\p{Zl}|\p{Zp}/gu, '?');
}

/** Segments joined by `.`, positions decimal; '' is the value itself. Cut to a bounded length. */
export function keyPath(path: Path): string {
  const shown = path.slice(0, SHOWN_SEGMENTS).map(segment);
  return (path.length > SHOWN_SEGMENTS ? [...shown, '…'] : shown).join('.');
}

/** How a message names a fault: where and what, never the value. */
export const faultText = (fault: Fault): string => `${keyPath(fault.path) || '(all of it)'}: ${fault.problem}`;
