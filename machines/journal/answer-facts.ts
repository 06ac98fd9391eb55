/** What the answer chart knows and hears: its context, its events, and two facts that its guards share. */

/** Where an answer stands: one state of each region. `born` is never rested in. */
export interface AnswerValue {
  readonly delivery: 'born' | 'none' | 'pending' | 'handed_off' | 'acked' | 'retired';
  readonly label: 'born' | 'matched' | 'foreign' | 'ambiguous';
}

export type Channel = 'none' | 'queue' | 'result';
export type RecallCause = 'return' | 'blur' | 'boundary' | 'evict' | 'forget';

export interface AnswerInput {
  readonly token: string;
  readonly key: string;
  /** Its conversation was replaced before it arrived. */
  readonly retired: boolean;
  /** Provenance is a ticket or a sibling. */
  readonly known: boolean;
  /** A handler of its ask still waits and will return it. */
  readonly awaited: boolean;
  readonly label: 'matched' | 'foreign' | 'ambiguous';
}

export interface AnswerContext {
  readonly token: string;
  readonly key: string;
  readonly known: boolean;
  readonly returned: boolean;
  readonly proven: 'no' | 'receipt' | 'bound';
  /** It was in front of a reader before; changes wording only. */
  readonly hint: boolean;
  readonly channel: Channel;
  /** How the queue copy is worded, while one is out. */
  readonly worded: 'matched' | 'foreign' | 'nothing';
  /** The turn that alone may prove the queue copy, where the queue named one. */
  readonly copyCarrier: string | null;
  /** A copy that could not be recalled at a boundary, and may still be read. */
  readonly copyOut: boolean;
  readonly rides: readonly string[];
  /** Losses that the queue copy displays. */
  readonly shown: readonly number[];
  readonly attempts: number;
  readonly carriedReleases: number;
  /** The id was opened again: the question identity is void. */
  readonly erased: boolean;
  readonly parked: string | null;
  readonly birth: 'retired' | 'pending' | 'none';
  readonly bornAs: 'matched' | 'foreign' | 'ambiguous';
}

export type AnswerEvent =
  | { type: 'CLOSE' }
  | { type: 'RETURN'; carrier: string | null; replay: boolean }
  | { type: 'OFFER_TAKEN'; losses: readonly number[]; worded: 'matched' | 'foreign'; carrier: string | null }
  | { type: 'OFFER_REFUSED' }
  | { type: 'RECEIPT'; carrier: string | null }
  | { type: 'HANDBACK'; carried: boolean; carrier: string | null; bound: number }
  | { type: 'BLUR'; erase: boolean }
  | { type: 'BOUNDARY' }
  | { type: 'RECALLED'; because: RecallCause }
  | { type: 'RESTART' }
  | { type: 'PARK'; why: string }
  | { type: 'EVICT' }
  | { type: 'FORGET' }
  | { type: 'MOVE'; to: string };

export const isRideOf = (context: AnswerContext, carrier: string | null): boolean =>
  carrier !== null && context.rides.includes(carrier);

export const mayProveCopy = (context: AnswerContext, carrier: string | null): boolean =>
  context.copyCarrier === null || context.copyCarrier === carrier;

/** A context that nobody else has seen yet. */
export type OwnContext = { -readonly [Field in keyof AnswerContext]: AnswerContext[Field] };

/** An own copy; a field that is missing here does not compile. */
export const copyAnswer = (context: AnswerContext): OwnContext => ({
  token: context.token,
  key: context.key,
  known: context.known,
  returned: context.returned,
  proven: context.proven,
  hint: context.hint,
  channel: context.channel,
  worded: context.worded,
  copyCarrier: context.copyCarrier,
  copyOut: context.copyOut,
  rides: context.rides,
  shown: context.shown,
  attempts: context.attempts,
  carriedReleases: context.carriedReleases,
  erased: context.erased,
  parked: context.parked,
  birth: context.birth,
  bornAs: context.bornAs,
});
