/** What can still happen from where something stands. Runs in the page too. */
import type { Arrow } from './outline.ts';

/** The state, then its region: the first that hears an event takes it, and the chart itself comes last. */
export const hearersOf = (state: string): string[] =>
  state.includes('.') ? [state, state.replace(/\..*/, '')] : [state];

/** The transitions that are left, in the order in which they are tried. */
export function nextMoves(arrows: readonly Arrow[], states: readonly string[]): Arrow[] {
  const heard = new Set(['', ...states.flatMap(hearersOf)]);
  return arrows.filter(({ from }) => heard.has(from));
}
