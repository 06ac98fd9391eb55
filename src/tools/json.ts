/**
 * JSON while it grows. Both readers look at each character once, however many pieces it comes in.
 *
 * The small parsers for partial JSON read the whole text anew for each piece, which is quadratic, or read a stream on
 * their own time, which is too late for deciding within a snapshot whether a call is complete.
 */

export type Path = readonly (string | number)[];

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN = 123;
const CLOSE = 125;
const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** Knows where a text could be whole, so that it is parsed there only. */
export class Meter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #ended = false;
  #scalar = false;
  #broken = false;
  #verdict: boolean | undefined;

  feed(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) this.#take(piece.charCodeAt(at));
    // Blanks behind the end change nothing.
    if (this.#verdict === true && (this.#broken || this.#scalar || piece.trim() !== '')) this.#verdict = undefined;
    if (this.#verdict === false) this.#verdict = undefined;
  }

  /** Whether the whole text, which was fed in pieces, is JSON. */
  isWhole(text: string): boolean {
    if (this.#broken || this.#inString || this.#depth !== 0 || !(this.#ended || this.#scalar)) return false;
    this.#verdict ??= isJson(text);
    return this.#verdict;
  }

  #take(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) {
        this.#inString = false;
        if (this.#depth === 0) this.#ended = true;
      }
      return;
    }
    if (isBlank(code)) return;
    if (this.#ended) this.#broken = true;
    if (code === QUOTE) this.#inString = true;
    else if (code === OPEN || code === OPEN_LIST) this.#depth += 1;
    else if (code === CLOSE || code === CLOSE_LIST) this.#close();
    else if (this.#depth === 0) this.#scalar = true;
  }

  #close(): void {
    this.#depth -= 1;
    if (this.#depth === 0) this.#ended = true;
    if (this.#depth < 0) this.#broken = true;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type Container = unknown[] | Record<string, unknown>;
interface Frame {
  readonly value: Container;
  /** Where the next value goes; undefined between two. */
  key: string | number | undefined;
}
type Mode = 'value' | 'key' | 'colon' | 'comma' | 'string' | 'word' | 'end' | 'broken';

const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** What stands at a path now. */
export interface Look {
  readonly found: boolean;
  readonly complete: boolean;
  readonly value: unknown;
}
const NOTHING: Look = { found: false, complete: false, value: undefined };

/** The value of a JSON text as far as it has come. */
export class Growing {
  readonly #frames: Frame[] = [];
  /** Counts the pieces that were fed. */
  version = 0;
  #root: unknown;
  #hasRoot = false;
  #mode: Mode = 'value';
  #isKey = false;
  /** Of a string: what is decoded; of a number or word: its letters. */
  #leaf = '';
  #escape = '';
  /** Just behind `[` or `{`, where the container may end at once. */
  #fresh = false;

  feed(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      if (this.#mode === 'string' && this.#escape === '') at = this.#plain(piece, at);
      if (at < piece.length) this.#take(piece[at] as string);
    }
    this.#show();
    this.version += 1;
  }

  /** Containers that are still open are shared with the next look; `copy` before they are given away. */
  look(path: Path): Look {
    let value: unknown = this.#root;
    let open = this.#mode !== 'end';
    if (!this.#hasRoot) return NOTHING;
    for (let depth = 0; depth < path.length; depth += 1) {
      const key = path[depth] as string | number;
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
        return { found: false, complete: !open, value: undefined };
      }
      open = open && String(this.#frames[depth]?.key) === String(key);
      value = (value as Record<string | number, unknown>)[key];
    }
    return { found: true, complete: !open, value };
  }

  /** An own copy of what may still change: the open containers on the way to the end of the text. */
  copy(path: Path): unknown {
    const { value } = this.look(path);
    if (typeof value !== 'object' || value === null) return value;
    const from = this.#frames.findIndex((frame) => frame.value === value);
    if (from < 0) return value;
    let inner: unknown;
    for (let at = this.#frames.length - 1; at >= from; at -= 1) {
      const { value: container, key } = this.#frames[at] as Frame;
      const own = Array.isArray(container) ? [...container] : { ...container };
      if (at < this.#frames.length - 1 && key !== undefined) (own as Record<string | number, unknown>)[key] = inner;
      inner = own;
    }
    return inner;
  }

  /** Takes a run of letters of a string at once; gives the place of the first that is none. */
  #plain(piece: string, from: number): number {
    let at = from;
    while (at < piece.length) {
      const code = piece.charCodeAt(at);
      if (code === QUOTE || code === BACKSLASH) break;
      at += 1;
    }
    if (at > from) this.#leaf += piece.slice(from, at);
    return at;
  }

  #take(char: string): void {
    switch (this.#mode) {
      case 'string':
        return this.#inString(char);
      case 'word':
        if (!/[\s,\]}]/.test(char)) {
          this.#leaf += char;
          return;
        }
        this.#endWord();
        return this.#take(char);
      case 'broken':
        return;
      default:
        if (!isBlank(char.charCodeAt(0))) this.#between(char);
    }
  }

  #between(char: string): void {
    const fresh = this.#fresh;
    this.#fresh = false;
    const top = this.#frames.at(-1);
    if (this.#mode === 'end') this.#mode = 'broken';
    else if (this.#mode === 'colon') this.#mode = char === ':' ? 'value' : 'broken';
    else if (this.#mode === 'comma' || fresh) this.#afterValue(char, top, fresh);
    else if (this.#mode === 'key') this.#startKey(char);
    else this.#startValue(char);
  }

  #afterValue(char: string, top: Frame | undefined, fresh: boolean): void {
    const isList = Array.isArray(top?.value);
    if (char === (isList ? ']' : '}')) this.#leave();
    else if (fresh) isList ? this.#startValue(char) : this.#startKey(char);
    else if (char !== ',' || top === undefined) this.#mode = 'broken';
    else if (isList) {
      top.key = (top.value as unknown[]).length;
      this.#mode = 'value';
    } else this.#mode = 'key';
  }

  #startKey(char: string): void {
    this.#mode = char === '"' ? 'string' : 'broken';
    this.#isKey = true;
    this.#leaf = '';
  }

  #startValue(char: string): void {
    this.#leaf = '';
    this.#isKey = false;
    if (char === '"') {
      this.#mode = 'string';
    } else if (char === '{' || char === '[') {
      const value: Container = char === '[' ? [] : {};
      this.#put(value);
      this.#frames.push({ value, key: char === '[' ? 0 : undefined });
      this.#mode = char === '[' ? 'value' : 'key';
      this.#fresh = true;
    } else if (/[-\dtfn]/.test(char)) {
      this.#mode = 'word';
      this.#leaf = char;
    } else this.#mode = 'broken';
  }

  #inString(char: string): void {
    if (this.#escape !== '') return this.#inEscape(char);
    if (char === '\\') this.#escape = char;
    else if (this.#isKey) {
      const top = this.#frames.at(-1);
      if (top !== undefined) top.key = this.#leaf;
      this.#mode = 'colon';
    } else {
      this.#put(this.#leaf);
      this.#done();
    }
  }

  #inEscape(char: string): void {
    this.#escape += char;
    if (this.#escape[1] !== 'u') this.#leaf += ESCAPES[char] ?? char;
    else if (this.#escape.length < 6) return;
    else this.#leaf += String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16));
    this.#escape = '';
  }

  #endWord(): void {
    const word = this.#leaf;
    const value = Object.hasOwn(WORDS, word) ? WORDS[word] : Number(word);
    if (Number.isNaN(value)) {
      this.#mode = 'broken';
      return;
    }
    this.#put(value);
    this.#done();
  }

  /** A string that has begun is seen as far as it has come. */
  #show(): void {
    if (this.#mode === 'string' && !this.#isKey) this.#put(this.#leaf);
  }

  #put(value: unknown): void {
    const top = this.#frames.at(-1);
    if (top === undefined) {
      this.#root = value;
      this.#hasRoot = true;
      // A value under this key would become the prototype.
    } else if (top.key !== undefined && top.key !== '__proto__') {
      (top.value as Record<string | number, unknown>)[top.key] = value;
    }
  }

  #leave(): void {
    this.#frames.pop();
    this.#done();
  }

  #done(): void {
    const top = this.#frames.at(-1);
    if (top !== undefined) top.key = undefined;
    this.#mode = top === undefined ? 'end' : 'comma';
  }

  /** A number at the very end is complete when no more comes. */
  close(): void {
    if (this.#mode !== 'word') return;
    this.#endWord();
    this.version += 1;
  }
}
