/** Takes in what a client sends, one frame at a time, and sees to it that each request gets exactly one reply. */

import { heed } from '../../machines/shared/heed.ts';
import { requireGiven } from '../given.ts';
import type { Peer, ServerRequests } from '../requests/api.ts';
import type { Logger } from '../runtime.ts';
import { isJson } from './contracts/json-value.ts';
import type { MethodContract, Pack } from './contracts/pack.ts';
import { type Fault, faultText } from './contracts/paths.ts';
import { type ContractPolicy, ContractViolation, guarded, type Violations, violations } from './contracts/policy.ts';
import { RpcRefusal, rpcMessage } from './errors.ts';
import type { JsonObject, RpcError, RpcFrame, RpcId } from './json.ts';
import { failureFrame, isJsonObject, isResponseFrame, successFrame } from './jsonrpc.ts';

/** Who called. */
export interface Call {
  readonly peer: Peer;
}

/**
 * Does what one method promises. Its params hold no unknown key; what is missing or mistyped is for the handler to
 * refuse, with an `RpcRefusal`. Anything else it throws is a crash (-32000).
 */
export type Handler = (params: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;

export interface DispatcherOptions {
  readonly pack: Pack;
  /** By method. Each needs a contract in the pack. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly logger: Logger;
  /** Takes the answers to server requests. */
  readonly requests?: Pick<ServerRequests, 'resolveResponse' | 'heard'> | undefined;
  /** Takes the answers that another process waits for; false: not its own. */
  readonly relay?: ((frame: JsonObject, peer: Peer) => boolean) | undefined;
  /** Default `production`. */
  readonly policy?: ContractPolicy | undefined;
  /** Reads an error of the host as a refusal; undefined: it is a crash. */
  readonly asRefusal?: ((error: unknown) => RpcRefusal | undefined) | undefined;
  /** Requests of one peer that may run at a time (default 64); beyond it a request is refused, unheard. */
  readonly inFlight?: number | undefined;
}

export interface Dispatcher {
  /**
   * One inbound frame, parsed. Handlers start, and answers settle, before it returns; the promise ends with the reply.
   * Never rejects, except with `ContractViolation` and what the registry throws under the policy `strict`.
   */
  receive(peer: Peer, frame: unknown): Promise<void>;
  /** Names of the methods that are mounted, sorted. */
  readonly methods: readonly string[];
}

const IN_FLIGHT = 64;
/** Longest id that is echoed. */
const LONGEST_ID = 256;
/** A client never asks under an id of the server: its reply would look like an answer (2.2). */
const SERVER_ID = 'srq-';

const isClientId = (id: unknown): id is RpcId =>
  typeof id === 'string' ? id.length <= LONGEST_ID && !id.startsWith(SERVER_ID) : Number.isFinite(id);

const isPromise = (value: unknown): value is PromiseLike<JsonObject> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const quoted = (name: string): string => JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);

/** Where it was thrown. The message stays out: it may quote an answer. */
function whereThrown(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return [error.name, ...frames.slice(0, 8)].join('\n');
}

function wireError(refusal: RpcRefusal): RpcError {
  const { code, message, data } = refusal;
  return data !== undefined && isJson(data) ? { code, message, data: data as JsonObject } : { code, message };
}

/** A request whose envelope is right. */
interface Request {
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

class Dispatch implements Dispatcher {
  readonly methods: readonly string[];
  readonly #options: DispatcherOptions;
  readonly #handlers: ReadonlyMap<string, readonly [MethodContract, Handler]>;
  readonly #violations: Violations;
  readonly #running = new WeakMap<Peer, number>();

  constructor(options: DispatcherOptions) {
    this.#options = { ...options, logger: guarded(options.logger) };
    this.#violations = violations(options.policy ?? 'production', options.logger);
    this.#handlers = new Map(
      Object.entries(options.handlers).map(([method, handler]) => {
        const contract = options.pack.methods.get(method);
        if (contract === undefined) throw new TypeError(`method ${quoted(method)} has a handler but no contract`);
        return [method, [contract, handler]];
      }),
    );
    this.methods = Object.freeze([...this.#handlers.keys()].sort());
  }

  async receive(peer: Peer, frame: unknown): Promise<void> {
    if (isResponseFrame(frame)) return this.#response(peer, frame);
    let request: Request | undefined;
    try {
      request = this.#read(frame);
    } catch (error) {
      // The id goes back only where it cannot be taken for one of ours.
      const id = isJsonObject(frame) && isClientId(frame['id']) ? frame['id'] : null;
      this.#refuse(peer, id, error instanceof RpcRefusal ? error : new RpcRefusal('invalid_request'));
      return;
    }
    if (request !== undefined) await this.#call(peer, request);
  }

  /** the registry, else the relay, else nothing; and no reply of any kind. */
  #response(peer: Peer, frame: JsonObject): void {
    const { requests, relay, logger, policy } = this.#options;
    try {
      if (requests?.resolveResponse(frame, peer) === true) return;
      if (relay?.(frame, peer) === true) return;
      logger.debug('readback dispatch: an answer that nobody waits for was dropped');
    } catch (error) {
      logger.error(`readback dispatch: an answer could not be taken: ${whereThrown(error)}`);
      if (policy === 'strict') throw error;
    }
  }

  /** Undefined: not for us, and not to be replied to. Throws an `RpcRefusal` for a bad envelope. */
  #read(frame: unknown): Request | undefined {
    if (!isJsonObject(frame)) throw new RpcRefusal('invalid_request', 'a frame is one JSON object');
    const { jsonrpc, id, method, params } = frame;
    if (method === undefined && typeof id === 'string' && id.startsWith(SERVER_ID)) {
      this.#options.logger.debug('readback dispatch: an answer without a result or an error was dropped');
      return undefined;
    }
    if (typeof method !== 'string' || method === '') throw new RpcRefusal('invalid_request', 'no method');
    if (jsonrpc !== undefined && jsonrpc !== '2.0') throw new RpcRefusal('invalid_request', 'jsonrpc is not "2.0"');
    if (id === undefined) {
      this.#options.logger.debug(`readback dispatch: ${quoted(method)} without an id was dropped`);
      return undefined;
    }
    if (!isClientId(id)) {
      throw new RpcRefusal('invalid_request', `an id is a number, or a text that does not begin with ${SERVER_ID}`);
    }
    if (params !== undefined && !isJsonObject(params))
      throw new RpcRefusal('invalid_params', 'params is not an object');
    return { id, method, params: params ?? {} };
  }

  async #call(peer: Peer, request: Request): Promise<void> {
    const { id, method, params } = request;
    // Whatever else it says, a peer that speaks without having advertised is no longer undecided.
    if (method !== 'client.capabilities') this.#heard(peer);
    const mounted = this.#handlers.get(method);
    if (mounted === undefined) {
      return this.#refuse(peer, id, new RpcRefusal('unknown_method', `unknown method ${quoted(method)}`));
    }
    const [contract, handler] = mounted;
    const [fault] = contract.params.unknown(params);
    if (fault !== undefined) return this.#refuse(peer, id, refusalOf(method, fault));
    const running = this.#running.get(peer) ?? 0;
    if (running >= (this.#options.inFlight ?? IN_FLIGHT)) {
      const busy = new RpcRefusal('server_crashed', `${running} requests are running; send it again later`);
      return this.#refuse(peer, id, busy);
    }
    this.#running.set(peer, running + 1);
    try {
      await this.#run(peer, request, contract, handler);
    } finally {
      this.#running.set(peer, (this.#running.get(peer) ?? 1) - 1);
    }
  }

  #heard(peer: Peer): void {
    try {
      this.#options.requests?.heard(peer);
    } catch (error) {
      this.#options.logger.error(`readback dispatch: a peer could not be noted: ${whereThrown(error)}`);
    }
  }

  async #run(peer: Peer, request: Request, contract: MethodContract, handler: Handler): Promise<void> {
    const { id, method, params } = request;
    let result: JsonObject;
    try {
      const given = handler(params, { peer });
      // A handler that is not asynchronous is replied to before the next frame is read.
      result = isPromise(given) ? await given : given;
      this.#recheck(contract, params, result);
    } catch (error) {
      this.#refuse(peer, id, this.#refusalFor(method, error));
      if (error instanceof ContractViolation) throw error;
      return;
    }
    if (!this.#write(peer, successFrame(id, result ?? {})) && !peer.closed) {
      // A result that cannot be written must not leave the caller without a reply.
      this.#write(peer, failureFrame(id, wireError(new RpcRefusal('server_crashed'))));
    }
  }

  /** Throws under `strict`; otherwise a line in the log, once, and the result goes out as it is. */
  #recheck(contract: MethodContract, params: JsonObject, result: JsonObject): void {
    this.#violations.report('params', contract.name, contract.params.wrong(params));
    this.#violations.report('result', contract.name, contract.result.wrong(result ?? {}));
  }

  #refusalFor(method: string, error: unknown): RpcRefusal {
    const { asRefusal, logger } = this.#options;
    if (error instanceof RpcRefusal) return error;
    if (error instanceof ContractViolation) return new RpcRefusal('server_crashed', error.message);
    try {
      const refusal = asRefusal?.(error);
      if (refusal !== undefined) return refusal;
    } catch {
      // The reader of errors failed on this one: it is a crash like any other.
    }
    logger.error(`readback dispatch: ${method} crashed: ${whereThrown(error)}`);
    return new RpcRefusal('server_crashed', `${rpcMessage('server_crashed')}: ${method}`);
  }

  #refuse(peer: Peer, id: RpcId | null, refusal: RpcRefusal): void {
    this.#write(peer, failureFrame(id, wireError(refusal)));
  }

  #write(peer: Peer, frame: RpcFrame): boolean {
    const failed = (error: unknown): void =>
      this.#options.logger.debug(`readback dispatch: a reply was not written: ${whereThrown(error)}`);
    try {
      const sent: unknown = peer.send(frame);
      // Of a promise it is not known, and a second reply would be one too many.
      if (heed(sent, failed) || sent) return true;
    } catch (error) {
      failed(error);
      return false;
    }
    this.#options.logger.debug('readback dispatch: a reply was not written');
    return false;
  }
}

/** What a client is told of a key that the contract does not know, or of params that nobody can check. */
function refusalOf(method: string, fault: Fault): RpcRefusal {
  const what = `${method}: ${faultText(fault)}`;
  return fault.problem === 'unknown key' ? new RpcRefusal('unknown_key', what) : new RpcRefusal('invalid_params', what);
}

/** Mounts handlers behind the contracts of a pack. Throws where a handler has no contract. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  requireGiven(options, {
    'pack.methods': 'object',
    handlers: 'object',
    logger: 'object',
    requests: 'object?',
    relay: 'function?',
  });
  return new Dispatch(options);
}
