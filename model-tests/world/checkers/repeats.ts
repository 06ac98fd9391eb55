/** A repeat is labelled: of all the times an answer is shown, at most one says that it may be the first. */
import type { World } from '../world.ts';

export function repeatsLabelled(world: World): string[] {
  const plain = new Map<string, string[]>();
  for (const { token, labelled, how, turn, undone } of world.truth.showings) {
    if (!labelled && undone !== true) plain.set(token, [...(plain.get(token) ?? []), `${how} in ${turn}`]);
  }
  return [...plain]
    .filter(([, times]) => times.length > 1)
    .map(([token, times]) => `${token} was shown without a label as ${times.join(' and as ')}`);
}

/** What was shown before anything else may be plain, but nothing that follows a labelled showing of it is. */
export function labelsStay(world: World): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const { token, labelled, how, undone } of world.truth.showings) {
    if (undone === true) continue;
    if (!labelled && seen.has(token)) faults.push(`${token} was shown again (${how}) without its label`);
    seen.add(token);
  }
  return faults;
}
