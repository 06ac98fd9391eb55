/** Receipts only move forward, but for what is handed back; and only the turn that carried an answer proves it. */
import type { ReceiptState } from '../../../src/api.ts';
import type { World } from '../world.ts';

const MAY_FOLLOW: Readonly<Record<ReceiptState, readonly ReceiptState[]>> = {
  saved: ['handed', 'read_back', 'parked', 'retired'],
  // A copy that is handed back, recalled or lost with its process is owed again.
  handed: ['saved', 'read_back', 'parked', 'retired'],
  parked: ['handed', 'read_back', 'retired'],
  retired: ['read_back'],
  read_back: [],
};

export function receiptsForward(world: World): string[] {
  return [...world.truth.answers.values()].flatMap(({ token, receipts }) =>
    receipts.slice(1).flatMap((next, i) => {
      const before = receipts[i] as ReceiptState;
      return MAY_FOLLOW[before].includes(next) ? [] : [`${token} went from ${before} to ${next}`];
    }),
  );
}

export function receiptsHonest(world: World): string[] {
  const { showings, receipts } = world.truth;
  const proven = new Set<string>();
  return receipts.flatMap(({ token, turn, accepted }) => {
    if (!accepted || proven.has(token)) return [];
    proven.add(token);
    const shown = showings.filter((one) => one.token === token);
    // A queue copy that named no turn may be proven by whichever turn read it.
    const may = shown.some((one) => one.turn === turn || one.how === 'push');
    return may ? [] : [`${token} was proven by ${turn}, which was never shown it`];
  });
}
