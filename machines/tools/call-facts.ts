/** What the chart of a call remembers and hears. No XState: the tracker runs the table of the chart with these. */

export type Owner = 'client' | 'provider' | 'unknown';

/** Why a call will not run. A result of the provider's is kept apart, in `answered`. */
export type Reason = 'gate' | 'provider' | 'discarded' | 'answered' | 'size';

/** How a text stands to the one before: the same, longer, other letters with the same meaning, or another. */
export type Relation = 'same' | 'grows' | 'equal' | 'differs';

export type Asker = 'callback' | 'executor';

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
  readonly asker: Asker | null;
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
  | {
      readonly type: 'RECORD';
      readonly hasResult: boolean;
      readonly gated: boolean;
      /** What withheld the call of this id before. */
      readonly withheld?: Reason | null;
    }
  | { readonly type: 'BEGIN'; readonly owner: Owner; readonly withheld: Reason | null }
  | ({ readonly type: 'OBSERVE' } & Observed)
  | { readonly type: 'ADOPT' }
  | { readonly type: 'DISCARD' }
  | { readonly type: 'START'; readonly executes: boolean; readonly poisoned: boolean }
  | { readonly type: 'HUMAN'; readonly by: Asker }
  | { readonly type: 'RESUME' }
  | { readonly type: 'ABORT' }
  | { readonly type: 'END' }
  | { readonly type: 'RETIRE' };

/** All that an event may carry, as guards and writes see it. */
export interface CallFacts extends Partial<Observed> {
  readonly type: CallEvent['type'];
  readonly owner?: Owner;
  readonly withheld?: Reason | null;
  readonly executes?: boolean;
  readonly poisoned?: boolean;
  readonly by?: Asker;
}
