/** Sequences as plain data: what child processes, their parent's clients and turns do to a mirror, and what is seen. */
import type { ChildLink, LockVerdict, Mirror, RelayVerdict } from '../../requests/mirror.ts';
import type { JsonObject, RpcFrame } from '../../wire/json.ts';
import { noteStep, shown } from '../rules.ts';
import { answer, type FakePeer, failure, RequestRig, type RequestsSubject } from './rig.ts';
import { framesOf, thrown, words } from './sight.ts';
import { SIDS } from './walk.ts';

/** The questions of each card. */
const QIDS = ['q0', 'q1'];
type Verdict = 'ok' | 'open' | 'expired' | 'unreached';

/** One call, or one event of the child. `card` is counted back from the newest, which is 0. */
export type MirrorStep =
  /** The child asks two questions on one card. */
  | { readonly do: 'ask'; readonly sid: string }
  /** `frame`: as a response frame, else as the acknowledged call. The child has not said yet what it makes of it. */
  | { readonly do: 'answer'; readonly card: number; readonly frame: boolean }
  | { readonly do: 'fail'; readonly card: number; readonly code: number }
  /** What the child makes of the oldest answer that it has; `open`: it took note, and the question goes on. */
  | { readonly do: 'verdict'; readonly says: Verdict }
  | { readonly do: 'lock'; readonly card: number; readonly qid: string }
  /** The child no longer has it, and has not said so. */
  | { readonly do: 'lose'; readonly card: number }
  | { readonly do: 'cancel' | 'settled'; readonly card: number }
  /** The process ends; the next question is of another one. */
  | { readonly do: 'exit' }
  | { readonly do: 'turn'; readonly sid: string };

/** What a mirror shows after a step, in few words. Cards are numbered as they came about. */
export interface MirrorSight {
  /** What the call of this step returned at once, or that it threw. */
  readonly said: string;
  /** Frames that clients got in this step: `page request c1 clarify`, `other settled c1 response`. */
  readonly frames: readonly string[];
  /** What calls came to in this step: `answer of c1 true`, `lock of c1 ["q1"]`. */
  readonly ended: readonly string[];
  /** Open cards: number, session, what is locked. */
  readonly open: readonly string[];
}

/** A child that keeps what it gets until the walk says what it makes of it. */
class WalkedChild implements ChildLink {
  readonly #locked = new Map<string, Set<string>>();
  readonly lost = new Set<string>();
  readonly waiting: { resolve: (verdict: RelayVerdict) => void; reject: (error: unknown) => void }[] = [];

  send(_frame: RpcFrame): boolean {
    return true;
  }

  respond(): Promise<RelayVerdict> {
    return new Promise((resolve, reject) => void this.waiting.push({ resolve, reject }));
  }

  lock({ request_id: id, question_id: qid }: JsonObject): Promise<LockVerdict> {
    if (this.lost.has(String(id))) return Promise.resolve({ status: 'expired' });
    const locked = (this.#locked.get(String(id)) ?? new Set()).add(String(qid));
    this.#locked.set(String(id), locked);
    return Promise.resolve({ status: 'ok', remaining: QIDS.filter((one) => !locked.has(one)) });
  }
}

export class MirrorWorld {
  readonly #rig: RequestRig;
  readonly #mirror: Mirror;
  #child = new WalkedChild();
  /** Where answers are given. */
  readonly #page: FakePeer;
  readonly #other: FakePeer;
  /** Of each card, the session that it was asked in. */
  readonly #asked: string[] = [];
  #ended: string[] = [];

  constructor(subject: RequestsSubject, make: NonNullable<RequestsSubject['mirror']>) {
    this.#rig = new RequestRig({}, undefined, subject);
    this.#mirror = make({ requests: this.#rig.requests, logger: this.#rig.logger });
    this.#page = this.#rig.peer('page', SIDS);
    this.#other = this.#rig.peer('other', SIDS);
  }

  /** One step, and what is to be seen after it. */
  async take(step: MirrorStep): Promise<MirrorSight> {
    noteStep(shown(step));
    let said: string;
    try {
      said = words(this.#perform(step));
    } catch (error) {
      said = `threw ${thrown(error)}`;
    }
    await this.#rig.runtime.settle();
    const open = SIDS.flatMap((sid) =>
      this.#mirror.openRequests(sid).map(({ id, params }) => {
        const locked = params['answers'] === undefined ? [] : [JSON.stringify(params['answers'])];
        return [nameOf(id), sid, ...locked].join(' ');
      }),
    );
    return { said, frames: framesOf([this.#page, this.#other], nameOf), ended: this.#ended.splice(0), open };
  }

  #perform(step: MirrorStep): unknown {
    const id = 'card' in step ? `srq-${this.#asked.length - step.card}` : '';
    switch (step.do) {
      case 'ask': {
        const asked = { jsonrpc: '2.0', id: `srq-${this.#asked.push(step.sid)}`, method: 'clarify' };
        return this.#mirror.fromChild(this.#child, { ...asked, params: { session_id: step.sid } });
      }
      case 'answer': {
        const result = { answers: { q0: 'yes' } };
        if (step.frame) return this.#mirror.resolveResponse(answer(id, result), this.#page);
        return this.#hear(`answer of ${nameOf(id)}`, this.#mirror.answer(id, result, this.#page));
      }
      case 'fail':
        return this.#mirror.resolveResponse(failure(id, step.code), this.#page);
      case 'verdict': {
        const oldest = this.#child.waiting.shift();
        if (step.says === 'unreached') return oldest?.reject(new Error('the pipe broke'));
        return oldest?.resolve({ status: step.says === 'expired' ? 'expired' : 'ok', open: step.says === 'open' });
      }
      case 'lock':
        return this.#hear(`lock of ${nameOf(id)}`, this.#mirror.lock(id, step.qid, 'yes', this.#page));
      case 'lose':
        return void this.#child.lost.add(id);
      case 'cancel':
        return this.#says(step.card, 'request.cancel', { id, reason: 'timeout' });
      case 'settled':
        return this.#says(step.card, 'request.settled', { id, by: 'response' });
      case 'exit': {
        const gone = this.#mirror.childExited(this.#child);
        this.#child = new WalkedChild();
        return gone;
      }
      default:
        return this.#mirror.turnEnded(step.sid);
    }
  }

  #hear(what: string, work: Promise<unknown>): void {
    void work.then(
      (value) => this.#ended.push(`${what} ${words(value)}`),
      (error) => this.#ended.push(`${what} threw ${thrown(error)}`),
    );
  }

  #says(card: number, type: string, payload: JsonObject): boolean {
    const sid = this.#asked.at(-1 - card) ?? SIDS[0];
    const params = { type, session_id: sid, payload: { method: 'clarify', ...payload } };
    return this.#mirror.fromChild(this.#child, { jsonrpc: '2.0', method: 'event', params });
  }
}

const nameOf = (id: string): string => id.replace('srq-', 'c');
