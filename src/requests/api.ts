/**
 * The public vocabulary of server→client requests. Types only; no XState type is visible here.
 * Times are milliseconds; `sid` names a live session, `''` the app itself.
 */
import type { Watch } from '../../machines/shared/tap.ts';
import type { Author } from '../api.ts';
import type { Logger, Runtime } from '../runtime.ts';
import type { JsonObject, RpcFrame } from '../wire/json.ts';

/** Why a request was taken back (closed set). `resolved`: answered on another surface. */
export type CancelReason = 'timeout' | 'interrupted' | 'shutdown' | 'resolved' | 'session_closed';

/** How a request ended. Every admitted request has exactly one, and it never changes (I-01). */
export type Settlement =
  | {
      readonly kind: 'answered';
      readonly result: JsonObject;
      readonly via: 'response' | 'lock' | 'quorum' | 'proxy';
    }
  /** The client said that it cannot, or what it said does not conform. */
  | { readonly kind: 'failed'; readonly error: { readonly code?: number; readonly message?: string } }
  | {
      readonly kind: 'cancelled';
      readonly reason: CancelReason;
      readonly cause?: 'no_capable_client' | undefined;
      /** Answers that were locked before, for the log. */
      readonly locked?: Readonly<Record<string, string | null>> | undefined;
    }
  | { readonly kind: 'timed_out'; readonly locked: Readonly<Record<string, string | null>> }
  /** Never opened, never written: nobody attached can answer. */
  | { readonly kind: 'unanswerable' };

/** One open request as a snapshot or a replay shows it. */
export interface OpenRequest {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly owner_quorum?: true | undefined;
}

/**
 * One connection of a client; its identity is the object.
 * `websocket` peers are gated by `client.capabilities`; the others never are.
 */
export interface Peer {
  readonly kind: 'websocket' | 'stdio' | 'relay' | 'parked' | 'sink';
  readonly closed: boolean;
  /** Writes one frame. False, or a throw: it did not leave. */
  send(frame: RpcFrame): boolean;
  /** Who is behind it, as the surface authenticated them. */
  readonly author?: Author | undefined;
}

export interface SendOptions {
  /** Null: no deadline. 0: written, and timed out unless the write itself brought the answer. */
  readonly timeoutMs: number | null;
  /** Makes it a batch: the ids of its questions. */
  readonly qids?: readonly string[] | undefined;
  /** Interrupts the wait. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Idempotency key. With a store, a second `send` under the same key, in this process or after a restart, joins the
   * request that is open under it, or gets the settlement it ended with; never a second card. It stands for one question:
   * with another method, session, params or qids it is refused. The deadline stays that of the first call.
   */
  readonly key?: string | undefined;
}

/** Called at most once, on the stack that settled the request, after the commit. */
export type OnResult = (result: JsonObject | null, settlement: Settlement) => void;
/** Takes the request back if it is still open; says whether it did. */
export type Withdraw = (reason: CancelReason) => boolean;

export interface ServerRequests {
  send(method: string, sid: string, params: JsonObject, options: SendOptions): Promise<Settlement>;
  sendAsync(
    method: string,
    sid: string,
    params: JsonObject,
    onResult: OnResult,
    options?: { readonly qids?: readonly string[] | undefined; readonly key?: string | undefined },
  ): Withdraw;
  /** A response frame of a client. True: this very call settled it, or took note of a decline. */
  resolveResponse(frame: JsonObject, from?: Peer): boolean;
  /** The acknowledged form, `request.answer`. Throws `RpcRefusal` 4002 when the result does not conform. */
  answer(id: string, result: JsonObject, from?: Peer): boolean;
  /** Still missing question ids in batch order; null: expired. Throws `UnknownQuestion`. */
  lockAnswer(id: string, qid: string, answer: unknown, from?: Peer): string[] | null;
  /** Takes back the open requests of one session, or of all (null); says how many. */
  cancel(sid: string | null, reason?: CancelReason): number;
  /** A question has been answered on another surface: requests that ask it alone go, as `resolved`. */
  answeredElsewhere(qid: string): void;
  openRequests(sid: string): OpenRequest[];
  /**
   * The same, for a peer that shows them from now on: it becomes a candidate of window-owned ones. Null: of all
   * sessions. Does not ask `mayAccess`: whoever calls it has made sure that this peer may see the session.
   */
  replayTo(peer: Peer, sid: string | null): OpenRequest[];
  openRequestCount(): number;
  /** Whether it would be asked now: nobody gated is attached, or somebody can answer or may yet say so. */
  answerable(sid: string): boolean;
  /** Writes one frame to every reachable peer of a session but one; says whether any was reached. */
  tell(sid: string, frame: RpcFrame, except?: Peer): boolean;
  /** Method of the oldest open request of a session, or ''. */
  pendingKind(sid: string): string;
  /**
   * Says that a peer shows these sessions (`'*'`: all): their frames go to it. Does not ask `mayAccess`: that it may see
   * them is the host's word. The function returned is `forget(peer)`.
   */
  attach(peer: Peer, sids: '*' | readonly string[]): () => void;
  /** `client.capabilities`. Returns the sorted names of what may be sent. */
  advertise(peer: Peer, on: boolean): string[];
  /** A peer sent some other request: it is no longer undecided. */
  heard(peer: Peer): void;
  forget(peer: Peer): void;
  answersRequests(peer: Peer): boolean;
  /** Nobody is asked any more, and everybody who waits is told. */
  shutdown(): void;
}

/** One open request as a store keeps it. Holds no answer of a method that is marked secret. */
export interface RequestRow {
  readonly id: string;
  readonly seq: number;
  readonly sid: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly qids: readonly string[];
  /** The chart's state name and its context. */
  readonly state: string;
  readonly context: JsonObject;
  readonly locked: Readonly<Record<string, string | null>>;
  /** Milliseconds since 1970, or null. */
  readonly expiresAt: number | null;
  readonly key: string | null;
  /** `wait`: a `send` waits. `callback`: a `sendAsync`, whose owner binds itself again after a restart. */
  readonly owner: 'wait' | 'callback';
  /** Set once it has ended and a later `send` under its key may still ask for it; never for a secret. */
  readonly settlement?: Settlement | undefined;
  /** Of the answer that settled it, where the client was told that it was taken. */
  readonly receipt?: Receipt | undefined;
}

/** Tells an answer that is given again, without holding it. */
export interface Receipt {
  readonly salt: string;
  /** Of the answer as it was given and, of a batch, with the locks that were merged into it. */
  readonly digests: readonly string[];
}

/** What one commit section changes on file, and what the audit says of it (no values). */
export interface RowChange {
  readonly kind: 'request' | 'approval' | 'grant' | 'call';
  readonly id: string;
  /** Undefined: the row goes. Plain JSON. */
  readonly row: JsonObject | undefined;
  readonly note?:
    | {
        readonly event: string;
        readonly author?: Author | undefined;
        readonly digest?: string;
        readonly detail?: string;
      }
    | undefined;
}

/**
 * Where requests, approvals and grants are kept. Called inside the commit section, synchronously, after the decision
 * and before anything is published. If it throws, nothing has happened and the caller gets what it threw.
 */
export interface Ledger {
  commit(changes: readonly RowChange[], settled?: readonly Settled[]): void;
  /** Rows left by the last process, in the order of their `seq`. */
  rows(kind: RowChange['kind']): JsonObject[];
}

/** Answers that are being committed, for a ledger that files them elsewhere in the same commit (a journal). */
export interface Settled {
  readonly request: RequestRow;
  /** With `timed_out` and `cancelled`: the answers that were locked before. */
  readonly settlement: Settlement;
  readonly from?: Author | undefined;
}

export interface ServerRequestsOptions {
  /** Which methods exist. */
  readonly contracts: RequestContracts;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  /** Default `production`. */
  readonly policy?: 'strict' | 'production' | undefined;
  /** How long a peer that has said nothing may still turn out to be capable. Default 2 000; 0: not at all. */
  readonly graceMs?: number | undefined;
  /** `-32601` of one of several capable peers is a decline, not the end (F-39). Default false. */
  readonly errorQuorum?: boolean | undefined;
  /** A request without deadline that no client ever could see is given up after this (F-40). Default: never. */
  readonly maxUnattendedMs?: number | undefined;
  /** Open requests of one session, and in all; beyond it `send` throws (a flood is told, never dropped). */
  readonly limits?: { readonly perSession?: number; readonly total?: number } | undefined;
  /**
   * Whether this peer may answer for this session: asked of every answer and every lock. Default: yes. Not asked for
   * what a peer is shown (`attach`, `replayTo`), nor of approvals, which know no peers (`approvals.respond`).
   */
  readonly mayAccess?: ((sid: string, peer: Peer | undefined) => boolean) | undefined;
  readonly ledger?: Ledger | undefined;
  /** Where steps are told. A coordinator gives its own. */
  readonly watch?: Watch | undefined;
  /** Called before anything new is let in; what it throws is the caller's answer, and nothing was opened. */
  readonly admit?: (() => void) | undefined;
}

/** What the registry needs to know of a method. `src/wire/contracts/` builds it from zod; the registry sees no zod. */
export interface RequestContract {
  readonly method: string;
  /** Its answer must not be kept or shown anywhere. */
  readonly secret: boolean;
  /** Only the window that shows the session can answer. */
  readonly windowOwned: boolean;
  /** Keys the contract does not know, as key paths. */
  unknownParams(params: JsonObject): string[];
  /** What is missing or mistyped, as key paths; empty: it conforms. Unknown keys count too. */
  wrongParams(params: JsonObject): string[];
  wrongResult(result: JsonObject): string[];
}

export interface RequestContracts {
  request(method: string): RequestContract | undefined;
  /** Sorted. */
  readonly requestNames: readonly string[];
}
