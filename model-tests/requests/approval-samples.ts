/** Samples of the events of the approval charts: at least one for each way a guard can go. */
import type { EventFromLogic, InputFrom } from 'xstate';
import { approvalMachine } from '../../machines/requests/approval.ts';
import { followerMachine } from '../../machines/requests/follower.ts';
import { grantMachine } from '../../machines/requests/grant.ts';

export { approvalMachine, followerMachine, grantMachine };

type Snap<Context> = { readonly value: unknown; readonly context: Context };

export const DIGEST = 'd1';

export const APPROVAL_INPUTS: readonly InputFrom<typeof approvalMachine>[] = [
  { approvalId: 'a', key: 'k', choices: ['once', 'session', 'always', 'deny'], deadlineAt: null },
  { approvalId: 'a', key: 'k', choices: ['once', 'deny'], deadlineAt: null },
];

export const APPROVAL_EVENTS: readonly EventFromLogic<typeof approvalMachine>[] = [
  { type: 'NOTIFIED' },
  { type: 'NOTIFY_FAILED' },
  { type: 'RECEIVED' },
  { type: 'RESOLVE', choice: 'once' },
  { type: 'RESOLVE', choice: 'session' },
  { type: 'RESOLVE', choice: 'always' },
  { type: 'RESOLVE', choice: 'deny' },
  { type: 'WITHDRAW', cause: 'not needed' },
  { type: 'SESSION_CLEARED', cause: 'session over' },
  { type: 'NOTIFIER_GONE', cause: 'turn over' },
  { type: 'DEADLINE' },
  { type: 'INTERRUPT', cause: 'interrupted' },
  { type: 'ATTACH_HOOK' },
  { type: 'READ' },
];

export const approvalPlace = ({ value, context }: Snap<{ acked: boolean; hooks: number; choice: unknown }>): string =>
  JSON.stringify([value, context.acked, Math.min(context.hooks, 2), context.choice]);

export const FOLLOWER_INPUTS: readonly InputFrom<typeof followerMachine>[] = [
  { approvalId: 'f', leader: 'l', choices: ['once', 'session', 'always', 'deny'] },
  { approvalId: 'f', leader: 'l', choices: ['once', 'deny'] },
];

const ENDS = ['expired', 'withdrawn', 'interrupted', 'notify_failed'] as const;

export const FOLLOWER_EVENTS: readonly EventFromLogic<typeof followerMachine>[] = [
  ...(['once', 'session', 'always', 'deny', ...ENDS] as const).map(
    (outcome) => ({ type: 'LEADER', outcome, cause: outcome === 'withdrawn' ? 'not needed' : null }) as const,
  ),
  { type: 'FOUND', leader: 'g1' },
  { type: 'NONE' },
  { type: 'DEADLINE' },
  { type: 'INTERRUPT', cause: 'interrupted' },
  { type: 'READ' },
];

export const followerPlace = ({ value, context }: Snap<{ choice: unknown; leader: string }>): string =>
  JSON.stringify([value, context.choice, context.leader]);

export const GRANT_INPUTS: readonly InputFrom<typeof grantMachine>[] = (
  ['once', 'session', 'always', 'deny'] as const
).map((choice) => ({ approvalId: 'a', key: 'k', choice, digest: DIGEST }));

export const GRANT_EVENTS: readonly EventFromLogic<typeof grantMachine>[] = [
  { type: 'CLAIM', digest: DIGEST, run: 'r1' },
  { type: 'CLAIM', digest: 'another', run: 'r2' },
  { type: 'DONE' },
  { type: 'FAILED' },
  { type: 'RESTART' },
  { type: 'REVOKE' },
  { type: 'ASK_AGAIN' },
];
