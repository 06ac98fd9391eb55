/** Callers and surfaces around the queue: asking, waiting, deadlines, announcing, reading. */
import { heed } from '../../machines/shared/heed.ts';
import { invalid } from '../errors.ts';
import type { Cancel, Runtime } from '../runtime.ts';
import { RpcRefusal } from '../wire/errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { CardAnswers, type Decide, showAsRequest } from './approval-bridge.ts';
import { type Approval, approvalIn, denied, verdictOf } from './approval-entry.ts';
import { Hooks } from './approval-hooks.ts';
import { type Asked, asked, type Defaults } from './approval-input.ts';
import { ApprovalQueue } from './approval-queue.ts';
import { Section, type Sections } from './approval-section.ts';
import type {
  ApprovalRequest,
  ApprovalSurface,
  ApprovalsOptions,
  ApprovalVerdict,
  SettleHook,
} from './approval-types.ts';
import { causeOf, Heartbeats, Wait } from './approval-waits.ts';
import { type GrantBook, standingVerdict } from './grant-book.ts';
import { REQUEST_LIMITS } from './limits.ts';
import { type Log, reason } from './log.ts';
import { afterLong } from './timers.ts';

type EndsAlone = { type: 'INTERRUPT'; cause: string } | { type: 'DEADLINE' } | { type: 'NOTIFY_FAILED' };

interface Means {
  readonly options: ApprovalsOptions & { readonly runtime: Runtime };
  readonly sections: Sections;
  readonly grants: GrantBook;
  readonly log: Log;
  readonly seq: () => number;
  readonly defaults: Defaults;
  readonly perKey: number;
  /** What the word of a person does. */
  readonly decide: Decide;
}

export class ApprovalDesk {
  readonly queue: ApprovalQueue;
  readonly #means: Means;
  readonly #heartbeats: Heartbeats;
  readonly #surfaces: readonly ((entry: Approval) => SettleHook | undefined)[];
  readonly #hooks: Hooks;
  readonly #ends: CardAnswers;
  /** No question keeps the process alive. */
  readonly #quiet: Runtime;
  #closed = false;
  #isRestoring = false;

  constructor(means: Means) {
    const { options, sections, grants, log, seq } = means;
    this.#means = means;
    this.#heartbeats = new Heartbeats(options.runtime, options.onHeartbeat, log);
    this.queue = new ApprovalQueue({
      ...{ sections, grants, log, seq },
      now: () => options.runtime.now(),
      id: () => options.runtime.id(),
      announce: (entry) => this.#announce(entry),
      arm: (approval, ms) => this.#arm(approval, ms),
      unattended: (approval) => this.#report(approval, verdictOf(approval)),
    });
    this.#hooks = new Hooks(options.hooks, log);
    const { requests, runtime } = options;
    this.#quiet = {
      now: () => runtime.now(),
      id: () => runtime.id(),
      after: (ms, ring) => runtime.after(ms, ring, 'quiet'),
      soon: (callback) => runtime.soon(callback),
    };
    const ends = new CardAnswers({
      ...{ log, decide: means.decide },
      withdraw: (entry, cause) => this.withdraw(entry, cause),
      release: (entry) => (options.ledger === undefined ? void this.withdraw(entry, 'shutdown') : this.#release(entry)),
      isClosed: () => this.#closed,
      isRestoring: () => this.#isRestoring,
      later: (ms, callback) => void this.#quietly(ms, callback),
    });
    this.#ends = ends;
    const show = (surface: ApprovalSurface) => (entry: Approval) => surface(entry.asked.view);
    this.#surfaces = [
      ...(requests === undefined ? [] : [(entry: Approval) => showAsRequest(requests, entry, ends)]),
      ...(options.notify ?? []).map(show),
    ];
  }

  // ---- asking

  async request(key: string, request: ApprovalRequest): Promise<ApprovalVerdict> {
    const what = asked(key, request, this.#means.defaults);
    const { id, view } = what;
    if (this.#closed)
      return { approvalId: id, digest: view.digest, resolved: true, choice: null, cancelled: 'shutdown' };
    if (request.signal?.aborted === true) {
      return { approvalId: id, digest: view.digest, ...denied(causeOf(request.signal)) };
    }
    const here = this.queue.byId(id);
    if (here !== undefined) return this.#join(here, what, request.signal);
    const section = new Section();
    const before = this.#decidedBefore(what, section, request.again === true);
    if (before === 'new') {
      const verdict = this.#permitted(what, section);
      if (verdict !== undefined) {
        this.#means.sections.commit(section);
        return verdict;
      }
    } else if (before !== 'ask') return before;
    if (this.queue.leader(what.scope) === undefined && this.queue.size(key) >= this.#means.perKey) {
      throw new RpcRefusal('approval_failed', `${this.#means.perKey} approvals of this session are pending already`);
    }
    const approval = this.queue.enter(what, section);
    if (approval.coalesced) section.tell('a hook', () => this.#hooks.before(what, true));
    return this.#wait(approval, request.signal, section);
  }

  /** The same approval asked for again: by a caller that is in a hurry, or by one that comes after a restart. */
  #join(here: Approval, { key, scope, view }: Asked, signal: AbortSignal | undefined): Promise<ApprovalVerdict> {
    this.#same(here.asked.key === key && here.asked.view.digest === view.digest && here.asked.scope === scope);
    return this.#wait(here, signal, new Section());
  }

  #same(isSame: boolean): void {
    if (!isSame) throw invalid('approvalId', 'names the approval of something else; what is asked now was not shown');
  }

  /** What was decided under this id, as it stands. An unknown outcome is a person's business: no permission covers it. */
  #decidedBefore({ id, key, view }: Asked, section: Section, again: boolean): ApprovalVerdict | 'new' | 'ask' {
    const grant = this.#means.grants.get(id);
    if (grant === undefined) return 'new';
    this.#same(grant.key === key && grant.at.context.digest === view.digest);
    if (grant.at.value === 'asked_again' || (again && this.#means.grants.askAgain(section, id))) return 'ask';
    return standingVerdict(grant, view.digest);
  }

  /** A standing permission covers exactly its scope, and only where the card would have offered that choice. */
  #permitted(what: Asked, section: Section): ApprovalVerdict | undefined {
    const choice = this.#means.grants.permission(what.scope)?.choice;
    if (choice === undefined || !what.view.choices.includes(choice)) return undefined;
    this.#means.grants.decide(section, what, { choice, isCopy: true });
    const { id, view } = what;
    const verdict = { approvalId: id, digest: view.digest, resolved: true, choice, coalesced: true } as const;
    section.tell('the hooks before and after', () => {
      this.#hooks.before(what, true);
      this.#hooks.after(what, true, verdict);
    });
    return verdict;
  }

  // ---- waiting

  #wait(approval: Approval, signal: AbortSignal | undefined, section: Section): Promise<ApprovalVerdict> {
    const wait = new Wait(signal, (one) => this.#interrupted(approval, one));
    const { key } = approval.asked;
    approval.waits.add(wait);
    try {
      this.#means.sections.commit(section);
    } catch (error) {
      approval.waits.delete(wait);
      wait.end();
      throw error;
    }
    this.#heartbeats.begin(key);
    const over = (): void => {
      this.#heartbeats.end(key);
      approval.waits.delete(wait);
      wait.end();
    };
    return wait.woken.then(() => this.#read(approval, wait)).finally(over);
  }

  #read(approval: Approval, wait: Wait): ApprovalVerdict {
    if (wait.own !== undefined) return wait.own;
    const interrupt = wait.signal?.aborted === true ? causeOf(wait.signal) : undefined;
    const others = [...approval.waits].filter((one) => one !== wait && one.own === undefined);
    // Only if nobody else takes the decision is it taken back.
    const isTaken = others.some(({ signal }) => signal?.aborted !== true);
    this.queue.read(approval, isTaken ? undefined : interrupt);
    let verdict = verdictOf(approval);
    if (interrupt !== undefined && verdict.cancelled === undefined && verdict.resolved) {
      // Another caller has the decision and may act on it; this one denies all the same.
      const { choice, reason: _said, ...rest } = verdict;
      verdict = { ...rest, ...denied(interrupt), ...(choice === null ? {} : { superseded: choice }) };
    }
    this.#report(approval, verdict);
    return verdict;
  }

  /** The hook after it, once, whoever reads first. */
  #report(approval: Approval, verdict: ApprovalVerdict): void {
    if (approval.isReported) return;
    approval.isReported = true;
    this.#hooks.after(approval.asked, approval.coalesced, verdict);
  }

  #interrupted(approval: Approval, wait: Wait): void {
    if (!approval.isPending || wait.own !== undefined) return;
    const cause = causeOf(wait.signal);
    if ([...approval.waits].some((one) => one !== wait && one.own === undefined)) {
      const { id, view } = approval.asked;
      wait.own = { approvalId: id, digest: view.digest, ...denied(cause) };
      wait.wake();
      return;
    }
    this.#endNow(approval, { type: 'INTERRUPT', cause });
  }

  /**
   * Ends an approval with nobody there to catch an error. Whoever waits gets it, and nothing has happened; but what
   * nobody waits for, or nobody can see, must not stay open for ever, so that it ends is tried again (RC-3).
   */
  #endNow(approval: Approval, event: EndsAlone): void {
    if (!approval.isPending || this.#closed) return;
    const section = new Section();
    try {
      if (approval.standing.role === 'entry') this.queue.end(section, approval, event);
      else if (event.type !== 'NOTIFY_FAILED') this.queue.endFollower(section, approval, event);
      this.#means.sections.commit(section);
    } catch (error) {
      this.#means.log.say('error', `the end of an approval could not be committed: ${reason(error)}`);
      for (const wait of approval.waits) wait.fail(error);
      approval.waits.clear();
      const stop = this.#quietly(REQUEST_LIMITS.retry, () => {
        // Asked for again meanwhile, by somebody who has not been interrupted.
        if (event.type !== 'INTERRUPT' || approval.waits.size === 0) this.#endNow(approval, event);
      });
      // A new deadline ends the old one.
      if (event.type === 'DEADLINE') approval.stopTimer = stop;
    }
  }

  #arm(approval: Approval, ms: number | null): void {
    approval.stopTimer();
    if (ms === null) return;
    approval.stopTimer = this.#quietly(ms, () => this.#endNow(approval, { type: 'DEADLINE' }));
  }

  #quietly(ms: number, callback: () => void): Cancel {
    return afterLong(this.#quiet, ms, callback);
  }

  // ---- surfaces and hooks

  #announce(entry: Approval, isRestored = false): void {
    if (!entry.coalesced && !isRestored) this.#hooks.before(entry.asked, false);
    let told = 0;
    for (const surface of this.#surfaces) {
      if (!entry.isPending) return;
      try {
        const shown = surface(entry);
        told += 1;
        // What comes later is no hook; that it fails is told, and the approval stays in the list of what is pending.
        const hook = heed(shown, (error) => this.#notShown(error)) ? undefined : shown;
        // It ended while this surface was being told: what it shows is taken away at once (RC-8).
        if (hook !== undefined && !this.attach(entry, hook))
          this.#means.log.guard('a settle hook', () => hook('resolved'));
      } catch (error) {
        this.#notShown(error);
      }
    }
    const event = told === 0 && this.#surfaces.length > 0 ? 'NOTIFY_FAILED' : 'NOTIFIED';
    // After a restart the surfaces may not be there yet: it stays in the list of what is pending.
    if (event === 'NOTIFIED' || isRestored) this.queue.note(entry, { type: 'NOTIFIED' });
    else this.#endNow(entry, { type: event });
  }

  #notShown(error: unknown): void {
    this.#means.log.say('error', `a surface could not show an approval: ${reason(error)}`);
  }

  attach(entry: Approval, hook: SettleHook): boolean {
    if (!this.queue.note(entry, { type: 'ATTACH_HOOK' })) return false;
    entry.hooks.push(hook);
    return true;
  }

  withdraw(entry: Approval, cause: string): boolean {
    const section = new Section();
    if (!this.queue.end(section, entry, { type: 'WITHDRAW', cause })) return false;
    this.#means.sections.commit(section);
    return true;
  }

  /** Frees whoever waits, and leaves the approval on file. */
  #release(approval: Approval): void {
    const { id, view } = approval.asked;
    for (const wait of approval.waits) {
      wait.own ??= { approvalId: id, digest: view.digest, resolved: true, choice: null, cancelled: 'shutdown' };
      wait.wake();
    }
  }

  // ---- the life of the queue

  /** What the last process left is shown again; nothing of it was denied. */
  restore(rows: readonly JsonObject[]): void {
    const { runtime, requests, ledger } = this.#means.options;
    const entries = rows.map(approvalIn);
    for (const entry of entries) {
      this.queue.adopt(entry);
      this.#arm(entry, entry.expiresAt === null ? null : Math.max(entry.expiresAt - runtime.now(), 0));
    }
    if (requests !== undefined) this.#ends.takeBackOrphans(requests, ledger?.rows('request') ?? [], entries);
    this.#isRestoring = true;
    for (const entry of entries) if (entry.isPending) this.#announce(entry, true);
    this.#isRestoring = false;
  }

  shutdown(): void {
    this.#closed = true;
    for (const approval of this.queue.all()) {
      approval.stopTimer();
      this.#release(approval);
    }
  }
}
