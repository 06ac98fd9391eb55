/** One start of work in a session: where its state comes from, and how it is put on the session's seat. */
import type { Finding } from '../../machines/seats/finding.ts';
import { heed } from '../../machines/shared/heed.ts';
import type { Id, SeatCache, SeatView, Ticket } from './api.ts';
import type { Leg, LegOptions, Refusal } from './leg-types.ts';
import { SEAT_LIMITS } from './limits.ts';
import { lineage } from './lineage.ts';
import { DEFAULTS, isId, settingsOf } from './settings.ts';
import { isLater, Watch } from './watch.ts';

/**
 * Reads the leaf, takes the seat if it is proven, otherwise replays, and adopts what it got.
 *
 * The state is always a new one: what is inherited is copied, item by item, past the same admission as what is
 * replayed, so a state never has two owners. Rejects only with what `empty` throws, and for options that are not of their
 * type. A leaf that does not come within `lineage.deadlineMs` counts as unread; `replay` and `checkpoint` are waited for.
 * Hold the session's lock around it, if there is one; without it the leaf is read again after the check.
 */
export async function startLeg<S extends object, I>(options: LegOptions<S, I>): Promise<Leg<S>> {
  const { cache, session, kind } = options;
  if (kind === 'resume') return resume(options);
  const proof = await prove(options);
  if ('view' in proof) {
    // Nothing is waited for between the last look at the seat and the copy: nobody can come in between.
    const state = options.empty();
    const isCopied = admit(options, state, () => options.itemsOf(proof.view.state));
    if (isCopied) return opened(cache, session, { state, leaf: proof.leaf, source: 'seat', finding: proof.finding });
  }
  const { leaf } = proof;
  const refusal: Refusal = 'view' in proof ? 'uncopied' : proof.refusal;
  const { finding } = proof;
  const replayed = leaf === undefined ? undefined : await replay(options, leaf);
  return opened(cache, session, {
    state: replayed ?? options.empty(),
    leaf: leaf ?? null,
    source: replayed === undefined ? 'empty' : 'replay',
    refusal,
    ...(finding === undefined ? {} : { finding }),
  });
}

/** The checkpoint is the only source; the seat is not looked at, whether it is older or newer. */
async function resume<S extends object, I>(options: LegOptions<S, I>): Promise<Leg<S>> {
  const leaf = await readLeaf(options);
  let state: S | undefined;
  try {
    state = await options.checkpoint?.();
  } catch {
    // A checkpoint that cannot be read leaves the strictest of states.
  }
  const kept = state ?? undefined;
  const source = kept === undefined ? 'empty' : 'checkpoint';
  return opened(options.cache, options.session, { state: kept ?? options.empty(), leaf: leaf ?? null, source });
}

type Proof<S> =
  | { readonly leaf: Id | null; readonly view: SeatView<S>; readonly finding: Finding }
  | { readonly leaf: Id | null | undefined; readonly refusal: Refusal; readonly finding?: Finding };

/** Whether the seat may be used, for a leaf that is still the leaf when this returns. */
async function prove<S extends object, I>(options: LegOptions<S, I>): Promise<Proof<S>> {
  const { cache, session, read } = options;
  let leaf = await readLeaf(options);
  if (leaf === undefined) return { leaf, refusal: 'leaf-unread' };
  for (let check = 0; ; check += 1) {
    const view = cache.get(session);
    if (view === undefined) return { leaf, refusal: 'no-seat' };
    if (!view.sealed) return { leaf, refusal: 'unsealed' };
    const finding: Finding = await lineage(read, view.anchor, leaf, options.lineage);
    if (finding.reason !== 'holds') return { leaf, refusal: 'not-proven', finding };
    const now = await readLeaf(options);
    if (now === undefined) return { leaf: undefined, refusal: 'leaf-unread', finding };
    const still = cache.peek(session);
    if (still?.ticket !== view.ticket || still.anchor !== view.anchor) {
      return { leaf: now, refusal: 'superseded-during-check', finding };
    }
    if (now === leaf) return { leaf, view: still, finding };
    if (check >= SEAT_LIMITS.rechecks) return { leaf: now, refusal: 'leaf-moved-during-check', finding };
    leaf = now;
  }
}

/** Undefined: it could not be read, not within the deadline of the check, or is none. */
async function readLeaf<S extends object, I>({ leaf, lineage }: LegOptions<S, I>): Promise<Id | null | undefined> {
  let watch: Watch | undefined;
  try {
    const { runtime, deadlineMs } = settingsOf(lineage) ?? DEFAULTS;
    watch = new Watch(runtime, deadlineMs);
    const given: unknown = leaf();
    const heard = isLater(given) ? await watch.hear(given) : undefined;
    const read = heard === undefined ? given : heard.kind === 'answer' ? heard.value : undefined;
    return read === null || isId(read) ? read : undefined;
  } catch {
    return undefined;
  } finally {
    watch?.stop();
  }
}

async function replay<S extends object, I>(options: LegOptions<S, I>, leaf: Id | null): Promise<S | undefined> {
  let items: Iterable<I>;
  try {
    items = await options.replay(leaf);
  } catch {
    return undefined;
  }
  const state = options.empty();
  return admit(options, state, () => items) ? state : undefined;
}

/** A promise is no word that is there in time; what is rejected must not end the process. */
const unheard = (): void => undefined;

/** Copies what is admitted; false: the items could not be read or put in, and the state is not to be used. */
function admit<S extends object, I>(options: LegOptions<S, I>, state: S, itemsOf: () => Iterable<I>): boolean {
  try {
    const items = itemsOf();
    heed(items, unheard);
    for (const item of items) {
      if (isAdmitted(options, item)) heed(options.put(state, item), unheard);
    }
    return true;
  } catch {
    return false;
  }
}

function isAdmitted<S extends object, I>({ admits }: LegOptions<S, I>, item: I): boolean {
  try {
    if (admits === undefined) return true;
    const word: unknown = admits(item);
    heed(word, unheard);
    return word === true;
  } catch {
    return false;
  }
}

function opened<S extends object>(
  cache: SeatCache<S>,
  session: string,
  leg: Omit<Leg<S>, 'ticket' | 'settle'>,
): Leg<S> {
  const ticket: Ticket | undefined = cache.adopt(session, leg.state, leg.leaf);
  return Object.freeze({
    ...leg,
    ...(ticket === undefined ? {} : { ticket }),
    settle: (tail: Id) => (ticket === undefined ? ('gone' as const) : cache.seal(ticket, tail)),
  });
}
