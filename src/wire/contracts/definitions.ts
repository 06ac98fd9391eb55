/** What the contract layer reads of a zod schema: its definition, and what lies inside it. */
import type { z } from 'zod';

export type Schema = z.core.$ZodType;
/** A schema as the closed union of all kinds that zod has, so that `def.type` tells them apart. */
export type Known = z.core.$ZodTypes;

export const definition = (schema: Schema): Known['_zod']['def'] => (schema as Known)._zod.def;

/** The schema behind a `z.lazy`; zod asks the getter once. */
export const behindLazy = (schema: Schema): Schema => (schema as z.core.$ZodLazy)._zod.innerType;

/** The schemas directly inside another one, each with the name of its place. */
export function inside(schema: Schema): [place: string, inner: Schema][] {
  const def = definition(schema);
  switch (def.type) {
    case 'object': {
      const fields: [string, Schema][] = Object.entries(def.shape);
      return def.catchall === undefined ? fields : [...fields, ['*', def.catchall]];
    }
    case 'array':
      return [['[]', def.element]];
    case 'record':
    case 'map':
      return [
        ['(key)', def.keyType],
        ['*', def.valueType],
      ];
    case 'set':
      return [['[]', def.valueType]];
    case 'tuple':
      return [...def.items, ...(def.rest === null ? [] : [def.rest])].map((one, at) => [String(at), one]);
    case 'union':
      return def.options.map((one) => ['|', one]);
    case 'intersection':
      return [
        ['&', def.left],
        ['&', def.right],
      ];
    case 'lazy':
      return [['', behindLazy(schema)]];
    case 'pipe':
      return [
        ['', def.in],
        ['', def.out],
      ];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
    case 'success':
    case 'promise':
      return [['', def.innerType]];
    default:
      return [];
  }
}

/** Whether a schema, or one that it holds, is such a one. */
export function reaches(schema: Schema, wanted: (one: Schema) => boolean): boolean {
  const seen = new Set<Schema>();
  const rest = [schema];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    if (wanted(one)) return true;
    rest.push(...inside(one).map(([, inner]) => inner));
  }
  return false;
}
