/** The chart of the doors of a process, with samples of every event, at least one for each way a guard can go. */
import { type RetirementContext, type RetirementEvent, retirementMachine } from '../machines/retirement.ts';

export { retirementMachine };

export const RETIREMENT_EVENTS: readonly RetirementEvent[] = [
  { type: 'ADMIT' },
  ...[1, 2].flatMap((by): RetirementEvent[] => [
    { type: 'FREEZE', by, since: 0 },
    { type: 'FREEZE', by, since: 1 },
    { type: 'PROVEN', by },
    { type: 'REFUTED', by },
    { type: 'CANCEL', by },
  ]),
];

/** More than two admissions open no other guard. */
export const retirementPlace = ({ value, context }: { readonly value: unknown; readonly context: RetirementContext }) =>
  JSON.stringify([value, Math.min(context.admitted, 2), context.holder]);
