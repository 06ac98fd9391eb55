/** Everything a caller can see, as text, and the comparisons made with it inside a run. */
import type { Slot } from './host.ts';
import type { World } from './world.ts';

/** Entries, tickets and debt of some tabs. Epoch numbers are left out: what they mean is in `live`. */
export function ledger(world: World, slots: readonly Slot[] = world.slots): string {
  return world.quietly(() => JSON.stringify(ledgerOf(world, slots)));
}

function ledgerOf(world: World, slots: readonly Slot[]): unknown {
  const { journal } = world;
  const numbers = new Set(slots.map((slot) => slot.number));
  const number = (name: string): number | string => world.slot(name)?.number ?? name;
  const tickets = world.ids.flatMap((id) => {
    const ticket = journal.ticketFor(id);
    if (ticket === undefined) return [];
    const tabs = ticket.openings.map((opening) => number(opening.tab));
    if (!tabs.every((tab) => typeof tab === 'number' && numbers.has(tab))) return [];
    const { fingerprint, question, awaiting, reused, historyLost } = ticket;
    const openings = ticket.openings.map((one) => [number(one.tab), one.occupant, one.fingerprint, one.question]);
    return [[id, number(ticket.tabId), fingerprint, question, awaiting, reused, historyLost, openings]];
  });
  return {
    tabs: slots.map((slot) => [
      slot.number,
      journal.entriesFor(slot.name).map((entry) => ({ ...entry, key: slot.number })),
      journal.droppedFor(slot.name),
    ]),
    tickets,
    live: tickets.map(([id]) => journal.askBelongsToLiveConversation(String(id))),
  };
}

/** Everything there is to ask, as text. */
export function everything(world: World): string {
  const { journal } = world;
  return world.quietly(() =>
    JSON.stringify([
      ledgerOf(world, world.slots),
      world.slots.map((slot) => journal.pending(slot.name).map((entry) => entry.token)),
      world.slots.map((slot) => journal.orphansFor(slot.name).map((entry) => entry.token)),
      world.ids.map((id) => journal.askBelongsToLiveConversation(id)),
      journal.outstandingDebt().map((debt) => [world.slot(debt.key)?.number ?? debt.key, debt.count]),
      journal.hasOutstanding(),
      journal.allOutstanding().map((entry) => entry.token),
    ]),
  );
}

const plain = (world: World): boolean =>
  world.quiet === 0 && world.config.fail.length === 0 && world.step.cmd?.nest === undefined;

/** Runs an operation, twice if the step says so, and notes what the second time changed (I-26). */
export function doubled(world: World, name: string, once: () => void): void {
  once();
  if (world.step.cmd?.twice !== true || !plain(world)) return;
  const before = ledger(world);
  once();
  const after = ledger(world);
  world.stats.doubled += 1;
  if (before !== after) world.step.doubled.push(`${name}: ${before} then ${after}`);
}

/** Runs an operation and notes what it changed on other tabs (I-28). */
export function apart(world: World, name: string, own: readonly Slot[], once: () => void): void {
  if (!plain(world)) {
    once();
    return;
  }
  const others = world.slots.filter((slot) => !own.includes(slot));
  const before = ledger(world, others);
  once();
  const after = ledger(world, others);
  if (before !== after) world.step.spilled.push(`${name}: ${before} then ${after}`);
}
