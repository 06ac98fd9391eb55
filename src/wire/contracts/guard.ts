/** Looks at the size of a value before anything recursive does: a verdict in bounded time, whatever came. */
import type { Fault } from './paths.ts';

/** Levels of nesting a checked value may have, and nodes in all. Beyond: refused, with the place named. */
export const VALUE_BOUNDS = Object.freeze({ depth: 200, nodes: 100_000 });

interface Level {
  readonly value: object;
  /** Undefined: a list, whose positions are its keys. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  at: number;
}

function level(value: object): Level {
  // A list is not asked for its keys: a huge one would make a huge list of texts before it is found to be huge.
  if (Array.isArray(value)) return { value, keys: undefined, size: value.length, at: 0 };
  const keys = Object.keys(value);
  return { value, keys, size: keys.length, at: 0 };
}

const keyAt = (one: Level, at: number): string | number => one.keys?.[at] ?? at;
const place = (levels: readonly Level[]): (string | number)[] => levels.map((one) => keyAt(one, one.at - 1));

/**
 * The fault of a value that is too deep or too large to be checked, or undefined.
 * A cycle is too deep, and what shares a part often is too large: neither can be told apart from it on a wire.
 */
export function sizeFault(value: unknown): Fault | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const levels: Level[] = [];
  let nodes = 1;
  const enter = (inner: object): Fault | undefined => {
    if (levels.length >= VALUE_BOUNDS.depth) return { path: place(levels), problem: 'nested too deeply' };
    const next = level(inner);
    nodes += next.size;
    if (nodes > VALUE_BOUNDS.nodes) return { path: place(levels), problem: 'too large' };
    levels.push(next);
    return undefined;
  };
  let fault = enter(value);
  for (let top = levels.at(-1); top !== undefined && fault === undefined; top = levels.at(-1)) {
    if (top.at >= top.size) {
      levels.pop();
      continue;
    }
    const inner: unknown = Reflect.get(top.value, keyAt(top, top.at));
    top.at += 1;
    if (typeof inner === 'object' && inner !== null) fault = enter(inner);
  }
  return fault;
}
