import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { MCP_BOUNDS } from './bounds.ts';

/** Why nobody will read the result of a call: the client cancelled it, or its connection is gone. */
export interface Loss {
  readonly why: 'cancelled' | 'gone';
  readonly reason: string | undefined;
}

export interface GateOwner {
  /** A result that held these tokens reached the transport whole. */
  written(call: Call): void;
  /** Nobody reads the result of this call: what it carried has not been handed over. */
  lost(call: Call, loss: Loss): void;
}

export interface GateOptions {
  readonly now: () => number;
  /** Resolves once it is known whether the response of a request left the process. Default: when `send` resolves. */
  readonly confirm?: ((id: RequestId) => Promise<boolean> | undefined) | undefined;
  /** Told that a request gets no response, so that its stream can be freed. */
  readonly free?: ((id: RequestId) => void) | undefined;
}

/** One tools/call: whether its result is still wanted, and the tokens that the result carries. */
export class Call {
  readonly id: RequestId;
  readonly startedAt: number;
  /** The asks this call waits for, while it waits. */
  holding: readonly string[] = [];
  readonly tokens: string[] = [];
  /** Tokens that the coordinator attached to this call while it ran it. */
  readonly attached: string[] = [];
  /** Arguments that are no object. The protocol layer would answer them in words of its own, and gets none. */
  misshapen: unknown;
  /** Parked answers that the result tells of. */
  readonly notices: string[] = [];
  /** The entry of the client's branch that holds it, where the client names one. */
  under: string | undefined;
  loss: Loss | undefined;
  /** True once its response was passed to the transport. */
  sent = false;
  /** True once the response is known to have left. */
  written = false;
  readonly #abort = new AbortController();

  constructor(id: RequestId, startedAt: number) {
    this.id = id;
    this.startedAt = startedAt;
  }

  /** Aborted when the client cancelled the call or went away. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the call. The loss is set before anyone who waits on the signal runs. */
  lose(loss: Loss): void {
    if (this.loss !== undefined) return;
    this.loss = loss;
    this.#abort.abort(loss.reason ?? loss.why);
  }
}

/** The call as the protocol layer takes it. What is no object in place of the arguments is kept aside. */
function shaped<T extends JSONRPCMessage>(message: T, call: Call): T {
  const params = 'params' in message ? message.params : undefined;
  if (params === undefined || !('arguments' in params)) return message;
  const { arguments: args, ...rest } = params;
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) return message;
  call.misshapen = args ?? undefined;
  return { ...message, params: rest };
}

/** Ids 0 and '' are ids, and 1 is not '1'. */
const keyOf = (id: RequestId): string => `${typeof id}:${id}`;

/**
 * Stands between the protocol layer and a transport and knows the fate of every tools/call.
 *
 * A cancelled call never gets a response, whatever its id; the protocol layer alone would ignore the
 * cancellation of the ids 0 and ''.
 */
export class Gate implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #inner: Transport;
  readonly #owner: GateOwner;
  readonly #options: GateOptions;
  readonly #calls = new Map<string, Call>();
  readonly #recent = new Map<string, Call>();
  /** Lost calls for which the protocol layer, which does not know, will still send a response. */
  readonly #unwanted = new Set<string>();

  constructor(inner: Transport, owner: GateOwner, options: GateOptions) {
    this.#inner = inner;
    this.#owner = owner;
    this.#options = options;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => this.#receive(message, extra);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => {
      this.#closed();
      this.onclose?.();
    };
    await this.#inner.start();
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** The running call with this request id. */
  call(id: RequestId): Call | undefined {
    return this.#calls.get(keyOf(id));
  }

  /** True while a call runs or its response is on the way out. */
  get busy(): boolean {
    return this.#calls.size > 0;
  }

  /** The connection that waits for these responses is gone. */
  gone(ids: readonly RequestId[]): void {
    for (const id of ids) this.#lose(id, { why: 'gone', reason: undefined });
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('id' in message) || message.id === undefined || 'method' in message)
      return this.#inner.send(message, options);
    if (this.#unwanted.delete(keyOf(message.id))) return;
    const call = this.#calls.get(keyOf(message.id));
    if (call === undefined) return this.#inner.send(message, options);
    call.sent = true;
    try {
      await this.#inner.send(message, options);
    } catch (error) {
      this.#lose(call.id, { why: 'gone', reason: undefined });
      throw error;
    }
    const confirmed = this.#options.confirm?.(call.id);
    if (confirmed === undefined) this.#written(call);
    else
      void confirmed.then((out) =>
        out ? this.#written(call) : this.#lose(call.id, { why: 'gone', reason: undefined }),
      );
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if ('method' in message && message.method === 'tools/call' && 'id' in message) {
      if (this.#calls.has(keyOf(message.id))) {
        this.#refuseTwin(message.id);
        return;
      }
      this.#recent.delete(keyOf(message.id));
      this.#unwanted.delete(keyOf(message.id));
      const call = new Call(message.id, this.#options.now());
      this.#calls.set(keyOf(message.id), call);
      this.onmessage?.(shaped(message, call), extra);
      return;
    } else if ('method' in message && message.method === 'notifications/cancelled' && !('id' in message)) {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') {
        const reason = message.params?.reason;
        this.#lose(id, { why: 'cancelled', reason: typeof reason === 'string' ? reason : undefined });
      }
    }
    this.onmessage?.(message, extra);
  }

  #refuseTwin(id: RequestId): void {
    const error = { code: -32600, message: `Request id ${JSON.stringify(id)} is still in use in this session.` };
    this.#inner.send({ jsonrpc: '2.0', id, error }).catch((cause: unknown) => this.onerror?.(cause as Error));
  }

  #lose(id: RequestId, loss: Loss): void {
    const key = keyOf(id);
    // A cancellation that crossed the result: its sender had not received it and throws it away unread.
    const call = this.#calls.get(key) ?? (loss.why === 'cancelled' ? this.#recent.get(key) : undefined);
    if (call === undefined) return;
    this.#calls.delete(key);
    this.#recent.delete(key);
    if (!call.sent && (loss.why === 'gone' || !id)) this.#unwanted.add(key);
    call.lose(loss);
    this.#owner.lost(call, loss);
    this.#options.free?.(id);
  }

  #written(call: Call): void {
    const key = keyOf(call.id);
    if (call.loss !== undefined || this.#calls.get(key) !== call) return;
    this.#calls.delete(key);
    this.#recent.set(key, call);
    call.written = true;
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= MCP_BOUNDS.crossings) break;
      this.#recent.delete(oldest);
    }
    this.#owner.written(call);
  }

  #closed(): void {
    this.#recent.clear();
    this.gone([...this.#calls.values()].map((call) => call.id));
    this.#unwanted.clear();
  }
}
