/** Approvals: commands that wait for a person, each decided once and run at most once. */

import { requireGiven } from './given.ts';
import { letIn } from './requests/admission.ts';
import { Decisions } from './requests/approval-decisions.ts';
import { ApprovalDesk } from './requests/approval-desk.ts';
import { type DigestInput, digestOf as hash } from './requests/approval-digest.ts';
import type { Approval } from './requests/approval-entry.ts';
import { name, timeoutOf } from './requests/approval-input.ts';
import { Section, Sections } from './requests/approval-section.ts';
import type { Approvals, ApprovalsOptions, PendingApproval } from './requests/approval-types.ts';
import { GrantBook } from './requests/grant-book.ts';
import { Log } from './requests/log.ts';
import { redactor } from './requests/redact.ts';
import { consoleLogger, nodeRuntime, type Runtime } from './runtime.ts';
import { RpcRefusal } from './wire/errors.ts';
import type { JsonObject } from './wire/json.ts';

export type * from './requests/approval-types.ts';
export type { DigestInput };

const TIMEOUT_MS = 300_000;
const PER_KEY = 256;
const KEPT = 4_096;
const STANDING = 4_096;

/** The digest that binds a decision to what is shown and runs: sha256 of canonical JSON. Throws on what is no JSON. */
export const digestOf = (input: DigestInput): string => hash(input);

/**
 * A queue of approvals. With a ledger, what is pending and what was decided survive a restart; without one, nothing does.
 *
 * A decision never runs anything: `claim` spends it, once, for exactly the digest that was shown. Throws
 * `invalid_input` for bad options and `store_unreadable` for rows that it cannot read.
 */
export function createApprovals(options: ApprovalsOptions = {}): Approvals {
  requireGiven(options, {
    requests: 'object?',
    ledger: 'object?',
    logger: 'object?',
    runtime: 'object?',
    admit: 'function?',
  });
  return new ApprovalsFacade(options);
}

function pendingView({ asked, standing, expiresAt }: Approval, now: number): PendingApproval {
  return Object.freeze({
    ...asked.view,
    expires_in_ms: expiresAt === null ? null : Math.max(expiresAt - now, 0),
    acknowledged: standing.role === 'entry' && standing.at.context.acked,
  });
}

class ApprovalsFacade implements Approvals {
  readonly #runtime: Runtime;
  readonly #sections: Sections;
  readonly #grants: GrantBook;
  readonly #desk: ApprovalDesk;
  readonly #decisions: Decisions;
  readonly #hide: (text: string) => string;
  readonly #admit: (() => void) | undefined;
  #seq = 0;

  constructor(options: ApprovalsOptions) {
    const runtime = options.runtime ?? nodeRuntime;
    const log = new Log(options.logger ?? consoleLogger);
    const hide = redactor(options.redact);
    const seq = (): number => ++this.#seq;
    const sections = new Sections(options.ledger, log, options.watch);
    this.#runtime = runtime;
    this.#admit = options.admit;
    this.#sections = sections;
    this.#hide = hide;
    this.#grants = new GrantBook({
      lineage: options.lineage,
      ...{ sections, log, seq },
      kept: options.limits?.kept ?? KEPT,
      standing: options.limits?.standing ?? STANDING,
      now: () => runtime.now(),
      id: () => runtime.id(),
      newSection: () => new Section(),
    });
    this.#desk = new ApprovalDesk({
      ...{ sections, log, seq },
      options: { ...options, runtime },
      grants: this.#grants,
      perKey: options.limits?.perKey ?? PER_KEY,
      decide: (entry, choice, answer) => this.#cardSaid(entry, choice, answer),
      defaults: {
        timeoutMs: timeoutOf(options.timeoutMs === undefined ? TIMEOUT_MS : options.timeoutMs),
        hide,
        id: () => runtime.id(),
        prepare: options.hooks?.prepare,
      },
    });
    this.#decisions = new Decisions({ queue: this.#desk.queue, sections, log, hide, keyOf: options.keyOf });
    this.#restore(options.ledger?.rows('grant') ?? [], options.ledger?.rows('approval') ?? []);
  }

  #cardSaid({ asked }: Approval, choice: string, { all, reason, digest }: JsonObject): number {
    return this.#decisions.decide(asked.key, choice, {
      requestId: asked.id,
      all: all === true,
      reason: typeof reason === 'string' ? reason : undefined,
      digest: typeof digest === 'string' ? digest : undefined,
    }).count;
  }

  #restore(grants: readonly JsonObject[], entries: readonly JsonObject[]): void {
    for (const { seq } of [...grants, ...entries]) if (typeof seq === 'number') this.#seq = Math.max(this.#seq, seq);
    const section = new Section();
    this.#grants.restore(section, grants);
    this.#sections.commit(section);
    this.#desk.restore(entries);
  }

  request(key: string, request: Parameters<Approvals['request']>[1]): ReturnType<Approvals['request']> {
    try {
      letIn(this.#admit);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#desk.request(key, request);
  }

  resolve(key: string, choice: string, options: Parameters<Approvals['resolve']>[2] = {}): number {
    return this.#decisions.decide(key, choice, options).count;
  }

  respond(...[params, author]: Parameters<Approvals['respond']>): { readonly resolved: number } {
    return this.#decisions.respond(params, author);
  }

  withdraw(key: string, requestId: string, cause: string): boolean {
    const entry = this.#desk.queue.entry(key, requestId);
    return entry !== undefined && this.#desk.withdraw(entry, this.#hide(cause));
  }

  attachHook(key: string, requestId: string, hook: Parameters<Approvals['attachHook']>[2]): boolean {
    const entry = this.#desk.queue.entry(key, requestId);
    return entry !== undefined && this.#desk.attach(entry, hook);
  }

  clear(key: string, cause: string): number {
    const section = new Section();
    this.#grants.endSession(section, key, cause);
    return this.#endAll(section, key, 'SESSION_CLEARED', cause);
  }

  notifierGone(key: string, cause: string): number {
    return this.#endAll(new Section(), key, 'NOTIFIER_GONE', cause);
  }

  #endAll(section: Section, key: string, type: 'SESSION_CLEARED' | 'NOTIFIER_GONE', text: string): number {
    const { queue } = this.#desk;
    const cause = this.#hide(text);
    const ended = queue.entries(key).filter((entry) => queue.end(section, entry, { type, cause }));
    this.#sections.commit(section);
    return ended.length;
  }

  pending(key: string): PendingApproval[] {
    const now = this.#runtime.now();
    return this.#desk.queue.entries(key).map((entry) => pendingView(entry, now));
  }

  received(key: string, requestId: string): boolean {
    if (requestId === '' || typeof requestId !== 'string') throw new RpcRefusal('missing_id', 'request_id is missing');
    const { queue } = this.#desk;
    const byId = queue.byId(requestId);
    // A surface knows the live session that it shows, and not always the key under which the approval is queued.
    const entry = queue.entry(key, requestId) ?? (byId?.asked.view.session_id === key ? byId : undefined);
    if (entry === undefined) return false;
    queue.note(entry, { type: 'RECEIVED' });
    return true;
  }

  count(): number {
    return this.#desk.queue.count;
  }

  claim(...[approvalId, digest, who]: Parameters<Approvals['claim']>): ReturnType<Approvals['claim']> {
    if (this.#desk.queue.byId(approvalId) !== undefined) return { ok: false, why: 'not_granted' };
    return this.#grants.claim(name('approvalId', approvalId), name('digest', digest), who);
  }

  done(approvalId: string): boolean {
    return this.#grants.finish(approvalId, { type: 'DONE' }, { event: 'approval_done' });
  }

  failed(approvalId: string, reason = ''): boolean {
    return this.#grants.finish(
      approvalId,
      { type: 'FAILED' },
      { event: 'approval_failed', detail: this.#hide(reason) },
    );
  }

  grants(key: string): ReturnType<Approvals['grants']> {
    return this.#grants.list(key);
  }

  standing(key: string): ReturnType<Approvals['standing']> {
    return this.#grants.permissions(key);
  }

  revokeStanding(...[key, id, author]: Parameters<Approvals['revokeStanding']>): boolean {
    return this.#grants.revokePermission(key, id, author);
  }

  shutdown(): void {
    this.#desk.shutdown();
  }
}
