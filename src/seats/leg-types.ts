/** The types of a leg: one start of work in a session. */
import type { Finding } from '../../machines/seats/finding.ts';
import type { Awaitable, Id, LineageOptions, ReadEntry, Sealing, SeatCache, Ticket } from './api.ts';

/** `I`: one item of a state, such as a path with what was read of it. */
export interface LegOptions<S extends object, I> {
  readonly kind: 'fresh' | 'continuation' | 'resume';
  readonly session: string;
  readonly cache: SeatCache<S>;
  readonly read: ReadEntry;
  /** The session's leaf, read anew at each call; null: the branch is empty. Later than `lineage.deadlineMs`: unread. */
  readonly leaf: () => Awaitable<Id | null>;
  /** Of the check; must be the same for every leg of a session. */
  readonly lineage?: LineageOptions;
  /** A state that vouches for nothing. */
  readonly empty: () => S;
  readonly itemsOf: (state: S) => Iterable<I>;
  readonly put: (state: S, item: I) => void;
  /** What a replay would admit, and an inheritance therefore too; one that throws for an item drops it. */
  readonly admits?: (item: I) => boolean;
  /** The items of the present branch, from its entries. */
  readonly replay: (leaf: Id | null) => Awaitable<Iterable<I>>;
  /** For `resume`: the state that was stored when the task was suspended. */
  readonly checkpoint?: () => Awaitable<S>;
}

/** Why the seat was not used. */
export type Refusal =
  | 'no-seat'
  | 'unsealed'
  | 'not-proven'
  | 'superseded-during-check'
  | 'leaf-moved-during-check'
  | 'leaf-unread'
  /** Its items could not be read. */
  | 'uncopied';

export interface Leg<S extends object> {
  /** New, and this leg's own. */
  readonly state: S;
  /** The leaf it was adopted with. */
  readonly leaf: Id | null;
  readonly source: 'seat' | 'replay' | 'checkpoint' | 'empty';
  /** Only where a seat might have been used and was not. */
  readonly refusal?: Refusal;
  readonly finding?: Finding;
  readonly ticket?: Ticket;
  /** The leg has ended, also by failure or abort: `tail` is the last entry that it wrote itself. */
  readonly settle: (tail: Id) => Sealing;
}
