/** What an approval is bound to: a hash of what was shown and will run. */
import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';
import type { JsonValue } from '../wire/json.ts';

export interface DigestInput {
  readonly method?: string | undefined;
  /** What it works on: a path with the hash of its contents, a server, an address. */
  readonly subject?: JsonValue | undefined;
  readonly args?: JsonValue | undefined;
}

/** Deeper than any arguments that are meant for a person to read. */
const DEPTH_MAX = 200;

/**
 * JSON with sorted keys and no white space: equal values, equal texts. Members that are undefined are left out.
 * Throws for whatever is no JSON: two different things must never look alike.
 */
export function canonicalJson(value: unknown, field = 'args', depth = 0): string {
  if (depth > DEPTH_MAX) throw invalid(field, `is nested more than ${DEPTH_MAX} deep`);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid(field, 'holds a number that JSON has no word for');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${Array.from(value, (item) => canonicalJson(item, field, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && isPlain(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member, field, depth + 1)}`).join(',')}}`;
  }
  throw invalid(field, `holds a ${typeof value} that is no JSON`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** The digest that binds a decision: 64 hex digits over method, subject and arguments. Throws on what is no JSON. */
export function digestOf({ method, subject, args }: DigestInput): string {
  return sha256(canonicalJson({ method: method ?? null, subject: subject ?? null, args: args ?? null }));
}

/** What a decision covers, and what coalesces: exactly this key, command, pattern keys and digest. */
export function scopeOf(key: string, command: string, patternKeys: readonly string[], digest: string): string {
  return sha256(canonicalJson([key, command, [...new Set(patternKeys)].sort(), digest]));
}
