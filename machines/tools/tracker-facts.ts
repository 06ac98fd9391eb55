/** What the chart of the tracker remembers, hears and asks. */

export interface TrackerContext {
  /** Counts up; "once" means once in each. */
  readonly boundary: number;
  readonly restartUsed: boolean;
  readonly failed: boolean;
  readonly inert: boolean;
}

export const FIRST_TRACKER: TrackerContext = { boundary: 1, restartUsed: false, failed: false, inert: false };

export type TrackerEvent =
  | {
      readonly type: 'SNAPSHOT';
      readonly malformed: boolean;
      /** The same list and the same flags as the last one that was processed. */
      readonly identical: boolean;
      readonly loading: boolean;
    }
  | { readonly type: 'PROCESSED'; readonly loading: boolean }
  | { readonly type: 'BROKE_OFF'; readonly loading: boolean }
  | { readonly type: 'FAIL' }
  | { readonly type: 'ABORT'; readonly discard: boolean }
  | { readonly type: 'RESET' };

interface Args {
  readonly context: TrackerContext;
  readonly event: TrackerEvent;
}

const isMalformed = ({ event }: Args): boolean => event.type === 'SNAPSHOT' && event.malformed;
const isLoading = ({ event }: Args): boolean => 'loading' in event && event.loading;

export const trackerGuards = {
  isMalformed,
  isLoading,
  isSpent: ({ context }: Args) => context.inert || (context.failed && context.restartUsed),
  // A restart needs the snapshot that triggers it, also an identical one.
  isRepeat: ({ context, event }: Args) => event.type === 'SNAPSHOT' && event.identical && !context.failed,
  mayRestart: (args: Args) => !args.context.restartUsed && !isMalformed(args),
  isWellFormed: (args: Args) => !isMalformed(args),
  discards: ({ event }: Args) => event.type === 'ABORT' && event.discard,
} as const;

type Own = { -readonly [Field in keyof TrackerContext]: TrackerContext[Field] };

export const copyTracker = (context: TrackerContext): Own => ({
  boundary: context.boundary,
  restartUsed: context.restartUsed,
  failed: context.failed,
  inert: context.inert,
});

const writes = (write: (next: Own) => void) => {
  return ({ context }: Args): TrackerContext => {
    const next = copyTracker(context);
    write(next);
    return next;
  };
};

export const trackerWrites = {
  noteFailed: writes((next) => {
    next.failed = true;
  }),
  noteInert: writes((next) => {
    next.inert = true;
  }),
  noteRestart: writes((next) => {
    next.boundary += 1;
    next.restartUsed = true;
    next.failed = false;
  }),
  noteReset: writes((next) => {
    next.boundary += 1;
  }),
  rearm: writes((next) => {
    next.restartUsed = false;
    next.failed = false;
    next.inert = false;
  }),
} as const;
