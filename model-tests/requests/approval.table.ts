/** Every state of the approval charts against every event. A new state or event does not compile until decided here. */
import type { SnapshotFrom } from 'xstate';
import type { ApprovalContext, ApprovalEvent, approvalMachine } from '../../machines/requests/approval.ts';
import type { FollowerContext, FollowerEvent, followerMachine } from '../../machines/requests/follower.ts';
import type { GrantContext, GrantEvent, grantMachine } from '../../machines/requests/grant.ts';
import type { Cell } from '../support/table.ts';

type Samples<Event extends { type: string }> = {
  readonly [Type in Event['type']]: Extract<Event, { type: Type }>;
};
type Table<State extends string, Event extends { type: string }> = Record<State, Record<Event['type'], Cell<State>>>;
type ApprovalState = SnapshotFrom<typeof approvalMachine>['value'];
type FollowerState = SnapshotFrom<typeof followerMachine>['value'];
/** `born` is never rested in. */
type GrantState = Exclude<SnapshotFrom<typeof grantMachine>['value'], 'born'>;

// ---- approval

const APPROVAL_USUAL: ApprovalContext = {
  approvalId: 'a',
  key: 'k',
  choices: ['once', 'deny'],
  deadlineAt: null,
  choice: null,
  cause: null,
  acked: false,
  hooks: 0,
};

const APPROVAL_EVENTS: Samples<ApprovalEvent> = {
  NOTIFIED: { type: 'NOTIFIED' },
  NOTIFY_FAILED: { type: 'NOTIFY_FAILED' },
  RECEIVED: { type: 'RECEIVED' },
  RESOLVE: { type: 'RESOLVE', choice: 'once' },
  WITHDRAW: { type: 'WITHDRAW', cause: 'x' },
  SESSION_CLEARED: { type: 'SESSION_CLEARED', cause: 'x' },
  NOTIFIER_GONE: { type: 'NOTIFIER_GONE', cause: 'x' },
  DEADLINE: { type: 'DEADLINE' },
  INTERRUPT: { type: 'INTERRUPT', cause: 'x' },
  ATTACH_HOOK: { type: 'ATTACH_HOOK' },
  READ: { type: 'READ' },
};

const IGNORED = 'ignored' as const;
const APPROVAL_ENDED: Record<ApprovalEvent['type'], typeof IGNORED> = {
  NOTIFIED: IGNORED,
  NOTIFY_FAILED: IGNORED,
  RECEIVED: IGNORED,
  RESOLVE: IGNORED,
  WITHDRAW: IGNORED,
  SESSION_CLEARED: IGNORED,
  NOTIFIER_GONE: IGNORED,
  DEADLINE: IGNORED,
  INTERRUPT: IGNORED,
  ATTACH_HOOK: IGNORED,
  READ: IGNORED,
};

const queued = (state: ApprovalState): Record<ApprovalEvent['type'], Cell<ApprovalState>> => ({
  ...APPROVAL_ENDED,
  RESOLVE: [
    { to: 'resolved' },
    { with: { choice: 'deny' }, to: 'resolved' },
    { with: { choice: 'always' }, to: state },
  ],
  WITHDRAW: 'withdrawn',
  SESSION_CLEARED: 'withdrawn',
  NOTIFIER_GONE: 'withdrawn',
  DEADLINE: 'expired',
  INTERRUPT: 'interrupted',
  ATTACH_HOOK: state,
});

const APPROVAL: Table<ApprovalState, ApprovalEvent> = {
  announcing: {
    ...queued('announcing'),
    NOTIFIED: [{ to: 'unseen' }, { given: { acked: true }, to: 'seen' }],
    NOTIFY_FAILED: 'notify_failed',
    RECEIVED: 'announcing',
  },
  unseen: { ...queued('unseen'), RECEIVED: 'seen' },
  seen: queued('seen'),
  resolved: { ...APPROVAL_ENDED, READ: 'reported', INTERRUPT: 'superseded' },
  reported: APPROVAL_ENDED,
  superseded: APPROVAL_ENDED,
  withdrawn: APPROVAL_ENDED,
  expired: APPROVAL_ENDED,
  interrupted: APPROVAL_ENDED,
  notify_failed: APPROVAL_ENDED,
};

// ---- follower

const FOLLOWER_USUAL: FollowerContext = {
  approvalId: 'f',
  leader: 'l',
  choices: ['once', 'session', 'deny'],
  choice: null,
  cause: null,
};

const FOLLOWER_EVENTS: Samples<FollowerEvent> = {
  LEADER: { type: 'LEADER', outcome: 'once', cause: null },
  FOUND: { type: 'FOUND', leader: 'g' },
  NONE: { type: 'NONE' },
  DEADLINE: { type: 'DEADLINE' },
  INTERRUPT: { type: 'INTERRUPT', cause: 'x' },
  READ: { type: 'READ' },
};

const FOLLOWER_ENDED: Record<FollowerEvent['type'], typeof IGNORED> = {
  LEADER: IGNORED,
  FOUND: IGNORED,
  NONE: IGNORED,
  DEADLINE: IGNORED,
  INTERRUPT: IGNORED,
  READ: IGNORED,
};

const FOLLOWER: Table<FollowerState, FollowerEvent> = {
  following: {
    ...FOLLOWER_ENDED,
    LEADER: [
      { with: { outcome: 'deny' }, to: 'adopted' },
      { with: { outcome: 'session' }, to: 'adopted' },
      { with: { outcome: 'always' }, to: 'contending' },
      { with: { outcome: 'once' }, to: 'contending' },
      { with: { outcome: 'notify_failed' }, to: 'contending' },
      { with: { outcome: 'expired' }, to: 'expired' },
      { with: { outcome: 'withdrawn' }, to: 'withdrawn' },
      { with: { outcome: 'interrupted' }, to: 'withdrawn' },
    ],
    DEADLINE: 'expired',
    INTERRUPT: 'interrupted',
  },
  contending: { ...FOLLOWER_ENDED, FOUND: 'following', NONE: 'entered' },
  entered: FOLLOWER_ENDED,
  adopted: { ...FOLLOWER_ENDED, READ: 'reported', INTERRUPT: 'superseded' },
  reported: FOLLOWER_ENDED,
  superseded: FOLLOWER_ENDED,
  expired: FOLLOWER_ENDED,
  withdrawn: FOLLOWER_ENDED,
  interrupted: FOLLOWER_ENDED,
};

// ---- grant

const GRANT_USUAL: GrantContext = { approvalId: 'a', key: 'k', choice: 'once', digest: 'd', run: null };

const GRANT_EVENTS: Samples<GrantEvent> = {
  CLAIM: { type: 'CLAIM', digest: 'd', run: 'r' },
  DONE: { type: 'DONE' },
  FAILED: { type: 'FAILED' },
  RESTART: { type: 'RESTART' },
  REVOKE: { type: 'REVOKE' },
  ASK_AGAIN: { type: 'ASK_AGAIN' },
};

const GRANT_ENDED: Record<GrantEvent['type'], typeof IGNORED> = {
  CLAIM: IGNORED,
  DONE: IGNORED,
  FAILED: IGNORED,
  RESTART: IGNORED,
  REVOKE: IGNORED,
  ASK_AGAIN: IGNORED,
};

const GRANT: Table<GrantState, GrantEvent> = {
  granted: {
    ...GRANT_ENDED,
    CLAIM: [{ to: 'claimed' }, { with: { digest: 'other' }, to: 'granted' }],
    REVOKE: 'revoked',
  },
  refused: GRANT_ENDED,
  claimed: { ...GRANT_ENDED, DONE: 'done', FAILED: 'failed', RESTART: 'unknown' },
  unknown: { ...GRANT_ENDED, DONE: 'done', FAILED: 'failed', ASK_AGAIN: 'asked_again' },
  done: GRANT_ENDED,
  failed: GRANT_ENDED,
  revoked: GRANT_ENDED,
  asked_again: GRANT_ENDED,
};

export const TABLES = {
  approval: { usual: APPROVAL_USUAL, events: APPROVAL_EVENTS, table: APPROVAL },
  follower: { usual: FOLLOWER_USUAL, events: FOLLOWER_EVENTS, table: FOLLOWER },
  grant: { usual: GRANT_USUAL, events: GRANT_EVENTS, table: GRANT },
} as const;
