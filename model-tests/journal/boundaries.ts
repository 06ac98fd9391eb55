/** Operations that end something: a conversation, a tab, an occupant, a name. */
import { apart, doubled } from './compare.ts';
import { newSlot, type Slot } from './host.ts';
import type { Loss } from './losses.ts';
import type { World } from './world.ts';

export function closeAsks(world: World, slot: Slot): void {
  doubled(world, 'closeAsks', () =>
    apart(world, 'closeAsks', [slot], () => {
      world.observe();
      replaceConversation(world, slot);
      undisplayAll(world, slot);
      const known = world.book.all.length;
      const owed = world.book.open(slot);
      const done = world.guarded('closeAsks', 'logger', () => world.journal.closeAsks(slot.name));
      surfaced(world, slot, owed, known, done !== undefined);
    }),
  );
}

export function forget(world: World, slot: Slot): void {
  doubled(world, 'forget', () =>
    apart(world, 'forget', [slot], () => {
      world.observe();
      replaceConversation(world, slot);
      undisplayAll(world, slot);
      const known = world.book.all.length;
      const owed = world.book.open(slot);
      const done = world.guarded('forget', 'logger', () => world.journal.forget(slot.name), slot);
      surfaced(world, slot, owed, known, done !== undefined);
    }),
  );
}

/** Declares an occupant gone; a host whose first try failed tries again. */
export function retireDebt(world: World, slot: Slot, occupant: string | undefined): void {
  apart(world, 'retireDebt', [slot], () => {
    world.observe();
    const known = world.book.all.length;
    const done = world.guarded('retireDebt', 'logger', () => world.journal.retireDebt(slot.name, occupant));
    if (done === undefined) world.quietly(() => world.journal.retireDebt(slot.name, occupant));
    const open = world.book.open(slot);
    const bucket = open.filter((loss) => loss.occupant === occupant);
    end(world, bucket, left(world, slot) - (open.length - bucket.length), known);
    if (occupant !== undefined && slot.occupant !== occupant) slot.gone.add(occupant);
  });
}

/** A tab gets another name; `onto` is a tab that holds that name already. */
export function rename(world: World, from: Slot, onto: Slot | undefined, recycle: boolean): void {
  if (from === onto) return;
  world.observe();
  const old = from.name;
  const to = onto ?? from;
  const name = onto?.name ?? `tab-${++world.fresh}-new`;
  if (onto === undefined) from.name = name;
  else mergeInto(world, from, onto);
  if (onto === undefined) world.stats.renamed += 1;
  else world.stats.merged += 1;
  doubled(world, 'moveKey', () =>
    apart(world, 'moveKey', [from, to], () => {
      world.guarded('moveKey', undefined, () => world.journal.moveKey(old, name));
    }),
  );
  if (onto !== undefined || !recycle || world.slots.length > 4) return;
  world.slots.push(newSlot(world.slots.length, old, 'z'));
}

function mergeInto(world: World, from: Slot, onto: Slot): void {
  for (const card of world.cards) if (card.slot === from) card.slot = onto;
  for (const [token, slot] of world.where) if (slot === from) world.where.set(token, onto);
  world.book.move(from, onto);
  onto.queue.push(...from.queue);
  onto.older.push(...from.older);
  if (from.turn !== null) onto.older.push(from.turn);
  for (const occupant of from.gone) if (occupant !== onto.occupant) onto.gone.add(occupant);
  onto.occupant ??= from.occupant;
  if (onto.occupant !== undefined) onto.gone.delete(onto.occupant);
  from.gone.clear();
  from.queue = [];
  from.older.length = 0;
  from.turn = null;
  from.occupant = undefined;
}

function replaceConversation(world: World, slot: Slot): void {
  for (const card of world.cards) if (card.slot === slot) card.live = false;
}

function undisplayAll(world: World, slot: Slot): void {
  for (const loss of world.book.open(slot)) if (loss.shownBy !== undefined) world.book.undisplay(loss.shownBy);
}

const left = (world: World, slot: Slot): number => world.quietly(() => world.journal.droppedFor(slot.name));

/**
 * Ends what was surfaced. A loss that was noted from inside the report itself cannot have been counted in it, so it may
 * still be owed; `known` is how many losses there were when the operation began.
 */
function end(world: World, open: readonly Loss[], stay: number, known: number): void {
  const late = open.filter((loss) => world.book.all.indexOf(loss) >= known);
  const kept = world.step.nested && stay > 0 && stay <= late.length ? late.slice(-stay) : [];
  const ended = open.filter((loss) => !kept.includes(loss));
  world.stats.surfaced += world.book.end(ended, 'surfaced');
}

/**
 * What a boundary surfaced. If its report could not be written, what was not reported must still be owed; a boundary
 * reports in two lines, so a part of it may have been.
 */
function surfaced(world: World, slot: Slot, owed: readonly Loss[], known: number, done: boolean): void {
  // A callback may have renamed the tab since: what was owed on it goes with its conversation.
  const here = [...new Set([...owed, ...world.book.open(slot)])];
  const open = here.filter(({ state }) => state === 'owed' || state === 'displayed');
  const stay = left(world, slot);
  if (done) {
    end(world, open, stay, known);
    return;
  }
  if (stay === open.length) return;
  for (const occupant of new Set(open.map((loss) => loss.occupant))) {
    const bucket = open.filter((loss) => loss.occupant === occupant);
    if (open.length - bucket.length !== stay) continue;
    world.stats.surfaced += world.book.end(bucket, 'surfaced');
    return;
  }
}
