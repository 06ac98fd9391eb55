/** Every state of a warning token against every event. A new state or event does not compile until it is decided. */
import type { SnapshotFrom } from 'xstate';
import type { DebtContext, DebtEvent, debtMachine } from '../../machines/journal/debt.ts';
import type { Cell } from '../support/table.ts';

export type DebtState = Exclude<SnapshotFrom<typeof debtMachine>['value'], 'born'>;

export const USUAL: DebtContext = { token: 'aad1', tab: 'tab-a', carrier: 'c1', losses: [1, 2] };

export const EVENTS: { readonly [Type in DebtEvent['type']]: Extract<DebtEvent, { type: Type }> } = {
  RECEIPT: { type: 'RECEIPT', carrier: null },
  HANDBACK: { type: 'HANDBACK' },
  SETTLED: { type: 'SETTLED', loss: 1 },
  MOVE: { type: 'MOVE', to: 'tab-b' },
};

const ENDED: Record<DebtEvent['type'], 'ignored'> = {
  RECEIPT: 'ignored',
  HANDBACK: 'ignored',
  SETTLED: 'ignored',
  MOVE: 'ignored',
};

export const DEBT: Record<DebtState, Record<DebtEvent['type'], Cell<DebtState>>> = {
  none: ENDED,
  handed_off: {
    RECEIPT: [
      { with: { carrier: 'c1' }, to: 'acked' },
      { with: { carrier: 'c9' }, to: 'handed_off' },
      { to: 'handed_off' },
    ],
    HANDBACK: 'none',
    SETTLED: [{ to: 'handed_off' }, { given: { losses: [1] }, to: 'retired' }],
    MOVE: 'handed_off',
  },
  acked: ENDED,
  retired: ENDED,
};
