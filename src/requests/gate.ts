/** Whether anybody attached can answer, and what follows when that changes. */
import type { Cancel } from '../runtime.ts';
import type { Access } from './access.ts';
import type { OpenRequest, Peer, RequestContracts } from './api.ts';
import type { Entry } from './entry.ts';
import { isGated, isReachable, type PeerState } from './peers.ts';
import { openRequestOf, type Registry } from './registry.ts';

/** `undecided`: nobody has said that it can, and nobody has had the time to. */
export type GateState = 'open' | 'undecided' | 'deaf';

export interface GateRules {
  readonly graceMs: number;
  readonly allows: Access;
}

export class Gatekeeper {
  readonly #registry: Registry;
  readonly #contracts: RequestContracts;
  readonly #rules: GateRules;
  /** Requests that were written to peers of which none has said yet that it can answer, and how each is let go. */
  readonly #provisional = new Map<Entry, Cancel>();

  constructor(registry: Registry, contracts: RequestContracts, rules: GateRules) {
    this.#registry = registry;
    this.#contracts = contracts;
    this.#rules = rules;
  }

  stateOf(sid: string): GateState {
    if (sid === '') return 'open';
    const gated = this.#registry.peers.of(sid).filter(({ peer }) => isGated(peer));
    if (gated.length === 0 || gated.some(({ marked }) => marked)) return 'open';
    return gated.every(({ decided }) => !decided) ? 'undecided' : 'deaf';
  }

  /** The peers that may decline a window-owned request: those that were asked and said that they can answer. */
  candidates(sid: string): string[] {
    const able = this.#registry.peers.of(sid).filter(({ peer, marked }) => marked && isGated(peer));
    // One that may not answer may not decline either, so nobody waits for its decline.
    const asked = able.filter(({ peer }) => this.#rules.allows(sid, peer));
    return asked.map(({ name }) => name);
  }

  /** From now on it ends when its session turns out to have nobody who can answer. */
  watch(entry: Entry): void {
    if (this.#provisional.has(entry)) return;
    const letGo = (): void => void this.#provisional.delete(entry);
    this.#provisional.set(entry, letGo);
    entry.timers.add(letGo);
  }

  attach(peer: Peer, sids: '*' | readonly string[]): void {
    const { peers, nextSeq } = this.#registry;
    const state = peers.state(peer);
    peers.attach(state, sids, nextSeq);
    if (isReachable(peer)) for (const entry of this.#entriesOf(state)) this.#registry.shown(entry);
    if (state.marked || state.decided || state.grace !== undefined || !isGated(peer)) return;
    if (this.#rules.graceMs === 0) return this.#decide(state);
    state.grace = this.#registry.runtime.after(this.#rules.graceMs, () => this.#decide(state), 'quiet');
  }

  advertise(peer: Peer, on: boolean): string[] {
    const state = this.#registry.peers.state(peer);
    const wasMarked = state.marked;
    state.marked = on;
    if (on) this.#welcome(state);
    this.#decide(state);
    if (wasMarked && !on) this.#abilityLeft(this.#entriesOf(state));
    return [...this.#contracts.requestNames];
  }

  heard(peer: Peer): void {
    const state = this.#registry.peers.known(peer);
    if (state !== undefined && !state.decided) this.#decide(state);
  }

  forget(peer: Peer): void {
    const { peers } = this.#registry;
    const state = peers.known(peer);
    if (state === undefined) return;
    const entries = this.#entriesOf(state);
    peers.drop(state);
    for (const entry of entries) {
      if (!entry.at.context.candidates.includes(state.name)) continue;
      this.#registry.attempt(entry, { type: 'PEER_GONE', peer: state.name });
    }
    if (state.marked && peer.kind === 'websocket') this.#abilityLeft(entries);
    // Its grace left with it: what waited for that alone now waits like anything else.
    for (const entry of [...this.#provisional.keys()]) this.#judge(entry);
  }

  /** A peer gets the open requests of a session to show from now on. */
  replayTo(peer: Peer, sid: string | null): OpenRequest[] {
    const entries = this.#registry.of(sid);
    if (isReachable(peer)) {
      const state = this.#registry.peers.state(peer);
      for (const entry of entries) {
        this.#registry.shown(entry);
        this.#mayDecline(entry, state);
      }
    }
    return entries.map(openRequestOf);
  }

  #entriesOf(state: PeerState): Entry[] {
    if (state.everywhere) return this.#registry.of(null);
    return [...state.sids].flatMap((sid) => this.#registry.of(sid));
  }

  /** Its frames were written to it before it said that it can answer: now it may decline them. */
  #welcome(state: PeerState): void {
    if (!isGated(state.peer)) return;
    for (const entry of this.#entriesOf(state)) {
      if (entry.seq >= state.since) this.#mayDecline(entry, state);
    }
  }

  #mayDecline(entry: Entry, { peer, name }: PeerState): void {
    const { windowOwned, errorQuorum } = entry.at.context;
    if (!(windowOwned || errorQuorum) || !this.#rules.allows(entry.sid, peer)) return;
    this.#registry.attempt(entry, { type: 'PEER_REPLAYED', peer: name });
  }

  #decide(state: PeerState): void {
    state.decided = true;
    state.grace?.();
    state.grace = undefined;
    for (const entry of [...this.#provisional.keys()]) this.#judge(entry);
  }

  #judge(entry: Entry): void {
    const gate = this.stateOf(entry.sid);
    if (gate === 'undecided' && this.#registry.isOpen(entry)) return;
    const letGo = this.#provisional.get(entry);
    this.#provisional.delete(entry);
    if (letGo !== undefined) entry.timers.delete(letGo);
    if (gate === 'deaf') this.#lose(entry);
  }

  /** Somebody who could answer cannot any more. With nobody left at all the request waits for a replay. */
  #abilityLeft(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const gate = this.stateOf(entry.sid);
      if (gate === 'deaf') this.#lose(entry);
      else if (gate === 'undecided') this.watch(entry);
    }
  }

  #lose(entry: Entry): void {
    this.#registry.attempt(entry, { type: 'GATE_LOST' }, () => this.stateOf(entry.sid) === 'deaf');
  }
}
