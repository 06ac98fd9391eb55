/** The schemas that a contract may use where zod has no exact word: any JSON, an open object, a whole number. */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.ts';

/** Whether it is an object as JSON knows it: no array, no instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether a value is JSON through and through. With a list of its own, for a nested value must not end the stack. */
export function isJson(value: unknown): value is JsonValue {
  const rest: unknown[] = [value];
  const seen = new Set<unknown>();
  while (rest.length > 0) {
    const one = rest.pop();
    if (one === null || typeof one === 'string' || typeof one === 'boolean' || Number.isFinite(one)) continue;
    if (!Array.isArray(one) && !isPlainObject(one)) return false;
    // Seen before: shared, or a cycle, which only the guard in front of every check can tell apart.
    if (seen.has(one)) continue;
    seen.add(one);
    for (const inner of Object.values(one)) rest.push(inner);
  }
  return true;
}

/** Any JSON value: the one sanctioned way to leave a contract open. */
export const jsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>(isJson);

/** An object whose keys the contract leaves open. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), jsonValue);

/**
 * A whole number of any size. `z.int()` refuses numbers beyond 2^53, a range that the generated schema could not
 * state; this accepts exactly what `type: integer` does.
 */
export const whole: z.ZodType<number> = z.number().refine(Number.isInteger);

/** Checks of a schema that decide something; a description does not. */
export const realChecks = (schema: z.core.$ZodType): z.core.$ZodCheck<never>[] =>
  (schema._zod.def.checks ?? []).filter((one) => !['describe', 'meta'].includes(one._zod.def.check));

const [isWholeNumber] = realChecks(whole);

/** Whether it is that very schema, also where it got a name or description, which makes zod copy it. */
export const isWhole = (schema: z.core.$ZodType): boolean => {
  const checks = realChecks(schema);
  return checks.length === 1 && checks[0] === isWholeNumber && schema._zod.def.type === 'number';
};

export function isJsonValue(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def;
  return def.type === 'custom' && 'fn' in def && def.fn === isJson && realChecks(schema).length === 0;
}
