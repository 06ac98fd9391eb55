/**
 * A question of a child process, as its parent shows it: the child decides, the parent only knows what the child said.
 *
 * The context holds ids; answers and locks lie beside the row.
 */
import { assign, setup } from 'xstate';
import { whole } from '../shared/whole.ts';

export type MirrorValue = 'open' | 'relaying' | 'gone';

export interface MirrorInput {
  readonly id: string;
  readonly sid: string;
  readonly method: string;
}

export interface MirrorContext extends MirrorInput {
  /** Question ids that the child has confirmed as locked. */
  readonly locked: readonly string[];
}

export type MirrorEvent =
  /** Somebody answered, and the answer goes to the child. */
  | { type: 'ANSWER' }
  /** The child's verdict. `open`: it took note, and the question goes on. */
  | { type: 'ACK'; verdict: 'ok' | 'expired'; open: boolean }
  | { type: 'RELAY_ERROR' }
  | { type: 'LOCKED'; qid: string }
  /** The lock was the last one, or came too late. */
  | { type: 'LOCK_ENDED'; verdict: 'ok' | 'expired' }
  | { type: 'CHILD_CANCEL' }
  | { type: 'CHILD_SETTLED' }
  | { type: 'CHILD_EXIT' }
  | { type: 'TURN_END' };

const ordered = (): never => {
  throw new Error('an order of the mirror chart ran outside the mirror');
};

const mirrorSetup = setup({
  types: { context: {} as MirrorContext, events: {} as MirrorEvent, input: {} as MirrorInput },
  guards: {
    goesOn: ({ event }) => event.type === 'ACK' && event.open,
    isConfirmed: ({ event }) => (event.type === 'ACK' || event.type === 'LOCK_ENDED') && event.verdict === 'ok',
  },
  actions: {
    noteLock: assign(
      whole(({ context, event }: { context: MirrorContext; event: MirrorEvent }): MirrorContext => {
        if (event.type !== 'LOCKED' || context.locked.includes(event.qid)) return context;
        return { ...context, locked: [...context.locked, event.qid] };
      }),
    ),
    relay: ordered,
    refuse: ordered,
    passCancel: ordered,
    passSettled: ordered,
    saySettled: ordered,
    sayClosed: ordered,
  },
});

export const mirrorMachine = mirrorSetup.createMachine({
  id: 'mirror',
  version: '1',
  description: 'A question that a child process waits for, shown and relayed by its parent.',
  initial: 'open',
  context: ({ input }) => ({ id: input.id, sid: input.sid, method: input.method, locked: [] }),
  states: {
    open: {
      description: 'Shown to clients; nothing is under way.',
      on: {
        LOCKED: { actions: 'noteLock', meta: { rules: ['R-112'] } },
        LOCK_ENDED: [
          { guard: 'isConfirmed', target: 'gone', actions: 'saySettled', meta: { rules: ['R-110', 'R-112'] } },
          {
            target: 'gone',
            actions: 'sayClosed',
            description: 'The child no longer has it and did not say so: no window may keep the card.',
            meta: { rules: ['R-110'] },
          },
        ],
        CHILD_CANCEL: { target: 'gone', actions: 'passCancel', meta: { rules: ['R-110', 'R-114'] } },
        CHILD_SETTLED: { target: 'gone', actions: 'passSettled', meta: { rules: ['R-110', 'R-41'] } },
        CHILD_EXIT: { target: 'gone', actions: 'sayClosed', meta: { rules: ['R-113'] } },
        TURN_END: { target: 'gone', actions: 'sayClosed', meta: { rules: ['R-110', 'R-113'] } },
        ANSWER: { target: 'relaying', actions: 'relay', meta: { rules: ['R-111'] } },
      },
    },
    relaying: {
      description: 'An answer is on its way to the child, whose verdict alone counts.',
      on: {
        LOCKED: { actions: 'noteLock', meta: { rules: ['R-112'] } },
        LOCK_ENDED: [
          { guard: 'isConfirmed', target: 'gone', actions: 'saySettled', meta: { rules: ['R-110', 'R-112'] } },
          {
            target: 'gone',
            actions: 'sayClosed',
            description: 'The child no longer has it and did not say so: no window may keep the card.',
            meta: { rules: ['R-110'] },
          },
        ],
        CHILD_CANCEL: { target: 'gone', actions: 'passCancel', meta: { rules: ['R-110', 'R-114'] } },
        CHILD_SETTLED: { target: 'gone', actions: 'passSettled', meta: { rules: ['R-110', 'R-41'] } },
        CHILD_EXIT: { target: 'gone', actions: 'sayClosed', meta: { rules: ['R-113'] } },
        TURN_END: { target: 'gone', actions: 'sayClosed', meta: { rules: ['R-110', 'R-113'] } },
        ANSWER: { actions: 'refuse', meta: { rules: ['R-111'] } },
        ACK: [
          { guard: 'goesOn', target: 'open', meta: { rules: ['R-111'] } },
          { guard: 'isConfirmed', target: 'gone', actions: 'saySettled', meta: { rules: ['R-110', 'R-111'] } },
          { target: 'gone', actions: 'sayClosed', meta: { rules: ['R-110', 'R-111'] } },
        ],
        RELAY_ERROR: { target: 'open', meta: { rules: ['R-111'] } },
      },
    },
    gone: { description: 'The child no longer waits for it.', type: 'final' },
  },
});
