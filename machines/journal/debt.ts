/** One warning token: the footnote of one result that says how many answers were dropped. */
import { assign, setup } from 'xstate';

export interface DebtInput {
  readonly token: string;
  readonly tab: string;
  /** The turn that carries the footnote; null when no turn would. */
  readonly carrier: string | null;
  /** Exactly the losses that the footnote counted. */
  readonly losses: readonly number[];
}

export type DebtValue = 'born' | 'none' | 'handed_off' | 'acked' | 'retired';
export type DebtContext = DebtInput;

export type DebtEvent =
  | { type: 'RECEIPT'; carrier: string | null }
  | { type: 'HANDBACK' }
  | { type: 'SETTLED'; loss: number }
  | { type: 'MOVE'; to: string };

const ordered = (): never => {
  throw new Error('an order of the debt chart ran outside the journal');
};

const debtSetup = setup({
  types: { context: {} as DebtContext, events: {} as DebtEvent, input: {} as DebtInput },
  guards: {
    hasCarrier: ({ context }) => context.carrier !== null,
    isCarrier: ({ context, event }) => event.type === 'RECEIPT' && event.carrier === context.carrier,
    isLast: ({ context, event }) => event.type === 'SETTLED' && context.losses.every((loss) => loss === event.loss),
  },
  actions: {
    dropLoss: assign({
      losses: ({ context, event }) =>
        event.type === 'SETTLED' ? context.losses.filter((loss) => loss !== event.loss) : context.losses,
    }),
    move: assign({ tab: ({ context, event }) => (event.type === 'MOVE' ? event.to : context.tab) }),
    tellLosses: ordered,
    warnRefused: ordered,
  },
});

export const debtMachine = debtSetup.createMachine({
  id: 'debt',
  version: '1',
  description: 'One warning token. It exists only while a live turn carries it.',
  initial: 'born',
  context: ({ input }) => ({ ...input }),
  states: {
    born: {
      description: 'Never rested in: whether a turn carries it decides.',
      always: [
        { guard: 'hasCarrier', target: 'handed_off', meta: { rules: ['R-144'] } },
        { target: 'none', meta: { rules: ['R-144'] } },
      ],
    },
    none: { description: 'No turn carries it; its losses stay owed.', type: 'final' },
    handed_off: {
      description: 'Rides a live turn.',
      on: {
        RECEIPT: [
          { guard: 'isCarrier', target: 'acked', actions: 'tellLosses', meta: { rules: ['R-118', 'R-120'] } },
          { actions: 'warnRefused', meta: { rules: ['R-119'] } },
        ],
        HANDBACK: { target: 'none', meta: { rules: ['R-130'] } },
        SETTLED: [
          { guard: 'isLast', target: 'retired', actions: 'dropLoss', meta: { rules: ['R-150'] } },
          { actions: 'dropLoss', meta: { rules: ['R-120', 'R-150'] } },
        ],
        MOVE: { actions: 'move', meta: { rules: ['R-172'] } },
      },
    },
    acked: { description: 'Receipt accepted; exactly its losses are settled.', type: 'final' },
    retired: { description: 'Void: all its losses were settled otherwise.', type: 'final' },
  },
});
