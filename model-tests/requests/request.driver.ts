/** Walks one path of the request chart through the real registry, over a ledger, and compares after each event. */
import type {
  RequestContext,
  RequestEvent,
  RequestInput,
  RequestValue,
} from '../../machines/requests/request-facts.ts';
import { copyRequest } from '../../machines/requests/request-facts.ts';
import { compile, start, step } from '../../machines/shared/step.ts';
import type { Settlement, Withdraw } from '../../src/requests/api.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { answer, FakeLedger, FakePeer, failure } from '../../src/testing/requests/rig.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';
import { RequestRig } from '../../test/requests/support/rig.ts';
import type { Coverage } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { requestMachine } from './request.samples.ts';

const chart = compile(requestMachine, copyRequest);
const DEADLINE_MS = 1_000;
const UNSEEN_MS = 5_000;
const BROKEN = new Error('the socket broke');
const STOP = 'the turn was interrupted';

interface Place {
  readonly value: RequestValue;
  readonly context: RequestContext;
}

/** What was seen and heard since the last event. */
interface Heard {
  verdict: unknown;
  settlement: Settlement | undefined;
  rejected: unknown;
  owner: (JsonObject | null)[];
}

export class RequestDriver {
  readonly #input: RequestInput;
  readonly #events: readonly RequestEvent[];
  readonly #coverage: Coverage<typeof requestMachine>;
  readonly #ledger = new FakeLedger();
  #rig: RequestRig;
  #peers = new Map<string, FakePeer>();
  /** Shows the session and never answers: what clients are told is read off it. */
  #watcher = new Watcher('watcher', 'stdio');
  #id = '';
  #abort = new AbortController();
  #withdraw: Withdraw | undefined;
  #heard: Heard = { verdict: undefined, settlement: undefined, rejected: undefined, owner: [] };

  constructor(
    input: RequestInput,
    events: readonly RequestEvent[],
    coverage: Coverage<typeof requestMachine>,
    seed: number,
  ) {
    this.#input = input;
    this.#events = events;
    this.#coverage = coverage;
    this.#rig = this.#open(new HandRuntime({ seed }));
  }

  get #last(): string | undefined {
    return this.#events.at(-1)?.type;
  }

  #open(runtime: HandRuntime): RequestRig {
    const { errorQuorum } = this.#input;
    const maxUnattendedMs = this.#last === 'UNSEEN' ? UNSEEN_MS : undefined;
    const rig = new RequestRig({ ledger: this.#ledger, errorQuorum, maxUnattendedMs }, runtime);
    this.#watcher = new Watcher('watcher', 'stdio');
    this.#peers = new Map();
    for (const name of ['peer-1', 'peer-2']) {
      if (this.#input.candidates.length > 0) this.#peers.set(name, rig.peer(name));
    }
    this.#watcher.closed = true;
    rig.requests.attach(this.#watcher, ['s']);
    this.#watcher.closed = false;
    return rig;
  }

  async run(): Promise<void> {
    this.#coverage.start(this.#input);
    if (this.#last === 'WRITE_FAILED') return this.#runInsideWrite();
    this.#ask();
    this.#id = this.#rig.lastId();
    let at = start(chart, this.#input).snapshot as Place;
    await this.#compare('birth', at, []);
    for (const event of this.#events) {
      this.#heard = { verdict: undefined, settlement: undefined, rejected: undefined, owner: [] };
      this.#watcher.seen.length = 0;
      this.#coverage.step(at, event);
      const { snapshot, effects } = step(chart, at as never, event);
      at = snapshot as Place;
      await this.#perform(event);
      await this.#compare(
        JSON.stringify(event),
        at,
        effects.map(({ type }) => type),
      );
    }
  }

  /** A write fails only while it goes on, so what comes before it comes from inside it. */
  async #runInsideWrite(): Promise<void> {
    let at = start(chart, this.#input).snapshot as Place;
    const broken = new FakePeer('broken', 'stdio');
    broken.onFrame = ({ id, kind }) => {
      if (kind !== 'request') return;
      this.#id = id;
      for (const event of this.#events) {
        this.#coverage.step(at, event);
        at = step(chart, at as never, event).snapshot as Place;
        if (event.type === 'LOCK') this.#rig.requests.lockAnswer(id, event.qid, 'early');
      }
      throw BROKEN;
    };
    this.#rig.requests.attach(broken, ['s']);
    this.#ask();
    // Whoever asked is told, and the request is taken back.
    same('write failed', 'open', at.context.unwritten, true);
    at = step(chart, at as never, { type: 'CANCEL', reason: 'session_closed' }).snapshot as Place;
    await settle();
    same('write failed', 'error', this.#heard.rejected, BROKEN);
    same('write failed', 'reason', this.#watcher.ofKind('cancel')[0]?.reason, at.context.reason);
    same('write failed', 'open', this.#rig.requests.openRequestCount(), 0);
    same('write failed', 'rows', this.#ledger.requests.length, 0);
  }

  #ask(): void {
    const { method, qids } = this.#input;
    const { requests } = this.#rig;
    if (this.#last === 'WITHDRAW') {
      const onResult = (result: JsonObject | null, settlement: Settlement): void => {
        this.#heard.owner.push(result);
        this.#heard.settlement = settlement;
      };
      this.#withdraw = requests.sendAsync(method, 's', {}, onResult, { qids, key: 'k' });
      return;
    }
    const timeoutMs = this.#last === 'DEADLINE' ? DEADLINE_MS : null;
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    requests.send(method, 's', {}, { timeoutMs, qids, signal, key: 'k' }).then(
      (settlement) => {
        this.#heard.settlement = settlement;
      },
      (error) => {
        this.#heard.rejected = error;
      },
    );
  }

  #peer(name: string | null): FakePeer | undefined {
    return name === null ? undefined : (this.#peers.get(name) ?? new FakePeer(name));
  }

  async #perform(event: RequestEvent): Promise<void> {
    const { requests, runtime } = this.#rig;
    switch (event.type) {
      case 'RESPOND': {
        const from = new FakePeer('typist', event.via === 'proxy' ? 'relay' : 'stdio');
        this.#heard.verdict = requests.resolveResponse(answer(this.#id, this.#result(event.conforms)), from);
        return;
      }
      case 'FAIL': {
        const { code, from } = event;
        const frame = code === null ? { id: this.#id, error: 'in words' } : failure(this.#id, code);
        this.#heard.verdict = requests.resolveResponse(frame, this.#peer(from));
        return;
      }
      case 'LOCK':
        this.#heard.verdict = this.#lock(event.qid);
        return;
      case 'CANCEL':
        same('cancel', 'count', requests.cancel('s', event.reason), 1);
        return;
      case 'WITHDRAW':
        same('withdraw', 'verdict', this.#withdraw?.(event.reason), true);
        return;
      case 'ABORT':
        return this.#abort.abort(STOP);
      case 'DEADLINE':
        return runtime.advance(DEADLINE_MS);
      case 'SHOWN':
        return void requests.replayTo(new FakePeer('late'), 's');
      case 'UNSEEN':
        return runtime.advance(UNSEEN_MS);
      case 'GATE_LOST':
        return this.#loseGate();
      case 'PEER_GONE': {
        const peer = this.#peers.get(event.peer);
        if (peer !== undefined) requests.forget(peer);
        this.#peers.delete(event.peer);
        return;
      }
      case 'PEER_REPLAYED': {
        const peer = this.#peers.get(event.peer) ?? this.#rig.peer(event.peer);
        this.#peers.set(event.peer, peer);
        return void requests.replayTo(peer, 's');
      }
      case 'RESTART':
        // The process is killed: nothing of it says goodbye.
        this.#rig = this.#open(new HandRuntime({ now: runtime.now(), seed: 77 }));
        return;
      case 'ADOPT':
        return this.#ask();
      case 'WRITE_FAILED':
        throw new Error('comes only from inside a write');
    }
  }

  #lock(qid: string): unknown {
    try {
      return this.#rig.requests.lockAnswer(this.#id, qid, `answer to ${qid}`);
    } catch (error) {
      return (error as { code: number }).code;
    }
  }

  #loseGate(): void {
    const { requests } = this.#rig;
    const able = this.#rig.peer('able');
    requests.heard(this.#rig.peer('deaf', ['s'], 'websocket', false));
    for (const peer of [...this.#peers.values(), able]) requests.advertise(peer, false);
  }

  #result(conforms: boolean): JsonObject {
    if (this.#input.qids.length === 0) return { value: conforms ? 'yes' : 7 };
    return { answers: { q0: conforms ? 'closing' : 7 } };
  }

  async #compare(what: string, { value, context }: Place, orders: readonly string[]): Promise<void> {
    await settle();
    const isOpen = value === 'pristine' || value === 'partial';
    const { requests } = this.#rig;
    const [shown] = requests.openRequests('s');
    same(what, 'open', requests.openRequestCount(), isOpen ? 1 : 0);
    const locked = this.#input.qids.filter((qid) => context.locked.includes(qid));
    if (isOpen) same(what, 'locked', Object.keys((shown?.params['answers'] ?? {}) as JsonObject), locked);
    same(what, 'cancel', this.#watcher.ofKind('cancel').length, orders.includes('sendCancel') ? 1 : 0);
    same(what, 'settled', this.#watcher.ofKind('settled').length, orders.includes('sendSettled') ? 1 : 0);
    this.#compareVerdict(what, context, orders);
    this.#compareEnd(what, { value, context }, orders);
    const [row] = this.#ledger.requests;
    const isKept = !isOpen && !(context.secret && value === 'answered');
    same(what, 'row', row?.state, isOpen || isKept ? value : undefined);
    if (isOpen) same(what, 'row', [row?.context['locked'], Object.keys(row?.locked ?? {})], [context.locked, locked]);
  }

  #compareVerdict(what: string, context: RequestContext, orders: readonly string[]): void {
    const { verdict } = this.#heard;
    if (orders.includes('refuseNoBatch')) same(what, 'verdict', verdict, null);
    if (orders.includes('refuseQuestion')) same(what, 'verdict', verdict, 4002);
    if (orders.includes('refuseUnattended')) same(what, 'verdict', verdict, false);
    if (orders.includes('acceptDecline')) same(what, 'verdict', verdict, true);
    const missing = this.#input.qids.filter((qid) => !context.locked.includes(qid));
    if (orders.includes('acceptLock')) same(what, 'verdict', verdict, missing);
    if (what.includes('"RESPOND"') && orders.includes('sendSettled')) same(what, 'verdict', verdict, true);
  }

  #compareEnd(what: string, { value, context }: Place, orders: readonly string[]): void {
    const { settlement, rejected, owner } = this.#heard;
    // After a restart nobody waits until somebody has come back.
    const isAwaited = context.attended;
    if (orders.includes('rejectWaiter')) same(what, 'rejected', rejected, STOP);
    if (this.#withdraw !== undefined) {
      const calls = isAwaited && orders.includes('callOwner') ? 1 : 0;
      same(what, 'owner', owner.length, calls);
      return;
    }
    const wakes = isAwaited && orders.includes('wake');
    same(what, 'woken', settlement?.kind, wakes ? value : undefined);
    if (settlement?.kind === 'answered') same(what, 'via', settlement.via, context.via);
    if (settlement?.kind === 'failed') same(what, 'code', settlement.error.code ?? null, context.code);
    if (settlement?.kind !== 'cancelled') return;
    same(what, 'reason', [settlement.reason, settlement.cause ?? null], [context.reason, context.cause]);
  }
}

/** What it is told is read off it, and no card is on its screen: neither when it comes nor when one is written to it. */
class Watcher extends FakePeer {
  override send(frame: RpcFrame): boolean {
    super.send(frame);
    return false;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await Promise.resolve();
}
