/** Every chart there is to draw and to export, by name. */
import * as machines from '../../machines/index.ts';
import type { ChartSource } from './outline.ts';

const isMachine = (one: unknown): one is ChartSource =>
  typeof one === 'object' && one !== null && 'config' in one && 'implementations' in one;

/** The machines that `readback/machines` exports: a new one needs no second list. */
export const MACHINES: readonly ChartSource[] = Object.values<unknown>(machines)
  .filter(isMachine)
  .sort((one, other) => (one.id < other.id ? -1 : 1));
