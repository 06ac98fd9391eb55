/**
 * One decision, and the one execution that it pays for.
 *
 * A decision is spent before the effect begins. What dies in between is `unknown`: nothing runs again by itself.
 */
import { assign, setup } from 'xstate';
import type { ApprovalChoice } from './approval.ts';

export type GrantValue =
  | 'born'
  | 'granted'
  | 'refused'
  | 'claimed'
  | 'unknown'
  | 'done'
  | 'failed'
  | 'revoked'
  | 'asked_again';

export interface GrantInput {
  readonly approvalId: string;
  readonly key: string;
  readonly choice: ApprovalChoice;
  /** Of what was shown and will run. */
  readonly digest: string;
}

export interface GrantContext extends GrantInput {
  /** The execution that has it. */
  readonly run: string | null;
}

export type GrantEvent =
  | { type: 'CLAIM'; digest: string; run: string }
  | { type: 'DONE' }
  | { type: 'FAILED' }
  | { type: 'RESTART' }
  | { type: 'REVOKE' }
  | { type: 'ASK_AGAIN' };

const ordered = (): never => {
  throw new Error('an order of the grant chart ran outside the queue');
};

const grantSetup = setup({
  types: { context: {} as GrantContext, events: {} as GrantEvent, input: {} as GrantInput },
  guards: {
    isDenial: ({ context }) => context.choice === 'deny',
    isSameSubject: ({ context, event }) => event.type === 'CLAIM' && event.digest === context.digest,
  },
  actions: {
    keepRun: assign({ run: ({ context, event }) => (event.type === 'CLAIM' ? event.run : context.run) }),
    noteDrift: ordered,
    warnUnknown: ordered,
  },
});

export const grantMachine = grantSetup.createMachine({
  id: 'grant',
  version: '1',
  description: 'One decision: it can be spent once, on exactly what was shown.',
  initial: 'born',
  context: ({ input }) => ({ ...input, run: null }),
  states: {
    born: {
      description: 'Never rested in: what was chosen decides.',
      always: [
        { guard: 'isDenial', target: 'refused', meta: { rules: ['I-20'] } },
        { target: 'granted', meta: { rules: ['I-20'] } },
      ],
    },
    granted: {
      description: 'Not started. A restart leaves it so.',
      on: {
        CLAIM: [
          { guard: 'isSameSubject', target: 'claimed', actions: 'keepRun', meta: { rules: ['I-20', 'I-22'] } },
          { actions: 'noteDrift', description: 'What would run is not what was shown.', meta: { rules: ['I-20'] } },
        ],
        REVOKE: { target: 'revoked', meta: { rules: ['R-90', 'R-92'] } },
      },
    },
    refused: { description: 'The person said no.', type: 'final' },
    claimed: {
      description: 'Its execution may have begun.',
      on: {
        DONE: { target: 'done', meta: { rules: ['I-22'] } },
        FAILED: { target: 'failed', meta: { rules: ['I-22'] } },
        RESTART: { target: 'unknown', actions: 'warnUnknown', meta: { rules: ['I-22'] } },
      },
    },
    unknown: {
      description: 'The process ended while it was claimed: whether the effect happened cannot be known here.',
      on: {
        DONE: { target: 'done', description: 'Somebody found out.', meta: { rules: ['I-22'] } },
        FAILED: { target: 'failed', description: 'Somebody found out.', meta: { rules: ['I-22'] } },
        ASK_AGAIN: { target: 'asked_again', meta: { rules: ['I-22'] } },
      },
    },
    done: { description: 'Spent.', type: 'final' },
    failed: { description: 'Spent, without success.', type: 'final' },
    revoked: { description: 'Taken back before anything ran.', type: 'final' },
    asked_again: { description: 'The host puts it to the person again, as a new approval.', type: 'final' },
  },
});
