/** Every journal operation as the host calls it, with the truth kept in step. */
import { apart, doubled } from './compare.ts';
import { type Card, type Copy, type Entry, hasCopy, type Slot } from './host.ts';
import type { World } from './world.ts';

export function openAsk(world: World, id: string, slot: Slot, question: string, fingerprint: string): void {
  world.observe();
  const known = world.openings.get(id) ?? 0;
  world.openings.set(id, known + 1);
  if (known === 0) world.ids.push(id);
  world.stats.asks += 1;
  if (known > 0) world.stats.reopened += 1;
  const excuse = world.step.threw.has('resolver');
  world.guarded('openAsk', 'flusher', () => world.journal.openAsk(id, { tabId: slot.name, fingerprint, question }));
  const occupant = world.config.resolver ? slot.occupant : undefined;
  const occupantSure = excuse || !world.step.threw.has('resolver');
  const card: Card = { id, slot, live: true, question, fingerprint, occupant, occupantSure };
  world.cards.push(card);
  world.handlers.push(card);
  world.stats.ticketsEvicted += world.step.lines.filter((line) => line.level === 'error').length;
}

export function record(world: World, card: Card | undefined, id: string, text: string, slot: Slot): Entry | undefined {
  world.observe();
  world.stats.answers += 1;
  const texts = world.texts.get(id) ?? new Set();
  world.texts.set(id, texts.add(text));
  const made = { id, text, card, floor: world.highest, token: undefined as string | undefined };
  world.recording.push(made);
  const got = world.guarded('record', 'flusher', () => world.journal.record(id, text, { tabId: slot.name }));
  world.recording.pop();
  const entry = got?.value;
  if (entry !== undefined && !world.given.has(entry.token)) {
    world.meet(entry, made);
    world.removed(entry);
  } else if (entry !== undefined && made.token === undefined) {
    world.stats.collapsed += 1;
  }
  const token = entry?.token ?? made.token;
  if (token === undefined) world.step.missing.push(text);
  else world.records.push(token);
  return entry;
}

/** The handler has finished. A card whose handler is gone already is no handler. */
export function closeAsk(world: World, id: string): void {
  const at = world.handlers.findIndex((card) => card.id === id);
  if (at >= 0) world.handlers.splice(at, 1);
  const once = () => void world.guarded('closeAsk', 'flusher', () => world.journal.closeAsk(id));
  if (world.handlers.some((card) => card.id === id)) once();
  else doubled(world, 'closeAsk', once);
}

export function markReturned(world: World, token: string, replay: boolean, askId?: string): void {
  world.observe();
  const { journal } = world;
  const ask = askId === undefined ? {} : { askId };
  world.guarded('markReturned', undefined, () =>
    replay ? journal.markSurfaced(token, ask) : journal.markReturned(token, ask),
  );
}

/** One delivery call. The agent takes the first `room` payloads and refuses the next. */
export function deliver(world: World, slot: Slot, room: number): void {
  world.observe();
  const offered: string[] = [];
  let refused = false;
  const inject = (payload: Copy['payload'], token: string): boolean | { carrier: string } => {
    world.observe();
    const entry = world.views.get(token);
    world.trace.push(['inject', slot.number, token, payload]);
    if (entry !== undefined) world.outlet('payload', entry, slot);
    const losses = world.tellable(slot);
    const named = world.book.reportable(slot, payload.dropped_answers === losses[0] ? slot.occupant : undefined);
    world.step.offers.push({ token, payload, entry, before: [...offered], afterRefusal: refused, losses });
    offered.push(token);
    world.nest('inject');
    world.tick('inject');
    if (offered.length > room) {
      refused = true;
      world.stats.refused += 1;
      return false;
    }
    return take(world, slot, token, payload, named);
  };
  apart(world, 'deliverPending', [slot], () => {
    world.guarded('deliverPending', ['inject', 'flusher'], () => world.journal.deliverPending(slot.name, inject));
  });
}

function take(
  world: World,
  slot: Slot,
  token: string,
  payload: Copy['payload'],
  losses: ReturnType<World['book']['reportable']>,
): boolean | { carrier: string } {
  const turn = world.config.named === false ? null : slot.turn;
  const suffix = world.config.named === 'turn' ? '' : '/queue';
  const carrier = turn === null ? undefined : `${turn.id}${suffix}`;
  const copy: Copy = { token, payload, carrier, fetchable: turn === null, ended: new Set() };
  if (turn === null) slot.queue.push(copy);
  else turn.copies.push(copy);
  world.stats.pushed += 1;
  world.observe();
  const state = world.views.get(token)?.state;
  const isOwed = state === 'pending' || state === 'handed_off';
  // A bound or a boundary may have taken it while it was offered: the copy is out all the same, and its receipt counts.
  if (isOwed || state === 'retired' || world.book.all.some(({ dead }) => dead === token)) {
    world.handed.add(token);
    world.out.set(token, copy);
  }
  if (isOwed && payload.dropped_answers !== undefined) {
    world.book.display(losses, token);
    world.stats.displayed += losses.length;
  }
  return carrier === undefined ? true : { carrier };
}

export function ack(world: World, token: string, carrier: string | undefined): void {
  doubled(world, 'ack', () => {
    world.observe();
    const entry = world.views.get(token);
    const after = receipt(world, token, carrier, entry);
    const from = carrier === undefined ? undefined : { carrier };
    world.guarded('ack', undefined, () => world.journal.ack(token, from));
    world.evidence.delete(token);
    after();
  });
}

/** What a receipt settles, by the truth of the moment before it. */
function receipt(world: World, token: string, carrier: string | undefined, entry: Entry | undefined): () => void {
  const { book } = world;
  const warning = book.warnings.get(token);
  if (warning !== undefined) {
    if (warning.carrier !== carrier) return () => {};
    book.warnings.delete(token);
    return () => world.count('told', book.end(warning.named, 'told'));
  }
  if (entry === undefined) {
    const lost = book.all.filter((loss) => loss.dead === token);
    const own = lost.filter((loss) => carrier !== undefined && loss.rides.has(carrier));
    const named = world.isCopyReceipt(token, carrier) ? lost : own;
    return () => world.count('cancelled', book.end(named, 'cancelled'));
  }
  const carriers = world.attached.get(token);
  const byRide = carrier !== undefined && entry.rides.includes(carrier);
  if (carrier !== undefined && carriers?.has(carrier)) world.evidence.add(token);
  if (world.isCopyReceipt(token, carrier)) world.evidence.add(token);
  if (entry.acked) return () => {};
  return () => {
    if (byRide) book.undisplay(token);
    else if (hasCopy(entry) && world.isCopyReceipt(token, carrier)) {
      world.stats.told += book.end(book.shownBy(token), 'told');
    } else return;
    world.out.delete(token);
  };
}

/**
 * Whether a hand-back is that of the copy that is out: it names nobody, or the turn that the queue named. Where the queue
 * named none, it is that of any turn which neither carries the answer in a result nor handed that back beside the copy.
 */
function isCopyBack(copy: Copy | undefined, carrier: string | undefined, rides: ReadonlySet<string>): boolean {
  if (copy === undefined) return false;
  if (carrier === undefined || copy.carrier === carrier) return true;
  return copy.carrier === undefined && !rides.has(carrier) && !copy.ended.has(carrier);
}

export function release(world: World, token: string, carried: boolean, carrier?: string): void {
  doubled(world, 'release', () => {
    world.observe();
    const { book } = world;
    book.warnings.delete(token);
    const entry = world.views.get(token);
    const copy = world.out.get(token);
    const rides = new Set(entry?.rides);
    const copyBack = entry !== undefined && hasCopy(entry) && isCopyBack(copy, carrier, rides);
    if (entry === undefined) releaseLost(world, token, carrier);
    else if (!copyBack && carrier !== undefined && rides.has(carrier)) copy?.ended.add(carrier);
    const settles = copyBack && carried && !entry.retired && entry.carriedReleases + 1 >= world.limits.carriedReleases;
    if (settles) {
      world.evidence.add(token);
      world.stats.carriedSettled += 1;
      // Before the line about it is written: a bound may take it there, and others be offered.
      world.stats.told += book.end(book.shownBy(token), 'told');
    }
    const options = { ...(carried ? { carried } : {}), ...(carrier === undefined ? {} : { carrier }) };
    world.guarded('release', undefined, () => world.journal.release(token, options));
    world.evidence.delete(token);
    if (!copyBack) return;
    world.out.delete(token);
    if (!settles) book.undisplay(token);
  });
}

/** The hand-off of an answer that was lost meanwhile: a receipt for it is nobody's business from now on. */
function releaseLost(world: World, token: string, carrier: string | undefined): void {
  const loss = world.book.all.find((one) => one.dead === token);
  if (loss === undefined) return;
  const copy = world.out.get(token);
  const copyBack = isCopyBack(copy, carrier, loss.rides);
  if (copyBack) world.out.delete(token);
  else if (carrier !== undefined && loss.rides.has(carrier)) copy?.ended.add(carrier);
  if (carrier !== undefined) loss.rides.delete(carrier);
  else if (loss.rides.size === 1) loss.rides.clear();
}

export function report(world: World, slot: Slot, askId?: string): void {
  world.observe();
  apart(world, 'reportDropped', [slot], () => {
    const known = world.book.reportable(slot, slot.occupant).length;
    const unknown = world.book.reportable(slot, undefined).length;
    const from = world.tokens.length;
    const ask = askId === undefined ? {} : { askId };
    const got = world.guarded('reportDropped', undefined, () => world.journal.reportDropped(slot.name, ask));
    if (got === undefined) return;
    world.trace.push(['reported', slot.number, got.value]);
    const may = world.step.threw.has('resolver') ? [known, unknown] : [known];
    world.step.reports.push({ got: got.value, may });
    // The first that was minted is its own; others are of what the attacher called.
    const own = world.tokens[from] ?? '';
    const warning = world.book.warnings.get(own);
    if (warning === undefined || got.value === warning.named.length) return;
    world.book.warnings.set(own, { ...warning, named: warning.ifUnknown });
  });
}
