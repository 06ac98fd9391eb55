/** What the contract of the journal is given: a way to make one, and what it claims. */
import type { answerText, askFingerprint, Journal, JournalOptions, preview } from '../../journal.ts';

/** The operations of a journal; `Journal` is one, and whatever has the same methods. */
export type JournalLike = { [Name in keyof Journal]: Journal[Name] };

/** A value now, or a promise of it. */
export type Later<T> = T | Promise<T>;

/**
 * What a journal may lack: `log` lines, `limits` that can be set, a resolver of `occupants`, an attacher of `turns`,
 * a `recall` of copies. A rule that needs what is lacking is not tried; no rule is changed.
 */
export type JournalAbility = 'log' | 'limits' | 'occupants' | 'turns' | 'recall';

export interface JournalSubject {
  /** Makes a journal of its own, empty, with the clock, the logger and the bounds that it is given. */
  create(options: JournalOptions): JournalLike;
  readonly askFingerprint?: typeof askFingerprint | undefined;
  readonly answerText?: typeof answerText | undefined;
  readonly preview?: typeof preview | undefined;
  /** `false` for what it lacks. Default: it has everything. */
  readonly has?: Partial<Record<JournalAbility, boolean>> | undefined;
}

/**
 * A journal whose operations return promises. It is tried with the generated paths alone: what is asked between two
 * operations of the other rules has no meaning for it.
 */
export interface LaterJournalSubject {
  create(options: JournalOptions): Later<unknown>;
  /** Brings about the end of a call: for a journal whose clock and ticks are in the test's hand. Default: waits. */
  done?<T>(work: Later<T>): Promise<T>;
  /** Ends what `create` has made. */
  end?(journal: unknown): Later<void>;
  readonly isLater: true;
}

/** The operations of the contract's section 4. */
export const JOURNAL_METHODS: readonly (keyof JournalLike)[] = [
  ...(['openAsk', 'record', 'closeAsk', 'markReturned', 'markSurfaced', 'recover', 'deliverPending', 'ack'] as const),
  ...(['release', 'reportDropped', 'retireDebt', 'moveKey', 'forget', 'closeAsks', 'pending', 'orphansFor'] as const),
  ...(['entriesFor', 'ticketFor', 'droppedFor', 'outstandingDebt', 'hasOutstanding', 'allOutstanding'] as const),
  ...(['mayDisclose', 'askBelongsToLiveConversation', 'tracks', 'setFlusher', 'setRevoker'] as const),
  ...(['setTurnAttacher', 'setIncarnationResolver', 'reset'] as const),
];
