/** Carries one command out: picks what its numbers mean now, and does what a host would do. */
import { askFingerprint } from '../../src/journal.ts';
import { closeAsks, forget, rename, retireDebt } from './boundaries.ts';
import { type Card, type Entry, hasCopy, pick, type Slot, type Turn } from './host.ts';
import { ack, closeAsk, deliver, markReturned, openAsk, record, release, report } from './operations.ts';
import type { Cmd, Op } from './sequence.ts';
import type { World } from './world.ts';

const OCCUPANTS = ['x', 'y', 'z'] as const;
const CLOCK_STEPS = [1, 1_000, 299_999, 600_000, 600_001, -1, -5_000, -900_000] as const;
const questionOf = (n: number): string => `Question ${n % 3}?`;
const fingerprintOf = (question: string): string => askFingerprint({ question });

function slotOf(world: World, n: number): Slot {
  const slot = pick(world.slots, n);
  if (slot === undefined) throw new Error('a world without tabs');
  return slot;
}

function freshText(world: World): string {
  world.fresh += 1;
  return `<answer ${world.fresh}>`;
}

function ask(world: World, { a, b }: Cmd): void {
  world.fresh += 1;
  const question = questionOf(b);
  openAsk(world, `pa-${world.fresh}-id`, slotOf(world, a), question, fingerprintOf(question));
}

function reopen(world: World, { a, b, c }: Cmd): void {
  const id = pick(world.ids, a);
  const question = questionOf(c);
  if (id !== undefined) openAsk(world, id, slotOf(world, b), question, fingerprintOf(question));
}

/** The newest cards are the likelier ones to be answered. */
function cardOf(world: World, n: number): Card | undefined {
  const newest = world.cards.slice(-6);
  return pick(n > 8 ? world.cards : newest, n);
}

/** A transport that proves a wrong tab can do no harm while the id names one card only. */
function answer(world: World, { a, b }: Cmd): void {
  const card = cardOf(world, a);
  if (card === undefined) return;
  const astray = b === 0 && world.openings.get(card.id) === 1;
  record(world, card, card.id, freshText(world), astray ? slotOf(world, card.slot.number + 1) : card.slot);
}

function answerSame(world: World, { a }: Cmd): void {
  const card = cardOf(world, a);
  if (card === undefined) return;
  const texts = [...(world.texts.get(card.id) ?? [])];
  const text = texts.at(-1) ?? freshText(world);
  const first = record(world, card, card.id, text, card.slot);
  const again = world.views.get(first?.token ?? '');
  const second = record(world, card, card.id, text, card.slot);
  const once = world.openings.get(card.id) === 1 && world.texts.get(card.id)?.size === 1;
  if (!once || first === undefined || second === undefined || again === undefined) return;
  world.step.pairs.push({ first: first.token, second: second.token });
}

/** H-03: the reply reaches the handler that waits for it. */
function answerHandled(world: World, { a, b }: Cmd): void {
  const card = pick(world.handlers, a);
  if (card === undefined) return;
  const entry = record(world, card, card.id, freshText(world), card.slot);
  if (entry !== undefined && !entry.retired) markReturned(world, entry.token, false, card.id);
  if (b % 4 !== 0) closeAsk(world, card.id);
}

function answerUnknown(world: World, { a }: Cmd): void {
  world.fresh += 1;
  record(world, undefined, `pa-${world.fresh}-nobody`, freshText(world), slotOf(world, a));
}

function close(world: World, { a }: Cmd): void {
  const card = pick(world.handlers, a);
  if (card !== undefined) closeAsk(world, card.id);
}

/** H-05 to H-07: the handler gives up waiting. */
function timeout(world: World, { a, b }: Cmd): void {
  const card = pick(world.handlers, a);
  if (card === undefined) return;
  const found = recover(world, card.slot, card.fingerprint, card);
  if (found !== undefined) markReturned(world, found.token, true, card.id);
  if (world.quietly(() => world.journal.askBelongsToLiveConversation(card.id))) report(world, card.slot, card.id);
  if (b % 4 !== 0) closeAsk(world, card.id);
}

function recover(world: World, slot: Slot, fingerprint: string, asker?: Card): Entry | undefined {
  world.observe();
  const onFile = world.journal.entriesFor(slot.name);
  const got = world.guarded('recover', undefined, () => world.journal.recover(slot.name, fingerprint, asker?.id));
  if (got === undefined) return undefined;
  const result = got.value;
  const entry = result.status === 'recovered' ? result.entry : undefined;
  if (entry !== undefined) world.outlet('recovered', entry, slot);
  const others = result.status === 'unattributed' ? result.others : [];
  for (const other of others) world.outlet('others', other, slot);
  if (entry !== undefined) world.stats.recovered += 1;
  if (others.length > 0) world.stats.unattributed += 1;
  const askerLive = asker === undefined || asker.live;
  if (!askerLive) world.stats.withheldFromAsker += 1;
  const given = entry === undefined ? undefined : world.given.get(entry.token);
  const undisclosable = others.filter((one) => !world.quietly(() => world.journal.mayDisclose(one))).length;
  world.step.recoveries.push({
    tab: slot.name,
    fingerprint,
    result,
    onFile: onFile.length,
    undisclosable: world.step.threw.has('resolver') ? 0 : undisclosable,
    age: given === undefined ? 0 : world.highWater - given.at,
    askerLive,
  });
  world.trace.push(['recover', slot.number, result.status, entry?.token, others.map((one) => one.token)]);
  return entry;
}

/** A turn takes everything that is unread in the queue; none begins while one runs. */
function begin(world: World, slot: Slot): void {
  if (slot.turn !== null) return;
  world.fresh += 1;
  const turn: Turn = { id: `turn-${world.fresh}`, copies: slot.queue, rides: [], warnings: [] };
  world.carriers.push(turn.id);
  slot.turn = turn;
  slot.queue = [];
}

type Ending = 'proper' | 'carried' | 'uncarried';

/** What the host says about everything a turn carried, when it ends. */
export function finish(world: World, turn: Turn, how: Ending): void {
  const carried = how === 'carried';
  for (const { token, carrier } of turn.copies) {
    if (how === 'proper') ack(world, token, carrier ?? turn.id);
    else release(world, token, carried, carrier);
  }
  for (const token of turn.rides) {
    if (how === 'proper') ack(world, token, turn.id);
    else release(world, token, carried, turn.id);
  }
  for (const token of turn.warnings) {
    if (how === 'proper') ack(world, token, turn.id);
    else release(world, token, carried, turn.id);
  }
}

function endTurn(world: World, { a, b, c }: Cmd): void {
  const running = world.slots.filter((slot) => slot.turn !== null || slot.older.length > 0);
  const slot = pick(running, a);
  if (slot === undefined) return;
  const turn = slot.older.shift() ?? slot.turn;
  if (turn === slot.turn) slot.turn = null;
  const how = (['proper', 'carried', 'proper', 'uncarried'] as const)[b % 4] ?? 'proper';
  if (turn !== null) finish(world, turn, how);
  if (how !== 'proper' && c % 2 === 0) deliver(world, slot, Number.POSITIVE_INFINITY);
}

function killAgent(world: World, { a }: Cmd): void {
  const slot = slotOf(world, a);
  const { queue } = slot;
  slot.queue = [];
  for (const { token, carrier } of queue) release(world, token, false, carrier);
  endCarried(world, slot);
}

/** Turn after turn takes the queue and ends as carried, until the bound on that settles what they held. */
function wearOut(world: World, { a }: Cmd): void {
  const slot = slotOf(world, a);
  for (let round = 0; round < world.limits.carriedReleases; round++) {
    endCarried(world, slot);
    deliver(world, slot, Number.POSITIVE_INFINITY);
    begin(world, slot);
    endCarried(world, slot);
  }
}

/** The turn of a tab, if one runs, ends as carried. */
function endCarried(world: World, slot: Slot): void {
  const { turn } = slot;
  slot.turn = null;
  if (turn !== null) finish(world, turn, 'carried');
}

function ackStray(world: World, { a, b }: Cmd): void {
  const warnings = [...world.book.warnings.keys()];
  const token = a === 11 ? (pick(warnings, b) ?? 'aa0') : pick(world.records.slice(-8), a);
  if (token !== undefined) ack(world, token, b % 4 === 0 ? undefined : pick(world.carriers, b));
}

/** A hand-back that no turn made. Of a queue copy it is untrue, and may cause a second one. */
function releaseStray(world: World, { a, b }: Cmd): void {
  const token = pick(world.records.slice(-8), a);
  if (token === undefined) return;
  const entry = world.views.get(token);
  const carrier = b % 3 === 0 ? undefined : pick(world.carriers, b);
  if (entry !== undefined && hasCopy(entry)) world.misused.add(token);
  release(world, token, b % 2 === 0, carrier);
}

function takeover(world: World, { a, b }: Cmd): void {
  const slot = slotOf(world, a);
  slot.occupant = pick(OCCUPANTS, b);
  closeAsks(world, slot);
  welcome(world, slot);
}

function occupant(world: World, { a, b }: Cmd): void {
  const slot = slotOf(world, a);
  slot.occupant = b > 8 ? undefined : pick(OCCUPANTS, b);
  welcome(world, slot);
}

/** H-11: a tab whose occupant comes back is flushed; from then on the journal has seen him. */
function welcome(world: World, slot: Slot): void {
  if (slot.occupant !== undefined && slot.gone.has(slot.occupant)) deliver(world, slot, Number.POSITIVE_INFINITY);
}

function disconnect(world: World, { a }: Cmd): void {
  const slot = slotOf(world, a);
  const left = world.config.resolver ? slot.occupant : undefined;
  slot.occupant = undefined;
  retireDebt(world, slot, left);
}

function retireOther(world: World, { a, b }: Cmd): void {
  const slot = slotOf(world, a);
  const others = OCCUPANTS.filter((one) => one !== slot.occupant);
  retireDebt(world, slot, b > 9 ? undefined : pick(others, b));
}

function clock(world: World, { a }: Cmd): void {
  if (!world.frozenClock) world.now += pick(CLOCK_STEPS, a) ?? 0;
}

function renameTab(world: World, { a, b, c }: Cmd): void {
  const from = slotOf(world, a);
  rename(world, from, b < 4 ? slotOf(world, a + 1 + b) : undefined, c % 2 === 0);
}

function mark(world: World, { a, b }: Cmd): void {
  const token = pick(world.records.slice(-8), a);
  if (token !== undefined) markReturned(world, token, b % 3 === 0, b % 2 === 0 ? pick(world.ids, b) : undefined);
}

const TABLE: Readonly<Record<Op, (world: World, cmd: Cmd) => void>> = {
  ask,
  reopen,
  answer,
  answerSame,
  answerHandled,
  answerUnknown,
  close,
  timeout,
  recover: (world, { a, b }) => void recover(world, slotOf(world, a), fingerprintOf(questionOf(b))),
  markReturned: mark,
  deliver: (world, { a, b }) => deliver(world, slotOf(world, a), b % 4 === 0 ? b / 4 : Number.POSITIVE_INFINITY),
  startTurn: (world, { a }) => begin(world, slotOf(world, a)),
  endTurn,
  killAgent,
  wearOut,
  ackStray,
  releaseStray,
  report: (world, { a }) => report(world, slotOf(world, a)),
  boundary: (world, { a }) => closeAsks(world, slotOf(world, a)),
  takeover,
  occupant,
  disconnect,
  retireOther,
  rename: renameTab,
  forget: (world, { a }) => forget(world, slotOf(world, a)),
  clock,
};

export function perform(world: World, cmd: Cmd): void {
  TABLE[cmd.op](world, cmd);
}
