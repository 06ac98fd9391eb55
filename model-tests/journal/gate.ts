/** I-17: in a host where from now on everything goes well, the restart gate opens after finitely many turns. */
import { retireDebt } from './boundaries.ts';
import { finish } from './commands.ts';
import type { Slot } from './host.ts';
import { deliver, report } from './operations.ts';
import type { World } from './world.ts';

const ROUNDS = 8;
const OCCUPANTS = ['x', 'y', 'z'] as const;

export function checkI17(world: World): string | null {
  world.begin(undefined);
  return world.quietly(() => {
    const wasShut = world.journal.hasOutstanding();
    if (world.config.resolver) declareAbsentGone(world);
    for (let round = 0; round < ROUNDS && world.journal.hasOutstanding(); round++) {
      for (const slot of world.slots) oneGoodTurn(world, slot);
    }
    if (!world.journal.hasOutstanding()) {
      if (wasShut) world.stats.gateReopened += 1;
      return null;
    }
    // Where no turn carries anything, nobody can be told of a loss; that is the host's choice.
    if (!world.config.attacher && world.journal.outstandingDebt().length > 0) return null;
    const left = world.journal.allOutstanding().map((entry) => `${entry.token} ${entry.state}`);
    return `still shut: ${left.join(', ')}; debt ${JSON.stringify(world.journal.outstandingDebt())}`;
  });
}

function declareAbsentGone(world: World): void {
  for (const slot of world.slots) {
    for (const occupant of OCCUPANTS) if (occupant !== slot.occupant) retireDebt(world, slot, occupant);
  }
}

function oneGoodTurn(world: World, slot: Slot): void {
  for (const turn of slot.older.splice(0)) finish(world, turn, 'proper');
  const running = slot.turn;
  slot.turn = null;
  if (running !== null) finish(world, running, 'proper');
  deliver(world, slot, Number.POSITIVE_INFINITY);
  world.fresh += 1;
  const turn = { id: `turn-${world.fresh}`, copies: slot.queue, rides: [], warnings: [] };
  slot.queue = [];
  slot.turn = turn;
  report(world, slot);
  slot.turn = null;
  finish(world, turn, 'proper');
}
