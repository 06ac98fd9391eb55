/** One approval in memory, as an entry of the queue or as a follower, and the row of an entry. */
import { start } from '../../machines/shared/step.ts';
import { ReadbackError } from '../errors.ts';
import type { Cancel } from '../runtime.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import { type ApprovalSnapshot, approvalChart, type FollowerSnapshot, followerChart } from './approval-charts.ts';
import { type Asked, isChoice } from './approval-input.ts';
import type { ApprovalOutcome, ApprovalVerdict, ApprovalView, SettleHook } from './approval-types.ts';
import type { Wait } from './approval-waits.ts';

/** Never both: a follower that prompts becomes an entry. */
export type Standing =
  | { readonly role: 'entry'; readonly at: ApprovalSnapshot }
  | { readonly role: 'follower'; readonly at: FollowerSnapshot };

export class Approval {
  readonly asked: Asked;
  /** Rises with each entry; the queue is in its order. */
  seq: number;
  /** It did not prompt when it was asked. */
  readonly coalesced: boolean;
  standing: Standing;
  /** Milliseconds since 1970, or null. */
  expiresAt: number | null;
  reason: string | undefined;
  /** The hook after it has run. */
  isReported = false;
  readonly hooks: SettleHook[] = [];
  readonly waits = new Set<Wait>();
  readonly followers = new Set<Approval>();
  stopTimer: Cancel = () => undefined;
  /** Key of its server request, for this round of asking only: an id may be asked for again. */
  readonly cardKey: string;

  constructor(asked: Asked, seq: number, standing: Standing, expiresAt: number | null, cardKey: string) {
    this.asked = asked;
    this.seq = seq;
    this.standing = standing;
    this.expiresAt = expiresAt;
    this.cardKey = cardKey;
    this.coalesced = standing.role === 'follower';
  }

  get isPending(): boolean {
    const { role, at } = this.standing;
    if (role === 'follower') return at.value === 'following' || at.value === 'contending';
    return at.value === 'announcing' || at.value === 'unseen' || at.value === 'seen';
  }
}

export const bornEntry = ({ id, key, view }: Asked, deadlineAt: number | null): ApprovalSnapshot =>
  start(approvalChart, { approvalId: id, key, choices: view.choices, deadlineAt }).snapshot;

export const bornFollower = ({ id, view }: Asked, leader: string): FollowerSnapshot =>
  start(followerChart, { approvalId: id, leader, choices: view.choices }).snapshot;

/** What a waiter is told (4.3). */
export function verdictOf({ asked, standing, reason, coalesced }: Approval): ApprovalVerdict {
  const { choice, cause } = standing.at.context;
  const base = { approvalId: asked.id, digest: asked.view.digest, ...(coalesced ? { coalesced: true as const } : {}) };
  switch (standing.at.value) {
    case 'resolved':
    case 'adopted':
    case 'reported':
      return { ...base, resolved: true, choice, ...(reason === undefined ? {} : { reason }) };
    case 'superseded':
      return { ...base, ...denied(cause), ...(choice === null ? {} : { superseded: choice }) };
    case 'interrupted':
      return { ...base, ...denied(cause) };
    case 'withdrawn':
      return { ...base, resolved: true, choice: null, cancelled: cause ?? 'withdrawn' };
    case 'notify_failed':
      return { ...base, resolved: false, choice: null, notify_failed: true };
    default:
      return { ...base, resolved: false, choice: null };
  }
}

/** What an interrupted waiter reports: it fails closed, and is no decision of a person. */
export const denied = (cause: string | null) =>
  ({ resolved: true, choice: 'deny', cancelled: cause ?? 'interrupted' }) as const;

export function outcomeOf({ resolved, choice, cancelled, notify_failed }: ApprovalVerdict): ApprovalOutcome {
  if (notify_failed === true) return 'notify_failed';
  if (!resolved) return 'expired';
  if (cancelled !== undefined) return choice === null ? 'withdrawn' : 'interrupted';
  return 'resolved';
}

// ---- rows

export const viewJson = (view: ApprovalView): JsonObject => ({ ...view });

export function rowOf({ asked, cardKey }: Approval, seq: number, expiresAt: number | null): JsonObject {
  const { id, key, scope, view, timeoutMs } = asked;
  return { id, seq, key, scope, view: viewJson(view), timeoutMs, expiresAt, cardKey, state: 'announcing' };
}

const unreadable = (what: string): ReadbackError =>
  new ReadbackError('store_unreadable', `A row of an approval cannot be read: ${what}.`);

export function textIn(row: JsonObject, field: string): string {
  const value = row[field];
  if (typeof value !== 'string') throw unreadable(`${field} is no text`);
  return value;
}

export function numberIn(row: JsonObject, field: string): number {
  const value = row[field];
  if (typeof value !== 'number') throw unreadable(`${field} is no number`);
  return value;
}

const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

function viewIn(row: JsonObject): ApprovalView {
  const { view } = row;
  if (typeof view !== 'object' || view === null || Array.isArray(view)) throw unreadable('view is no object');
  const found = view as JsonObject;
  const id = textIn(row, 'id');
  return Object.freeze({
    approval_id: id,
    request_id: id,
    session_id: textIn(found, 'session_id'),
    command: textIn(found, 'command'),
    description: textIn(found, 'description'),
    choices: Object.freeze(texts(found['choices']).filter(isChoice)),
    allow_permanent: found['allow_permanent'] === true,
    allow_session: found['allow_session'] === true,
    smart_denied: found['smart_denied'] === true,
    ...(typeof found['tool_name'] === 'string' ? { tool_name: found['tool_name'] } : {}),
    pattern_keys: Object.freeze(texts(found['pattern_keys'])),
    digest: textIn(found, 'digest'),
  });
}

/** What the last process left pending; it is shown again. */
export function approvalIn(row: JsonObject): Approval {
  const timeoutMs = row['timeoutMs'] === null ? null : numberIn(row, 'timeoutMs');
  const expiresAt = row['expiresAt'] === null ? null : numberIn(row, 'expiresAt');
  const asked: Asked = Object.freeze({
    id: textIn(row, 'id'),
    key: textIn(row, 'key'),
    scope: textIn(row, 'scope'),
    view: viewIn(row),
    timeoutMs,
  });
  const at = bornEntry(asked, expiresAt);
  return new Approval(asked, numberIn(row, 'seq'), { role: 'entry', at }, expiresAt, textIn(row, 'cardKey'));
}
