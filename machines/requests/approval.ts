/**
 * One entry of the approvals queue: a command that waits for a person's decision.
 *
 * Leaving the queue is one step: whichever of decision, withdrawal, deadline and interrupt is processed first ends the
 * entry, and everything later meets a state that has no use for it.
 */
import { assign, setup } from 'xstate';

export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny';

export type ApprovalValue =
  | 'announcing'
  | 'unseen'
  | 'seen'
  | 'resolved'
  | 'reported'
  | 'superseded'
  | 'withdrawn'
  | 'expired'
  | 'interrupted'
  | 'notify_failed';

/** Why the surfaces take their cards away. */
export type SettleReason = 'resolved' | 'session_closed' | 'timeout' | 'interrupted';

export interface ApprovalInput {
  readonly approvalId: string;
  readonly key: string;
  /** What the card offers; a decision is one of these. */
  readonly choices: readonly ApprovalChoice[];
  /** Milliseconds since 1970; null: it waits for ever. */
  readonly deadlineAt: number | null;
}

export interface ApprovalContext extends ApprovalInput {
  readonly choice: ApprovalChoice | null;
  /** Why it ended without a decision. */
  readonly cause: string | null;
  /** Some surface said that it shows the card. */
  readonly acked: boolean;
  /** Hooks that are attached. */
  readonly hooks: number;
}

export type ApprovalEvent =
  | { type: 'NOTIFIED' }
  | { type: 'NOTIFY_FAILED' }
  | { type: 'RECEIVED' }
  | { type: 'RESOLVE'; choice: ApprovalChoice }
  | { type: 'WITHDRAW'; cause: string }
  | { type: 'SESSION_CLEARED'; cause: string }
  | { type: 'NOTIFIER_GONE'; cause: string }
  | { type: 'DEADLINE' }
  | { type: 'INTERRUPT'; cause: string }
  | { type: 'ATTACH_HOOK' }
  | { type: 'READ' };

const ordered = (): never => {
  throw new Error('an order of the approval chart ran outside the queue');
};

const approvalSetup = setup({
  types: { context: {} as ApprovalContext, events: {} as ApprovalEvent, input: {} as ApprovalInput },
  guards: {
    isOffered: ({ context, event }) => event.type === 'RESOLVE' && context.choices.includes(event.choice),
    isAcked: ({ context }) => context.acked,
  },
  actions: {
    keepChoice: assign({ choice: ({ context, event }) => (event.type === 'RESOLVE' ? event.choice : context.choice) }),
    keepCause: assign({ cause: ({ context, event }) => ('cause' in event ? event.cause : context.cause) }),
    noteAcked: assign({ acked: true }),
    countHook: assign({ hooks: ({ context }) => context.hooks + 1 }),
    /** Leave the queue, run the hooks, wake whoever waits. */
    settle: ordered,
    refuseChoice: ordered,
    revokeGrant: ordered,
  },
});

export const approvalMachine = approvalSetup.createMachine({
  id: 'approval',
  version: '1',
  description: 'One approval: shown, then decided, or ended without a decision. Only a decision releases a command.',
  initial: 'announcing',
  context: ({ input }) => ({ ...input, choice: null, cause: null, acked: false, hooks: 0 }),
  states: {
    announcing: {
      description:
        'In the queue; its surfaces are being told. A restart begins here again: what they said is not kept.',
      on: {
        RESOLVE: [
          {
            guard: 'isOffered',
            target: 'resolved',
            actions: ['keepChoice', { type: 'settle', params: { reason: 'resolved' } }],
            meta: { rules: ['R-83', 'R-85'] },
          },
          { actions: 'refuseChoice', meta: { rules: ['R-88'] } },
        ],
        WITHDRAW: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-84', 'R-91'] },
        },
        SESSION_CLEARED: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-92'] },
        },
        NOTIFIER_GONE: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-92'] },
        },
        DEADLINE: {
          target: 'expired',
          actions: { type: 'settle', params: { reason: 'timeout' } },
          meta: { rules: ['R-83', 'R-89'] },
        },
        INTERRUPT: {
          target: 'interrupted',
          actions: ['keepCause', { type: 'settle', params: { reason: 'interrupted' } }],
          meta: { rules: ['R-90'] },
        },
        ATTACH_HOOK: { actions: 'countHook', meta: { rules: ['R-84', 'R-98'] } },
        NOTIFIED: [
          { guard: 'isAcked', target: 'seen', meta: { rules: ['R-81', 'R-101'] } },
          { target: 'unseen', meta: { rules: ['R-81'] } },
        ],
        NOTIFY_FAILED: {
          target: 'notify_failed',
          actions: { type: 'settle', params: { reason: 'session_closed' } },
          meta: { rules: ['R-81'] },
        },
        RECEIVED: { actions: 'noteAcked', meta: { rules: ['R-101'] } },
      },
    },
    unseen: {
      description: 'Shown; no surface has said that it arrived.',
      on: {
        RESOLVE: [
          {
            guard: 'isOffered',
            target: 'resolved',
            actions: ['keepChoice', { type: 'settle', params: { reason: 'resolved' } }],
            meta: { rules: ['R-83', 'R-85'] },
          },
          { actions: 'refuseChoice', meta: { rules: ['R-88'] } },
        ],
        WITHDRAW: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-84', 'R-91'] },
        },
        SESSION_CLEARED: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-92'] },
        },
        NOTIFIER_GONE: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-92'] },
        },
        DEADLINE: {
          target: 'expired',
          actions: { type: 'settle', params: { reason: 'timeout' } },
          meta: { rules: ['R-83', 'R-89'] },
        },
        INTERRUPT: {
          target: 'interrupted',
          actions: ['keepCause', { type: 'settle', params: { reason: 'interrupted' } }],
          meta: { rules: ['R-90'] },
        },
        ATTACH_HOOK: { actions: 'countHook', meta: { rules: ['R-84', 'R-98'] } },
        RECEIVED: { target: 'seen', actions: 'noteAcked', meta: { rules: ['R-101'] } },
      },
    },
    seen: {
      description: 'Shown, and a surface said so.',
      on: {
        RESOLVE: [
          {
            guard: 'isOffered',
            target: 'resolved',
            actions: ['keepChoice', { type: 'settle', params: { reason: 'resolved' } }],
            meta: { rules: ['R-83', 'R-85'] },
          },
          { actions: 'refuseChoice', meta: { rules: ['R-88'] } },
        ],
        WITHDRAW: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-84', 'R-91'] },
        },
        SESSION_CLEARED: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-92'] },
        },
        NOTIFIER_GONE: {
          target: 'withdrawn',
          actions: ['keepCause', { type: 'settle', params: { reason: 'session_closed' } }],
          meta: { rules: ['R-92'] },
        },
        DEADLINE: {
          target: 'expired',
          actions: { type: 'settle', params: { reason: 'timeout' } },
          meta: { rules: ['R-83', 'R-89'] },
        },
        INTERRUPT: {
          target: 'interrupted',
          actions: ['keepCause', { type: 'settle', params: { reason: 'interrupted' } }],
          meta: { rules: ['R-90'] },
        },
        ATTACH_HOOK: { actions: 'countHook', meta: { rules: ['R-84', 'R-98'] } },
      },
    },
    resolved: {
      description: 'Decided. The decision stands; nobody has been told yet.',
      on: {
        READ: { target: 'reported', meta: { rules: ['R-83'] } },
        INTERRUPT: {
          target: 'superseded',
          actions: ['keepCause', 'revokeGrant'],
          description: 'Decided first, interrupted before the waiter could read it: the command does not run.',
          meta: { rules: ['R-90'] },
        },
      },
    },
    reported: { description: 'The waiter has read the decision.', type: 'final' },
    superseded: { description: 'The waiter reports deny, and what had been decided.', type: 'final' },
    withdrawn: { description: 'Taken back; not a denial.', type: 'final' },
    expired: { description: 'Its deadline passed without a decision.', type: 'final' },
    interrupted: { description: 'Whoever waited was interrupted; fails closed.', type: 'final' },
    notify_failed: { description: 'No surface could be told.', type: 'final' },
  },
});
