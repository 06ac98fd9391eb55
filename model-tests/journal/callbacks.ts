/** The four host callbacks, played by the simulated host. */
import type { Slot } from './host.ts';
import { deliver } from './operations.ts';
import type { World } from './world.ts';

export function wire(world: World): void {
  const { journal, config } = world;
  journal.setFlusher((name) => flush(world, name));
  if (config.revoker !== 'absent') journal.setRevoker((name, token) => revoke(world, name, token));
  if (config.attacher) {
    journal.setTurnAttacher((name: string, token: string, askId?: string) => attach(world, name, token, askId));
  }
  if (config.resolver) journal.setIncarnationResolver((name) => resolve(world, name));
}

function flush(world: World, name: string): void {
  world.observe();
  const slot = world.slot(name);
  world.trace.push(['flush', slot?.number]);
  world.nest('flusher');
  world.tick('flusher');
  if (world.config.flush === 'deliver' && slot !== undefined) deliver(world, slot, Number.POSITIVE_INFINITY);
}

function resolve(world: World, name: string): string | undefined {
  world.tick('resolver');
  const slot = world.slot(name);
  if (slot?.occupant !== undefined) slot.gone.delete(slot.occupant);
  return slot?.occupant;
}

/** An unread copy is taken out of the queue; one that a turn has taken is out of reach. */
function revoke(world: World, name: string, token: string): boolean {
  world.observe();
  world.trace.push(['revoke', world.slot(name)?.number, token]);
  world.nest('revoker');
  const holder = world.slots.find((slot) => slot.queue.some((copy) => copy.token === token));
  const copies = holder?.queue.filter((copy) => copy.token === token) ?? [];
  const fail = (): false => {
    for (const copy of copies) copy.fetchable = false;
    world.stats.recallFailed += 1;
    return false;
  };
  try {
    world.tick('revoker');
  } catch (error) {
    fail();
    throw error;
  }
  if (world.config.revoker === 'deaf' || holder === undefined) return fail();
  holder.queue = holder.queue.filter((copy) => copy.token !== token);
  world.out.delete(token);
  world.book.undisplay(token);
  world.stats.recalled += 1;
  return true;
}

function attach(world: World, name: string, token: string, askId: string | undefined): string | null {
  world.observe();
  const slot = world.slot(name);
  world.trace.push(['attach', slot?.number, token, askId]);
  const entry = world.views.get(token);
  if (entry !== undefined) {
    const disclosable = world.step.threw.has('resolver') || world.quietly(() => world.journal.mayDisclose(entry));
    world.step.attached.push({ token, entry, disclosable });
  }
  return entry === undefined ? attachWarning(world, slot, token) : attachRide(world, slot, token);
}

function attachRide(world: World, slot: Slot | undefined, token: string): string | null {
  world.nest('attacher');
  world.tick('attacher');
  const turn = slot?.turn;
  if (turn === null || turn === undefined) return null;
  if (!turn.rides.includes(token)) turn.rides.push(token);
  const carriers = world.attached.get(token) ?? new Set();
  world.attached.set(token, carriers.add(turn.id));
  world.handed.add(token);
  world.stats.attached += 1;
  return turn.id;
}

function attachWarning(world: World, slot: Slot | undefined, token: string): string | null {
  world.tokens.push(token);
  const named = slot === undefined ? [] : world.book.reportable(slot, slot.occupant);
  const unknown = slot === undefined ? [] : world.book.reportable(slot, undefined);
  world.nest('attacher');
  world.tick('attacher');
  const turn = slot?.turn;
  if (turn === null || turn === undefined) return null;
  turn.warnings.push(token);
  world.stats.warnings += 1;
  world.book.warnings.set(token, { carrier: turn.id, named, ifUnknown: unknown });
  return turn.id;
}
