/** The public vocabulary of approvals. Types only; times are milliseconds. */

import type { ApprovalChoice, SettleReason } from '../../machines/requests/approval.ts';
import type { Watch } from '../../machines/shared/tap.ts';
import type { Author } from '../api.ts';
import type { Logger, Runtime } from '../runtime.ts';
import type { JsonValue } from '../wire/json.ts';
import type { Ledger, ServerRequests } from './api.ts';

export type { ApprovalChoice, SettleReason };

/** What is to run, in the words that are shown and in the words that are hashed. */
export interface ApprovalSubject {
  /** The tool or method that would run. */
  readonly tool?: string | undefined;
  /** What the person reads, after redaction. */
  readonly command: string;
  readonly description?: string | undefined;
  /** What the command matched; part of the scope of a decision. */
  readonly patternKeys?: readonly string[] | undefined;
  /** Digest of what will run (`digestOf`). Default: of tool, subject and args, or of the command. */
  readonly digest?: string | undefined;
  readonly subject?: JsonValue | undefined;
  readonly args?: JsonValue | undefined;
}

export interface ApprovalRequest extends ApprovalSubject {
  /** The live session whose surfaces are asked. */
  readonly sid: string;
  /** What the card offers; must hold `deny`. Default: R-100. */
  readonly choices?: readonly ApprovalChoice[] | undefined;
  readonly allowPermanent?: boolean | undefined;
  readonly allowSession?: boolean | undefined;
  /** A judge has refused it before: no standing permission is offered. */
  readonly smartDenied?: boolean | undefined;
  /** Idempotency key: a second request under it joins the first, or gets its decision, also after a restart. */
  readonly approvalId?: string | undefined;
  /** Null: no deadline. Below 0 counts as 0. */
  readonly timeoutMs?: number | null | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The host asks the person again about an execution whose outcome is unknown. */
  readonly again?: boolean | undefined;
}

/** What has become of a decision. */
export type Receipt = 'not_started' | 'claimed' | 'unknown' | 'done' | 'failed' | 'refused' | 'revoked';

/**
 * How an approval ended. A command may run only if `resolved` and `choice` is once, session or always, and then only
 * after `claim`.
 */
export interface ApprovalVerdict {
  readonly approvalId: string;
  readonly digest: string;
  readonly resolved: boolean;
  readonly choice: ApprovalChoice | null;
  /** What the person said about it, redacted. */
  readonly reason?: string;
  /** Withdrawn or interrupted: why. Not a denial by the person. */
  readonly cancelled?: string;
  /** What had been decided before the interrupt was seen. */
  readonly superseded?: ApprovalChoice;
  readonly notify_failed?: true;
  /** It did not prompt. */
  readonly coalesced?: true;
  /** It was decided before this call: what has become of the decision. */
  readonly receipt?: Receipt;
}

/** One approval as surfaces, hooks and lists see it: redacted, frozen, without any clock value. */
export interface ApprovalView {
  readonly approval_id: string;
  /** Equal to `approval_id`. */
  readonly request_id: string;
  readonly session_id: string;
  readonly command: string;
  readonly description: string;
  readonly choices: readonly ApprovalChoice[];
  readonly allow_permanent: boolean;
  readonly allow_session: boolean;
  readonly smart_denied: boolean;
  readonly tool_name?: string;
  readonly pattern_keys: readonly string[];
  readonly digest: string;
}

export interface PendingApproval extends ApprovalView {
  /** Left at the time of the call; null: no deadline. */
  readonly expires_in_ms: number | null;
  readonly acknowledged: boolean;
}

export type ApprovalOutcome = 'resolved' | 'expired' | 'withdrawn' | 'interrupted' | 'notify_failed';

/** Told once that its card is over. */
export type SettleHook = (reason: SettleReason) => void;
/** Shows one approval. What it returns is attached as a settle hook; a throw: it cannot show it. */
export type ApprovalSurface = (view: ApprovalView) => SettleHook | undefined;

export interface ApprovalHooks {
  /** Rewrites what will run, before anything is shown, hashed or kept: what it returns is what the person sees. */
  readonly prepare?: ((subject: ApprovalSubject) => ApprovalSubject) | undefined;
  readonly before?: ((view: ApprovalView & { readonly coalesced: boolean }) => void) | undefined;
  readonly after?:
    | ((
        view: ApprovalView & { readonly coalesced: boolean },
        verdict: ApprovalVerdict & { readonly outcome: ApprovalOutcome },
      ) => void)
    | undefined;
}

export interface ApprovalsOptions {
  /** Shows each approval as a server request `approval`. */
  readonly requests?: Pick<ServerRequests, 'sendAsync'> | undefined;
  /** Further surfaces. */
  readonly notify?: readonly ApprovalSurface[] | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  readonly ledger?: Ledger | undefined;
  /** Where steps are told. A coordinator gives its own. */
  readonly watch?: Watch | undefined;
  /** Called before anything new is let in; what it throws is the caller's answer, and nothing was queued. */
  readonly admit?: (() => void) | undefined;
  /** What the log of a conversation has against spending this decision; undefined: nothing (seats, R-96). */
  readonly lineage?: ((approvalId: string, key: string) => LineageRefusal | undefined) | undefined;
  /** Replaces the built-in redaction. If it throws, the whole text is hidden. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Default 300 000; null: none. */
  readonly timeoutMs?: number | null | undefined;
  /** Called every 10 s for each key for which some caller waits on a person. */
  readonly onHeartbeat?: ((key: string) => void) | undefined;
  readonly hooks?: ApprovalHooks | undefined;
  /** The key of a live session. Default: those of the approvals that are pending. */
  readonly keyOf?: ((sid: string) => string | undefined) | undefined;
  /**
   * Pending approvals of one key (default 256): beyond it `request` rejects. Decisions kept (default 4 096). Standing
   * permissions (default 4 096): beyond it the oldest end, with a line, and what they covered is asked again.
   */
  readonly limits?: { readonly perKey?: number; readonly kept?: number; readonly standing?: number } | undefined;
}

export interface ResolveOptions {
  readonly all?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
  /** Of what the person was shown; another one than the entry's resolves nothing. */
  readonly digest?: string | undefined;
  readonly author?: Author | undefined;
}

export interface RespondParams {
  readonly sid?: string | undefined;
  readonly request_id?: string | undefined;
  /** Default `deny`. */
  readonly choice?: string | undefined;
  readonly all?: boolean | undefined;
  readonly digest?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * `ask_again`: the model no longer has before it what was approved. `off_branch`: the conversation has left the branch
 * that asked. `unproven`: its log does not say so far. Nothing is spent then (seats, R-96).
 */
export type LineageRefusal = 'ask_again' | 'off_branch' | 'unproven';
export type ClaimRefusal = 'unknown' | 'spent' | 'drifted' | 'not_granted' | 'unknown_outcome' | LineageRefusal;
export type Claim = { readonly ok: true; readonly run: string } | { readonly ok: false; readonly why: ClaimRefusal };

/** A decision whose execution has not begun, runs, or ended nobody knows how. */
export interface GrantView {
  readonly approvalId: string;
  readonly key: string;
  readonly state: 'not_started' | 'claimed' | 'unknown';
  readonly choice: ApprovalChoice;
  readonly command: string;
  readonly digest: string;
  readonly decidedAt: number;
  readonly run?: string;
  readonly who?: string;
}

/** A permission that covers exactly one scope: key, command, pattern keys and digest. */
export interface StandingView {
  readonly id: string;
  readonly choice: 'session' | 'always';
  readonly command: string;
  readonly digest: string;
  readonly decidedAt: number;
}

/** A queue of commands that wait for a person. Synchronous, but for the wait itself. */
export interface Approvals {
  /**
   * Asks, and resolves once with how it ended. Rejects, with nothing asked, on bad input, a full queue or a failed
   * commit; and with the ledger's error when an ending could not be committed: then nothing may run.
   */
  request(key: string, request: ApprovalRequest): Promise<ApprovalVerdict>;
  /** Decides; returns how many waiters report that choice. 0: nothing happened. */
  resolve(key: string, choice: string, options?: ResolveOptions): number;
  /** Takes an entry back. Not a denial. */
  withdraw(key: string, requestId: string, cause: string): boolean;
  /** False: no longer pending, and the hook is never called. */
  attachHook(key: string, requestId: string, hook: SettleHook): boolean;
  /** The session is over: its entries end, its decisions that are not started and its session permissions go. */
  clear(key: string, cause: string): number;
  /** Nobody shows cards of this key any more: its entries end. */
  notifierGone(key: string, cause: string): number;
  pending(key: string): PendingApproval[];
  /** A surface shows it. False: not pending. Checks no permission, like `respond`. */
  received(key: string, requestId: string): boolean;
  /**
   * `approval.respond`. Throws `RpcRefusal` 4001, 4002, 4006. It is given no peer and asks no `mayAccess`: the
   * handler that mounts it has made sure that its caller may decide for `params.sid`, and for the session of
   * `params.request_id`, which may be another one. An answer to the card itself, as a server request, is checked there.
   */
  respond(params: RespondParams, author?: Author): { readonly resolved: number };
  /** Entries of all queues; followers are not counted. */
  count(): number;
  /** Spends a decision, before the effect begins. The digest is of what will run now. */
  claim(approvalId: string, digest: string, who?: Author): Claim;
  /** The execution succeeded. False: it was not claimed. */
  done(approvalId: string): boolean;
  /** The execution failed; the decision stays spent. */
  failed(approvalId: string, reason?: string): boolean;
  grants(key: string): GrantView[];
  standing(key: string): StandingView[];
  /** Takes a standing permission back. */
  revokeStanding(key: string, id: string, author?: Author): boolean;
  /** Frees whoever waits (cancelled `shutdown`) and asks nobody any more. What is on file stays pending. */
  shutdown(): void;
}
