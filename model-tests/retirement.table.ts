/** Every state of the doors of a process against every event. A new one does not compile until it is decided here. */
import type { RetirementContext, RetirementEvent, RetirementValue } from '../machines/retirement.ts';
import type { Cell } from './support/table.ts';

export const USUAL: RetirementContext = { admitted: 0, holder: null };

export const EVENTS: { readonly [Type in RetirementEvent['type']]: Extract<RetirementEvent, { type: Type }> } = {
  ADMIT: { type: 'ADMIT' },
  FREEZE: { type: 'FREEZE', by: 1, since: 0 },
  PROVEN: { type: 'PROVEN', by: 1 },
  REFUTED: { type: 'REFUTED', by: 1 },
  CANCEL: { type: 'CANCEL', by: 1 },
};

const held = <State extends RetirementValue>(to: State) =>
  [
    { given: { holder: 1 }, to },
    { given: { holder: 2 }, to: 'ignored' },
  ] as const;

export const RETIREMENT: Record<RetirementValue, Record<RetirementEvent['type'], Cell<RetirementValue>>> = {
  open: {
    ADMIT: 'open',
    FREEZE: [{ to: 'frozen' }, { given: { admitted: 1 }, to: 'ignored' }],
    PROVEN: 'ignored',
    REFUTED: 'ignored',
    CANCEL: 'ignored',
  },
  frozen: {
    ADMIT: 'ignored',
    FREEZE: 'ignored',
    PROVEN: held('retired'),
    REFUTED: held('open'),
    CANCEL: held('open'),
  },
  retired: { ADMIT: 'ignored', FREEZE: 'ignored', PROVEN: 'ignored', REFUTED: 'ignored', CANCEL: held('open') },
};
