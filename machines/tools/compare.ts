/** How two observations of one call stand to each other. Pure, and total: what cannot be compared is different. */
import type { Relation } from './call-facts.ts';

/** Two values nested deeper than this are different. */
const DEPTH = 100;

export const isObject = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === 'object' && value !== null;

/** Equal as JSON values: the order of keys means nothing. */
export function sameJson(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b) || depth >= DEPTH || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key], depth + 1));
}

/** The value of a whole JSON text; undefined, which no text has, for anything else. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const sameMeaning = (a: string, b: string): boolean => {
  const value = parsed(a);
  return value !== undefined && sameJson(value, parsed(b));
};

/** A text against the one that the reader has. A closed one cannot grow: more of it is another text. */
export function relate(streamed: string, next: string, closed: boolean): Relation {
  if (next === streamed) return 'same';
  // Compared in one go: `startsWith` looks at one letter after the other, and this is all the work of most snapshots.
  if (!closed && next.slice(0, streamed.length) === streamed) return 'grows';
  return sameMeaning(streamed, next) ? 'equal' : 'differs';
}

/** Holds a key that would alter the prototype of an object that it is copied into. */
export function isPoisoned(value: unknown): boolean {
  const open: unknown[] = [value];
  for (const one of open) {
    if (!isObject(one)) continue;
    for (const key of Object.keys(one)) {
      const held = one[key];
      if (key === '__proto__') return true;
      if (key === 'constructor' && isObject(held) && Object.hasOwn(held, 'prototype')) return true;
      open.push(held);
    }
  }
  return false;
}
