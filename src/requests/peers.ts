/** Who is connected, which sessions each shows, and what each has said of itself. */
import { heed } from '../../machines/shared/heed.ts';
import type { Cancel } from '../runtime.ts';
import type { RpcFrame } from '../wire/json.ts';
import type { Peer } from './api.ts';
import { type Log, reason } from './log.ts';

export interface PeerState {
  readonly peer: Peer;
  /** Unique in this process; charts know peers by it. */
  readonly name: string;
  readonly sids: Set<string>;
  everywhere: boolean;
  /** It has advertised that it answers requests. */
  marked: boolean;
  /** It is known whether it answers: it said so, said something else, or its grace is over. */
  decided: boolean;
  grace: Cancel | undefined;
  /** Requests with this number or a later one were written to it. */
  since: number;
}

/** One that cannot even be looked at is gone. */
function isClosed(peer: Peer): boolean {
  try {
    return peer.closed;
  } catch {
    return true;
  }
}

/** Frames reach it: not closed, and neither the parked sentinel nor the fallback sink. */
export const isReachable = (peer: Peer): boolean => peer.kind !== 'parked' && peer.kind !== 'sink' && !isClosed(peer);
/** Counts for the gate. */
export const isGated = (peer: Peer): boolean => peer.kind === 'websocket' && !isClosed(peer);

export class Peers {
  readonly #states = new Map<Peer, PeerState>();
  readonly #bySid = new Map<string, Set<PeerState>>();
  readonly #everywhere = new Set<PeerState>();
  readonly #log: Log;
  #names = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** What is known of a peer; a new one is remembered from now on. */
  state(peer: Peer): PeerState {
    const known = this.#states.get(peer);
    if (known !== undefined) return known;
    this.#names += 1;
    const state: PeerState = {
      ...{ peer, name: `peer-${this.#names}`, sids: new Set<string>(), everywhere: false },
      ...{ marked: false, decided: false, grace: undefined, since: Number.POSITIVE_INFINITY },
    };
    this.#states.set(peer, state);
    return state;
  }

  known(peer: Peer | undefined): PeerState | undefined {
    return peer === undefined ? undefined : this.#states.get(peer);
  }

  named(names: readonly string[]): PeerState[] {
    return names.length === 0 ? [] : [...this.#states.values()].filter(({ name }) => names.includes(name));
  }

  attach(state: PeerState, sids: '*' | readonly string[], seq: number): void {
    state.since = Math.min(state.since, seq);
    if (sids === '*') {
      state.everywhere = true;
      this.#everywhere.add(state);
      return;
    }
    for (const sid of sids) {
      state.sids.add(sid);
      const there = this.#bySid.get(sid);
      if (there === undefined) this.#bySid.set(sid, new Set([state]));
      else there.add(state);
    }
  }

  drop(state: PeerState): void {
    this.#states.delete(state.peer);
    this.#everywhere.delete(state);
    for (const sid of state.sids) {
      const there = this.#bySid.get(sid);
      there?.delete(state);
      if (there?.size === 0) this.#bySid.delete(sid);
    }
    state.grace?.();
    state.grace = undefined;
  }

  /** Everybody who shows the session, each once. */
  of(sid: string): PeerState[] {
    const there = this.#bySid.get(sid);
    if (there === undefined) return [...this.#everywhere];
    if (this.#everywhere.size === 0) return [...there];
    return [...there, ...[...this.#everywhere].filter((state) => !there.has(state))];
  }

  reachable(sid: string): PeerState[] {
    return this.of(sid).filter(({ peer }) => isReachable(peer));
  }

  /** One frame to one peer. False, or a throw: it did not leave; of a promise that cannot be known, and it did not. */
  write(peer: Peer, frame: RpcFrame): boolean {
    const sent: unknown = peer.send(frame);
    if (!heed(sent, (error) => this.#log.say('warn', `a frame to a client failed: ${reason(error)}`))) return !!sent;
    this.#log.once('warn', 'a peer gave a promise where its send must say whether the frame left: it counts as not');
    return false;
  }

  /** Tells everybody but these; one that fails keeps it from no other. Says whether anybody was reached. */
  tell(sid: string, frame: RpcFrame, except?: Peer, unwritten?: ReadonlySet<Peer>): boolean {
    let isReached = false;
    for (const { peer } of this.reachable(sid)) {
      if (peer === except || unwritten?.has(peer) === true) continue;
      this.#log.guard('a frame to a client', () => {
        if (this.write(peer, frame)) isReached = true;
      });
    }
    return isReached;
  }

  /** Ends every grace that runs. */
  stop(): void {
    for (const state of this.#states.values()) {
      state.grace?.();
      state.grace = undefined;
    }
  }
}
