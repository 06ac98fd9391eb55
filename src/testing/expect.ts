/** As much of `expect` as the rules of the kit need, on `node:assert`, so that they run under any runner or none. */
import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

/** Stands for every value that it accepts. */
class Like {
  readonly says: string;
  readonly accepts: (value: unknown) => boolean;
  constructor(says: string, accepts: (value: unknown) => boolean) {
    this.says = says;
    this.accepts = accepts;
  }
  [inspect.custom](): string {
    return this.says;
  }
}

type Bag = Readonly<Record<PropertyKey, unknown>>;
/** What is there: properties that are undefined count as absent. */
const keysOf = (value: object): PropertyKey[] => Reflect.ownKeys(value).filter((key) => there(value, key));
const there = (value: object, key: PropertyKey): boolean =>
  Object.prototype.propertyIsEnumerable.call(value, key) && (value as Bag)[key] !== undefined;
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Map || value instanceof Set || value instanceof RegExp) &&
  !(value instanceof Date || ArrayBuffer.isView(value));

/** Deep equality; `part` takes an object for equal that has more than is expected. */
function same(actual: unknown, wanted: unknown, part: boolean): boolean {
  if (wanted instanceof Like) return wanted.accepts(actual);
  if (actual instanceof Error && wanted instanceof Error) return actual.message === wanted.message;
  if (!isPlain(actual) || !isPlain(wanted)) return isDeepStrictEqual(actual, wanted);
  if (Array.isArray(wanted) !== Array.isArray(actual)) return false;
  if (Array.isArray(wanted)) {
    const list = actual as unknown[];
    return list.length === wanted.length && wanted.every((one, at) => same(list[at], one, part));
  }
  const keys = part ? Reflect.ownKeys(wanted) : keysOf(wanted);
  if (!part && keysOf(actual).length !== keys.length) return false;
  return keys.every((key) => {
    if (!part && !there(actual, key)) return false;
    return same((actual as Bag)[key], (wanted as Bag)[key], part);
  });
}

interface Difference {
  readonly path: string;
  readonly actual: unknown;
  readonly wanted: unknown;
}

/** Where two values first differ that are not the same; two lists or two objects are looked into. */
function difference(actual: unknown, wanted: unknown, part: boolean, path = ''): Difference {
  const whole = { path, actual, wanted };
  if (!isPlain(actual) || !isPlain(wanted) || wanted instanceof Like || wanted instanceof Error) return whole;
  const isList = Array.isArray(wanted);
  if (isList !== Array.isArray(actual)) return whole;
  const keys = new Set([...keysOf(wanted), ...(part && !isList ? [] : keysOf(actual))]);
  const key = [...keys].find((one) => !same((actual as Bag)[one], (wanted as Bag)[one], part));
  if (key === undefined) return whole;
  const deeper = `${path}${isList ? `[${String(key)}]` : `.${String(key)}`}`;
  return difference((actual as Bag)[key], (wanted as Bag)[key], part, deeper);
}

function isThrown(error: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  const message = error instanceof Error ? error.message : String(error);
  if (typeof wanted === 'string') return message.includes(wanted);
  if (wanted instanceof RegExp) return wanted.test(message);
  if (wanted instanceof Error) return message === wanted.message;
  return typeof wanted === 'function' ? error instanceof wanted : same(error, wanted, true);
}

const contains = (actual: unknown, one: unknown): boolean =>
  typeof actual === 'string' ? actual.includes(String(one)) : [...(actual as Iterable<unknown>)].includes(one);
const lengthOf = (value: unknown): unknown => (value as { length?: unknown } | null | undefined)?.length;
const isBetween = (value: unknown, test: (value: number | bigint) => boolean): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') && test(value);

/** Each looks at the actual value and what is wanted of it. */
const MATCHERS = {
  toBe: (actual: unknown, wanted: unknown) => Object.is(actual, wanted),
  toEqual: (actual: unknown, wanted: unknown) => same(actual, wanted, false),
  toStrictEqual: (actual: unknown, wanted: unknown) => isDeepStrictEqual(actual, wanted),
  toMatchObject: (actual: unknown, wanted: object) => same(actual, wanted, true),
  toBeUndefined: (actual: unknown) => actual === undefined,
  toBeDefined: (actual: unknown) => actual !== undefined,
  toBeNull: (actual: unknown) => actual === null,
  toHaveLength: (actual: unknown, wanted: number) => lengthOf(actual) === wanted,
  toContain: contains,
  toContainEqual: (actual: unknown, wanted: unknown) =>
    [...(actual as Iterable<unknown>)].some((one) => same(one, wanted, false)),
  toBeGreaterThan: (actual: unknown, wanted: number) => isBetween(actual, (value) => value > wanted),
  toBeGreaterThanOrEqual: (actual: unknown, wanted: number) => isBetween(actual, (value) => value >= wanted),
  toBeLessThan: (actual: unknown, wanted: number) => isBetween(actual, (value) => value < wanted),
  toBeLessThanOrEqual: (actual: unknown, wanted: number) => isBetween(actual, (value) => value <= wanted),
  toMatch: (actual: unknown, wanted: string | RegExp) =>
    typeof actual === 'string' && (typeof wanted === 'string' ? actual.includes(wanted) : wanted.test(actual)),
  toHaveProperty: (actual: unknown, name: PropertyKey, ...value: [wanted?: unknown]) =>
    Object(actual) === actual &&
    name in (actual as object) &&
    (value.length === 0 || same((actual as Bag)[name], value[0], false)),
  toBeInstanceOf: (actual: unknown, wanted: abstract new (...args: never[]) => unknown) => actual instanceof wanted,
  toBeTypeOf: (actual: unknown, wanted: string) => typeof actual === wanted,
};

type Names = keyof typeof MATCHERS;
type Arguments<Name extends Names> = (typeof MATCHERS)[Name] extends (actual: unknown, ...rest: infer Rest) => boolean
  ? Rest
  : never;
export type Matchers<Result> = { readonly [Name in Names]: (...rest: Arguments<Name>) => Result } & {
  readonly toThrow: (wanted?: unknown) => Result;
};
export interface Expectation extends Matchers<void> {
  readonly not: Matchers<void>;
  /** Of a promise that is to be fulfilled. */
  readonly resolves: Matchers<Promise<void>>;
  /** Of a promise that is to be rejected. */
  readonly rejects: Matchers<Promise<void>>;
}

const short = (value: unknown): string => {
  const text = inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 120 });
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
};

function judge(
  name: string,
  passed: boolean,
  isNot: boolean,
  actual: unknown,
  rest: readonly unknown[],
  note?: string,
) {
  if (passed !== isNot) return;
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const isEquality = !isNot && (name === 'toEqual' || name === 'toMatchObject');
  const first = isEquality ? difference(actual, rest[0], name === 'toMatchObject') : undefined;
  // Of what is large only the place where it differs can be read; the error holds both as a whole.
  const what = first?.path
    ? `at ${first.path.replace(/^\./, '')}: got ${short(first.actual)}, wanted ${short(first.wanted)}`
    : `expected ${short(actual)} ${isNot ? 'not ' : ''}${words} ${rest.map(short).join(', ')}`;
  const message = note === undefined ? what : `${note}: ${what}`;
  throw new AssertionError({ message: message.trimEnd(), actual, expected: rest[0], operator: name });
}

function matchers(actual: unknown, isNot: boolean, note: string | undefined): Matchers<void> {
  const made = Object.entries(MATCHERS).map(([name, match]) => [
    name,
    (...rest: unknown[]) =>
      judge(name, Reflect.apply(match, undefined, [actual, ...rest]) as boolean, isNot, actual, rest, note),
  ]);
  const toThrow = (wanted?: unknown): void => {
    let thrown: { readonly error: unknown } | undefined;
    try {
      (actual as () => unknown)();
    } catch (error) {
      thrown = { error };
    }
    const passed = thrown !== undefined && isThrown(thrown.error, wanted);
    judge(
      'toThrow',
      passed,
      isNot,
      thrown?.error ?? 'a call that returned',
      wanted === undefined ? [] : [wanted],
      note,
    );
  };
  return { ...(Object.fromEntries(made) as Matchers<void>), toThrow };
}

/** The same matchers, of what becomes of a promise. */
function later(actual: unknown, isRejected: boolean, note: string | undefined): Matchers<Promise<void>> {
  const ended = async (): Promise<unknown> => {
    const [end] = await Promise.allSettled([Promise.resolve(actual)]);
    judge(
      isRejected ? 'toReject' : 'toResolve',
      (end.status === 'rejected') === isRejected,
      false,
      end.status === 'rejected' ? (end.reason as unknown) : end.value,
      [],
      note,
    );
    return end.status === 'rejected' ? end.reason : end.value;
  };
  return new Proxy({} as Matchers<Promise<void>>, {
    get:
      (_, name) =>
      async (...rest: unknown[]) => {
        const value = await ended();
        const thrower = (): never => {
          throw value;
        };
        const target = matchers(name === 'toThrow' && isRejected ? thrower : value, false, note);
        Reflect.apply(target[name as Names] as () => void, undefined, rest);
      },
  });
}

/** What is expected of a value; a failure is an `AssertionError` that holds both. */
export const expect = Object.assign(
  (actual: unknown, note?: string): Expectation => ({
    ...matchers(actual, false, note),
    not: matchers(actual, true, note),
    resolves: later(actual, false, note),
    rejects: later(actual, true, note),
  }),
  {
    any: (kind: abstract new (...args: never[]) => unknown): unknown =>
      new Like(`any ${kind.name}`, (value) => Object(value) instanceof kind),
    stringContaining: (part: string): unknown =>
      new Like(`text with ${short(part)}`, (value) => typeof value === 'string' && value.includes(part)),
    stringMatching: (pattern: RegExp): unknown =>
      new Like(`text like ${pattern}`, (value) => typeof value === 'string' && pattern.test(value)),
    objectContaining: (part: object): unknown =>
      new Like(`object with ${short(part)}`, (value) => same(value, part, true)),
    arrayContaining: (list: readonly unknown[]): unknown =>
      new Like(
        `list with ${short(list)}`,
        (value) => Array.isArray(value) && list.every((one) => value.some((other) => same(other, one, false))),
      ),
    fail: (message: string): never => {
      throw new AssertionError({ message });
    },
  },
);
