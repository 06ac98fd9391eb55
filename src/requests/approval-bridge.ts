/** Shows approvals as server requests, and takes the answers. */
import { rpcCode } from '../wire/errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { isJsonObject } from '../wire/jsonrpc.ts';
import type { ServerRequests, Settlement } from './api.ts';
import type { Approval } from './approval-entry.ts';
import type { SettleHook } from './approval-types.ts';
import { REQUEST_LIMITS } from './limits.ts';
import { type Log, reason } from './log.ts';

export type Cards = Pick<ServerRequests, 'sendAsync'>;
export type Decide = (entry: Approval, choice: string, answer: JsonObject) => number;

interface Means {
  readonly log: Log;
  readonly decide: Decide;
  readonly withdraw: (entry: Approval, cause: string) => void;
  /** The registry closes its doors: the card is gone, the question is not. */
  readonly release: (entry: Approval) => void;
  readonly isClosed: () => boolean;
  /** What the last process left is being read: a card may say what was answered long ago. */
  readonly isRestoring: () => boolean;
  readonly later: (ms: number, callback: () => void) => void;
}

/** What the end of a card does to the queue. */
export class CardAnswers {
  readonly #means: Means;

  constructor(means: Means) {
    this.#means = means;
  }

  settled(entry: Approval, result: JsonObject | null, settlement: Settlement): void {
    if (result !== null) this.#decide(entry, result);
    else if (settlement.kind === 'cancelled' && settlement.reason === 'shutdown') this.#means.release(entry);
    else this.#stubborn(entry, () => this.#means.withdraw(entry, causeOfSettlement(settlement)));
  }

  /** "For all" counts at once or not at all: whatever is queued later was on no screen when the person said so. */
  #decide(entry: Approval, result: JsonObject): void {
    let isAtOnce = !this.#means.isRestoring();
    this.#stubborn(entry, () => {
      const said = isAtOnce ? result : { ...result, all: false };
      isAtOnce = false;
      this.#answered(entry, said);
    });
  }

  #answered(entry: Approval, answer: JsonObject): void {
    const choice = answer['choice'] ?? 'deny';
    this.#means.decide(entry, typeof choice === 'string' ? choice : '', answer);
    // The card is gone, and what it said was not on offer: nobody may wait for a card that nobody sees.
    if (entry.isPending) this.#means.withdraw(entry, 'client error');
  }

  /** The registry has settled the card for good, so what it said is tried until it is on file or no longer needed. */
  #stubborn(entry: Approval, work: () => void): void {
    if (!entry.isPending || this.#means.isClosed()) return;
    try {
      work();
    } catch (error) {
      const line = `an answer to an approval could not be committed, and is tried again: ${reason(error)}`;
      this.#means.log.say('error', line);
      this.#means.later(REQUEST_LIMITS.retry, () => this.#stubborn(entry, work));
    }
  }

  /** Takes a card back for good: an answer to one that outlives its approval would be taken, and would decide nothing. */
  takeBack(withdraw: () => unknown): void {
    if (this.#means.isClosed()) return;
    try {
      withdraw();
    } catch (error) {
      this.#means.log.say('error', `a card could not be taken back, and that is tried again: ${reason(error)}`);
      this.#means.later(REQUEST_LIMITS.retry, () => this.takeBack(withdraw));
    }
  }

  /** The last process may have ended between the end of an approval and that of its card. */
  takeBackOrphans(requests: Cards, rows: readonly JsonObject[], pending: readonly Approval[]): void {
    const live = new Set(pending.map(({ cardKey }) => cardKey));
    for (const { method, sid, key, params, settlement } of rows) {
      if (method !== 'approval' || settlement !== undefined || typeof sid !== 'string' || typeof key !== 'string')
        continue;
      if (!isJsonObject(params)) continue;
      const { approval_id: id } = params;
      // A card of the host's own has another key.
      if (typeof id !== 'string' || live.has(key) || !key.startsWith(`${id}/`)) continue;
      this.takeBack(() => requests.sendAsync('approval', sid, params, () => undefined, { key })('resolved'));
    }
  }
}

/** Why nobody decided, for whoever waits: an interrupted turn is never told to update its app. */
export function causeOfSettlement(settlement: Settlement): string {
  switch (settlement.kind) {
    case 'unanswerable':
      return 'client cannot answer';
    case 'cancelled':
      return settlement.cause === 'no_capable_client' ? 'client cannot answer' : settlement.reason;
    case 'failed':
      return settlement.error.code === rpcCode('unknown_method') ? 'client cannot answer' : 'client error';
    case 'timed_out':
      return 'timeout';
    default:
      return 'client error';
  }
}

/** Sends one card. The hook that is returned takes it back when the approval has ended elsewhere. */
export function showAsRequest(requests: Cards, entry: Approval, answers: CardAnswers): SettleHook {
  const { session_id: sid, ...params } = entry.asked.view;
  const withdraw = requests.sendAsync(
    'approval',
    sid,
    params,
    (result, settlement) => answers.settled(entry, result, settlement),
    { key: entry.cardKey },
  );
  return (reason) => answers.takeBack(() => withdraw(reason));
}
