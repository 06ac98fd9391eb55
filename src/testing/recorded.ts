/** Records what a test does to its subject: one proxy for every contract, so that each failure can tell its sequence. */
import { isRunning, noteStep, shown } from './rules.ts';

export interface Recording {
  /** Members that give out more of the subject: what they hold, return or hand to a callback is recorded in its turn. */
  readonly inside?: readonly string[];
  /** Hears of each call before it is made. */
  readonly hear?: ((name: string, args: readonly unknown[]) => void) | undefined;
}

const behind = new WeakMap<object, object>();
const before = new WeakMap<object, object>();

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The same thing without a recorder, for looks that are no steps of the test. */
export function unrecorded<T extends object>(subject: T): T {
  return (behind.get(subject) ?? subject) as T;
}

/**
 * The subject, each call of which is a step of the running test: `record("pa-1", "yes")`, `book.addEntry({…})`.
 *
 * What is called and returned is passed on as it is. Where no contract runs and nobody hears, it is the subject itself.
 */
export function recorded<T extends object>(subject: T, recording: Recording = {}, path = ''): T {
  const { inside = [], hear } = recording;
  if (hear === undefined && !isRunning()) return subject;
  const known = before.get(subject);
  if (known !== undefined) return known as T;
  const deeper = <V>(value: V, name: string): V =>
    isObject(value) && !Array.isArray(value) ? recorded(value, recording, `${path}${name}.`) : value;
  const call = (member: (...args: never[]) => unknown, name: string, args: readonly unknown[]): unknown => {
    hear?.(name, args);
    noteStep(`${path}${name}(${args.map(shown).join(', ')})`);
    if (!inside.includes(name)) return Reflect.apply(member, subject, args);
    const handed = args.map((arg) =>
      typeof arg === 'function' ? (...given: unknown[]): unknown => arg(...given.map((one) => deeper(one, name))) : arg,
    );
    return deeper(Reflect.apply(member, subject, handed), name);
  };
  // Of an empty object with the same prototype: what is frozen may not look different through its own proxy.
  const proxy = new Proxy(Object.create(Reflect.getPrototypeOf(subject)) as T, {
    get: (_, key) => {
      const member: unknown = Reflect.get(subject, key, subject);
      const name = String(key);
      if (typeof member === 'function') return (...args: unknown[]) => call(member as () => unknown, name, args);
      return inside.includes(name) ? deeper(member, name) : member;
    },
    set: (_, key, value) => Reflect.set(subject, key, value, subject),
    has: (_, key) => Reflect.has(subject, key),
  });
  before.set(subject, proxy);
  behind.set(proxy, subject);
  return proxy;
}
