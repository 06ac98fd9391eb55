/**
 * The queue itself: who prompts, who follows, and how each ends.
 *
 * Every ending is planned in one section, together with what it means for the followers: nobody can be between a
 * decision and its effect on them, so no deadline and no second decision finds a gap there.
 */

import type { LeaderOutcome } from '../../machines/requests/follower.ts';
import { step } from '../../machines/shared/step.ts';
import { birth } from '../../machines/shared/tap.ts';
import type { Author } from '../api.ts';
import {
  type ApprovalChartEvent,
  type ApprovalSnapshot,
  approvalChart,
  type FollowerChartEvent,
  type FollowerSnapshot,
  followerChart,
} from './approval-charts.ts';
import { Approval, bornEntry, bornFollower, rowOf, verdictOf } from './approval-entry.ts';
import type { Asked } from './approval-input.ts';
import { Section, type Sections } from './approval-section.ts';
import type { SettleReason } from './approval-types.ts';
import type { GrantBook } from './grant-book.ts';
import type { Log } from './log.ts';

interface Means {
  readonly sections: Sections;
  readonly grants: GrantBook;
  readonly log: Log;
  readonly now: () => number;
  readonly seq: () => number;
  readonly id: () => string;
  /** An entry is in the queue, and nobody has been told. */
  readonly announce: (entry: Approval) => void;
  readonly arm: (approval: Approval, ms: number | null) => void;
  /** It ended, and no caller waits who would report it. */
  readonly unattended: (approval: Approval) => void;
}

/** What a decision says beside its choice. */
export interface Said {
  readonly reason?: string | undefined;
  readonly author?: Author | undefined;
}

const LEADER: Readonly<Record<string, LeaderOutcome>> = {
  withdrawn: 'withdrawn',
  expired: 'expired',
  interrupted: 'interrupted',
  notify_failed: 'notify_failed',
};

export class ApprovalQueue {
  readonly #means: Means;
  /** Entries by key and id, in the order in which they came. */
  readonly #keys = new Map<string, Map<string, Approval>>();
  /** Entries and followers by id. */
  readonly #ids = new Map<string, Approval>();
  /** The one entry that prompts for a scope (I-21). */
  readonly #leaders = new Map<string, Approval>();
  #entries = 0;

  constructor(means: Means) {
    this.#means = means;
  }

  get count(): number {
    return this.#entries;
  }

  entries(key: string): Approval[] {
    return [...(this.#keys.get(key)?.values() ?? [])];
  }

  size(key: string): number {
    return this.#keys.get(key)?.size ?? 0;
  }

  entry(key: string, id: string): Approval | undefined {
    return this.#keys.get(key)?.get(id);
  }

  /** Entry or follower. */
  byId(id: string): Approval | undefined {
    return this.#ids.get(id);
  }

  leader(scope: string): Approval | undefined {
    return this.#leaders.get(scope);
  }

  keys(): string[] {
    return [...this.#keys.keys()];
  }

  all(): Approval[] {
    return [...this.#ids.values()];
  }

  /** Finds the entry that prompts for the same, or makes one: one section. */
  enter(asked: Asked, section: Section): Approval {
    const leader = this.#leaders.get(asked.scope);
    if (leader === undefined) return this.#prompt(asked, section);
    const at = bornFollower(asked, leader.asked.id);
    const seq = this.#means.seq();
    const standing = { role: 'follower', at } as const;
    const follower = new Approval(asked, seq, standing, this.#deadline(asked), this.#cardKey(asked));
    const born = { type: 'xstate.init', sid: asked.view.session_id, leader: leader.asked.id };
    section.took(followerChart.id, asked.id, undefined, born, birth(at));
    section.publish(() => {
      this.#ids.set(asked.id, follower);
      leader.followers.add(follower);
      this.#means.arm(follower, asked.timeoutMs);
    });
    return follower;
  }

  #deadline({ timeoutMs }: Asked): number | null {
    return timeoutMs === null ? null : this.#means.now() + timeoutMs;
  }

  #prompt(asked: Asked, section: Section): Approval {
    const seq = this.#means.seq();
    const expiresAt = this.#deadline(asked);
    const standing = { role: 'entry', at: bornEntry(asked, expiresAt) } as const;
    const entry = new Approval(asked, seq, standing, expiresAt, this.#cardKey(asked));
    this.#plan(entry, section, seq, expiresAt, standing.at);
    return entry;
  }

  /** A card of a second round is a new card: the registry still knows how the one before ended. */
  #cardKey({ id }: Asked): string {
    return `${id}/${this.#means.id().slice(0, 8)}`;
  }

  #plan(entry: Approval, section: Section, seq: number, expiresAt: number | null, at: ApprovalSnapshot): void {
    const { asked } = entry;
    const born = { type: 'xstate.init', sid: asked.view.session_id };
    section.took(approvalChart.id, asked.id, undefined, born, birth(at));
    section.change({
      ...{ kind: 'approval', id: asked.id, row: rowOf(entry, seq, expiresAt) },
      note: { event: 'approval_requested', digest: asked.view.digest, detail: asked.view.command },
    });
    section.publish(() => {
      this.adopt(entry);
      this.#means.arm(entry, asked.timeoutMs);
    });
    section.tell('the announcement of an approval', () => this.#means.announce(entry));
  }

  /** Puts an entry into the queue that is on file already. */
  adopt(entry: Approval): void {
    const { id, key, scope } = entry.asked;
    const here = this.#keys.get(key);
    if (here === undefined) this.#keys.set(key, new Map([[id, entry]]));
    else here.set(id, entry);
    this.#ids.set(id, entry);
    this.#leaders.set(scope, entry);
    this.#entries += 1;
  }

  /** Plans what an event does to an entry. False: it ends nothing. */
  end(section: Section, entry: Approval, event: ApprovalChartEvent, said: Said = {}): boolean {
    if (entry.standing.role !== 'entry') return false;
    const stepped = step(approvalChart, entry.standing.at, event);
    const { snapshot, effects } = stepped;
    const settle = effects.find((one) => one.type === 'settle');
    if (settle === undefined) return false;
    const { reason } = settle.params as { readonly reason: SettleReason };
    const { id, view } = entry.asked;
    section.took(approvalChart.id, id, entry.standing.at, event, stepped);
    const { choice, cause } = snapshot.context;
    const detail = choice ?? cause ?? snapshot.value;
    section.change({
      ...{ kind: 'approval', id, row: undefined },
      note: { event: `approval_${snapshot.value}`, author: said.author, digest: view.digest, detail },
    });
    if (choice !== null) {
      this.#means.grants.decide(section, entry.asked, { ...said, choice, isCopy: false });
    }
    section.publish(() => {
      entry.standing = { role: 'entry', at: snapshot };
      entry.reason = said.reason;
      entry.stopTimer();
      this.#leave(entry);
    });
    this.#settle(section, entry, reason);
    this.#lead(section, entry, choice ?? LEADER[snapshot.value] ?? 'withdrawn', cause, said);
    return true;
  }

  #leave({ asked: { id, key, scope } }: Approval): void {
    const here = this.#keys.get(key);
    here?.delete(id);
    if (here?.size === 0) this.#keys.delete(key);
    this.#ids.delete(id);
    this.#leaders.delete(scope);
    this.#entries -= 1;
  }

  /** Hooks first, then whoever waits (4.3). Each hook runs once: an entry ends once, and takes no hook afterwards. */
  #settle(section: Section, entry: Approval, reason: SettleReason): void {
    section.tell('the hooks of an approval', () => {
      for (const hook of entry.hooks) this.#means.log.guard('a settle hook', () => hook(reason));
    });
    section.tell('waking', () => this.#wake(entry));
  }

  #wake(approval: Approval): void {
    if (approval.waits.size === 0) this.#means.unattended(approval);
    for (const wait of approval.waits) wait.wake();
  }

  /** Followers are stepped in the section of their leader. */
  #lead(section: Section, leader: Approval, outcome: LeaderOutcome, cause: string | null, said: Said): void {
    let next: Approval | undefined;
    for (const follower of leader.followers) {
      if (this.endFollower(section, follower, { type: 'LEADER', outcome, cause }, said)) continue;
      next = this.#contend(section, follower, next);
    }
  }

  /** Plans what an event does to a follower. False: it goes on, or asks anew. */
  endFollower(section: Section, follower: Approval, event: FollowerChartEvent, said: Said = {}): boolean {
    if (follower.standing.role !== 'follower') return false;
    const stepped = step(followerChart, follower.standing.at, event);
    const { snapshot, effects } = stepped;
    if (!effects.some((one) => one.type === 'wake')) return false;
    section.took(followerChart.id, follower.asked.id, follower.standing.at, event, stepped);
    const { choice } = snapshot.context;
    if (choice !== null) {
      this.#means.grants.decide(section, follower.asked, { ...said, choice, isCopy: true });
    }
    section.publish(() => {
      const leader = this.#ids.get(snapshot.context.leader);
      follower.standing = { role: 'follower', at: snapshot };
      follower.reason = choice === null ? undefined : said.reason;
      follower.stopTimer();
      leader?.followers.delete(follower);
      this.#ids.delete(follower.asked.id);
    });
    section.tell('waking', () => this.#wake(follower));
    return true;
  }

  /** One of the followers prompts from now on, and the others follow it. */
  #contend(section: Section, follower: Approval, next: Approval | undefined): Approval {
    const { standing, asked } = follower;
    if (standing.role !== 'follower') throw new Error('only a follower contends');
    const { at } = standing;
    const event = { type: 'LEADER', outcome: 'once', cause: null } as const;
    const take = (from: FollowerSnapshot, heard: FollowerChartEvent): FollowerSnapshot => {
      const stepped = step(followerChart, from, heard);
      section.took(followerChart.id, asked.id, from, heard, stepped);
      return stepped.snapshot;
    };
    const contending = take(at, event);
    if (next !== undefined) {
      const found = take(contending, { type: 'FOUND', leader: next.asked.id });
      section.publish(() => {
        follower.standing = { role: 'follower', at: found };
        next.followers.add(follower);
      });
      return next;
    }
    // From here on it is an entry: it has its own deadline anew, and everybody who waits for it goes on waiting.
    take(contending, { type: 'NONE' });
    const expiresAt = this.#deadline(asked);
    const seq = this.#means.seq();
    const prompting = bornEntry(asked, expiresAt);
    section.publish(() => {
      follower.standing = { role: 'entry', at: prompting };
      follower.expiresAt = expiresAt;
      follower.seq = seq;
    });
    this.#plan(follower, section, seq, expiresAt, prompting);
    return follower;
  }

  /** An event that only the entry itself hears. True: it meant something. */
  note(entry: Approval, event: ApprovalChartEvent): boolean {
    if (entry.standing.role !== 'entry') return false;
    const stepped = step(approvalChart, entry.standing.at, event);
    this.#means.sections.watch?.tell?.(approvalChart.id, entry.asked.id, entry.standing.at, event, stepped);
    entry.standing = { role: 'entry', at: stepped.snapshot };
    return !stepped.ignored;
  }

  /** The waiter reads its verdict; interrupted meanwhile, it denies, and what was decided releases nothing. */
  read(approval: Approval, interrupt: string | undefined): void {
    const event =
      interrupt === undefined ? ({ type: 'READ' } as const) : ({ type: 'INTERRUPT', cause: interrupt } as const);
    const { standing } = approval;
    const section = new Section();
    const result =
      standing.role === 'entry' ? step(approvalChart, standing.at, event) : step(followerChart, standing.at, event);
    if (result.effects.some((one) => one.type === 'revokeGrant')) {
      this.#means.grants.revoke(section, approval.asked.id, verdictOf(approval).choice ?? '');
    }
    const chart = standing.role === 'entry' ? approvalChart : followerChart;
    section.took(chart.id, approval.asked.id, standing.at, event, result);
    section.publish(() => {
      approval.standing = { role: standing.role, at: result.snapshot } as Approval['standing'];
    });
    this.#means.sections.commit(section);
  }
}
