/** One answer whose text was destroyed without a receipt, until its reader, or the log, was told. */
import { assign, setup } from 'xstate';
import { endedWith, endsCopy, type HandOffs, ridesLeft } from './answer-facts.ts';

export type LossValue = 'pending' | 'handed_off' | 'acked' | 'retired';

export interface LossInput extends HandOffs {
  readonly tab: string;
  readonly occupant: string | null;
  /** Token of the dead answer. */
  readonly of: string;
  /** Its queue copy may still be read. */
  readonly copyOut: boolean;
}

export interface LossContext extends LossInput {
  /** Token of the answer whose queue copy displays it. */
  readonly shownBy: string | null;
}

export type LossEvent =
  | { type: 'DISPLAY'; by: string }
  | { type: 'OWE' }
  | { type: 'TELL' }
  | { type: 'RECEIPT'; carrier: string | null }
  | { type: 'HANDBACK'; carrier: string | null }
  | { type: 'TAKEN'; carrier: string | null }
  | { type: 'RECALLED' }
  | { type: 'SURFACE' }
  | { type: 'MOVE'; to: string };

const lossSetup = setup({
  types: { context: {} as LossContext, events: {} as LossEvent, input: {} as LossInput },
  guards: {
    isOwnReceipt: ({ context, event }) =>
      event.type === 'RECEIPT' &&
      ((event.carrier !== null && context.rides.includes(event.carrier)) ||
        (context.copyOut && (context.copyCarrier === null || context.copyCarrier === event.carrier))),
    handsBackCopy: ({ context, event }) =>
      event.type === 'HANDBACK' && context.copyOut && endsCopy(context, event.carrier),
    hasRides: ({ context }) => context.rides.length > 0,
  },
  actions: {
    displayBy: assign({ shownBy: ({ context, event }) => (event.type === 'DISPLAY' ? event.by : context.shownBy) }),
    undisplay: assign({ shownBy: null }),
    dropRide: assign({
      rides: ({ context, event }) =>
        event.type === 'HANDBACK' ? ridesLeft(context.rides, event.carrier) : context.rides,
    }),
    noteEnded: assign({
      endedBeside: ({ context, event }) =>
        event.type === 'HANDBACK' ? endedWith(context, event.carrier) : context.endedBeside,
    }),
    copyIsGone: assign({ copyOut: false, endedBeside: [] }),
    noteCopyOut: assign({
      copyOut: true,
      endedBeside: [],
      copyCarrier: ({ context, event }) => (event.type === 'TAKEN' ? event.carrier : context.copyCarrier),
    }),
    move: assign({ tab: ({ context, event }) => (event.type === 'MOVE' ? event.to : context.tab) }),
  },
});

export const lossMachine = lossSetup.createMachine({
  id: 'loss',
  version: '1',
  description: 'One loss: owed, displayed by a queue copy, then told, cancelled or surfaced.',
  initial: 'pending',
  context: ({ input }) => ({ ...input, shownBy: null }),
  states: {
    pending: {
      description: 'Owed to the reader of its tab.',
      on: {
        DISPLAY: { target: 'handed_off', actions: 'displayBy', meta: { rules: ['R-112'] } },
        TELL: { target: 'acked', meta: { rules: ['R-118'] } },
        RECEIPT: { guard: 'isOwnReceipt', target: 'retired', meta: { rules: ['R-129'] } },
        HANDBACK: [
          { guard: 'handsBackCopy', actions: ['dropRide', 'copyIsGone'], meta: { rules: ['R-133', 'R-211'] } },
          { guard: 'hasRides', actions: ['noteEnded', 'dropRide'], meta: { rules: ['R-133', 'R-211', 'I-26'] } },
        ],
        TAKEN: { actions: 'noteCopyOut', meta: { rules: ['R-114', 'R-211'] } },
        RECALLED: { actions: 'copyIsGone', meta: { rules: ['R-210', 'R-211'] } },
        SURFACE: { target: 'retired', meta: { rules: ['R-150'] } },
        MOVE: { actions: 'move', meta: { rules: ['R-171'] } },
      },
    },
    handed_off: {
      description: 'A queue copy that is out displays it.',
      on: {
        OWE: { target: 'pending', actions: 'undisplay', meta: { rules: ['R-127', 'R-135', 'R-208'] } },
        TELL: { target: 'acked', meta: { rules: ['R-118', 'R-126'] } },
        RECEIPT: { guard: 'isOwnReceipt', target: 'retired', meta: { rules: ['R-129'] } },
        HANDBACK: [
          { guard: 'handsBackCopy', actions: ['dropRide', 'copyIsGone'], meta: { rules: ['R-133', 'R-211'] } },
          { guard: 'hasRides', actions: ['noteEnded', 'dropRide'], meta: { rules: ['R-133', 'R-211', 'I-26'] } },
        ],
        TAKEN: { actions: 'noteCopyOut', meta: { rules: ['R-114', 'R-211'] } },
        RECALLED: { actions: 'copyIsGone', meta: { rules: ['R-210', 'R-211'] } },
        SURFACE: { target: 'retired', meta: { rules: ['R-150'] } },
        MOVE: { actions: 'move', meta: { rules: ['R-171'] } },
      },
    },
    acked: { description: 'Told: a receipt came for a text that counted it.', type: 'final' },
    retired: {
      description: 'Cancelled by a late receipt of the answer itself, or surfaced in the log.',
      type: 'final',
    },
  },
});
