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
  /** Rides that were handed back while this copy was out; to hear of one again tells nothing of the copy. */
  readonly endedBeside: readonly string[];
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
  /** The reader no longer has what was delivered. `repeat`: it had it, and has forgotten; else it never saw it there. */
  | { type: 'REDELIVER'; repeat: boolean }
  | { type: 'EVICT' }
  | { type: 'FORGET' }
  | { type: 'MOVE'; to: string };

export const isRideOf = (context: AnswerContext, carrier: string | null): boolean =>
  carrier !== null && context.rides.includes(carrier);

export const mayProveCopy = (context: AnswerContext, carrier: string | null): boolean =>
  context.copyCarrier === null || context.copyCarrier === carrier;

/** What a dead answer's loss still knows of its hand-offs, too. */
export type HandOffs = Pick<AnswerContext, 'rides' | 'endedBeside' | 'copyCarrier'>;

/**
 * Whether a hand-back is that of a copy that is out: it names nobody, or the turn that the queue named. Of a copy
 * for which it named none, anybody's but that of a turn which carries, or carried beside it, the answer in a result.
 */
export const endsCopy = ({ rides, endedBeside, copyCarrier }: HandOffs, carrier: string | null): boolean =>
  carrier === null ||
  (copyCarrier === null ? !rides.includes(carrier) && !endedBeside.includes(carrier) : copyCarrier === carrier);

const NO_RIDES: readonly string[] = Object.freeze([]);

/**
 * Turns that are remembered as carrying one answer. Beyond it the oldest is forgotten: its receipt is refused then, and
 * the answer is told once more at worst.
 */
export const RIDES_KEPT = 64;

/** The turns with one more, each once. */
export const withTurn = (turns: readonly string[], carrier: string): readonly string[] =>
  turns.includes(carrier) ? turns : [...turns, carrier].slice(-RIDES_KEPT);

/** Rides that are left when a hand-back names `carrier`, or names none and exactly one turn can be meant. */
export const ridesLeft = (rides: readonly string[], carrier: string | null): readonly string[] =>
  carrier !== null ? rides.filter((ride) => ride !== carrier) : rides.length === 1 ? NO_RIDES : rides;

/** The same of an answer, which may have no copy out. */
export const handsBackCopy = (context: AnswerContext, carrier: string | null): boolean =>
  (context.channel === 'queue' || context.copyOut) && endsCopy(context, carrier);

/** The rides that ended beside a copy, after a hand-back that was not the copy's. */
export const endedWith = ({ rides, endedBeside }: HandOffs, carrier: string | null): readonly string[] =>
  carrier === null || !rides.includes(carrier) ? endedBeside : withTurn(endedBeside, carrier);

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
  endedBeside: context.endedBeside,
  shown: context.shown,
  attempts: context.attempts,
  carriedReleases: context.carriedReleases,
  erased: context.erased,
  parked: context.parked,
  birth: context.birth,
  bornAs: context.bornAs,
});
