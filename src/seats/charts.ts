/** The charts of seats, compiled once. */
import { seatMachine } from '../../machines/seats/seat.ts';
import { copyVerdict, verdictMachine } from '../../machines/seats/verdict.ts';
import { compile, type EffectOf, type EventOf, type SnapshotOf } from '../../machines/shared/step.ts';

export const seatChart = compile(seatMachine);
export const verdictChart = compile(verdictMachine, copyVerdict);

export type SeatSnapshot = SnapshotOf<typeof seatChart>;
export type SeatChartEvent = EventOf<typeof seatChart>;
export type SeatOrder = EffectOf<typeof seatChart>['type'];
export type VerdictSnapshot = SnapshotOf<typeof verdictChart>;
