/** `send` and `sendAsync`: the write, the wait, and taking a question back. */
import { invalid } from '../errors.ts';
import type { Cancel } from '../runtime.ts';
import type { JsonObject } from '../wire/json.ts';
import { type Admission, type Admitted, requireCall, requireKey, requireQids, requireTimeout } from './admission.ts';
import type { OnResult, SendOptions, Settlement, Withdraw } from './api.ts';
import { type Entry, UNWRITTEN, type Waiter } from './entry.ts';
import { requestFrame } from './frames.ts';
import type { Gatekeeper } from './gate.ts';
import { reason } from './log.ts';
import type { Registry } from './registry.ts';
import { afterLong } from './timers.ts';

const UNANSWERABLE: Settlement = Object.freeze({ kind: 'unanswerable' });
const CANCEL_REASONS: readonly string[] = ['timeout', 'interrupted', 'shutdown', 'resolved', 'session_closed'];

export class Sender {
  readonly #registry: Registry;
  readonly #gate: Gatekeeper;
  readonly #admission: Admission;
  readonly #maxUnattendedMs: number | undefined;

  constructor(registry: Registry, gate: Gatekeeper, admission: Admission, maxUnattendedMs: number | undefined) {
    this.#registry = registry;
    this.#gate = gate;
    this.#admission = admission;
    this.#maxUnattendedMs = maxUnattendedMs;
  }

  send(method: string, sid: string, params: JsonObject, options: SendOptions): Promise<Settlement> {
    requireCall(method, sid, params);
    const timeoutMs = requireTimeout(options.timeoutMs);
    const qids = requireQids(options.qids);
    const key = requireKey(options.key);
    const { signal } = options;
    if (signal?.aborted === true) throw signal.reason;
    const admitted = this.#admission.admit({ method, sid, params, qids, key, owner: 'wait', timeoutMs });
    if (admitted.kind === 'refused') return Promise.resolve(UNANSWERABLE);
    if (admitted.kind === 'ended') return Promise.resolve(admitted.kept.settlement);
    const { promise, waiter } = this.#wait(admitted.entry, signal);
    this.#publish(admitted, timeoutMs, () => {
      admitted.entry.waiters.delete(waiter);
      waiter.release();
    });
    return promise;
  }

  sendAsync(
    method: string,
    sid: string,
    params: JsonObject,
    onResult: OnResult,
    options: { readonly qids?: readonly string[] | undefined; readonly key?: string | undefined } = {},
  ): Withdraw {
    requireCall(method, sid, params);
    if (typeof onResult !== 'function') throw invalid('onResult', 'it must be a function');
    const wanted = { method, sid, params, qids: requireQids(options.qids), key: requireKey(options.key) };
    const admitted = this.#admission.admit({ ...wanted, owner: 'callback', timeoutMs: null });
    if (admitted.kind === 'refused' || admitted.kind === 'ended') {
      const settlement = admitted.kind === 'refused' ? UNANSWERABLE : admitted.kept.settlement;
      const result = settlement.kind === 'answered' ? settlement.result : null;
      this.#registry.log.guard(`the owner of ${method}`, () => onResult(result, settlement));
      return () => false;
    }
    const { entry } = admitted;
    // Its own function, so that two calls with one callback are two owners.
    const owner: OnResult = (result, settlement) => onResult(result, settlement);
    entry.owners.add(owner);
    this.#publish(admitted, null, () => entry.owners.delete(owner));
    return (why) => this.#withdraw(entry, owner, why);
  }

  /** Taking back is for the caller's own part: others that joined under its key are told. */
  #withdraw(entry: Entry, owner: OnResult, why: unknown): boolean {
    const cause = requireReason(why);
    if (!this.#registry.isOpen(entry)) return false;
    const wasOwner = entry.owners.delete(owner);
    const type = entry.owners.size > 0 ? 'CANCEL' : 'WITHDRAW';
    try {
      return this.#registry.dispatch(entry, { type, reason: cause }) !== undefined;
    } catch (error) {
      if (wasOwner) entry.owners.add(owner);
      throw error;
    }
  }

  /** `leave`: called before a write that failed is thrown, for the caller gets the error and nothing else. */
  #publish(admitted: Extract<Admitted, { entry: Entry }>, timeoutMs: number | null, leave: () => void): void {
    if (admitted.kind === 'joined') return;
    const { entry, isProvisional } = admitted;
    if (isProvisional) this.#gate.watch(entry);
    this.#write(entry, leave);
    if (!this.#registry.isOpen(entry)) return;
    if (timeoutMs === 0) this.#expire(entry);
    else if (timeoutMs !== null) this.armDeadline(entry, timeoutMs);
    else this.armUnattended(entry);
  }

  /** To every peer of the session, until one of them has settled it from inside its write. */
  #write(entry: Entry, leave: () => void): void {
    const registry = this.#registry;
    const { id, method, params, at } = entry;
    const asksOwner = at.context.windowOwned && at.context.candidates.length > 0;
    const frame = requestFrame({ id, method, params, ...(asksOwner ? { owner_quorum: true } : {}) });
    const peers = registry.peers.reachable(entry.sid).map(({ peer }) => peer);
    // Of one peer alone nobody is ever left without it.
    if (peers.length > 1) entry.unwritten = new Set(peers);
    try {
      for (const peer of peers) {
        if (!registry.isOpen(entry)) return;
        entry.unwritten?.delete(peer);
        if (registry.peers.write(peer, frame)) registry.shown(entry);
      }
    } catch (error) {
      this.#writeFailed(entry, error, leave);
    } finally {
      entry.unwritten = undefined;
    }
  }

  #writeFailed(entry: Entry, error: unknown, leave: () => void): void {
    if (!this.#registry.isOpen(entry)) {
      // It was settled from inside the write that then failed: that settlement stands.
      this.#registry.log.say('warn', `the write of ${entry.id} failed after it was settled: ${reason(error)}`);
      return;
    }
    leave();
    this.#registry.dispatch(entry, { type: 'WRITE_FAILED' });
    this.#registry.attempt(entry, UNWRITTEN);
    throw error;
  }

  #wait(entry: Entry, signal: AbortSignal | undefined): { promise: Promise<Settlement>; waiter: Waiter } {
    let resolve: Waiter['resolve'] = () => undefined;
    let reject: Waiter['reject'] = () => undefined;
    const promise = new Promise<Settlement>((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    });
    const waiter: Waiter = { resolve, reject, signal, release: () => undefined };
    if (signal !== undefined) {
      const abort = (): void => this.#abort(entry, waiter);
      signal.addEventListener('abort', abort, { once: true });
      waiter.release = () => signal.removeEventListener('abort', abort);
    }
    entry.waiters.add(waiter);
    return { promise, waiter };
  }

  /** One of several that wait may go; when the last goes, the question is taken back. */
  #abort(entry: Entry, waiter: Waiter): void {
    if (!this.#registry.isOpen(entry)) return;
    const isLast = (): boolean =>
      entry.owners.size === 0 && [...entry.waiters].every((one) => one === waiter || one.signal?.aborted === true);
    if (!isLast()) {
      entry.waiters.delete(waiter);
      waiter.reject(waiter.signal?.reason);
      return;
    }
    // Should that have to be tried again, somebody may have joined meanwhile.
    this.#registry.attempt(entry, { type: 'ABORT' }, isLast);
  }

  armDeadline(entry: Entry, ms: number): void {
    const cancel: Cancel = afterLong(this.#registry.runtime, ms, () => {
      entry.timers.delete(cancel);
      this.#expire(entry);
    });
    entry.timers.add(cancel);
  }

  #expire(entry: Entry): void {
    this.#registry.attempt(entry, { type: 'DEADLINE' });
  }

  /** A question without deadline that no client could ever see would keep the backend busy for ever (F-40). */
  armUnattended(entry: Entry): void {
    const ms = this.#maxUnattendedMs;
    if (ms === undefined) return;
    const cancel: Cancel = afterLong(this.#registry.runtime, ms, () => {
      entry.timers.delete(cancel);
      this.#registry.attempt(entry, { type: 'UNSEEN' });
    });
    entry.timers.add(cancel);
  }
}

export function requireReason(why: unknown): 'timeout' | 'interrupted' | 'shutdown' | 'resolved' | 'session_closed' {
  if (typeof why !== 'string' || !CANCEL_REASONS.includes(why)) {
    throw invalid('reason', `it must be one of ${CANCEL_REASONS.join(', ')}`);
  }
  return why as 'timeout';
}
