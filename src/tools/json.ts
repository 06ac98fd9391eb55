/**
 * JSON while it grows: each character is looked at once, however many pieces it comes in.
 *
 * The small parsers for partial JSON read the whole text anew for each piece, which is quadratic, or read a stream on
 * their own time, which is too late for a reader that is asked within a snapshot. This one is lenient: `JSON.parse`
 * decides whether a text is whole; what is shown of a text that is no JSON means nothing.
 */
import { isObject, parsed } from '../../machines/tools/compare.ts';

export type Path = readonly (string | number)[];

interface Frame {
  readonly value: Record<string, unknown>;
  /** Where the value under way goes; undefined between two of an object. */
  key: string | undefined;
}

const IN_STRING = /[^"\\]+|"|\\(?:u.{4}|[^u])/sy;
/** Its group is a word: part of a number, of true, false or null. */
const BETWEEN = /[\s,:]+|[{}[\]"]|([^\s,:{}[\]"]+)/y;

/** What stands at a path now. */
export interface Look {
  readonly complete: boolean;
  /** Undefined, which JSON does not have, when there is nothing yet. */
  readonly value: unknown;
  /** Of a string under way: what the last piece added. To slice it off the value, all of that would be copied. */
  readonly tail: string;
}

/** The value of a JSON text as far as it has come. */
export class Growing {
  /** The containers that are open, from the outside in. The first is none of the text's own: it holds its value. */
  readonly #frames: Frame[] = [{ value: {}, key: '' }];
  /** The string under way, decoded. */
  #string: string | undefined;
  /** What the last piece added to it. */
  #tail = '';
  #isKey = false;
  /** The letters of a number, of true, false or null; more may come. */
  #word = '';
  /** Half of an escape. */
  #rest = '';

  /** What has come could be all: only then is it worth parsing. */
  get mayBeWhole(): boolean {
    return this.#frames.length === 1 && this.#string === undefined;
  }

  feed(piece: string): void {
    const text = this.#rest + piece;
    let at = 0;
    this.#tail = '';
    for (;;) {
      const before = this.#string;
      const lexer = before === undefined ? BETWEEN : IN_STRING;
      lexer.lastIndex = at;
      const [token, word] = lexer.exec(text) ?? [];
      if (token === undefined) break;
      at += token.length;
      if (before !== undefined) this.#inString(token, before);
      else if (word !== undefined) this.#word += word;
      else this.#between(token);
    }
    this.#rest = text.slice(at);
    // A string that has begun is seen as far as it has come.
    if (this.#string !== undefined && !this.#isKey) this.#put(this.#string);
  }

  /** A number at the very end is complete when no more comes. */
  close(): void {
    const value = parsed(this.#word);
    this.#word = '';
    if (value !== undefined) this.#add(value);
  }

  /** Containers that are still open are shared with the next look; `copy` before they are given away. */
  look(path: Path): Look {
    let value: unknown = this.#frames[0]?.value;
    let open = true;
    for (const [depth, key] of ['', ...path].entries()) {
      if (!isObject(value) || !Object.hasOwn(value, key)) return { complete: !open, value: undefined, tail: '' };
      open &&= this.#frames[depth]?.key === String(key);
      value = value[key];
    }
    return { complete: !open, value, tail: open ? this.#tail : '' };
  }

  /** An own copy of what may still change: the open containers on the way to the end of the text. */
  copy(value: unknown): unknown {
    const from = this.#frames.findIndex((frame) => frame.value === value);
    if (from === -1) return value;
    return this.#frames.slice(from).reduceRight<unknown>((inner, { value: open, key }) => {
      const own = Object.assign(Array.isArray(open) ? [] : {}, open) as typeof open;
      if (inner !== undefined && Object.hasOwn(own, key as string)) own[key as string] = inner;
      return own;
    }, undefined);
  }

  #inString(token: string, before: string): void {
    if (token !== '"') {
      const more = token.startsWith('\\') ? (parsed(`"${token}"`) ?? '') : token;
      this.#tail += more;
      this.#string = before + more;
      return;
    }
    this.#string = undefined;
    if (this.#isKey) this.#top.key = before;
    else this.#add(before);
  }

  #between(token: string): void {
    this.close();
    if (token === '"') {
      this.#string = '';
      this.#tail = '';
      this.#isKey = this.#top.key === undefined;
    } else if (token === '{' || token === '[') {
      const value = (token === '[' ? [] : {}) as Frame['value'];
      this.#put(value);
      this.#frames.push({ value, key: token === '[' ? '0' : undefined });
    } else if (token === '}' || token === ']') {
      if (this.#frames.length > 1) this.#frames.pop();
      this.#done();
    }
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #put(value: unknown): void {
    const { value: into, key } = this.#top;
    // A value under this key would become the prototype.
    if (key !== undefined && key !== '__proto__') into[key] = value;
  }

  #add(value: unknown): void {
    this.#put(value);
    this.#done();
  }

  #done(): void {
    const top = this.#top;
    top.key = Array.isArray(top.value) ? String(top.value.length) : undefined;
  }
}
