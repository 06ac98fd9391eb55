/** What a story is made of, as the page is sent it. Types only. */
import type { Arrow } from './outline.ts';

/** One event of one row, and where it led. */
export interface Told {
  /** Id of the audit row that tells it. */
  readonly row: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: string;
  /** Empty at its birth. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Transitions that were taken; of one that the audit does not tell apart, all that it may have been. */
  readonly taken: readonly Arrow[];
}

export type Lane = 'person' | 'page' | 'coordinator' | 'agent';

/** One arrow of the sequence diagram; from a lane to itself: a note beside it. */
export interface Message {
  readonly row: number;
  readonly at: number;
  readonly from: Lane;
  readonly to: Lane;
  readonly text: string;
  readonly token?: string | undefined;
}

/** Why something is where it is: one sentence, and what proves it. */
export interface Why {
  readonly text: string;
  readonly rules: readonly string[];
  /** The audit row that did it. */
  readonly row?: number | undefined;
  readonly at?: number | undefined;
}

export interface Story {
  readonly machine: string;
  readonly id: string;
  readonly askId?: string | undefined;
  readonly tab?: string | undefined;
  readonly steps: readonly Told[];
  readonly messages: readonly Message[];
  /** Where it stands now; absent when it has left the files, and then the last step says where it stood. */
  readonly now?: readonly string[] | undefined;
  /** True of one that no audit tells of: it was put together from what was seen live. */
  readonly isSeenOnly?: true | undefined;
  /** Whether the rows lead to where it stands. */
  readonly isWhole: boolean;
  readonly why: Why;
}
