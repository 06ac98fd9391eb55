/** Invariants that compare two runs of one sequence (I-27, I-29, I-31). Null means that it holds. */
import { rename } from './boundaries.ts';
import { perform } from './commands.ts';
import type { Entry } from './host.ts';
import { snapshots, takeStep } from './run.ts';
import type { Sequence } from './sequence.ts';
import { World } from './world.ts';

const ROOMY = { entriesPerTab: 1_000, entriesTotal: 1_000 };

const make = (sequence: Sequence, limits: Partial<World['limits']>) => (): World => {
  const world = new World(sequence.config, limits);
  world.runNested = (cmd) => perform(world, cmd);
  return world;
};

/** Names and values that follow from the clock alone. */
const withoutTime = (text: string): string =>
  text.replace(/"(?:answeredAt|openedAt|ask_answered_at)":-?\d+/g, '"at":0');

/** A run whose clock jumps about and one whose clock stands still do the same things. */
export function checkI31(sequence: Sequence): string | null {
  const limits = { recoverForMs: Number.MAX_SAFE_INTEGER };
  const moving = snapshots(sequence, make(sequence, limits));
  const still = snapshots(sequence, () => {
    const world = make(sequence, limits)();
    world.frozenClock = true;
    return world;
  });
  return difference(moving, still, withoutTime);
}

/** A run in which a tab is renamed before one step reads like the run without that, under the new name. */
export function checkI29(sequence: Sequence, at: number, tab: number): string | null {
  const same = snapshots(sequence, make(sequence, {}));
  const renamed = snapshots(sequence, make(sequence, {}), (world, step) => {
    const slot = world.slots[tab % 3];
    if (step !== at || slot === undefined) return;
    world.begin(undefined);
    const { fresh } = world;
    world.fresh += 1_000_000;
    rename(world, slot, undefined, false);
    world.fresh = fresh;
  });
  return difference(same, renamed, (text) => text);
}

type Run = ReturnType<typeof snapshots>;

function difference(one: Run, other: Run, read: (text: string) => string): string | null {
  for (const [at, state] of one.states.entries()) {
    const there = other.states[at] ?? '';
    if (read(state) !== read(there)) return `after step ${at}: ${read(state)} against ${read(there)}`;
  }
  const [told, toldThere] = [one, other].map(({ trace }) => read(JSON.stringify(trace)));
  return told === toldThere ? null : `said to the host: ${told} against ${toldThere}`;
}

/** What a caller may do with the answer of one `record` call. */
function reach(world: World, call: number) {
  const entry = world.views.get(world.records[call] ?? '');
  if (entry === undefined) return undefined;
  const live = world.journal.mayDisclose(entry);
  return { entry, live, licensed: live && entry.recoverable, armed: entry.delivery !== 'none' };
}

/** What was shown, pushed or attached without the removal although it would not have been. */
function stronger(poor: World, rich: World, call: number): string | null {
  const had = reach(poor, call);
  const full = reach(rich, call);
  if (had === undefined) return null;
  const say = (what: string): string => `answer ${call} is ${what} because a ticket was removed`;
  if (full === undefined) return had.live ? say('shown') : null;
  if (had.live && !full.live) return say('shown');
  if (had.licensed && !full.licensed) return say('licensed');
  if (had.licensed && had.entry.fingerprint !== full.entry.fingerprint) return say('to another question');
  const settled = (entry: Entry): boolean =>
    entry.acked || entry.returned || poor.handlers.some((card) => card.id === entry.askId);
  if (had.live && had.armed && !full.armed && !settled(full.entry)) return say('pushed');
  return null;
}

/** With a bound of four tickets nothing is shown, pushed, recovered or attached that would not be without a bound. */
export function checkI27(sequence: Sequence): { fault: string | null; evicted: number } {
  const poor = make(sequence, ROOMY)();
  const rich = make(sequence, { ...ROOMY, tickets: 10_000 })();
  for (const cmd of sequence.cmds) {
    for (const world of [poor, rich]) takeStep(world, cmd);
    for (const call of rich.records.keys()) {
      const fault = stronger(poor, rich, call);
      if (fault !== null) return { fault, evicted: poor.stats.ticketsEvicted };
    }
    const id = rich.ids.find(
      (one) => poor.journal.askBelongsToLiveConversation(one) && !rich.journal.askBelongsToLiveConversation(one),
    );
    if (id !== undefined) return { fault: `${id} counts as live because a ticket was removed`, evicted: 1 };
  }
  return { fault: null, evicted: poor.stats.ticketsEvicted };
}

/** Every paired check of one sequence, renaming every tab before every step. For sequences without planted trouble. */
export function checkPairs(sequence: Sequence): string[] {
  const faults = [checkI27(sequence).fault, checkI31(sequence)];
  for (const at of sequence.cmds.keys()) for (const tab of [0, 1, 2]) faults.push(checkI29(sequence, at, tab));
  return faults.filter((fault) => fault !== null);
}
