/** What clients say about open requests: response frames, acknowledged answers, locks. */
import { RpcRefusal, UnknownQuestion } from '../wire/errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { isJsonObject, isOver } from '../wire/jsonrpc.ts';
import type { Access } from './access.ts';
import { nonconforming, type ReadAnswer, readError, readLock, readResult } from './answers.ts';
import type { Peer, Receipt } from './api.ts';
import { type Decided, type Entry, lockedOf } from './entry.ts';
import { requestFrame } from './frames.ts';
import { REQUEST_LIMITS } from './limits.ts';
import { isReachable } from './peers.ts';
import { openRequestOf, type Registry } from './registry.ts';

export interface AnsweringRules {
  readonly isStrict: boolean;
  readonly allows: Access;
}

export class Answering {
  readonly #registry: Registry;
  readonly #rules: AnsweringRules;

  constructor(registry: Registry, rules: AnsweringRules) {
    this.#registry = registry;
    this.#rules = rules;
  }

  resolveResponse(frame: JsonObject, from: Peer | undefined): boolean {
    const id: unknown = isJsonObject(frame) ? frame['id'] : undefined;
    if (typeof id !== 'string') return false;
    const entry = this.#reach(id, from);
    if (entry === undefined) return false;
    try {
      return this.#heard(entry, frame, from);
    } catch (error) {
      if (from !== undefined && !this.#isRefusedAgain(entry, frame, from, error)) this.#showAgain(entry, from);
      throw error;
    }
  }

  #heard(entry: Entry, { error, result }: JsonObject, from: Peer | undefined): boolean {
    if (error !== undefined && error !== null) return this.#fail(entry, error, from);
    const answer = readResult(entry, result);
    const decided = this.#respond(entry, answer, from);
    if (decided?.settlement === undefined) return false;
    if (answer.wrong.length > 0 && this.#rules.isStrict) {
      throw new RpcRefusal('invalid_params', nonconforming(entry.contract, answer.wrong));
    }
    return true;
  }

  /**
   * Whether this very answer of this client was refused before. Whoever keeps unconfirmed answers sends it each time that the question
   * comes, and would do so for ever.
   */
  #isRefusedAgain(entry: Entry, { result }: JsonObject, from: Peer, error: unknown): boolean {
    if (!(error instanceof RpcRefusal) || !isJsonObject(result)) return false;
    const { receipts } = this.#registry;
    entry.refused ??= new WeakMap();
    const before = entry.refused.get(from);
    if (before !== undefined && receipts.tells(before, result)) return true;
    const receipt = receipts.receiptOf(result);
    if (receipt !== undefined) entry.refused.set(from, receipt);
    return false;
  }

  /**
   * What was said could not be taken, and a bare frame has no reply that would say so: whoever sent it believes
   * that it was heard. So the question comes again, and whoever keeps unconfirmed answers sends this one again (RC-17).
   */
  #showAgain(entry: Entry, from: Peer): void {
    const { runtime, log, peers } = this.#registry;
    if (!this.#registry.isOpen(entry)) return;
    const again = runtime.after(REQUEST_LIMITS.retry, () => {
      entry.timers.delete(again);
      if (!this.#registry.isOpen(entry) || !isReachable(from)) return;
      log.guard('a frame to a client', () => peers.write(from, requestFrame(openRequestOf(entry))));
    });
    entry.timers.add(again);
  }

  /**
   * The form that gets a reply: what does not conform is refused, and the question stays open. The very
   * answer that settled it may be given again, and is true again.
   */
  answer(id: unknown, result: unknown, from: Peer | undefined): boolean {
    if (typeof id !== 'string' || id === '') throw new RpcRefusal('bad_answer', 'id: it must be a text, and not empty');
    if (!isJsonObject(result)) throw new RpcRefusal('bad_answer', 'result: it must be an object');
    // What is open is asked first: a receipt may be of another request that had the same id long ago.
    if (this.#registry.find(id) === undefined && this.#isRepeat(id, result, from)) return true;
    const entry = this.#reach(id, from);
    if (entry === undefined) return false;
    const answer = readResult(entry, result);
    if (answer.wrong.length > 0) throw new RpcRefusal('bad_answer', nonconforming(entry.contract, answer.wrong));
    const forms = entry.at.context.qids.length > 0 ? [result, answer.result] : [result];
    const decided = this.#respond(entry, answer, from, this.#registry.receipts.receiptOf(...forms));
    if (decided === undefined) return false;
    if (decided.settlement !== undefined) return true;
    throw new RpcRefusal('orphan', `whoever waits for ${entry.method} has not come back yet; the question stays open`);
  }

  lockAnswer(id: unknown, qid: unknown, answer: unknown, from: Peer | undefined): string[] | null {
    const entry = typeof id === 'string' ? this.#reach(id, from) : undefined;
    if (entry === undefined) return null;
    // What is no text names no question: none is empty.
    const question = typeof qid === 'string' ? qid : '';
    const { qids } = entry.at.context;
    const locked = new Map(entry.locked);
    if (qids.includes(question)) {
      locked.set(question, readLock(answer));
      requireShowable(entry, locked);
    }
    const decided = this.#registry.dispatch(entry, { type: 'LOCK', qid: question }, { locked }, from);
    if (decided === undefined || decided.orders.includes('refuseNoBatch')) return null;
    if (decided.orders.includes('refuseQuestion')) throw new UnknownQuestion(entry.id, question.slice(0, 128));
    return qids.filter((one) => !decided.at.context.locked.includes(one));
  }

  /** Only for a peer that could have given it the first time. */
  #isRepeat(id: string, result: JsonObject, from: Peer | undefined): boolean {
    const { receipts } = this.#registry;
    const sid = receipts.sidOf(id);
    return sid !== undefined && this.#rules.allows(sid, from) && receipts.matches(id, result);
  }

  /** The open request, for a peer that may answer it. */
  #reach(id: string, from: Peer | undefined): Entry | undefined {
    const registry = this.#registry;
    const entry = registry.find(id);
    if (entry === undefined) {
      registry.log.say('debug', `an answer to ${id.slice(0, 64)}, which is not open`);
      return undefined;
    }
    if (this.#rules.allows(entry.sid, from)) return entry;
    registry.log.say('warn', `a peer that may not answer for session "${entry.sid}" answered ${id}: ignored`);
    this.#dropBarred(entry);
    return undefined;
  }

  /** Who may not answer may not decline either: nobody waits for a candidate whose access was taken away. */
  #dropBarred(entry: Entry): void {
    for (const { name, peer } of this.#registry.peers.named(entry.at.context.candidates)) {
      if (this.#rules.allows(entry.sid, peer)) continue;
      this.#registry.attempt(entry, { type: 'PEER_GONE', peer: name });
    }
  }

  /** `receipt`: of what was given, where whoever gave it is told that it was taken. */
  #respond(
    entry: Entry,
    { result, dropped, wrong }: ReadAnswer,
    from: Peer | undefined,
    receipt?: Receipt,
  ): Decided | undefined {
    const { log } = this.#registry;
    const { method } = entry;
    for (const qid of dropped) {
      log.once('warn', `an answer of ${method} to a question that was not asked was dropped: ${qid.slice(0, 128)}`);
    }
    if (wrong.length > 0) log.once('warn', nonconforming(entry.contract, wrong));
    const staged = wrong.length > 0 ? { message: nonconforming(entry.contract, wrong) } : { result, receipt };
    // What a parent process relays was answered by one of its clients.
    const via = from?.kind === 'relay' ? 'proxy' : 'response';
    const event = { type: 'RESPOND', conforms: wrong.length === 0, via } as const;
    return this.#registry.dispatch(entry, event, staged, from);
  }

  #fail(entry: Entry, error: unknown, from: Peer | undefined): boolean {
    const { code, message } = readError(error);
    const name = this.#registry.peers.known(from)?.name ?? null;
    const decided = this.#registry.dispatch(entry, { type: 'FAIL', code, from: name }, { message }, from);
    if (decided === undefined) return false;
    if (decided.settlement !== undefined) return true;
    this.#dropBarred(entry);
    return decided.orders.includes('acceptDecline');
  }
}

/** Locked answers travel with the card: beyond what one frame holds no window could be shown it again. */
function requireShowable(entry: Entry, locked: ReadonlyMap<string, string | null>): void {
  const shown = JSON.stringify({ ...entry.params, answers: lockedOf(entry, locked) });
  if (isOver(shown, REQUEST_LIMITS.params)) {
    throw new RpcRefusal('bad_answer', `answer: with it the card would be larger than ${REQUEST_LIMITS.params} bytes`);
  }
}
