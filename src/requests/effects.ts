/** What follows a commit, in the order that the chart gave, each thing on its own. */
import type { Settlement } from './api.ts';
import type { RequestOrder } from './charts.ts';
import type { Decided, Entry } from './entry.ts';
import { cancelFrame, type SettledBy, settledFrame } from './frames.ts';
import type { Log } from './log.ts';
import type { Peers } from './peers.ts';

/** Where what is said goes. */
export interface Voice {
  readonly log: Log;
  readonly peers: Peers;
}

/** The effects of one call, request by request in the order given; nothing that fails stops another. */
export function performAll(voice: Voice, decided: readonly Decided[]): void {
  for (const one of decided) {
    if (one.settlement === undefined) continue;
    letGo(voice, one.entry);
    for (const order of one.orders) perform(voice, one, one.settlement, order);
    emptied(one.entry.waiters);
    emptied(one.entry.owners);
  }
}

/** To clear a set makes it a new table, also where it held nothing. */
function emptied(set: Set<unknown>): void {
  if (set.size > 0) set.clear();
}

function perform(voice: Voice, decided: Decided, settlement: Settlement, order: RequestOrder): void {
  switch (order) {
    case 'callOwner':
      return callOwners(voice, decided.entry, settlement);
    case 'wake':
      for (const waiter of decided.entry.waiters) waiter.resolve(settlement);
      return;
    case 'rejectWaiter':
      return rejectWaiters(decided.entry, settlement);
    case 'sendCancel':
      return sendCancel(voice, decided.entry, settlement);
    case 'sendSettled':
      return sendSettled(voice, decided, settlement);
    default:
      // Orders that only carry a verdict; the operation has read them.
      return;
  }
}

/** Timers and signals, on every path. */
export function letGo(voice: Voice, entry: Entry): void {
  for (const cancel of entry.timers) voice.log.guard('ending a timer', cancel);
  emptied(entry.timers);
  for (const waiter of entry.waiters) waiter.release();
}

export function callOwners(voice: Voice, entry: Entry, settlement: Settlement): void {
  const result = settlement.kind === 'answered' ? settlement.result : null;
  for (const onResult of entry.owners) {
    const secret = entry.contract.secret ? 'secret' : undefined;
    voice.log.guard(`the owner of ${entry.id} (${entry.method})`, () => onResult(result, settlement), secret);
  }
}

/** Whoever has given up is told so; the others that wait for the same request learn how it ended. */
function rejectWaiters(entry: Entry, settlement: Settlement): void {
  for (const { signal, reject, resolve } of entry.waiters) {
    if (signal?.aborted === true) reject(signal.reason);
    else resolve(settlement);
  }
}

function sendCancel({ peers }: Voice, entry: Entry, settlement: Settlement): void {
  const reason = settlement.kind === 'cancelled' ? settlement.reason : 'timeout';
  peers.tell(entry.sid, cancelFrame(entry.sid, entry.id, entry.method, reason), undefined, entry.unwritten);
}

function sendSettled({ peers }: Voice, { entry, move }: Decided, settlement: Settlement): void {
  const frame = settledFrame(entry.sid, entry.id, entry.method, settledBy(settlement));
  peers.tell(entry.sid, frame, move.from, entry.unwritten);
}

function settledBy(settlement: Settlement): SettledBy {
  if (settlement.kind !== 'answered') return 'error';
  return settlement.via === 'proxy' ? 'response' : settlement.via;
}
