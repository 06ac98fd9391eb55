/** The rule ids of the transitions that one step took. */

type Rules = readonly string[];
const pairs = new WeakMap<Rules, WeakMap<Rules, Rules>>();

/** Joined once for each two lists: a plan's are always the same, and joining frozen lists is slow. */
export function joinedRules(some: Rules, more: Rules): Rules {
  if (some.length === 0 || more.length === 0) return some.length === 0 ? more : some;
  let known = pairs.get(some);
  if (known === undefined) {
    known = new WeakMap();
    pairs.set(some, known);
  }
  let both = known.get(more);
  if (both === undefined) {
    both = Object.freeze([...some, ...more]);
    known.set(more, both);
  }
  return both;
}
