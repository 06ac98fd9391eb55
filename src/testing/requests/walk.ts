/** Sequences of calls as plain data: what hosts, clients, time and disk do to a registry, and what is seen after each. */
import type { CancelReason, Peer, Settlement, Withdraw } from '../../requests/api.ts';
import type { JsonObject } from '../../wire/json.ts';
import { HandRuntime } from '../hand-runtime.ts';
import { unrecorded } from '../recorded.ts';
import { answer, FakeLedger, FakePeer, failure, RequestRig, type RequestsSubject } from './rig.ts';
import { ending, framesOf, type RequestSight, thrown, words } from './sight.ts';

export const SIDS = ['s', 't'] as const;
/** Two windows, and a parent process that passes on what its own clients say. */
export const PEERS = { a: 'websocket', b: 'websocket', relay: 'relay' } as const;
type PeerName = keyof typeof PEERS;
const GRACE_MS = 1_000;

/**
 * One call, or one change of the world around the registry. `card` and `ask` are counted back from the newest, which
 * is 0. `from`: null is a caller who does not say who it is.
 */
export type RequestStep =
  | {
      readonly do: 'ask';
      readonly method: string;
      readonly sid: string;
      readonly qids: readonly string[];
      /** Milliseconds until its deadline, or null; `call`: asked by `sendAsync`, which has none. */
      readonly wait: number | null | 'call';
      readonly key: string | null;
      /** What one more client does from inside the write of the frame. */
      readonly write: 'takes' | 'breaks' | 'locks and breaks' | 'answers';
    }
  /** `frame`: as a response frame, else as the acknowledged call. */
  | {
      readonly do: 'answer';
      readonly card: number;
      readonly from: PeerName | null;
      readonly good: boolean;
      readonly frame: boolean;
    }
  | { readonly do: 'fail'; readonly card: number; readonly from: PeerName | null; readonly code: number }
  | { readonly do: 'lock'; readonly card: number; readonly qid: string; readonly text: string }
  | { readonly do: 'cancel'; readonly sid: string | null; readonly reason: CancelReason }
  | { readonly do: 'withdraw' | 'abort'; readonly ask: number }
  | { readonly do: 'elsewhere'; readonly qid: string }
  | { readonly do: 'attach'; readonly peer: PeerName; readonly sid: string; readonly able: boolean }
  | { readonly do: 'able'; readonly peer: PeerName; readonly on: boolean }
  | { readonly do: 'heard' | 'forget'; readonly peer: PeerName }
  | { readonly do: 'replay'; readonly peer: PeerName; readonly sid: string | null }
  | { readonly do: 'disk'; readonly fails: boolean }
  /** The process ends, told before or killed, and another one opens on the same disk; its clients are gone. */
  | { readonly do: 'restart'; readonly told: boolean }
  | { readonly do: 'time'; readonly ms: number };

interface Asked {
  readonly abort: AbortController;
  readonly withdraw: Withdraw | undefined;
}
type Ask = Extract<RequestStep, { do: 'ask' }>;

export class RequestWorld {
  readonly #subject: RequestsSubject;
  readonly #errorQuorum: boolean;
  readonly #ledger = new FakeLedger();
  #rig: RequestRig;
  /** Sees every session and says nothing: cards are met as they come to it. */
  #watcher = new FakePeer('watcher', 'stdio');
  #peers = new Map<string, FakePeer>();
  #asks: Asked[] = [];
  #asked = 0;
  #ended: string[] = [];
  readonly #cards: { readonly id: string; readonly qids: readonly string[] }[] = [];
  #asking: Ask | undefined;

  constructor(subject: RequestsSubject, errorQuorum: boolean) {
    this.#subject = subject;
    this.#errorQuorum = errorQuorum;
    this.#rig = this.#opened(new HandRuntime());
  }

  #opened(runtime: HandRuntime): RequestRig {
    const options = { ledger: this.#ledger, errorQuorum: this.#errorQuorum, graceMs: GRACE_MS };
    const rig = new RequestRig(options, runtime, this.#subject);
    this.#watcher = new FakePeer('watcher', 'stdio');
    this.#watcher.onFrame = ({ kind, id }) => {
      if (kind === 'request') this.#cards.push({ id, qids: this.#asking?.qids ?? [] });
    };
    rig.requests.attach(this.#watcher, SIDS);
    this.#peers = new Map();
    this.#asks = [];
    return rig;
  }

  #peer(name: PeerName): FakePeer {
    const known = this.#peers.get(name) ?? new FakePeer(name, PEERS[name]);
    this.#peers.set(name, known);
    return known;
  }

  #card(back: number): { readonly id: string; readonly qids: readonly string[] } {
    return this.#cards.at(-1 - back) ?? { id: 'srq-unknown', qids: [] };
  }

  /** One step, and what is to be seen after it. */
  async take(step: RequestStep): Promise<RequestSight> {
    let said: string;
    try {
      said = words(this.#perform(step));
    } catch (error) {
      said = `threw ${thrown(error)}`;
    }
    await this.#rig.runtime.settle();
    return this.#sight(said);
  }

  #perform(step: RequestStep): unknown {
    const { requests, runtime } = this.#rig;
    switch (step.do) {
      case 'ask':
        return this.#ask(step);
      case 'answer':
        return this.#answer(step);
      case 'fail': {
        const from = step.from === null ? undefined : this.#peer(step.from);
        return requests.resolveResponse(failure(this.#card(step.card).id, step.code), from);
      }
      case 'lock':
        return requests.lockAnswer(this.#card(step.card).id, step.qid, step.text);
      case 'cancel':
        return requests.cancel(step.sid, step.reason);
      case 'withdraw':
        return this.#asks.at(-1 - step.ask)?.withdraw?.('resolved');
      case 'abort':
        return this.#asks.at(-1 - step.ask)?.abort.abort('interrupted');
      case 'elsewhere':
        return requests.answeredElsewhere(step.qid);
      case 'attach':
        requests.attach(this.#peer(step.peer), [step.sid]);
        return step.able ? void requests.advertise(this.#peer(step.peer), true) : undefined;
      case 'able':
        return void requests.advertise(this.#peer(step.peer), step.on);
      case 'heard':
        return requests.heard(this.#peer(step.peer));
      case 'forget':
        requests.forget(this.#peer(step.peer));
        return void this.#peers.delete(step.peer);
      case 'replay':
        return requests.replayTo(this.#peer(step.peer), step.sid).map(({ id }) => this.#number(id));
      case 'disk':
        this.#ledger.failsWith = step.fails ? new Error('the disk is full') : undefined;
        return undefined;
      case 'restart':
        if (step.told) requests.shutdown();
        this.#rig = this.#opened(new HandRuntime({ now: runtime.now(), seed: this.#asked + 2 }));
        return undefined;
      default:
        return runtime.advance(step.ms);
    }
  }

  #ask(step: Ask): unknown {
    const { requests } = this.#rig;
    const { method, sid, qids, wait } = step;
    const name = `ask ${++this.#asked}`;
    const note = (end: string): void => void this.#ended.push(`${name} ${end}`);
    const abort = new AbortController();
    const common = { qids, ...(step.key === null ? {} : { key: step.key }) };
    const params: JsonObject = method === 'approval' ? { command: 'ls' } : {};
    const writer = this.#writer(step);
    this.#asking = step;
    try {
      if (writer !== undefined) requests.attach(writer, [sid]);
      if (wait !== 'call') {
        const options = { ...common, timeoutMs: wait, signal: abort.signal };
        const done = requests.send(method, sid, params, options);
        done.then(
          (settlement) => note(ending(settlement)),
          (error) => note(`rejected ${thrown(error)}`),
        );
        this.#asks.push({ abort, withdraw: undefined });
        return undefined;
      }
      const heard = (result: JsonObject | null, settlement: Settlement): void =>
        note(`${ending(settlement)}${result === null ? ' for nothing' : ''}`);
      const withdraw = requests.sendAsync(method, sid, params, heard, common);
      this.#asks.push({ abort, withdraw });
      return undefined;
    } finally {
      this.#asking = undefined;
      if (writer !== undefined) requests.forget(writer);
    }
  }

  /** One more client, which shows the session for as long as the frame is written. */
  #writer({ write, qids }: Ask): FakePeer | undefined {
    if (write === 'takes') return undefined;
    const writer = new FakePeer('writer', 'stdio');
    writer.onFrame = ({ kind, id }) => {
      if (kind !== 'request') return;
      if (write === 'answers') this.#rig.requests.resolveResponse(answer(id, result(qids, true)), writer);
      if (write === 'locks and breaks') this.#rig.requests.lockAnswer(id, qids[0] ?? 'q0', 'early');
      if (write !== 'answers') throw new Error('the socket broke');
    };
    return writer;
  }

  #answer({ card, from, good, frame }: Extract<RequestStep, { do: 'answer' }>): boolean {
    const { id, qids } = this.#card(card);
    const peer: Peer | undefined = from === null ? undefined : this.#peer(from);
    const given = result(qids, good);
    if (frame) return this.#rig.requests.resolveResponse(answer(id, given), peer);
    return this.#rig.requests.answer(id, given, peer);
  }

  #number(id: string): string {
    const at = this.#cards.findIndex((card) => card.id === id);
    return at < 0 ? 'unmet' : `c${at + 1}`;
  }

  /** Looks at the registry and at all that it told, and forgets what was told. */
  #sight(said: string): RequestSight {
    const requests = unrecorded(this.#rig.requests);
    const frames = framesOf([this.#watcher, ...this.#peers.values()], (id) => this.#number(id));
    const open = SIDS.flatMap((sid) =>
      requests.openRequests(sid).map(({ id, method, params, owner_quorum: owned }) => {
        const locked = params['answers'] === undefined ? [] : [JSON.stringify(params['answers'])];
        return [this.#number(id), sid, method, ...(owned === true ? ['owned'] : []), ...locked].join(' ');
      }),
    );
    const filed = this.#ledger.requests.map(({ id, settlement, locked }) =>
      [this.#number(id), settlement?.kind ?? 'open', ...Object.keys(locked)].join(' '),
    );
    const ended = this.#ended.splice(0);
    const answerable = SIDS.filter((sid) => requests.answerable(sid));
    return { said, frames, ended: ended.sort(), open, filed: filed.sort(), answerable };
  }
}

const result = (qids: readonly string[], good: boolean): JsonObject =>
  qids.length === 0 ? { value: good ? 'yes' : 7 } : { answers: { [qids[0] ?? '']: good ? 'yes' : 7 } };
