/**
 * JSON while it grows: each character is looked at once, however many pieces it comes in.
 *
 * The small parsers for partial JSON read the whole text anew for each piece, which is quadratic, or read a stream on
 * their own time, which is too late for deciding within a snapshot whether a call is complete. This one is lenient: of
 * a text that seems whole, `JSON.parse` decides whether it is.
 */

export type Path = readonly (string | number)[];

type Container = Record<string | number, unknown>;
interface Frame {
  readonly value: Container;
  /** Where the value under way goes; undefined between two. */
  key: string | number | undefined;
}

const IN_STRING = /[^"\\]+|"|\\(?:u[\da-f]{4}|["\\/bfnrt])/iy;
const BETWEEN = /[\s,:]+|[{}[\]"]|[^\s,:{}[\]"]+/y;
const LONGEST_ESCAPE = 6;

/** What stands at a path now. */
export interface Look {
  readonly found: boolean;
  readonly complete: boolean;
  readonly value: unknown;
}

/** The value of a JSON text as far as it has come. */
export class Growing {
  /** The containers that are still open, from the outside in. */
  readonly #frames: Frame[] = [];
  #root: unknown;
  #state: 'open' | 'whole' | 'broken' = 'open';
  /** The string under way, decoded. */
  #string: string | undefined;
  #isKey = false;
  /** The letters of a number, of true, false or null; more may come. */
  #word = '';
  /** Half of an escape. */
  #rest = '';

  /** What has come could be all. */
  get mayBeWhole(): boolean {
    return this.#state === 'whole' || (this.#state === 'open' && this.#frames.length === 0 && this.#word !== '');
  }

  feed(piece: string): void {
    const text = this.#rest + piece;
    this.#rest = '';
    for (let at = 0; at < text.length && this.#state !== 'broken'; ) {
      const lexer = this.#string === undefined ? BETWEEN : IN_STRING;
      lexer.lastIndex = at;
      const token = lexer.exec(text)?.[0];
      if (token === undefined) {
        this.#rest = text.slice(at);
        if (this.#rest.length >= LONGEST_ESCAPE) this.#state = 'broken';
        break;
      }
      at += token.length;
      if (this.#string === undefined) this.#between(token);
      else this.#inString(token, this.#string);
    }
    // A string that has begun is seen as far as it has come.
    if (this.#string !== undefined && !this.#isKey) this.#put(this.#string);
  }

  /** A number at the very end is complete when no more comes. */
  close(): void {
    if (this.#word === '') return;
    try {
      this.#put(JSON.parse(this.#word));
      this.#done();
    } catch {
      this.#state = 'broken';
    }
    this.#word = '';
  }

  /** Containers that are still open are shared with the next look; `copy` before they are given away. */
  look(path: Path): Look {
    let value = this.#root;
    let open = this.#state !== 'whole';
    for (const [depth, key] of path.entries()) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
        return { found: false, complete: !open, value: undefined };
      }
      open &&= String(this.#frames[depth]?.key) === String(key);
      value = (value as Container)[key];
    }
    return { found: value !== undefined, complete: !open, value };
  }

  /** An own copy of what may still change: the open containers on the way to the end of the text. */
  copy(value: unknown): unknown {
    const from = this.#frames.findIndex((frame) => frame.value === value);
    if (from < 0) return value;
    let inner: unknown;
    for (const { value: open, key } of this.#frames.slice(from).reverse()) {
      const own = (Array.isArray(open) ? [...open] : { ...open }) as Container;
      if (inner !== undefined && key !== undefined && Object.hasOwn(own, key)) own[key] = inner;
      inner = own;
    }
    return inner;
  }

  #inString(token: string, before: string): void {
    if (token !== '"') {
      this.#string = before + (token.startsWith('\\') ? JSON.parse(`"${token}"`) : token);
      return;
    }
    this.#string = undefined;
    const top = this.#frames.at(-1);
    if (this.#isKey && top !== undefined) top.key = before;
    else {
      this.#put(before);
      this.#done();
    }
  }

  #between(token: string): void {
    const isWord = !/[\s,:{}[\]"]/.test(token);
    if (!isWord) this.close();
    if (/[\s,:]/.test(token)) return;
    const top = this.#frames.at(-1);
    if (this.#state !== 'open') this.#state = 'broken';
    else if (isWord) this.#word += token;
    else if (token === '"') {
      this.#string = '';
      this.#isKey = top !== undefined && !Array.isArray(top.value) && top.key === undefined;
    } else if (token === '{' || token === '[') {
      const value = (token === '[' ? [] : {}) as Container;
      this.#put(value);
      this.#frames.push({ value, key: undefined });
    } else if (this.#frames.pop() === undefined) this.#state = 'broken';
    else this.#done();
  }

  #put(value: unknown): void {
    const top = this.#frames.at(-1);
    if (top === undefined) {
      this.#root = value;
      return;
    }
    if (Array.isArray(top.value)) top.key ??= top.value.length;
    // A value under this key would become the prototype.
    if (top.key !== undefined && top.key !== '__proto__') top.value[top.key] = value;
  }

  #done(): void {
    const top = this.#frames.at(-1);
    if (top === undefined) this.#state = 'whole';
    else top.key = undefined;
  }
}
