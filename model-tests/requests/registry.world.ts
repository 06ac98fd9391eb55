/** A registry under random use, and the truth about it, kept apart from it: what was asked, said and heard. */
import type { CancelReason, Settlement, Withdraw } from '../../src/requests/api.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { answer, FakeLedger, FakePeer, failure, type Seen } from '../../src/testing/requests/rig.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { RequestRig } from '../../test/requests/support/rig.ts';

export const SIDS = ['s', 't'] as const;
export const QIDS = ['q0', 'q1'];

export type Op =
  | { readonly op: 'send'; readonly kind: Kind; readonly sid: number; readonly timeoutMs: number | null }
  | {
      readonly op: 'respond';
      readonly who: number;
      readonly peer: number;
      readonly good: boolean;
      readonly value: string;
    }
  | { readonly op: 'fail'; readonly who: number; readonly peer: number; readonly code: number }
  | { readonly op: 'lock'; readonly who: number; readonly qid: number; readonly value: string | null }
  | { readonly op: 'cancel'; readonly sid: number | null; readonly reason: CancelReason }
  | { readonly op: 'withdraw' | 'abort'; readonly who: number }
  | { readonly op: 'advance'; readonly ms: number }
  | { readonly op: 'attach' | 'advertise' | 'silence' | 'forget'; readonly peer: number; readonly sid: number }
  | { readonly op: 'replay'; readonly peer: number; readonly sid: number }
  | { readonly op: 'disk'; readonly fails: boolean };
export type Kind = 'plain' | 'batch' | 'owned' | 'callback';

export interface Question {
  readonly id: string;
  readonly sid: string;
  readonly kind: Kind;
  readonly locked: Map<string, string | null>;
  /** The answer that a client was told is accepted. */
  accepted: { readonly result: JsonObject; readonly settlement: Partial<Settlement> } | undefined;
  withdrawn: boolean;
  candidates: Set<FakePeer>;
  declined: Set<FakePeer>;
  settlements: Settlement[];
  rejections: unknown[];
  ownerCalls: number;
  readonly abort: AbortController;
  readonly withdraw: Withdraw | undefined;
}

export interface WorldOptions {
  readonly seed: number;
  /** Sinks and owners throw whenever something is told to them. */
  readonly broken?: boolean;
  readonly durable?: boolean;
}

export class World {
  readonly rig: RequestRig;
  readonly ledger = new FakeLedger();
  readonly questions: Question[] = [];
  readonly unanswerable: Settlement[] = [];
  /** Sees every frame of every session. */
  readonly watcher = new FakePeer('watcher', 'stdio');
  readonly #peers: FakePeer[];
  readonly #marked = new Set<FakePeer>();
  readonly #attached = new Map<FakePeer, Set<string>>();
  readonly #broken: boolean;
  diskErrors = 0;

  constructor({ seed, broken = false, durable = false }: WorldOptions) {
    this.#broken = broken;
    this.rig = new RequestRig({ graceMs: 60, ...(durable ? { ledger: this.ledger } : {}) }, new HandRuntime({ seed }));
    this.rig.requests.attach(this.watcher, '*');
    this.#peers = Array.from({ length: 3 }, (_, i) => this.#freshPeer(`p${i}`));
    if (broken) {
      const angry = this.rig.requests;
      const bad = new FakePeer('bad', 'stdio');
      bad.onFrame = ({ kind }) => {
        if (kind !== 'request') throw new Error('sink');
      };
      angry.attach(bad, '*');
    }
  }

  #freshPeer(name: string): FakePeer {
    return new FakePeer(name);
  }

  #peer(at: number): FakePeer {
    return this.#peers[at % this.#peers.length] as FakePeer;
  }

  #question(who: number): Question | undefined {
    return this.questions.length === 0 ? undefined : this.questions[who % this.questions.length];
  }

  framesOf(id: string): Seen[] {
    return this.watcher.seen.filter((one) => one.id === id);
  }

  /** Open as far as clients have been told. */
  isOpen({ id }: Question): boolean {
    return this.framesOf(id).every(({ kind }) => kind === 'request');
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (error !== this.ledger.failsWith) throw error;
      this.diskErrors += 1;
      return undefined;
    }
  }

  async run(op: Op): Promise<void> {
    this.#attempt(() => this.#perform(op));
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
  }

  #perform(op: Op): void {
    const { requests } = this.rig;
    switch (op.op) {
      case 'send':
        return this.#send(op);
      case 'respond':
        return this.#respond(op);
      case 'fail':
        return this.#fail(op);
      case 'lock':
        return this.#lock(op);
      case 'cancel':
        return this.#cancel(op);
      case 'withdraw': {
        const question = this.#question(op.who);
        if (question?.withdraw?.('resolved') === true) question.withdrawn = true;
        return;
      }
      case 'abort':
        return this.#question(op.who)?.abort.abort('stop');
      case 'advance':
        return this.rig.runtime.advance(op.ms);
      case 'disk':
        this.ledger.failsWith = op.fails ? new Error('disk full') : undefined;
        return;
      case 'replay': {
        const peer = this.#peer(op.peer);
        const sid = SIDS[op.sid] ?? 's';
        for (const { id } of requests.replayTo(peer, sid)) {
          const question = this.questions.find((one) => one.id === id);
          if (question?.kind === 'owned') question.candidates.add(peer);
        }
        return;
      }
      default:
        return this.#connection(op.op, this.#peer(op.peer), SIDS[op.sid] ?? 's', op.peer);
    }
  }

  #connection(op: 'attach' | 'advertise' | 'silence' | 'forget', peer: FakePeer, sid: string, at: number): void {
    const { requests } = this.rig;
    if (op === 'attach') {
      requests.attach(peer, [sid]);
      this.#attached.set(peer, (this.#attached.get(peer) ?? new Set()).add(sid));
    } else if (op === 'advertise') {
      requests.advertise(peer, true);
      this.#marked.add(peer);
      // It may have been asked while it was silent: whether it counts is not told from outside.
      for (const question of this.questions) {
        if (this.#attached.get(peer)?.has(question.sid) === true && peer.asked.includes(question.id)) {
          question.candidates.add(peer);
        }
      }
    } else if (op === 'silence') {
      this.#marked.delete(peer);
      requests.advertise(peer, false);
    } else {
      this.#marked.delete(peer);
      this.#attached.delete(peer);
      for (const question of this.questions) {
        question.candidates.delete(peer);
        question.declined.delete(peer);
      }
      this.#peers[at % this.#peers.length] = this.#freshPeer(`${peer.name}'`);
      requests.forget(peer);
    }
  }

  #send({ kind, sid: at, timeoutMs }: Extract<Op, { op: 'send' }>): void {
    const { requests } = this.rig;
    const sid = SIDS[at] ?? 's';
    const abort = new AbortController();
    const marked = [...this.#marked].filter((peer) => this.#attached.get(peer)?.has(sid) === true);
    const found: { settlements: Settlement[]; rejections: unknown[]; ownerCalls: number } = {
      ...{ settlements: [], rejections: [], ownerCalls: 0 },
    };
    const before = this.watcher.seen.length;
    const withdraw = kind === 'callback' ? this.#callback(sid, found) : undefined;
    if (kind !== 'callback') {
      const method = kind === 'batch' ? 'clarify' : kind === 'owned' ? 'terminal.read' : 'window.title';
      const qids = kind === 'batch' ? QIDS : [];
      requests.send(method, sid, {}, { timeoutMs, qids, signal: abort.signal }).then(
        (settlement) => void found.settlements.push(settlement),
        (error) => void found.rejections.push(error),
      );
    }
    const asked = this.watcher.seen.slice(before).find((one) => one.kind === 'request');
    // Refused at the door, or not filed: no frame tells of it.
    if (asked === undefined) return void this.unanswerable.push(...found.settlements);
    const question = Object.assign(found, {
      ...{ id: asked.id, sid, kind, locked: new Map(), accepted: undefined, withdrawn: false },
      ...{ candidates: new Set(kind === 'owned' ? marked : []), declined: new Set<FakePeer>(), abort, withdraw },
    });
    this.questions.push(question);
  }

  #callback(sid: string, found: { settlements: Settlement[]; ownerCalls: number }): Withdraw {
    return this.rig.requests.sendAsync('approval', sid, { command: 'ls' }, (_result, settlement) => {
      found.ownerCalls += 1;
      found.settlements.push(settlement);
      if (this.#broken) throw new Error('owner');
    });
  }

  #respond({ who, peer, good, value }: Extract<Op, { op: 'respond' }>): void {
    const question = this.#question(who);
    if (question === undefined) return;
    const result = resultOf(question.kind, good, value);
    const taken = this.rig.requests.resolveResponse(answer(question.id, result), this.#peer(peer));
    if (!taken || !good) return;
    if (question.accepted !== undefined) throw new Error(`[I-03] two answers of ${question.id} were accepted`);
    const whole =
      question.kind === 'batch'
        ? { answers: { ...Object.fromEntries(question.locked), [QIDS[0] ?? '']: value } }
        : result;
    question.accepted = { result: whole, settlement: { kind: 'answered', via: 'response' } };
  }

  #fail({ who, peer: at, code }: Extract<Op, { op: 'fail' }>): void {
    const question = this.#question(who);
    if (question === undefined) return;
    const peer = this.#peer(at);
    const taken = this.rig.requests.resolveResponse(failure(question.id, code), peer);
    if (taken && (code === -32004 || code === 4404) && question.candidates.has(peer)) question.declined.add(peer);
  }

  #lock({ who, qid, value }: Extract<Op, { op: 'lock' }>): void {
    const question = this.#question(who);
    if (question === undefined) return;
    const name = QIDS[qid] ?? 'q0';
    const remaining = this.rig.requests.lockAnswer(question.id, name, value);
    if (remaining === null) return;
    question.locked.set(name, value);
    if (remaining.length > 0) return;
    const result = { answers: Object.fromEntries(question.locked) };
    question.accepted = { result, settlement: { kind: 'answered', via: 'lock' } };
  }

  #cancel({ sid: at, reason }: Extract<Op, { op: 'cancel' }>): void {
    const sid = at === null ? null : (SIDS[at] ?? 's');
    const before = this.watcher.ofKind('cancel').length;
    const count = this.rig.requests.cancel(sid, reason);
    const cancelled = this.watcher.ofKind('cancel').slice(before);
    if (cancelled.length !== count) throw new Error(`[I-09] cancel said ${count} and told of ${cancelled.length}`);
    const foreign = cancelled.filter((one) => sid !== null && one.sid !== sid);
    if (foreign.length > 0) throw new Error(`[I-09] cancel of ${sid} took ${foreign[0]?.id} of ${foreign[0]?.sid}`);
  }
}

export function resultOf(kind: Kind, good: boolean, value: string): JsonObject {
  if (kind === 'callback') return { choice: good ? 'once' : value };
  if (kind === 'batch') return good ? { answers: { [QIDS[0] ?? '']: value } } : { answers: 'all of them' };
  return good ? { value } : { value: 7 };
}
