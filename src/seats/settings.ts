/** The options of a check, made sound: nothing a caller passes makes it throw. */
import { nodeRuntime, type Runtime } from '../runtime.ts';
import type { LineageOptions } from './api.ts';
import { SEAT_LIMITS } from './limits.ts';

export interface Settings {
  readonly maxSteps: number;
  readonly deadlineMs: number;
  readonly isBreak: (type: string) => boolean;
  readonly isUntypedOrdinary: boolean;
  readonly stopAtBreak: boolean;
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
}

const isCompaction = (type: string): boolean => type === 'compaction';

export const DEFAULTS: Settings = Object.freeze({
  maxSteps: SEAT_LIMITS.maxSteps,
  deadlineMs: SEAT_LIMITS.deadlineMs,
  isBreak: isCompaction,
  isUntypedOrdinary: false,
  stopAtBreak: false,
  runtime: nodeRuntime,
});

/** A whole number in a range, or what stands for it. */
export const wholeIn = (value: unknown, most: number, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most ? value : otherwise;

/** Undefined: the options cannot be used, because what decides a break is broken, or reading them throws. */
export function settingsOf(options: LineageOptions | undefined): Settings | undefined {
  if (options === undefined) return DEFAULTS;
  if (typeof options !== 'object' || options === null) return DEFAULTS;
  try {
    const { maxSteps, deadlineMs, isBreak, untyped, stopAtBreak, runtime } = options;
    // The default would not know the caller's breaks, and what it does not know it admits.
    if (isBreak !== undefined && typeof isBreak !== 'function') return undefined;
    return {
      maxSteps: wholeIn(maxSteps, SEAT_LIMITS.maxStepsMost, SEAT_LIMITS.maxSteps),
      deadlineMs:
        typeof deadlineMs === 'number' && Number.isFinite(deadlineMs) && deadlineMs > 0
          ? deadlineMs
          : SEAT_LIMITS.deadlineMs,
      isBreak: isBreak ?? isCompaction,
      isUntypedOrdinary: untyped === 'ordinary',
      stopAtBreak: stopAtBreak === true,
      runtime: typeof runtime?.now === 'function' && typeof runtime.after === 'function' ? runtime : nodeRuntime,
    };
  } catch {
    return undefined;
  }
}

export const isId = (value: unknown): value is string => typeof value === 'string' && value !== '';
