/** What must hold before anybody is asked, and the making of a request. */
import { heed } from '../../machines/shared/heed.ts';
import { start } from '../../machines/shared/step.ts';
import { invalid } from '../errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { isJsonObject, isOver } from '../wire/jsonrpc.ts';
import type { RequestContract, RequestContracts } from './api.ts';
import { requestChart } from './charts.ts';
import { type Entry, newEntry, UNWRITTEN } from './entry.ts';
import { frozenCopy } from './frames.ts';
import type { Gatekeeper } from './gate.ts';
import { digestOfQuestion, type KeptRequest } from './kept.ts';
import { REQUEST_LIMITS } from './limits.ts';
import type { Registry } from './registry.ts';

export interface Wanted {
  readonly method: string;
  readonly sid: string;
  readonly params: JsonObject;
  readonly qids: readonly string[];
  readonly key: string | null;
  readonly owner: 'wait' | 'callback';
  readonly timeoutMs: number | null;
}

export type Admitted =
  | { readonly kind: 'refused' }
  | { readonly kind: 'ended'; readonly kept: KeptRequest }
  /** It was open under the key already. */
  | { readonly kind: 'joined'; readonly entry: Entry }
  | { readonly kind: 'opened'; readonly entry: Entry; readonly isProvisional: boolean };

export interface AdmissionRules {
  readonly contracts: RequestContracts;
  readonly isStrict: boolean;
  readonly errorQuorum: boolean;
}

export class Admission {
  readonly #registry: Registry;
  readonly #gate: Gatekeeper;
  readonly #rules: AdmissionRules;

  constructor(registry: Registry, gate: Gatekeeper, rules: AdmissionRules) {
    this.#registry = registry;
    this.#gate = gate;
    this.#rules = rules;
  }

  /** Opens it, joins what is open under its key, or refuses. Throws for bad input, and then nothing has happened. */
  admit(wanted: Wanted): Admitted {
    const registry = this.#registry;
    const { method, sid } = wanted;
    const known = this.#underKey(wanted);
    if (known !== undefined) return known;
    const gate = registry.isClosed ? 'deaf' : this.#gate.stateOf(sid);
    if (gate === 'deaf') {
      const why = registry.isClosed ? 'nobody is asked any more' : 'no attached client can answer';
      registry.log.say('info', `${method} for session "${sid}" was not sent: ${why}`);
      return { kind: 'refused' };
    }
    const contract = this.#rules.contracts.request(method);
    if (contract === undefined) throw invalid('method', `there is no contract for "${method}"`);
    const entry = this.#make(wanted, contract, this.#checked(wanted, contract));
    registry.requireRoom(sid);
    registry.open(entry);
    return { kind: 'opened', entry, isProvisional: gate === 'undecided' };
  }

  #underKey({ key, method, sid, params, qids }: Wanted): Admitted | undefined {
    if (key === null) return undefined;
    const registry = this.#registry;
    const entry = this.#standing(key);
    const kept = entry === undefined ? registry.kept.find(key) : undefined;
    const known = entry ?? kept;
    if (known === undefined) return undefined;
    if (known.method !== method || known.sid !== sid) {
      throw invalid('key', `it belongs to ${known.method} of session "${known.sid}"`);
    }
    const digest = kept?.digest ?? (entry && digestOfQuestion(entry.params, entry.at.context.qids));
    if (digestOfQuestion(copied({ ...params, session_id: sid }).copy, qids) !== digest) {
      throw invalid('key', 'it belongs to another question, and the answer to that one is none to this one');
    }
    if (entry === undefined) return kept === undefined ? undefined : { kind: 'ended', kept };
    registry.dispatch(entry, { type: 'ADOPT' });
    return { kind: 'joined', entry };
  }

  /** What is open under the key. What only waits to be taken back is taken back now: nobody may wait for it. */
  #standing(key: string): Entry | undefined {
    const entry = this.#registry.byKey(key);
    if (entry?.at.context.unwritten !== true) return entry;
    this.#registry.dispatch(entry, UNWRITTEN);
    return undefined;
  }

  /** The params as they travel: checked, with the session, sharing nothing with the caller's. */
  #checked({ method, sid, params, qids }: Wanted, contract: RequestContract): JsonObject {
    if ('session_id' in params && params['session_id'] !== sid) {
      throw invalid('params.session_id', 'it names another session than the call');
    }
    if (qids.length > 0 && contract.secret) throw invalid('qids', `${method} is secret, and a secret is asked alone`);
    requireSameQuestions(qids, params);
    const { copy, text } = copied({ ...params, session_id: sid });
    if (isOver(text, REQUEST_LIMITS.params)) {
      throw invalid('params', `it is larger than the ${REQUEST_LIMITS.params} bytes of JSON that may travel`);
    }
    const wrong = contract.wrongParams(copy);
    // What conforms has no unknown key, so only what does not is asked which of its faults are some.
    const unknown = wrong.length > 0 ? contract.unknownParams(copy) : [];
    if (unknown.length > 0) throw invalid(`params.${unknown[0]}`, `${method} has no such key`);
    for (const path of wrong) {
      if (this.#rules.isStrict) throw invalid(fieldOf(path), `it does not conform to the contract of ${method}`);
      this.#registry.log.once('warn', sentAllTheSame(method, path));
    }
    return copy;
  }

  #make(wanted: Wanted, contract: RequestContract, params: JsonObject): Entry {
    const registry = this.#registry;
    const { method, sid, qids, key, owner, timeoutMs } = wanted;
    const { windowOwned, secret } = contract;
    const { errorQuorum } = this.#rules;
    const id = registry.freshId();
    const candidates = windowOwned || errorQuorum ? this.#gate.candidates(sid) : [];
    const input = { id, sid, method, qids, secret, windowOwned, errorQuorum, candidates };
    const at = start(requestChart, input).snapshot;
    const expiresAt = timeoutMs === null ? null : registry.runtime.now() + timeoutMs;
    return newEntry({ id, seq: registry.nextSeq, sid, method, params, contract, key, owner, expiresAt, at });
  }
}

/** An empty path is the params as a whole. */
const fieldOf = (path: string): string => (path === '' ? 'params' : `params.${path}`);

const sentAllTheSame = (method: string, path: string): string =>
  `${fieldOf(path)} of ${method}: is missing, or not of the type that its contract says; it was sent as it is. Correct it where this request is made; under the policy strict it is refused`;

function copied(params: JsonObject): ReturnType<typeof frozenCopy> {
  try {
    return frozenCopy(params);
  } catch (cause) {
    throw invalid('params', `it cannot travel as JSON (${cause instanceof Error ? cause.name : 'thrown'})`);
  }
}

/** Refuses what no call may pass, whoever is attached. */
export function requireCall(method: unknown, sid: unknown, params: unknown): void {
  if (typeof method !== 'string' || method === '') throw invalid('method', 'it must be a text, and not empty');
  if (typeof sid !== 'string') throw invalid('sid', 'it must be a text');
  if (sid.length > REQUEST_LIMITS.name) throw invalid('sid', `it is longer than ${REQUEST_LIMITS.name}`);
  if (!isJsonObject(params)) throw invalid('params', 'it must be an object');
}

/** Asks whether anything new is let in. A promise lets nothing in: what it will say comes too late. */
export function letIn(admit: (() => unknown) | undefined): void {
  if (heed(admit?.(), () => undefined)) throw invalid('admit', 'it gave a promise, and must decide at once');
}

export function requireKey(key: unknown): string | null {
  if (key === undefined) return null;
  if (typeof key !== 'string' || key === '') throw invalid('key', 'it must be a text, and not empty');
  if (key.length > REQUEST_LIMITS.name) throw invalid('key', `it is longer than ${REQUEST_LIMITS.name}`);
  return key;
}

/** The questions of a batch; absent or empty: not a batch. */
export function requireQids(qids: unknown): readonly string[] {
  if (qids === undefined) return [];
  if (!Array.isArray(qids)) throw invalid('qids', 'it must be a list');
  if (qids.length > REQUEST_LIMITS.questions) throw invalid('qids', `more than ${REQUEST_LIMITS.questions} questions`);
  const seen = new Set<string>();
  for (const qid of qids as unknown[]) {
    if (typeof qid !== 'string' || qid === '') throw invalid('qids', 'each must be a text, and not empty');
    if (qid.length > REQUEST_LIMITS.name) throw invalid('qids', `one is longer than ${REQUEST_LIMITS.name}`);
    if (seen.has(qid)) throw invalid('qids', `"${qid}" stands in it twice`);
    seen.add(qid);
  }
  return Object.freeze([...seen]);
}

/** A batch and its card name the same questions: an answer under any other id would be dropped. */
function requireSameQuestions(qids: readonly string[], { questions }: JsonObject): void {
  if (qids.length === 0 || !Array.isArray(questions)) return;
  const shown = questions.map((one: unknown) => (isJsonObject(one) ? one['qid'] : undefined));
  if (shown.length === qids.length && qids.every((qid) => shown.includes(qid))) return;
  throw invalid('qids', `the card has the questions ${JSON.stringify(shown)}; name exactly these`);
}

/** Milliseconds, or null for no deadline. */
export function requireTimeout(timeoutMs: unknown): number | null {
  if (timeoutMs === null) return null;
  if (typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) && timeoutMs >= 0) return timeoutMs;
  throw new RangeError('timeoutMs: it must be null, or a finite number of milliseconds that is not negative.');
}
