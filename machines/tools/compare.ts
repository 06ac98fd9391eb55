/** How two observations of one call stand to each other. Pure, and total: what cannot be compared is different. */
import type { Relation } from './call-facts.ts';

/** Two values nested deeper than this are different. */
const DEPTH = 100;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
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
  // What cannot be the end of a JSON text is not worth reading it all.
  if (!/[\]}"\da-z]\s*$/.test(text.slice(-64)) && text.trimEnd().length > text.length - 64) return undefined;
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
  if (!closed && next.startsWith(streamed)) return 'grows';
  return sameMeaning(streamed, next) ? 'equal' : 'differs';
}

/** Holds a key that would alter the prototype of an object that it is copied into. */
export function isPoisoned(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (!isObject(one)) continue;
    if (Object.hasOwn(one, '__proto__')) return true;
    const maker = Object.hasOwn(one, 'constructor') ? one['constructor'] : undefined;
    if (isObject(maker) && Object.hasOwn(maker, 'prototype')) return true;
    for (const key of Object.keys(one)) if (isObject(one[key])) open.push(one[key]);
  }
  return false;
}
