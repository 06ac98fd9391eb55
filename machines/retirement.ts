/**
 * The doors of one process, and the retirement that closes them: it goes only where nobody came in and nobody will.
 *
 * Retirements are known by their numbers. Each is prepared by noting how many were let in, which changes nothing here.
 */
import { assign, setup } from 'xstate';

export type RetirementValue = 'open' | 'frozen' | 'retired';

export interface RetirementContext {
  /** How many were ever let in. It never falls, so that "nobody since" is one comparison. */
  readonly admitted: number;
  /** The retirement that holds the doors. */
  readonly holder: number | null;
}

export type RetirementEvent =
  | { type: 'ADMIT' }
  /** Retirement `by` wants the doors closed; `since`: how many had come in when it was prepared. */
  | { type: 'FREEZE'; by: number; since: number }
  /** What the ledgers said to whoever closed the doors. */
  | { type: 'PROVEN'; by: number }
  | { type: 'REFUTED'; by: number }
  | { type: 'CANCEL'; by: number };

const retirementSetup = setup({
  types: { context: {} as RetirementContext, events: {} as RetirementEvent },
  guards: {
    nobodyCameIn: ({ context, event }) => event.type === 'FREEZE' && event.since === context.admitted,
    // Only who closed the doors may open them: another one may have been promised that they stay closed.
    isHolder: ({ context, event }) => 'by' in event && event.by === context.holder,
  },
  actions: {
    letIn: assign({ admitted: ({ context }) => context.admitted + 1 }),
    hold: assign({ holder: ({ context, event }) => ('by' in event ? event.by : context.holder) }),
    letGo: assign({ holder: null }),
  },
});

export const retirementMachine = retirementSetup.createMachine({
  id: 'retirement',
  version: '1',
  description: 'The doors of a process, and the retirement that holds them closed.',
  initial: 'open',
  context: { admitted: 0, holder: null },
  states: {
    open: {
      description: 'Whoever wants in is let in.',
      on: {
        ADMIT: { actions: 'letIn', meta: { rules: ['R-148'] } },
        FREEZE: { guard: 'nobodyCameIn', target: 'frozen', actions: 'hold', meta: { rules: ['R-148'] } },
      },
    },
    frozen: {
      description: 'Nobody is let in while every ledger is read again.',
      on: {
        PROVEN: { guard: 'isHolder', target: 'retired', meta: { rules: ['R-148'] } },
        REFUTED: { guard: 'isHolder', target: 'open', actions: 'letGo', meta: { rules: ['R-148'] } },
        CANCEL: { guard: 'isHolder', target: 'open', actions: 'letGo', meta: { rules: ['R-148'] } },
      },
    },
    retired: {
      description: 'Nobody is let in any more: the process may be ended at any moment.',
      on: { CANCEL: { guard: 'isHolder', target: 'open', actions: 'letGo', meta: { rules: ['R-148'] } } },
    },
  },
});
