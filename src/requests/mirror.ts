/**
 * The parent's side of a child process that asks. The child owns its waits and decides; the parent
 * shows, relays and remembers what is open, and says "ok" only on the child's own word.
 */

import { start, step } from '../../machines/shared/step.ts';
import { birth, type Watch } from '../../machines/shared/tap.ts';
import { requireGiven } from '../given.ts';
import { consoleLogger, type Logger, nodeRuntime, type Runtime } from '../runtime.ts';
import { type RpcErrorName, RpcRefusal, rpcCode } from '../wire/errors.ts';
import type { JsonObject, RpcFrame } from '../wire/json.ts';
import { isJsonObject } from '../wire/jsonrpc.ts';
import { type Access, accessOf } from './access.ts';
import { readError, readLock } from './answers.ts';
import type { OpenRequest, Peer, ServerRequests } from './api.ts';
import { type MirrorChartEvent, type MirrorOrder, type MirrorSnapshot, mirrorChart } from './charts.ts';
import { cancelFrame, copyJson, frozenCopy, type SettledBy, settledFrame } from './frames.ts';
import { Log, reason } from './log.ts';
import { inTime } from './verdicts.ts';

/** `open`: the child took note, and the question goes on (a decline). */
export type RelayVerdict = { readonly status: 'ok' | 'expired'; readonly open?: boolean | undefined };
export type LockVerdict =
  | { readonly status: 'ok'; readonly remaining: readonly string[] }
  | { readonly status: 'expired' };

/** The way to one child process; its identity is the object. */
export interface ChildLink {
  /** Writes one frame. False, or a throw: it did not leave. */
  send(frame: RpcFrame): boolean;
  /** Hands a response frame over and brings the child's verdict. An error of the child rejects with an `RpcRefusal`. */
  respond(frame: JsonObject): Promise<RelayVerdict>;
  lock(params: JsonObject): Promise<LockVerdict>;
}

export interface Mirror {
  /** A frame of a child. True: it was about a question and has been dealt with; false: it is none of the mirror's. */
  fromChild(child: ChildLink, frame: JsonObject): boolean;
  /** A response frame of a client. True: it is on its way to the child; nothing more is promised. */
  resolveResponse(frame: JsonObject, from?: Peer): boolean;
  /** True: the child settled with it. False: expired. Rejects with `RpcRefusal` 5019 when the child was not reached, or gave no verdict in time. */
  answer(id: string, result: JsonObject, from?: Peer): Promise<boolean>;
  /** Still missing question ids; null: expired. Rejects like `answer`, and with the child's own refusals. */
  lock(id: string, qid: string, answer: unknown, from?: Peer): Promise<string[] | null>;
  has(id: string): boolean;
  openRequests(sid: string): OpenRequest[];
  openRequestCount(): number;
  /** The process is gone: each of its cards goes, once. */
  childExited(child: ChildLink): number;
  /** The turn is over: what is still open of it goes. */
  turnEnded(sid: string): number;
}

export interface MirrorOptions {
  /** The parent's own requests: their gate and their peers. */
  readonly requests: Pick<ServerRequests, 'answerable' | 'tell'>;
  readonly mayAccess?: ((sid: string, peer: Peer | undefined) => boolean) | undefined;
  readonly logger?: Logger | undefined;
  /** Where steps are told: the `watch` of a coordinator. */
  readonly watch?: Watch | undefined;
  /** Its timers ring when a child has not given its verdict in time. Default: those of the platform. */
  readonly runtime?: Pick<Runtime, 'after'> | undefined;
}

interface Mirrored {
  readonly child: ChildLink;
  readonly frame: OpenRequest;
  readonly locked: Map<string, string | null>;
  at: MirrorSnapshot;
  /** Whose answer is under way. */
  answerer: Peer | undefined;
}

/** What an event of the child, or of a client, brings along for what is said after it. */
interface Words {
  readonly frame?: RpcFrame | undefined;
  readonly by?: SettledBy | undefined;
  readonly from?: Peer | undefined;
}

/** Makes the mirror of a parent process. */
export function createMirror(options: MirrorOptions): Mirror {
  requireGiven(options, {
    'requests.answerable': 'function',
    'requests.tell': 'function',
    mayAccess: 'function?',
    logger: 'object?',
    runtime: 'object?',
  });
  return new OpenMirror(options);
}

class OpenMirror implements Mirror {
  readonly #requests: MirrorOptions['requests'];
  readonly #allows: Access;
  readonly #log: Log;
  readonly #watch: Watch | undefined;
  readonly #runtime: Pick<Runtime, 'after'>;
  readonly #open = new Map<string, Mirrored>();
  readonly #bySid = new Map<string, Map<string, Mirrored>>();

  constructor(options: MirrorOptions) {
    this.#watch = options.watch;
    this.#requests = options.requests;
    this.#log = new Log(options.logger ?? consoleLogger);
    this.#allows = accessOf(options.mayAccess, this.#log);
    this.#runtime = options.runtime ?? nodeRuntime;
  }

  fromChild(child: ChildLink, frame: JsonObject): boolean {
    if (!isJsonObject(frame)) return false;
    const { method, params } = frame;
    if (typeof method !== 'string' || !isJsonObject(params)) return false;
    if (method !== 'event')
      return typeof frame['id'] === 'string' && this.#asked(child, frame['id'], method, params, frame);
    const { type, payload } = params;
    if (type !== 'request.cancel' && type !== 'request.settled') return false;
    const id = isJsonObject(payload) ? payload['id'] : undefined;
    const mirrored = typeof id === 'string' ? this.#open.get(id) : undefined;
    // What is not mirrored any more has been said already, and nothing is said twice of one id.
    if (mirrored === undefined || mirrored.child !== child) return true;
    const event =
      type === 'request.cancel' ? ({ type: 'CHILD_CANCEL' } as const) : ({ type: 'CHILD_SETTLED' } as const);
    this.#send(mirrored, event, { frame: frame as unknown as RpcFrame, from: mirrored.answerer });
    return true;
  }

  #asked(child: ChildLink, id: string, method: string, params: JsonObject, whole: JsonObject): boolean {
    const { session_id: sid } = params;
    if (typeof sid !== 'string') return false;
    const known = this.#open.get(id);
    if (known !== undefined) {
      if (known.child !== child) this.#refuse(child, id, 'client_crashed', 'another process asks under this id');
      return true;
    }
    if (!this.#requests.answerable(sid)) {
      this.#refuse(child, id, 'unknown_method', 'no attached client can answer');
      return true;
    }
    const copy = frozen(params);
    if (copy === undefined) {
      this.#refuse(child, id, 'invalid_params', 'its params cannot be shown again');
      return true;
    }
    const frame: OpenRequest = { id, method, params: copy, ...ownerQuorum(whole) };
    const at = start(mirrorChart, { id, sid, method }).snapshot;
    this.#watch?.tell?.(mirrorChart.id, id, undefined, { type: 'xstate.init', sid, method }, birth(at));
    const mirrored: Mirrored = { child, frame, locked: new Map(), at, answerer: undefined };
    this.#open.set(id, mirrored);
    const there = this.#bySid.get(sid);
    if (there === undefined) this.#bySid.set(sid, new Map([[id, mirrored]]));
    else there.set(id, mirrored);
    this.#requests.tell(sid, Object.freeze({ jsonrpc: '2.0', ...frame }));
    return true;
  }

  /** The child hears it as the answer of a client, and fails at once instead of waiting for nobody. */
  #refuse(child: ChildLink, id: string, name: RpcErrorName, message: string): void {
    this.#log.say('info', `${id} of a child process was not shown: ${message}`);
    const error = { code: rpcCode(name), message };
    this.#log.guard('a refusal to a child process', () => child.send({ jsonrpc: '2.0', id, error }));
  }

  resolveResponse(frame: JsonObject, from?: Peer): boolean {
    const id = isJsonObject(frame) ? frame['id'] : undefined;
    const mirrored = typeof id === 'string' ? this.#reach(id, from) : undefined;
    if (mirrored === undefined) return false;
    const { code } = readError(frame['error']);
    if (code === rpcCode('not_owner') || code === rpcCode('not_shown')) {
      // A decline is no answer: it must not stand in the way of the owner's.
      void this.#verdict(mirrored, frame).catch((error) =>
        this.#log.say('warn', `a decline was not relayed: ${reason(error)}`),
      );
      return true;
    }
    if (this.#send(mirrored, { type: 'ANSWER' }).includes('refuse')) return false;
    void this.#relay(mirrored, frame, from).catch((error) => {
      this.#log.say('warn', `the answer to ${mirrored.frame.id} did not reach the child: ${reason(error)}`);
    });
    return true;
  }

  async answer(id: string, result: JsonObject, from?: Peer): Promise<boolean> {
    if (!isJsonObject(result)) throw new RpcRefusal('bad_answer', 'result: it must be an object');
    const mirrored = this.#reach(id, from);
    if (mirrored === undefined || this.#send(mirrored, { type: 'ANSWER' }).includes('refuse')) return false;
    return (await this.#relay(mirrored, { jsonrpc: '2.0', id, result }, from)).status === 'ok';
  }

  async #relay(mirrored: Mirrored, frame: JsonObject, from: Peer | undefined): Promise<RelayVerdict> {
    mirrored.answerer = from;
    let verdict: RelayVerdict;
    try {
      verdict = await this.#verdict(mirrored, frame);
    } catch (error) {
      mirrored.answerer = undefined;
      this.#send(mirrored, { type: 'RELAY_ERROR' });
      throw error;
    }
    const by = frame['error'] === undefined || frame['error'] === null ? 'response' : 'error';
    const { status, open = false } = verdict;
    this.#send(mirrored, { type: 'ACK', verdict: status, open }, { by, from });
    mirrored.answerer = undefined;
    return verdict;
  }

  async #verdict(mirrored: Mirrored, frame: JsonObject): Promise<RelayVerdict> {
    const verdict = await inTime(
      this.#runtime,
      () => mirrored.child.respond(frame),
      (late) => {
        if (late?.open !== true) this.#endedLate(mirrored, late?.status, 'response');
      },
    );
    if (verdict?.status !== 'ok' && verdict?.status !== 'expired') throw new RpcRefusal('relay_failed');
    return verdict;
  }

  async lock(id: string, qid: string, answer: unknown, from?: Peer): Promise<string[] | null> {
    const mirrored = this.#reach(id, from);
    if (mirrored === undefined) return null;
    const locked = readLock(answer);
    const params = { request_id: id, question_id: qid, answer: locked };
    const verdict = await inTime(
      this.#runtime,
      () => mirrored.child.lock(params),
      (late) => {
        if (late?.status === 'expired') this.#endedLate(mirrored, 'expired', 'lock');
        else if (Array.isArray(late?.remaining)) this.#locked(mirrored, qid, locked, late.remaining, {});
      },
    );
    if (verdict?.status === 'expired') {
      this.#send(mirrored, { type: 'LOCK_ENDED', verdict: 'expired' });
      return null;
    }
    if (verdict?.status !== 'ok' || !Array.isArray(verdict.remaining)) throw new RpcRefusal('relay_failed');
    this.#locked(mirrored, qid, locked, verdict.remaining, { from });
    return [...verdict.remaining];
  }

  #locked(mirrored: Mirrored, qid: string, answer: string | null, left: readonly string[], words: Words): void {
    mirrored.locked.set(qid, answer);
    const isLast = left.length === 0;
    const event = isLast ? ({ type: 'LOCK_ENDED', verdict: 'ok' } as const) : ({ type: 'LOCKED', qid } as const);
    this.#send(mirrored, event, { ...words, by: 'lock' });
  }

  /** Whoever answered was told that nobody was reached, and may have the card again: that window is told as well. */
  #endedLate(mirrored: Mirrored, verdict: unknown, by: SettledBy): void {
    if (verdict === 'ok' || verdict === 'expired') this.#send(mirrored, { type: 'LOCK_ENDED', verdict }, { by });
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  openRequests(sid: string): OpenRequest[] {
    return [...(this.#bySid.get(sid)?.values() ?? [])].map(({ frame, locked }) => {
      const params = copyJson(frame.params);
      if (locked.size === 0) return { ...frame, params };
      return { ...frame, params: { ...params, answers: Object.fromEntries(locked) } };
    });
  }

  openRequestCount(): number {
    return this.#open.size;
  }

  childExited(child: ChildLink): number {
    const left = [...this.#open.values()].filter((mirrored) => mirrored.child === child);
    for (const mirrored of left) this.#send(mirrored, { type: 'CHILD_EXIT' });
    return left.length;
  }

  turnEnded(sid: string): number {
    const left = [...(this.#bySid.get(sid)?.values() ?? [])];
    for (const mirrored of left) this.#send(mirrored, { type: 'TURN_END' });
    return left.length;
  }

  #reach(id: string, from: Peer | undefined): Mirrored | undefined {
    const mirrored = this.#open.get(id);
    if (mirrored === undefined) return undefined;
    // Whoever is asked may have ended it inside that very call.
    if (this.#allows(mirrored.at.context.sid, from)) return this.#open.get(id);
    this.#log.say(
      'warn',
      `a peer that may not answer for session "${mirrored.at.context.sid}" answered ${id}: ignored`,
    );
    return undefined;
  }

  /** One event: the step, then what is said of it. What is gone hears nothing. */
  #send(mirrored: Mirrored, event: MirrorChartEvent, words: Words = {}): readonly MirrorOrder[] {
    const { id, sid } = mirrored.at.context;
    if (this.#open.get(id) !== mirrored) return [];
    const stepped = step(mirrorChart, mirrored.at, event);
    const { snapshot, effects } = stepped;
    this.#watch?.tell?.(mirrorChart.id, id, mirrored.at, event, stepped);
    mirrored.at = snapshot;
    if (snapshot.done) {
      this.#open.delete(id);
      const there = this.#bySid.get(sid);
      there?.delete(id);
      if (there?.size === 0) this.#bySid.delete(sid);
    }
    const orders = effects.map(({ type }) => type);
    for (const order of orders) this.#perform(mirrored, order, words);
    return orders;
  }

  #perform({ at }: Mirrored, order: MirrorOrder, { frame, by = 'response', from }: Words): void {
    const { id, sid, method } = at.context;
    if (order === 'sayClosed') this.#requests.tell(sid, cancelFrame(sid, id, method, 'session_closed'));
    if (order === 'saySettled') this.#requests.tell(sid, settledFrame(sid, id, method, by), from);
    if (frame === undefined) return;
    if (order === 'passCancel') this.#requests.tell(sid, frame);
    if (order === 'passSettled') this.#requests.tell(sid, frame, from);
  }
}

function frozen(params: JsonObject): JsonObject | undefined {
  try {
    return frozenCopy(params).copy;
  } catch {
    return undefined;
  }
}

const ownerQuorum = ({ owner_quorum }: JsonObject): { owner_quorum?: true } =>
  owner_quorum === true ? { owner_quorum } : {};
