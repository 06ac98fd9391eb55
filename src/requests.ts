/** Server→client requests: one mechanism for every question that a host asks its windows. Synchronous. */

import { assert } from '../machines/shared/assert.ts';
import { invalid } from './errors.ts';
import { requireGiven } from './given.ts';
import { accessOf } from './requests/access.ts';
import { Admission, letIn } from './requests/admission.ts';
import { Answering } from './requests/answering.ts';
import type { CancelReason, OpenRequest, Peer, ServerRequests, ServerRequestsOptions } from './requests/api.ts';
import { callOwners, letGo, performAll } from './requests/effects.ts';
import type { Entry } from './requests/entry.ts';
import { Gatekeeper } from './requests/gate.ts';
import { REQUEST_LIMITS } from './requests/limits.ts';
import { Log } from './requests/log.ts';
import { Peers } from './requests/peers.ts';
import { openRequestOf, Registry } from './requests/registry.ts';
import { restoreAll } from './requests/restore.ts';
import { requireReason, Sender } from './requests/sender.ts';
import { consoleLogger, nodeRuntime } from './runtime.ts';

export type * from './requests/api.ts';
export { type ChildLink, createMirror, type Mirror, type MirrorOptions } from './requests/mirror.ts';
export { callerValue, clarifyOutcome, createProbe, oneString, type Probe } from './requests/outcomes.ts';
export { RpcRefusal, UnknownQuestion } from './wire/errors.ts';

/**
 * Makes a registry of server→client requests. With a `ledger` what is open survives the process and is open again here.
 *
 * Two registries in one process know nothing of each other.
 */
export function createServerRequests(options: ServerRequestsOptions): ServerRequests {
  requireGiven(options, FIELDS);
  const { contracts, ledger, policy = 'production', mayAccess, errorQuorum = false, maxUnattendedMs } = options;
  const graceMs = milliseconds('graceMs', options.graceMs ?? REQUEST_LIMITS.grace);
  if (maxUnattendedMs !== undefined) milliseconds('maxUnattendedMs', maxUnattendedMs);
  if (policy !== 'strict' && policy !== 'production') throw invalid('policy', 'it must be strict or production');
  const isStrict = policy === 'strict';
  const log = new Log(options.logger ?? consoleLogger);
  const peers = new Peers(log);
  const { perSession, total } = { ...REQUEST_LIMITS, ...options.limits };
  const runtime = options.runtime ?? nodeRuntime;
  const registry = new Registry({ runtime, log, peers, ledger, watch: options.watch, limits: { perSession, total } });
  const allows = accessOf(mayAccess, log);
  const gate = new Gatekeeper(registry, contracts, { graceMs, allows });
  const admission = new Admission(registry, gate, { contracts, isStrict, errorQuorum });
  const sender = new Sender(registry, gate, admission, maxUnattendedMs);
  if (ledger !== undefined) restoreAll(registry, sender, contracts, ledger);
  return facade(registry, gate, sender, new Answering(registry, { isStrict, allows }), options.admit);
}

const FIELDS = {
  'contracts.request': 'function',
  'contracts.requestNames': 'object',
  ledger: 'object?',
  limits: 'object?',
  logger: 'object?',
  runtime: 'object?',
  mayAccess: 'function?',
  admit: 'function?',
} as const;

function facade(
  registry: Registry,
  gate: Gatekeeper,
  sender: Sender,
  answering: Answering,
  admit: ServerRequestsOptions['admit'],
): ServerRequests {
  const cancel = (sid: string | null, reason: CancelReason): number => {
    const event = { type: 'CANCEL', reason: requireReason(reason) } as const;
    const decided = registry.commit(registry.of(sid).map((entry) => ({ entry, event })));
    performAll(registry, decided);
    return decided.length;
  };
  const forget = (peer: Peer): void => gate.forget(peer);
  return Object.freeze({
    // Whatever is wrong with a call comes through its promise.
    send: (...args) => {
      try {
        letIn(admit);
        return sender.send(...args);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    sendAsync: (...args) => {
      letIn(admit);
      return sender.sendAsync(...args);
    },
    resolveResponse: (frame, from) => answering.resolveResponse(frame, from),
    answer: (id, result, from) => answering.answer(id, result, from),
    lockAnswer: (id, qid, answer, from) => answering.lockAnswer(id, qid, answer, from),
    cancel: (sid, reason = 'interrupted') => cancel(sid, reason),
    answeredElsewhere: (qid) => {
      // Nobody is there to be told of a commit that fails, so it is tried until the card has gone.
      for (const entry of registry.of(null).filter(asksOnly(qid)))
        registry.attempt(entry, { type: 'CANCEL', reason: 'resolved' });
    },
    openRequests: (sid): OpenRequest[] => registry.of(sid).map(openRequestOf),
    replayTo: (peer, sid) => gate.replayTo(peer, sid),
    openRequestCount: () => registry.count,
    pendingKind: (sid) => registry.oldest(sid)?.method ?? '',
    answerable: (sid) => gate.stateOf(sid) !== 'deaf',
    tell: (sid, frame, except) => registry.peers.tell(sid, frame, except),
    attach: (peer, sids) => {
      gate.attach(peer, sids);
      return () => forget(peer);
    },
    advertise: (peer, on) => gate.advertise(peer, on),
    heard: (peer) => gate.heard(peer),
    forget,
    answersRequests: (peer) => registry.peers.known(peer)?.marked === true,
    shutdown: () => shutdown(registry, () => cancel(null, 'shutdown')),
  } satisfies ServerRequests);
}

/** Of a batch nothing is taken back: its other questions are still open. */
const asksOnly =
  (qid: string) =>
  ({ key, at: { context } }: Entry): boolean =>
    context.qids.length === 0 ? key === qid : context.qids.length === 1 && context.qids[0] === qid;

/** Without a store everything is taken back; with one everybody is told, and what is on file stays open there. */
function shutdown(registry: Registry, cancelAll: () => number): void {
  registry.isClosed = true;
  registry.peers.stop();
  if (!registry.isDurable) {
    cancelAll();
    assert(registry.count === 0, 'nothing is open after a shutdown');
    return;
  }
  const settlement = Object.freeze({ kind: 'cancelled', reason: 'shutdown' } as const);
  for (const entry of registry.detachAll()) {
    letGo(registry, entry);
    callOwners(registry, entry, settlement);
    for (const waiter of entry.waiters) waiter.resolve(settlement);
    entry.waiters.clear();
    entry.owners.clear();
  }
}

function milliseconds(field: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw invalid(field, 'it must be a number of milliseconds that is not negative');
}
