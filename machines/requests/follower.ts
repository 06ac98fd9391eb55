/**
 * A second approval of exactly the same thing: it does not prompt, it follows the one that does.
 *
 * It is stepped in the same section as its leader, so it can never end for lack of a decision that was made.
 */
import { assign, setup } from 'xstate';
import type { ApprovalChoice } from './approval.ts';

export type FollowerValue =
  | 'following'
  | 'contending'
  | 'entered'
  | 'adopted'
  | 'reported'
  | 'superseded'
  | 'expired'
  | 'withdrawn'
  | 'interrupted';

export interface FollowerInput {
  readonly approvalId: string;
  /** The approval id of the entry that prompts. */
  readonly leader: string;
  readonly choices: readonly ApprovalChoice[];
}

export interface FollowerContext extends FollowerInput {
  readonly choice: ApprovalChoice | null;
  readonly cause: string | null;
}

/** How the leader ended: with a choice, or without. */
export type LeaderOutcome = ApprovalChoice | 'expired' | 'withdrawn' | 'interrupted' | 'notify_failed';

export type FollowerEvent =
  | { type: 'LEADER'; outcome: LeaderOutcome; cause: string | null }
  | { type: 'FOUND'; leader: string }
  | { type: 'NONE' }
  | { type: 'DEADLINE' }
  | { type: 'INTERRUPT'; cause: string }
  | { type: 'READ' };

const ordered = (): never => {
  throw new Error('an order of the follower chart ran outside the queue');
};

const covers = (choices: readonly ApprovalChoice[], outcome: LeaderOutcome): boolean =>
  outcome === 'deny' || ((outcome === 'session' || outcome === 'always') && choices.includes(outcome));

const followerSetup = setup({
  types: { context: {} as FollowerContext, events: {} as FollowerEvent, input: {} as FollowerInput },
  guards: {
    isCovered: ({ context, event }) => event.type === 'LEADER' && covers(context.choices, event.outcome),
    isExpiry: ({ event }) => event.type === 'LEADER' && event.outcome === 'expired',
    isWithdrawal: ({ event }) =>
      event.type === 'LEADER' && (event.outcome === 'withdrawn' || event.outcome === 'interrupted'),
  },
  actions: {
    adopt: assign({
      choice: ({ context, event }) =>
        event.type === 'LEADER' && covers(context.choices, event.outcome)
          ? (event.outcome as ApprovalChoice)
          : context.choice,
    }),
    keepCause: assign({ cause: ({ context, event }) => ('cause' in event ? event.cause : context.cause) }),
    follow: assign({ leader: ({ context, event }) => (event.type === 'FOUND' ? event.leader : context.leader) }),
    wake: ordered,
    prompt: ordered,
    revokeGrant: ordered,
  },
});

export const followerMachine = followerSetup.createMachine({
  id: 'follower',
  version: '1',
  description: 'An approval that waits for the decision on its twin instead of prompting a second time.',
  initial: 'following',
  context: ({ input }) => ({ ...input, choice: null, cause: null }),
  states: {
    following: {
      description: 'Its twin prompts.',
      on: {
        LEADER: [
          { guard: 'isCovered', target: 'adopted', actions: ['adopt', 'wake'], meta: { rules: ['R-94'] } },
          { guard: 'isExpiry', target: 'expired', actions: 'wake', meta: { rules: ['R-94'] } },
          { guard: 'isWithdrawal', target: 'withdrawn', actions: ['keepCause', 'wake'], meta: { rules: ['R-94'] } },
          {
            target: 'contending',
            description: 'One execution was allowed, or nobody was told, or this one may not have that choice.',
            meta: { rules: ['R-94', 'R-95'] },
          },
        ],
        DEADLINE: { target: 'expired', actions: 'wake', meta: { rules: ['R-96'] } },
        INTERRUPT: { target: 'interrupted', actions: ['keepCause', 'wake'], meta: { rules: ['R-94'] } },
      },
    },
    contending: {
      description: 'Back in the section that finds a leader or makes one.',
      on: {
        FOUND: { target: 'following', actions: 'follow', meta: { rules: ['R-95'] } },
        NONE: { target: 'entered', actions: 'prompt', meta: { rules: ['R-95'] } },
      },
    },
    entered: { description: 'It prompts itself now, as an entry of the queue.', type: 'final' },
    adopted: {
      description: 'Has the decision of its twin; the waiter has not read it yet.',
      on: {
        READ: { target: 'reported', meta: { rules: ['R-94'] } },
        INTERRUPT: { target: 'superseded', actions: ['keepCause', 'revokeGrant'], meta: { rules: ['R-90'] } },
      },
    },
    reported: { description: 'The waiter has read the decision.', type: 'final' },
    superseded: { description: 'The waiter reports deny, and what had been decided.', type: 'final' },
    expired: { description: 'Its own deadline passed, or that of its twin.', type: 'final' },
    withdrawn: { description: 'Its twin was taken back.', type: 'final' },
    interrupted: { description: 'Only this one was interrupted.', type: 'final' },
  },
});
