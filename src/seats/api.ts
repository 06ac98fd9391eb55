/** The types of `readback/seats`. */
import type { Finding } from '../../machines/seats/finding.ts';
import type { Watch } from '../../machines/shared/tap.ts';
import type { Clock, Logger, Runtime } from '../runtime.ts';

export type { Detail, Finding, Reason } from '../../machines/seats/finding.ts';
export type { AnswerOutcome, Outcome } from '../../machines/seats/outcome.ts';
export type { Clock, Logger, Watch };

/** Unique over all logs: a uuid is, a position in a list is not. */
export type Id = string;

/** What the check needs to know of an entry; it may hold more. */
export interface Entry {
  /** The entry before it on its branch; null: a root. */
  readonly parentId: Id | null;
  /** Its kind, as `isBreak` knows it. Without one it may be a break. */
  readonly type?: string;
}

export type Awaitable<T> = T | PromiseLike<T>;

/** One entry of the log by its id; null or undefined: there is none. */
export type ReadEntry = (id: Id) => Awaitable<Entry | null | undefined>;

/** Anything else than what a field allows is replaced by its default; only a broken `isBreak` is a refusal. */
export interface LineageOptions {
  /** Parent links that may be followed: 1 to 65,536, default 2,048. */
  readonly maxSteps?: number;
  /** Milliseconds for the whole walk, default 2,000. A reader that answers at once is timed every 16 reads. */
  readonly deadlineMs?: number;
  /** Whether the model no longer sees, word for word, what is above an entry of this kind. Default: 'compaction'. */
  readonly isBreak?: (type: string) => boolean;
  /** Whether an entry without a kind may be a break. Default 'unknown': it may. */
  readonly untyped?: 'unknown' | 'ordinary';
  /** Ends the walk at the first break, for a caller that only needs the licence. */
  readonly stopAtBreak?: boolean;
  /** For tests: the clock and the timers. */
  readonly runtime?: Pick<Runtime, 'now' | 'after'>;
}

/** A check bound to one log, which remembers what can never change. */
export interface LineageChecker {
  /** As `lineage()`, from memory or by a walk down to what is known. */
  check(anchor: Id | null, leaf: Id | null): Promise<Finding>;
  /** One walk for all of them, in their order. */
  checkAll(anchors: readonly (Id | null)[], leaf: Id | null): Promise<readonly Finding[]>;
  /** Forgets every finding; for a log that was rewritten in place. */
  forget(): void;
}

/** Names one adoption. Opaque, unique in the process, and good for nothing but `seal`. */
export interface Ticket {
  readonly session: string;
}

export interface SeatView<S> {
  /** The adopted object itself. */
  readonly state: S;
  readonly anchor: Id | null;
  readonly sealed: boolean;
  readonly ticket: Ticket;
}

export type Sealing = 'sealed' | 'superseded' | 'gone' | 'bad-leaf';

/** A small cache: one seat a session. A view is no permission to use its state. */
export interface SeatCache<S extends object> {
  /** Makes the session the most recently used. */
  get(session: string): SeatView<S> | undefined;
  /** Does not. */
  peek(session: string): SeatView<S> | undefined;
  /** Puts a task's live state on the seat, at the leaf its preparation read; undefined: bad input, nothing changed. */
  adopt(session: string, state: S, anchor: Id | null): Ticket | undefined;
  /** The task has settled: `leaf` is the last entry that it wrote itself. */
  seal(ticket: Ticket, leaf: Id): Sealing;
  drop(session: string): boolean;
  /** Says how many there were. */
  clear(): number;
  readonly size: number;
}

export interface SeatCacheOptions {
  /** Sessions: 1 to 65,536, default 256; anything else gives the default. Beyond it the least recently used goes. */
  readonly capacity?: number;
  /** Refused input is said here, at `debug`. */
  readonly logger?: Logger;
  /** Where steps are told: the `watch` of a coordinator, or of `createTap()`. Costs nothing while nobody looks on. */
  readonly watch?: Watch;
}
