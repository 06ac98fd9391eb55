/** Finds the keys that a contract does not know. Everything else that is wrong is the handler's business. */
import { z } from 'zod';
import { behindLazy, definition, type Schema } from './definitions.ts';
import { isPlainObject } from './json-value.ts';
import type { Path } from './paths.ts';

/** A place that takes anything: no key below it is unknown. */
const OPEN = new Set(['any', 'unknown', 'custom', 'transform', 'promise', 'function', 'map', 'set', 'file', 'success']);

/** Options of a union that can be meant. With a discriminator that fits, only those it fits. */
function options(def: z.core.$ZodUnionDef, value: unknown): readonly Schema[] {
  if (!('discriminator' in def) || !isPlainObject(value)) return def.options;
  const key = String(def.discriminator);
  if (!Object.hasOwn(value, key)) return def.options;
  const tag = value[key] as z.core.util.Primitive;
  const fitting = def.options.filter((one) => one._zod.propValues?.[key]?.has(tag));
  return fitting.length > 0 ? fitting : def.options;
}

/** What a schema may stand for once wrappers and unions are opened. */
function expand(schemas: Iterable<Schema>, value: unknown): Set<Schema> {
  const leaves = new Set<Schema>();
  const seen = new Set<Schema>();
  const rest = [...schemas];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    const def = definition(one);
    if (def.type === 'union') rest.push(...options(def, value));
    else if (def.type === 'lazy') rest.push(behindLazy(one));
    else if (def.type === 'pipe') rest.push(def.in);
    else if (def.type === 'intersection') rest.push(def.left, def.right);
    else if ('innerType' in def && !OPEN.has(def.type)) rest.push(def.innerType);
    else leaves.add(one);
  }
  return leaves;
}

/** The schemas that one schema holds ready for a key of an object; empty: it does not know the key. */
function forKey(schema: Schema, key: string): Schema[] {
  const def = definition(schema);
  if (def.type === 'record') {
    return z.safeParse(def.keyType, key).success ? [def.valueType] : [];
  }
  if (def.type !== 'object') return [];
  const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
  if (field !== undefined) return [field];
  return def.catchall === undefined || definition(def.catchall).type === 'never' ? [] : [def.catchall];
}

function forIndex(schema: Schema, index: number): Schema[] {
  const def = definition(schema);
  if (def.type === 'array') return [def.element];
  if (def.type !== 'tuple') return [];
  const item = def.items[index] ?? def.rest;
  return item === null ? [] : [item];
}

interface Search {
  readonly found: Path[];
  readonly atMost: number;
  readonly path: (string | number)[];
}

function descend(search: Search, part: string | number, value: unknown, next: readonly Schema[]): void {
  search.path.push(part);
  walk(search, value, next);
  search.path.pop();
}

/**
 * Walks the value with all branches at once: a key is unknown only if no branch that is an object here knows it, so
 * a wrong type elsewhere in a branch hides nothing.
 */
function walk(search: Search, value: unknown, schemas: Iterable<Schema>): void {
  if (typeof value !== 'object' || value === null) return;
  const leaves = [...expand(schemas, value)];
  if (leaves.some((one) => OPEN.has(definition(one).type))) return;
  if (Array.isArray(value)) {
    const lists = leaves.filter((one) => ['array', 'tuple'].includes(definition(one).type));
    for (let at = 0; at < value.length && search.found.length < search.atMost; at += 1) {
      descend(
        search,
        at,
        value[at],
        lists.flatMap((one) => forIndex(one, at)),
      );
    }
    return;
  }
  const objects = leaves.filter((one) => ['object', 'record'].includes(definition(one).type));
  // A scalar was expected: a wrong type, and none of its keys is what is wrong.
  if (objects.length === 0) return;
  for (const [key, inner] of Object.entries(value)) {
    if (search.found.length >= search.atMost) return;
    // No contract knows this one: written through, it would change what the object inherits.
    const next = key === '__proto__' ? [] : objects.flatMap((one) => forKey(one, key));
    if (next.length === 0) search.found.push([...search.path, key]);
    else descend(search, key, inner, next);
  }
}

/** Paths of unknown keys, in the order in which a walk of the value meets them, at most so many. */
export function unknownKeys(schema: Schema, value: unknown, atMost = 1): Path[] {
  const search: Search = { found: [], atMost, path: [] };
  walk(search, value, [schema]);
  return search.found;
}
