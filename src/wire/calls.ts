/** Requests of the client that wait for their replies. Settled by callback, in the order in which frames arrive. */
import type { JsonObject, RpcError } from './json.ts';
import type { Inbound } from './jsonrpc.ts';
import type { Stop, Timers } from './platform.ts';

export type CallOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError }
  /** The connection ended first: whether the request arrived is not known. */
  | { readonly kind: 'lost'; readonly why: string };

/** The server refused a call; nothing was done. `code` is one of the catalogue of the wire. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: RpcError) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The connection ended before the reply came: whether the call arrived is not known. */
export class CallLost extends Error {
  override readonly name = 'CallLost';
}

interface Pending {
  readonly settle: (outcome: CallOutcome) => void;
  readonly stop: Stop;
}

export interface CallOptions {
  /** Milliseconds after which a socket that swallowed the request is dropped. */
  readonly timeoutMs: number;
  /** Nothing depends on its reply: after that time it is forgotten, and the socket stays. */
  readonly isIdle?: boolean | undefined;
}

export class Calls {
  readonly #timers: Timers;
  readonly #send: (text: string) => boolean;
  readonly #overdue: (why: string) => void;
  readonly #pending = new Map<number, Pending>();
  #next = 1;

  /** `overdue` drops the connection, which settles every call. */
  constructor(timers: Timers, send: (text: string) => boolean, overdue: (why: string) => void) {
    this.#timers = timers;
    this.#send = send;
    this.#overdue = overdue;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Sends one request, whose `params` is JSON text. False: it did not leave; `settle` heard of the loss, or nothing. */
  start(
    method: string,
    params: string,
    { timeoutMs, isIdle = false }: CallOptions,
    settle: Pending['settle'],
  ): boolean {
    const id = this.#next;
    this.#next += 1;
    const stop = this.#timers.after(timeoutMs, () => {
      if (isIdle) this.#pending.delete(id);
      else this.#overdue(`${method} was not replied to`);
    });
    // On file before it leaves: a reply may come while it is being written.
    this.#pending.set(id, { settle, stop });
    const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
    if (this.#send(text)) return true;
    stop();
    this.#pending.delete(id);
    return false;
  }

  /** A reply. An id that nobody waits for is ignored. */
  receive(reply: Extract<Inbound, { kind: 'response' }>): void {
    const pending = typeof reply.id === 'number' ? this.#pending.get(reply.id) : undefined;
    if (pending === undefined || typeof reply.id !== 'number') return;
    this.#pending.delete(reply.id);
    pending.stop();
    if (reply.error === undefined) pending.settle({ kind: 'result', result: reply.result });
    else pending.settle({ kind: 'error', error: reply.error });
  }

  /** The connection ended: every call is settled as lost. */
  lose(why: string): void {
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { stop, settle } of lost) {
      stop();
      settle({ kind: 'lost', why });
    }
  }
}
