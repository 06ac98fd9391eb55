/** Refuses, when a pack is loaded, a schema that would look away: open where nobody said so, or lenient about types. */
import { definition, inside, type Schema } from './definitions.ts';
import { isJsonValue } from './json-value.ts';
import { keyPath } from './paths.ts';

/** A contract that cannot be: declared twice, badly named, or of a schema that does not hold. Thrown at load. */
export class ContractError extends Error {
  constructor(where: string, why: string) {
    super(`contract ${where}: ${why}`);
    this.name = 'ContractError';
  }
}

/** Schemas inside one another. */
const DEEPEST = 1_000;

function objectFault(def: Extract<ReturnType<typeof definition>, { type: 'object' }>): string | undefined {
  // zod takes what an object inherits for a field that is there: such a field would be present in `{}`.
  const inherited = Object.keys(def.shape).find((name) => name in Object.prototype);
  if (inherited !== undefined) return `a field cannot be named ${inherited}, which every object inherits`;
  const rest = def.catchall === undefined ? 'stripped' : definition(def.catchall).type;
  if (rest === 'never') return undefined;
  // Property-less and typed: a record, written another way.
  if (Object.keys(def.shape).length === 0 && rest !== 'stripped' && !['any', 'unknown'].includes(rest))
    return undefined;
  return 'lets keys through that it does not know; use z.strictObject, with a jsonObject field for what is open';
}

/** Why a schema may not stand in a contract by itself; what it holds is asked separately. */
function faultOf(schema: Schema): string | undefined {
  if (isJsonValue(schema)) return undefined;
  const def = definition(schema);
  if (def.type === 'object') return objectFault(def);
  if (def.type === 'any' || def.type === 'unknown') return `z.${def.type}() is open without saying so; use jsonValue`;
  if ('coerce' in def && def.coerce === true) return 'coerces, so that a wrong type goes unseen';
  if (def.type === 'catch') return 'z.catch accepts everything, so that a wrong value goes unseen';
  // Values are delivered as they came: what a transform would make of them is seen by nobody.
  if (def.type === 'transform' || def.type === 'pipe') return 'transforms its input; a contract only describes it';
  return undefined;
}

/** Throws `ContractError` unless the schema and all it holds are closed and strict about types. */
export function assertClosed(where: string, schema: Schema): void {
  const seen = new Set<Schema>();
  const visit = (one: Schema, path: readonly string[], depth: number): void => {
    if (seen.has(one)) return;
    if (depth > DEEPEST) throw new ContractError(where, 'is nested too deeply');
    seen.add(one);
    const fault = faultOf(one);
    if (fault !== undefined) throw new ContractError([where, ...path].join(' '), fault);
    for (const [place, inner] of inside(one))
      visit(inner, place === '' ? path : [keyPath([...path, place])], depth + 1);
  };
  visit(schema, [], 0);
}
