/** Decisions that were made: what each may release, once, and what it covers from then on. */
import { heed } from '../../machines/shared/heed.ts';
import { start, step } from '../../machines/shared/step.ts';
import type { Author } from '../api.ts';
import type { JsonObject } from '../wire/json.ts';
import { type GrantChartEvent, grantChart } from './approval-charts.ts';
import type { Asked } from './approval-input.ts';
import type { Section, Sections } from './approval-section.ts';
import type {
  ApprovalChoice,
  ApprovalVerdict,
  Claim,
  ClaimRefusal,
  GrantView,
  LineageRefusal,
  Receipt,
  StandingView,
} from './approval-types.ts';
import {
  type Grant,
  grantIn,
  grantRow,
  type Permission,
  permissionId,
  permissionIn,
  permissionRow,
} from './grant-row.ts';
import { type Log, reason } from './log.ts';

const RECEIPTS: Readonly<Record<string, Receipt>> = { granted: 'not_started' };
export const receiptOf = ({ at }: Grant): Receipt => RECEIPTS[at.value] ?? (at.value as Receipt);

/** What was decided under an id, as it stands; a decision that is spent releases nothing. */
export function standingVerdict(grant: Grant, digest: string): ApprovalVerdict {
  const receipt = receiptOf(grant);
  const base = { approvalId: grant.id, digest, resolved: true, receipt };
  if (receipt === 'not_started' || receipt === 'refused') {
    const said = grant.reason === undefined ? {} : { reason: grant.reason };
    return { ...base, choice: grant.at.context.choice, ...said };
  }
  return { ...base, choice: null, cancelled: receipt === 'unknown' || receipt === 'revoked' ? receipt : 'spent' };
}

/** Why nothing is spent under this decision; undefined: it is there to be spent. */
function whyNot({ at: { value } }: Grant): ClaimRefusal | undefined {
  if (value === 'granted') return undefined;
  if (value === 'unknown' || value === 'asked_again') return 'unknown_outcome';
  return value === 'refused' || value === 'revoked' ? 'not_granted' : 'spent';
}

interface Means {
  readonly sections: Sections;
  readonly log: Log;
  readonly kept: number;
  readonly standing: number;
  readonly now: () => number;
  readonly id: () => string;
  /** Order of rows on file. */
  readonly seq: () => number;
  readonly newSection: () => Section;
  readonly lineage: ((id: string, key: string) => LineageRefusal | undefined) | undefined;
}

export interface Decided {
  readonly choice: ApprovalChoice;
  readonly reason?: string | undefined;
  readonly author?: Author | undefined;
  /** The person decided on its twin, or long ago: what stands, stands already. */
  readonly isCopy: boolean;
}

export class GrantBook {
  readonly #means: Means;
  readonly #grants = new Map<string, Grant>();
  /** Decisions that can release nothing any more, oldest first. */
  readonly #ended = new Set<string>();
  readonly #permissions = new Map<string, Permission>();

  constructor(means: Means) {
    this.#means = means;
  }

  get(id: string): Grant | undefined {
    return this.#grants.get(id);
  }

  permission(scope: string): Permission | undefined {
    return this.#permissions.get(scope);
  }

  #put(grant: Grant): void {
    this.#grants.set(grant.id, grant);
    if (grant.at.done) this.#ended.add(grant.id);
    else this.#ended.delete(grant.id);
  }

  /** Plans the decision on one approval: a grant, and for a standing choice the permission that its scope gets. */
  decide(section: Section, { id, key, scope, view }: Asked, { choice, reason, author, isCopy }: Decided): void {
    const { command, digest } = view;
    const [seq, decidedAt] = [this.#means.seq(), this.#means.now()];
    const born = start(grantChart, { approvalId: id, key, choice, digest });
    section.took(grantChart.id, id, undefined, { type: 'xstate.init', sid: view.session_id, choice }, born);
    const at = born.snapshot;
    const grant: Grant = { id, key, seq, at, command, decidedAt, reason, who: undefined };
    section.change({
      ...{ kind: 'grant', id, row: grantRow(grant) },
      note: { event: 'approval_decided', author, digest, detail: choice },
    });
    section.publish(() => {
      this.#grants.delete(id);
      this.#put(grant);
    });
    section.tell('the bound of decisions', () => this.#trim(id));
    if (isCopy) return;
    const standing = this.#permissions.get(scope);
    if ((choice !== 'session' && choice !== 'always') || standing?.choice === 'always' || standing?.choice === choice) {
      return;
    }
    const permission: Permission = { ...{ scope, key, seq, choice, command, digest, decidedAt } };
    const note = { event: 'approval_standing', author, digest, detail: choice };
    section.change({ kind: 'grant', id: permissionId(scope), row: permissionRow(permission), note });
    section.publish(() => {
      this.#permissions.delete(scope);
      this.#permissions.set(scope, permission);
    });
    section.tell('the bound of standing permissions', () => this.#trimPermissions());
  }

  #advance(
    section: Section,
    grant: Grant,
    event: GrantChartEvent,
    note: { event: string; author?: Author | undefined; detail?: string },
    who = grant.who,
  ): boolean {
    const stepped = step(grantChart, grant.at, event);
    if (stepped.ignored) return false;
    const { snapshot } = stepped;
    section.took(grantChart.id, grant.id, grant.at, event, stepped);
    const next: Grant = { ...grant, at: snapshot, who };
    section.change({
      ...{ kind: 'grant', id: grant.id, row: grantRow(next) },
      note: { ...note, digest: grant.at.context.digest },
    });
    section.publish(() => this.#put(next));
    return true;
  }

  /** Spends it before the effect begins; what is returned was committed before. */
  claim(id: string, digest: string, author: Author | undefined): Claim {
    const asked = this.#grants.get(id);
    if (asked === undefined) return { ok: false, why: 'unknown' };
    const against = whyNot(asked) ?? this.#against(asked);
    if (against !== undefined) return { ok: false, why: against };
    const run = this.#means.id();
    // Whoever was asked about it may have spent it, or taken it back, inside that very call.
    const grant = this.#grants.get(id);
    if (grant === undefined) return { ok: false, why: 'unknown' };
    const since = whyNot(grant);
    if (since !== undefined) return { ok: false, why: since };
    const drifted = digest !== grant.at.context.digest;
    const section = this.#means.newSection();
    const who = drifted || author === undefined ? undefined : [author.surface, author.who ?? ''].join(' ').trim();
    const event = drifted ? 'approval_drifted' : 'approval_claimed';
    this.#advance(section, grant, { type: 'CLAIM', digest, run }, { event, author }, who);
    this.#means.sections.commit(section);
    return drifted ? { ok: false, why: 'drifted' } : { ok: true, run };
  }

  /** A word that comes later, or that is none, does not say that the log has it. */
  #against({ id, key }: Grant): LineageRefusal | undefined {
    const word: unknown = this.#means.lineage?.(id, key);
    if (word === undefined) return undefined;
    heed(word, (error) => this.#means.log.say('error', `the lineage of an approval failed: ${reason(error)}`));
    return word === 'ask_again' || word === 'off_branch' ? word : 'unproven';
  }

  /** The execution is over, or its outcome has been found out. */
  finish(id: string, event: GrantChartEvent, note: { event: string; detail?: string }): boolean {
    const grant = this.#grants.get(id);
    const section = this.#means.newSection();
    if (grant === undefined || !this.#advance(section, grant, event, note)) return false;
    this.#means.sections.commit(section);
    return true;
  }

  /** Plans that what was decided releases nothing any more. */
  revoke(section: Section, id: string, detail: string): void {
    const grant = this.#grants.get(id);
    if (grant !== undefined) this.#advance(section, grant, { type: 'REVOKE' }, { event: 'approval_revoked', detail });
  }

  /** Plans that the person is asked again about an execution of unknown outcome. */
  askAgain(section: Section, id: string): boolean {
    const grant = this.#grants.get(id);
    return (
      grant !== undefined && this.#advance(section, grant, { type: 'ASK_AGAIN' }, { event: 'approval_asked_again' })
    );
  }

  /** Plans the end of a session: what has not started does not start, and what it was allowed it is allowed no more. */
  endSession(section: Section, key: string, cause: string): void {
    for (const grant of this.#grants.values()) if (grant.key === key) this.revoke(section, grant.id, cause);
    for (const one of this.#permissions.values()) {
      if (one.key === key && one.choice === 'session') this.#drop(section, one, cause);
    }
  }

  #drop(section: Section, { scope, digest }: Permission, detail: string, author?: Author): void {
    const note = { event: 'approval_standing_ended', author, digest, detail };
    section.change({ kind: 'grant', id: permissionId(scope), row: undefined, note });
    section.publish(() => void this.#permissions.delete(scope));
  }

  revokePermission(key: string, id: string, author: Author | undefined): boolean {
    const one = this.#permissions.get(id);
    if (one === undefined || one.key !== key) return false;
    const section = this.#means.newSection();
    this.#drop(section, one, 'revoked', author);
    this.#means.sections.commit(section);
    return true;
  }

  list(key: string): GrantView[] {
    return [...this.#grants.values()].flatMap((grant): GrantView[] => {
      const state = receiptOf(grant);
      const { choice, digest, run } = grant.at.context;
      if (grant.key !== key || (state !== 'not_started' && state !== 'claimed' && state !== 'unknown')) return [];
      const { id, command, decidedAt, who } = grant;
      const ran = run === null ? {} : { run };
      return [
        {
          approvalId: id,
          key,
          state,
          choice,
          command,
          digest,
          decidedAt,
          ...ran,
          ...(who === undefined ? {} : { who }),
        },
      ];
    });
  }

  permissions(key: string): StandingView[] {
    return [...this.#permissions.values()]
      .filter((one) => one.key === key)
      .map(({ scope, choice, command, digest, decidedAt }) => ({ id: scope, choice, command, digest, decidedAt }));
  }

  /**
   * Beyond the bound the oldest decisions that can release nothing go; then the oldest that nobody has begun. Never what
   * may be running, and never the one just made: executions that nobody reports the end of must not use up the queue.
   */
  #trim(latest: string): void {
    const over = this.#grants.size - this.#means.kept;
    if (over <= 0) return;
    const spare = [...this.#ended].filter((id) => id !== latest).slice(0, over);
    for (const { id, at } of this.#grants.values()) {
      if (spare.length >= over) break;
      if (at.value === 'granted' && id !== latest) spare.push(id);
    }
    if (spare.length < over) {
      const line = `more than ${this.#means.kept} decisions on approvals were claimed and never reported done or failed`;
      this.#means.log.once('warn', line);
    }
    if (spare.length === 0) return;
    const section = this.#means.newSection();
    for (const id of spare) {
      section.change({ kind: 'grant', id, row: undefined });
      section.publish(() => {
        this.#ended.delete(id);
        this.#grants.delete(id);
      });
    }
    section.tell('a line', () =>
      this.#means.log.say('warn', `${spare.length} of the oldest decisions on approvals were let go at the bound`),
    );
    this.#means.sections.commit(section);
  }

  /** Beyond the bound the oldest permissions end: what they covered is asked again, which nothing runs without. */
  #trimPermissions(): void {
    const over = this.#permissions.size - this.#means.standing;
    if (over <= 0) return;
    const section = this.#means.newSection();
    for (const one of [...this.#permissions.values()].slice(0, over)) this.#drop(section, one, 'bound');
    const line = `${over} of the oldest standing permissions ended at the bound: what they covered is asked again`;
    section.tell('a line', () => this.#means.log.say('warn', line));
    this.#means.sections.commit(section);
  }

  /** What was claimed when the process ended may have happened: nobody can know, and nothing runs again by itself. */
  restore(section: Section, rows: readonly JsonObject[]): void {
    for (const row of rows) {
      if (row['type'] === 'standing') {
        const permission = permissionIn(row);
        this.#permissions.set(permission.scope, permission);
        continue;
      }
      const grant = grantIn(row);
      this.#put(grant);
      if (!this.#advance(section, grant, { type: 'RESTART' }, { event: 'approval_unknown' })) continue;
      const line = `the outcome of approval ${grant.id.slice(0, 12)} is unknown: the process ended while it ran`;
      section.tell('a line', () => this.#means.log.say('warn', line));
    }
  }
}
