/** The charts of approvals, compiled once. */
import { approvalMachine } from '../../machines/requests/approval.ts';
import { followerMachine } from '../../machines/requests/follower.ts';
import { grantMachine } from '../../machines/requests/grant.ts';
import { compile, type EventOf, type SnapshotOf } from '../../machines/shared/step.ts';

export const approvalChart = compile(approvalMachine);
export const followerChart = compile(followerMachine);
export const grantChart = compile(grantMachine);

export type ApprovalSnapshot = SnapshotOf<typeof approvalChart>;
export type ApprovalChartEvent = EventOf<typeof approvalChart>;
export type FollowerSnapshot = SnapshotOf<typeof followerChart>;
export type FollowerChartEvent = EventOf<typeof followerChart>;
export type GrantSnapshot = SnapshotOf<typeof grantChart>;
export type GrantChartEvent = EventOf<typeof grantChart>;
