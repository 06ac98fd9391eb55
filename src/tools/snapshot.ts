/** One snapshot, read with suspicion. */
import { attempt } from './attempt.ts';
import type { ToolSnapshot } from './types.ts';

export interface Read {
  /** Undefined when the snapshot is malformed. */
  readonly messages: readonly unknown[] | undefined;
  readonly isRunning: boolean;
  readonly isLoading: boolean;
}

const MALFORMED: Read = { messages: undefined, isRunning: false, isLoading: false };

/** Never throws: what cannot be read is malformed. */
export const read = (snapshot: ToolSnapshot): Read =>
  attempt(
    () => {
      const { messages, isRunning, isLoading } = snapshot;
      return Array.isArray(messages)
        ? { messages, isRunning: isRunning === true, isLoading: isLoading === true }
        : MALFORMED;
    },
    () => MALFORMED,
  );

/** What became of a call, as its part says; anything but undefined counts. */
export interface Fate {
  readonly result?: unknown;
  readonly approval?: unknown;
}

/** What one snapshot shows of one call. */
export interface Seen {
  readonly text: string;
  readonly hasResult: boolean;
  readonly gated: boolean;
  readonly runClosed: boolean;
  /** Holds the result and what belongs to it. */
  readonly raw: Fate;
}
