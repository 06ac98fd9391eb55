/** What the inspect page is sent. Types only: names, ids, states, digests and times, never a text of anybody's. */
import type { ChartRow } from '../api.ts';
import type { Arrow } from './outline.ts';

/** One chart, without its drawing. */
export interface SeenChart {
  readonly machine: string;
  readonly description: string;
  readonly states: readonly {
    readonly id: string;
    readonly description?: string | undefined;
    readonly isFinal: boolean;
  }[];
  readonly arrows: readonly Arrow[];
}

/** One step as it happened. */
export interface SeenStep {
  readonly seq: number;
  readonly at: number;
  readonly machine: string;
  readonly id: string;
  readonly event: string;
  /** Empty at its birth. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly effects: readonly string[];
  readonly rules: readonly string[];
  readonly done: boolean;
}

/** The steps of a moment. `missed`: so many more there were, and what is shown must be read anew. */
export interface SeenBurst {
  readonly steps: readonly SeenStep[];
  readonly missed: number;
}

export interface SeenRows {
  readonly rows: readonly ChartRow[];
  readonly now: number;
}
