/** Handing over, proving and handing back (4.10, 4.11, 4.14 to 4.17). A hand-off is never a proof. */
import type { HandOffs } from '../../machines/journal/answer-facts.ts';
import { heed } from '../../machines/shared/heed.ts';
import type { Core } from './core.ts';
import { attach, owedNow } from './debt.ts';
import { sayStep } from './lines.ts';
import { Done, type Effects, HostFailure, type Op, type TurnAttacher } from './operation.ts';
import { type EntryRow, isAmbiguous, isMatched, isProven, numberIn, tokenOf } from './rows.ts';

/** What goes into an agent's queue. Optional members are absent rather than false or zero. */
export interface AnswerPayload {
  readonly kind: 'ask_answer';
  readonly ask_question: string | null;
  readonly ask_answer: string;
  readonly ask_correlation: 'matched' | 'foreign';
  readonly ask_answered_at: number;
  readonly replayed?: true;
  readonly possible_repeat?: true;
  readonly dropped_answers?: number;
}

/** True: the agent took it into its queue. An object names the turn that alone may prove this copy. */
export type Inject = (payload: AnswerPayload, token: string) => boolean | { readonly carrier: string };

const NOTHING: Op<void> = new Done(undefined);

export interface HandOver {
  readonly replay?: boolean | undefined;
  /** The ask whose tool result does the carrying. */
  readonly askId?: string | undefined;
  /** Names the turn for this one hand-over, in the place of the attacher that is set. */
  readonly attach?: TurnAttacher | undefined;
}

/**
 * How soon the commit of a hand-over is needed. What was born while its handler waited is labelled as a possible repeat
 * after any crash, so it may share the next commit. Everything else has its own, before anything is said.
 */
export const handOverHaste = (row: EntryRow | undefined): 'grant' | 'prove' =>
  row === undefined || row.at.value.delivery === 'none' ? 'prove' : 'grant';

export function markReturned(
  core: Core,
  token: string,
  { replay = false, askId, attach: own }: HandOver = {},
): Op<void> {
  const row = core.book.entry(numberIn(token, 'aa'));
  if (row === undefined) return NOTHING;
  const reachable = core.reaches(row, core.occupant(row.at.context.key));
  const carrier = reachable ? attach(core, row.at.context.key, token, askId, own) : null;
  // The attacher may have called back and removed it.
  if (core.book.entry(row.n) !== row) return NOTHING;
  const fx = core.effects();
  core.stepEntry(row, { type: 'RETURN', carrier, replay }, fx);
  core.note?.('returned', { askId: row.askId, token, tab: row.at.context.key, who: carrier ?? undefined });
  return core.finish(fx, undefined);
}

/** The first entry after number `n` that is pending and may reach a live turn. */
function nextPending(core: Core, tab: string, n: number, occupant: string | null): EntryRow | undefined {
  let row = core.book.pendingAfter(tab, n);
  while (row !== undefined && (core.gate.isKept(row) || !core.reaches(row, occupant)))
    row = core.book.pendingAfter(tab, row.n);
  return row;
}

export function pendingRows(core: Core, tab: string): EntryRow[] {
  const occupant = core.peekOccupant(tab);
  core.tellTroubles();
  const rows: EntryRow[] = [];
  for (
    let row = nextPending(core, tab, 0, occupant);
    row !== undefined;
    row = nextPending(core, tab, row.n, occupant)
  ) {
    rows.push(row);
  }
  return rows;
}

function payloadOf(row: EntryRow, dropped: number): AnswerPayload {
  const { attempts, hint, returned } = row.at.context;
  return {
    kind: 'ask_answer',
    ask_question: row.question,
    ask_answer: row.answer,
    ask_correlation: isMatched(row) ? 'matched' : 'foreign',
    ask_answered_at: row.answeredAt,
    ...(attempts > 0 ? { replayed: true } : {}),
    ...(hint || returned ? { possible_repeat: true } : {}),
    ...(dropped > 0 ? { dropped_answers: dropped } : {}),
  };
}

export interface Delivered {
  readonly delivered: number;
  readonly blockedOn: EntryRow | null;
}

export function* deliverPending(core: Core, tab: string, inject: Inject): Op<Delivered> {
  if (core.delivering.has(tab)) return { delivered: 0, blockedOn: null };
  core.delivering.add(tab);
  let offered = 0;
  let delivered = 0;
  try {
    for (;;) {
      const row = nextPending(core, tab, offered, core.occupant(tab));
      core.tellTroubles();
      if (row === undefined) return { delivered, blockedOn: null };
      const taken = yield* offer(core, tab, row, inject);
      if (taken === 'gone') continue;
      offered = row.n;
      if (taken === 'refused') return { delivered, blockedOn: core.book.entry(row.n) ?? row };
      delivered += 1;
    }
  } finally {
    core.delivering.delete(tab);
  }
}

/** Offers one entry. With a store the intention is on disk first, so that an offer lost in a crash repeats with its label. */
function* offer(core: Core, tab: string, row: EntryRow, inject: Inject): Op<'taken' | 'refused' | 'gone'> {
  const token = tokenOf(row.n);
  const intention = core.durable?.intend({ kind: 'offer', token, tab, because: 'flush' }) ?? 0;
  if (intention !== 0) {
    yield;
    if (core.book.entry(row.n) !== row || nextPending(core, tab, row.n - 1, core.occupant(tab)) !== row) {
      core.durable?.done(intention);
      return 'gone';
    }
  }
  const losses = owedNow(core, tab, core.occupant(tab)).map((loss) => loss.id);
  const worded = isMatched(row) ? 'matched' : 'foreign';
  let answer: ReturnType<Inject>;
  try {
    answer = inject(payloadOf(row, losses.length), token);
  } catch (error) {
    throw new HostFailure(error);
  } finally {
    if (intention !== 0) core.durable?.done(intention);
  }
  const fx = core.effects();
  // Whatever happened inside the host is not overwritten: an entry that has left `pending` ignores both events. Asked
  // for anew, because what the host read meanwhile may have taken this row's place in the memory of the store.
  const kept = core.book.entry(row.n);
  if (!answer || isNoWord(core, token, answer)) {
    if (kept !== undefined) core.stepEntry(kept, { type: 'OFFER_REFUSED' }, fx);
    yield;
    return 'refused';
  }
  const carrier = typeof answer === 'object' ? answer.carrier : null;
  if (kept === undefined) takenFromUnder(core, row, carrier, fx);
  else taken(core, kept, { losses, worded, carrier }, fx);
  yield;
  yield* core.perform(fx);
  return 'taken';
}

/** Whether the queue took it cannot be known from a promise: the answer is still owed, and comes again with its label. */
function isNoWord(core: Core, token: string, answer: ReturnType<Inject>): boolean {
  const failed = (error: unknown): void => core.say('warn', `the offer of ${token} failed (${String(error)})`);
  if (!heed(answer, failed)) return false;
  core.say('warn', `${token} counts as refused: inject gave a promise where true or false is the word of the queue`);
  return true;
}

interface Offered {
  readonly losses: readonly number[];
  readonly worded: 'matched' | 'foreign';
  readonly carrier: string | null;
}

/** A bound, or `forget`, took it from under the offer: its loss remembers the copy unless it can be fetched back. */
function takenFromUnder(core: Core, row: EntryRow, carrier: string | null, fx: Effects): void {
  const loss = core.book.lossOf(tokenOf(row.n));
  if (loss !== undefined) core.stepLoss(loss, { type: 'TAKEN', carrier }, fx);
  fx.addRecall({ row, because: 'evict', outbox: 0 });
}

/** The queue took it. What the host did to the entry meanwhile stands, and the copy is judged by it. */
function taken(core: Core, row: EntryRow, { losses, worded, carrier }: Offered, fx: Effects): void {
  const token = tokenOf(row.n);
  const shown = losses.filter((id) => core.book.loss(id)?.at.value === 'pending');
  if (!core.stepEntry(row, { type: 'OFFER_TAKEN', losses: shown, worded, carrier }, fx)) return;
  if (row.at.value.delivery === 'handed_off') {
    for (const id of shown) core.settleLoss(id, { type: 'DISPLAY', by: token }, fx);
  }
  // A label that weakened during the offer makes the copy one that must be fetched back.
  if (worded === 'matched' && isAmbiguous(row)) core.stepEntry(row, { type: 'BLUR', erase: false }, fx);
  core.note?.('pushed', { askId: row.askId, token, tab: row.at.context.key, who: carrier ?? undefined });
}

export interface Receipt {
  readonly carrier?: string | undefined;
  /** False: nobody vouches that it comes from the queue, so it proves no copy for which the queue named no turn. */
  readonly vouched?: boolean | undefined;
}

/** Whether only the word of the host could make this the receipt for a copy that is in a queue. */
const needsVouching = ({ rides, copyCarrier }: HandOffs, isCopyOut: boolean, carrier: string | null): boolean =>
  isCopyOut && copyCarrier === null && (carrier === null || !rides.includes(carrier));

export function ack(core: Core, token: string, { carrier: from, vouched = true }: Receipt = {}): Op<void> {
  const carrier = from ?? null;
  const fx = core.effects();
  const event = { type: 'RECEIPT', carrier } as const;
  const row = core.book.entry(numberIn(token, 'aa'));
  if (row !== undefined) {
    const before = row.at;
    const { channel, copyOut } = before.context;
    if (!vouched && needsVouching(before.context, channel === 'queue' || copyOut, carrier)) {
      sayStep('warnRefused', row, event, fx);
      return core.finish(fx, undefined);
    }
    core.stepEntry(row, event, fx);
    if (row.at !== before) {
      core.note?.('acked', { askId: row.askId, token, tab: row.at.context.key, who: carrier ?? undefined });
    }
    return core.finish(fx, undefined);
  }
  const warning = core.book.warning(numberIn(token, 'aad'));
  const loss = core.book.lossOf(token);
  if (warning !== undefined) core.stepWarning(warning, event, fx);
  else if (loss !== undefined && (vouched || !needsVouching(loss.at.context, loss.at.context.copyOut, carrier)))
    core.stepLoss(loss, event, fx);
  return core.finish(fx, undefined);
}

/**
 * Looked at before a receipt is heard; what it gives says afterwards whether the receipt was accepted. One that nobody
 * vouches for is no proof of what another carrier has proven already, unless it was given to this one as well.
 */
export function acceptance(core: Core, token: string, { carrier, vouched = true }: Receipt): () => boolean {
  const { book } = core;
  const warning = book.warning(numberIn(token, 'aad'));
  if (warning !== undefined) return () => warning.at.context.carrier === carrier;
  const n = numberIn(token, 'aa');
  const before = book.entry(n);
  const isOthers = before !== undefined && isProven(before);
  const isOwn = vouched || before?.at.context.rides.includes(carrier ?? '') === true;
  return () => {
    const row = book.entry(n);
    return row !== undefined && isProven(row) && (isOwn || !isOthers);
  };
}

export interface Release {
  readonly carried?: boolean | undefined;
  readonly carrier?: string | undefined;
}

export function release(core: Core, token: string, { carried = false, carrier }: Release = {}): Op<void> {
  const fx = core.effects();
  const named = carrier ?? null;
  const warning = core.book.warning(numberIn(token, 'aad'));
  const row = core.book.entry(numberIn(token, 'aa'));
  const loss = core.book.lossOf(token);
  // A hand-over that could not be committed yet is not to be on file after its hand-back.
  const given = core.given.get(numberIn(token, 'aa'));
  if (given !== undefined && named !== null && given.carrier === named) given.isTakenBack = true;
  if (warning !== undefined) core.stepWarning(warning, { type: 'HANDBACK' }, fx);
  else if (row !== undefined) {
    const event = { type: 'HANDBACK', carried, carrier: named, bound: core.limits.carriedReleases } as const;
    if (core.stepEntry(row, event, fx)) {
      core.gate.lineage?.handedBack(row.askId);
      const detail = carried ? 'carried' : undefined;
      core.note?.('handed_back', { askId: row.askId, token, tab: row.at.context.key, who: carrier, detail });
    }
  } else if (loss !== undefined) core.stepLoss(loss, { type: 'HANDBACK', carrier: named }, fx);
  // A hand-back never flushes: the host does, after a batch of them.
  fx.flush = [];
  return core.finish(fx, undefined);
}

/** The reader no longer has what was delivered, so it is owed again: as a repeat, or as if it had never been given. */
export function redeliver(core: Core, token: string, { repeat = true }: { readonly repeat?: boolean } = {}): Op<void> {
  const row = core.book.entry(numberIn(token, 'aa'));
  const fx = core.effects();
  if (row !== undefined && core.stepEntry(row, { type: 'REDELIVER', repeat }, fx)) {
    core.note?.('owed_again', { askId: row.askId, token, tab: row.at.context.key });
  }
  return core.finish(fx, undefined);
}

/** Nobody will try again to get it read; a new hand-over takes that back. */
export function park(core: Core, token: string, why: string): Op<void> {
  const row = core.book.entry(numberIn(token, 'aa'));
  if (row !== undefined && core.stepEntry(row, { type: 'PARK', why }, core.effects())) {
    core.note?.('parked', { askId: row.askId, token, tab: row.at.context.key });
  }
  return NOTHING;
}
