/** Checks a value against one side of a contract: its keys alone, or all of it. Total: never throws, always ends. */
import { z } from 'zod';
import { behindLazy, definition, reaches, type Schema } from './definitions.ts';
import { sizeFault } from './guard.ts';
import type { Fault, Path } from './paths.ts';
import { unknownKeys } from './unknown-keys.ts';

/** Faults that one check names at most. */
const NAMED_FAULTS = 32;

/** One side of a contract, ready to check values that travel in its direction. */
export interface Side {
  /** As it was declared. */
  readonly schema: Schema;
  /** Unknown keys only. Empty: none. */
  unknown(value: unknown): Fault[];
  /** Everything: unknown, missing, mistyped. Empty: it conforms. */
  wrong(value: unknown): Fault[];
}

const isDefaulted = (schema: Schema): boolean => ['default', 'prefault'].includes(definition(schema).type);

/**
 * What the backend sends has every field that is not optional: for an outbound side a default is no leave to
 * omit. Copies the schema without its defaults; parts that hold none stay themselves, so that recursion ends.
 */
function withoutDefaults(schema: Schema, made = new Map<Schema, Schema>()): Schema {
  const known = made.get(schema);
  if (known !== undefined) return known;
  if (!reaches(schema, isDefaulted)) return schema;
  const def = definition(schema);
  const deeper = (one: Schema): Schema => withoutDefaults(one, made);
  if (def.type === 'default' || def.type === 'prefault') return deeper(def.innerType);
  const copy = cloneWith(schema, deeper);
  made.set(schema, copy);
  return copy;
}

function cloneWith(schema: Schema, deeper: (one: Schema) => Schema): Schema {
  const def = definition(schema);
  const clone = (change: object): Schema =>
    z.core.clone(schema, Object.defineProperties({ ...def }, Object.getOwnPropertyDescriptors(change)) as typeof def);
  if (def.type === 'object') {
    let shape: Record<string, Schema> | undefined;
    return clone({
      get shape() {
        shape ??= Object.fromEntries(Object.entries(def.shape).map(([key, field]) => [key, deeper(field)]));
        return shape;
      },
    });
  }
  if (def.type === 'array') return clone({ element: deeper(def.element) });
  if (def.type === 'record') return clone({ valueType: deeper(def.valueType) });
  if (def.type === 'union') return clone({ options: def.options.map(deeper) });
  // zod remembers on the definition itself what a getter gave.
  if (def.type === 'lazy') return clone({ getter: () => deeper(behindLazy(schema)), _cachedInner: undefined });
  if (def.type === 'tuple')
    return clone({ items: def.items.map(deeper), rest: def.rest === null ? null : deeper(def.rest) });
  if (def.type === 'intersection') return clone({ left: deeper(def.left), right: deeper(def.right) });
  if ('innerType' in def) return clone({ innerType: deeper(def.innerType) });
  return schema;
}

/** Leads to the problem that one issue of zod reports. What was given is never part of it. */
function faultsOf(issue: z.core.$ZodIssue, value: unknown): Fault[] {
  const path: Path = issue.path.map((part) => (typeof part === 'symbol' ? '?' : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], problem: 'unknown key' }));
  }
  return [{ path, problem: isMissing(path, value) ? 'missing' : 'wrong type or value' }];
}

function isMissing(path: Path, value: unknown): boolean {
  const last = path.at(-1);
  let holder = value;
  for (const part of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null) return false;
    holder = Reflect.get(holder, part);
  }
  return last !== undefined && typeof holder === 'object' && holder !== null && !Object.hasOwn(holder, last);
}

/** The one kind of schema that accepts keys without knowing them. */
function isLoose(schema: Schema): boolean {
  const def = definition(schema);
  return def.type === 'record' && 'mode' in def && def.mode === 'loose';
}

/** zod passes over this name, which no contract knows. */
function namesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  for (const key in value) if (namesPrototype(Reflect.get(value, key))) return true;
  return false;
}

function wrongBy(schema: Schema, value: unknown): Fault[] {
  try {
    const parsed = z.safeParse(schema, value);
    return parsed.success ? [] : parsed.error.issues.slice(0, NAMED_FAULTS).flatMap((one) => faultsOf(one, value));
  } catch {
    // A refinement that throws, or that would have to be awaited: not proven right, so not right.
    return [{ path: [], problem: 'wrong type or value' }];
  }
}

const unknownIn = (schema: Schema, value: unknown): Fault[] =>
  unknownKeys(schema, value, NAMED_FAULTS).map((path) => ({ path, problem: 'unknown key' }));

function unlike(faults: readonly Fault[]): Fault[] {
  const byPath = new Map<string, Fault>();
  for (const fault of faults) {
    const at = JSON.stringify(fault.path);
    if (!byPath.has(at)) byPath.set(at, fault);
  }
  return [...byPath.values()].slice(0, NAMED_FAULTS);
}

/**
 * One side of a contract. `inbound`: a client sends it, and may leave out what has a default; `outbound`: the backend
 * sends it, complete.
 */
export function side(schema: Schema, direction: 'inbound' | 'outbound'): Side {
  const strict = direction === 'outbound' ? withoutDefaults(schema) : schema;
  // Schemas are closed: what zod accepts holds no key that no branch knows, and most of what travels is accepted.
  const mayAcceptUnknown = reaches(schema, isLoose);
  const isAccepted = (value: unknown): boolean =>
    !mayAcceptUnknown && !namesPrototype(value) && wrongBy(strict, value).length === 0;
  const total = (check: (value: unknown) => Fault[]) => (value: unknown) => {
    try {
      const size = sizeFault(value);
      return size === undefined ? check(value) : [size];
    } catch {
      // What cannot even be read (a getter or proxy of our own process) does not conform.
      return [{ path: [], problem: 'not JSON' } satisfies Fault];
    }
  };
  return {
    schema,
    unknown: total((value) => unknownIn(schema, value)),
    wrong: total((value) => {
      if (isAccepted(value)) return [];
      const unknown = unknownIn(schema, value);
      // It is wrong already, and in more places than are named: zod would list them all.
      return unknown.length >= NAMED_FAULTS ? unknown : unlike([...unknown, ...wrongBy(strict, value)]);
    }),
  };
}
