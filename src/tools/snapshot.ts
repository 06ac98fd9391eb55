/** One snapshot, read with suspicion. */
import type { ToolSnapshot } from './types.ts';

/** A snapshot that was processed. */
export interface Last {
  readonly messages: unknown;
  readonly isRunning: boolean;
  readonly isLoading: boolean;
}

export type Read = Last & { readonly malformed: boolean };

/** Never throws: what cannot be read is malformed. */
export function read(snapshot: unknown): Read {
  const nothing = { messages: undefined, isRunning: false, isLoading: false, malformed: true };
  try {
    if (typeof snapshot !== 'object' || snapshot === null) return nothing;
    const { messages, isRunning, isLoading } = snapshot as Partial<ToolSnapshot>;
    if (!Array.isArray(messages)) return nothing;
    return { messages, isRunning: isRunning === true, isLoading: isLoading === true, malformed: false };
  } catch {
    return nothing;
  }
}

/** What one snapshot shows of one call. */
export interface Seen {
  readonly text: string;
  readonly hasResult: boolean;
  readonly gated: boolean;
  readonly raw: object;
}

/** What became of a call, as its part says; anything but undefined counts. */
export interface Fate {
  readonly result?: unknown;
  readonly approval?: unknown;
}
