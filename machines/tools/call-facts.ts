/** What the chart of a call remembers, hears and asks. No XState: the tracker runs the table of the chart with these. */

export type Owner = 'client' | 'provider' | 'unknown';

/** Why a call will not run. A result of the provider's is kept apart, in `answered`. */
export type Reason = 'gate' | 'provider' | 'discarded' | 'answered' | 'size';

/** How a text stands to the one before: the same, longer, other letters with the same meaning, or another. */
export type Relation = 'same' | 'grows' | 'equal' | 'differs';

export interface CallContext {
  readonly owner: Owner;
  /** The first reason; it stays. */
  readonly withheld: Reason | null;
  /** A result was seen that is not our own; of a restored call: in history. */
  readonly answered: boolean;
  /** No more arguments come. */
  readonly closed: boolean;
  /** Its start was decided on; from here on it can be aborted and no longer discarded. */
  readonly started: boolean;
  /** Requests to a person are taken while `live`. */
  readonly life: 'history' | 'live' | 'over';
  /** Who waits for a person. */
  readonly asker: 'callback' | 'executor' | null;
}

export const FIRST_CALL: CallContext = {
  owner: 'unknown',
  withheld: null,
  answered: false,
  closed: false,
  started: false,
  life: 'history',
  asker: null,
};

/** What one live snapshot shows of a call. */
export interface Observed {
  readonly text: Relation;
  /** The streamed text, with this snapshot's piece, parses as JSON. */
  readonly complete: boolean;
  /** The streamed text parsed before. */
  readonly wasComplete: boolean;
  readonly empty: boolean;
  readonly tooLong: boolean;
  readonly runClosed: boolean;
  readonly hasResult: boolean;
  readonly gated: boolean;
}

export type CallEvent =
  | { readonly type: 'RECORD'; readonly hasResult: boolean; readonly gated: boolean }
  | { readonly type: 'BEGIN'; readonly owner: Owner; readonly withheld: Reason | null }
  | ({ readonly type: 'OBSERVE' } & Observed)
  | { readonly type: 'ADOPT' }
  | { readonly type: 'DISCARD' }
  | { readonly type: 'START'; readonly executes: boolean; readonly poisoned: boolean }
  | { readonly type: 'HUMAN'; readonly by: 'callback' | 'executor' }
  | { readonly type: 'RESUME' }
  | { readonly type: 'ABORT' }
  | { readonly type: 'END' }
  | { readonly type: 'RETIRE' };

interface Args {
  readonly context: CallContext;
  readonly event: CallEvent;
}

const observed = (event: CallEvent): Observed | undefined => (event.type === 'OBSERVE' ? event : undefined);
const gains = ({ context, event }: Args): boolean => observed(event)?.hasResult === true && !context.answered;
const closes = ({ context, event }: Args): boolean => {
  const seen = observed(event);
  // A text that contradicts the streamed one closes nothing: neither of the two is known to be meant.
  const isWhole = seen?.complete === true && seen.text !== 'differs';
  return isWhole && (context.owner === 'client' || seen.runClosed);
};
const isText = (...relations: readonly Relation[]) => {
  return ({ event }: Args): boolean => event.type === 'OBSERVE' && relations.includes(event.text);
};
const isFree = ({ context }: Args): boolean => context.withheld === null && !context.answered;
const gates = ({ context, event }: Args): boolean =>
  (event.type === 'OBSERVE' || event.type === 'RECORD') && event.gated && context.withheld === null;
const isTooLong = ({ context, event }: Args): boolean =>
  observed(event)?.tooLong === true && context.withheld === null && context.life !== 'history';
const ends = (args: Args): boolean => gains(args) || closes(args);

export const callGuards = {
  // Losing a result is no change: what was answered once must not run.
  isChanged: (args: Args) => isText('grows', 'differs')(args) || gains(args),
  gainsResult: gains,
  closes,
  // A gate and a text over the bound arrive with the very snapshot that would hand the call over.
  closesFree: (args: Args) => closes(args) && isFree(args) && !gates(args) && !isTooLong(args),
  isComplete: ({ event }: Args) => observed(event)?.complete === true,
  isIncomplete: ({ event }: Args) => observed(event)?.complete === false,
  isEmptyAtEnd: (args: Args) => observed(args.event)?.empty === true && observed(args.event)?.runClosed === true,
  growsToItsEnd: (args: Args) => isText('grows')(args) && ends(args),
  grows: isText('grows'),
  equalAtItsEnd: (args: Args) => isText('equal')(args) && ends(args),
  isEqual: isText('equal'),
  differsComplete: (args: Args) => isText('differs')(args) && observed(args.event)?.wasComplete === true,
  differsAtItsEnd: (args: Args) => isText('differs')(args) && gains(args),
  differs: isText('differs'),
  differsCompleteAtItsEnd: (args: Args) => callGuards.differsComplete(args) && gains(args),
  isChangedAfterEnd: isText('grows', 'differs'),
  ends,
  gates,
  isTooLong,
  isBornWithheld: ({ context, event }: Args) =>
    event.type === 'BEGIN' && (event.withheld !== null || event.owner === 'provider') && context.withheld === null,
  isUnanswered: ({ context }: Args) => !context.answered,
  mayDiscard: ({ context }: Args) => !context.answered && !context.started && context.life !== 'over',
  isWithheld: ({ context }: Args) => context.withheld !== null,
  isAnswered: ({ context }: Args) => context.answered,
  executesNothing: ({ event }: Args) => event.type === 'START' && !event.executes,
  isPoisoned: ({ context, event }: Args) =>
    event.type === 'START' && event.executes && event.poisoned && context.withheld === null,
  isAsking: ({ context }: Args) => context.asker !== null,
  mayAsk: ({ context }: Args) => context.life === 'live',
  // An executor is told nothing of a result that came meanwhile; a callback's question has nothing left to decide.
  endsQuestion: (args: Args) => gains(args) && args.context.asker === 'callback',
} as const;

type Own = { -readonly [Field in keyof CallContext]: CallContext[Field] };

/** An own copy; a field that is missing here does not compile. */
export const copyCall = (context: CallContext): Own => ({
  owner: context.owner,
  withheld: context.withheld,
  answered: context.answered,
  closed: context.closed,
  started: context.started,
  life: context.life,
  asker: context.asker,
});

const writes = (write: (next: Own, event: CallEvent) => void) => {
  return ({ context, event }: Args): CallContext => {
    const next = copyCall(context);
    write(next, event);
    return next;
  };
};

export const callWrites = {
  noteHistory: writes((next, event) => {
    if (event.type === 'RECORD') next.answered ||= event.hasResult;
  }),
  noteBirth: writes((next, event) => {
    if (event.type === 'BEGIN') next.owner = event.owner;
    next.life = 'live';
  }),
  noteWithheld: writes((next, event) => {
    if (event.type === 'BEGIN') next.withheld = event.withheld ?? 'provider';
  }),
  noteGate: writes((next) => {
    next.withheld = 'gate';
  }),
  noteSize: writes((next) => {
    next.withheld = 'size';
  }),
  noteDiscarded: writes((next) => {
    next.withheld ??= 'discarded';
  }),
  noteAnswered: writes((next) => {
    next.answered = true;
  }),
  noteClosed: writes((next) => {
    next.closed = true;
  }),
  noteStarted: writes((next) => {
    next.started = true;
  }),
  noteOver: writes((next) => {
    next.life = 'over';
  }),
  noteAsker: writes((next, event) => {
    if (event.type === 'HUMAN') next.asker = event.by;
  }),
  forgetAsker: writes((next) => {
    next.asker = null;
  }),
} as const;
