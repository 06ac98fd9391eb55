/** The charts of requests, compiled once. */
import { mirrorMachine } from '../../machines/requests/mirror.ts';
import { requestMachine } from '../../machines/requests/request.ts';
import { copyRequest } from '../../machines/requests/request-facts.ts';
import { compile, type EffectOf, type EventOf, type SnapshotOf } from '../../machines/shared/step.ts';

export const requestChart = compile(requestMachine, copyRequest);
export const mirrorChart = compile(mirrorMachine);

export type RequestSnapshot = SnapshotOf<typeof requestChart>;
export type RequestChartEvent = EventOf<typeof requestChart>;
export type RequestOrder = EffectOf<typeof requestChart>['type'];
export type MirrorSnapshot = SnapshotOf<typeof mirrorChart>;
export type MirrorChartEvent = EventOf<typeof mirrorChart>;
export type MirrorOrder = EffectOf<typeof mirrorChart>['type'];
