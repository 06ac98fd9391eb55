/** What an operation of the journal is made of: its callbacks, what is left of it, and what it has still to say. */
import type { RecallCause } from '../../machines/journal/answer-facts.ts';
import { heed } from '../../machines/shared/heed.ts';
import type { AuditNote, OutboxRow } from '../store/store.ts';
import type { EntryRow } from './rows.ts';

export type Flusher = (key: string) => void;
export type Revoker = (key: string, token: string) => boolean;
export type TurnAttacher = (key: string, token: string, askId?: string) => string | null | undefined;
export type IncarnationResolver = (key: string) => string | null | undefined;

/**
 * `kept`: on the branch, and the log shows that the model has it. `unplaced`: its question is not in the log yet.
 * `unsure`: nothing can be said for the present leaf, or not yet.
 */
export type LineageWord = 'on' | 'kept' | 'off' | 'unsure' | 'unplaced';

/** What the logs of conversations say, where there are any: the fence beside the epoch. */
export interface Lineage {
  /** Undefined: no log speaks for this ask, and the epoch of its tab decides. */
  says(askId: string): LineageWord | undefined;
  opened(askId: string, tab: string): void;
  /** Its answer is on file. */
  answered(askId: string, fx: Effects): void;
  handedBack(askId: string): void;
  leafChanged(tab: string): void;
  moved(from: string, to: string): void;
}

/**
 * What is left of an operation once it has decided and staged its part: a value, or commits to wait for (each `next`
 * that is not done) and things to say after them.
 */
export interface Op<T> {
  next(): IteratorResult<void, T>;
  /** Gives it up. */
  return(value: T): IteratorResult<void, T>;
  [Symbol.iterator](): Iterator<void, T, void>;
}

/** An operation that has nothing left to wait for. */
export class Done<T> implements Op<T> {
  readonly done = true;
  readonly value: T;

  constructor(value: T) {
    this.value = value;
  }
  next(): IteratorResult<void, T> {
    return this;
  }
  return(): IteratorResult<void, T> {
    return this;
  }
  [Symbol.iterator](): Iterator<void, T, void> {
    return this;
  }
}

export type Level = 'debug' | 'warn' | 'error';

/** What a journal with a store behind it stages beside its rows. */
export interface Durable {
  note(row: AuditNote): void;
  intend(row: Omit<OutboxRow, 'id'>): number;
  done(id: number): void;
}

/** An answer that was given out and whose hand-over is not committed yet. */
export interface GivenOut {
  /** Undefined until the hand-over has been decided for the first time. */
  carrier: ReturnType<TurnAttacher>;
  /** Its carrier has handed it back: that it was ever handed over need not go on file any more. */
  isTakenBack: boolean;
}

/** Why a copy is fetched back: the entry's own course, or a fence that found it off its branch. */
export type FetchCause = RecallCause | 'fence';

export interface Recall {
  readonly row: EntryRow;
  readonly because: FetchCause;
  /** Outbox row that stands for it, or 0 in memory. */
  readonly outbox: number;
}

/** An operation that decides only when it is first asked to go on, so that whoever runs it can refuse it before. */
export function* lazy<T>(operation: () => Op<T>): Op<T> {
  return yield* operation();
}

/** Reads as an operation, so that what it has seen is committed when it is told. */
export function* reading<T>(read: () => T): Op<T> {
  yield* [];
  return read();
}

/** A line of the log, still to be written. */
export interface Said {
  readonly level: Level;
  readonly text: string;
}

/** What one operation has still to say and do, once its state is safe. Most operations have nothing. */
export class Effects {
  lines: Said[] = NOTHING;
  recalls: Recall[] = NOTHING;
  flush: string[] = NOTHING;
  /** Entries whose text must be reported before they are destroyed. */
  forgotten: EntryRow[] = NOTHING;
  /** The entry that a bound has just taken and that becomes a loss. */
  lost: EntryRow | undefined;

  say(level: Level, text: string): void {
    if (this.lines.length === 0) this.lines = [{ level, text }];
    else this.lines.push({ level, text });
  }

  addFlush(tab: string): void {
    if (this.flush.length === 0) this.flush = [tab];
    else this.flush.push(tab);
  }

  addRecall(recall: Recall): void {
    if (this.recalls.length === 0) this.recalls = [];
    this.recalls.push(recall);
  }

  addForgotten(row: EntryRow): void {
    if (this.forgotten.length === 0) this.forgotten = [];
    this.forgotten.push(row);
  }

  /** True when there is still something to do after the commit. */
  get speaks(): boolean {
    return this.lines.length > 0 || this.recalls.length > 0 || this.flush.length > 0;
  }
}

/** Shared by all operations that have nothing to say; never written to. */
const NOTHING: never[] = [];

/** What a host callback threw where the contract lets it through: no fault of the journal's own. */
export class HostFailure extends Error {
  constructor(cause: unknown) {
    super('a host callback failed', { cause });
  }
}

/** Calls the flusher once for each tab; a flusher that throws is heard after all have been called. */
export function flushEach(flusher: Flusher, tabs: readonly string[], warn: (text: string) => void): void {
  let failure: { error: unknown } | undefined;
  for (const tab of new Set(tabs)) {
    try {
      heed(flusher(tab), (error) => warn(`the flusher of tab ${tab.slice(0, 8)} failed (${String(error)})`));
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw new HostFailure(failure.error);
}

/** Who holds a tab. A host that throws, or whose word is no text, has named nobody. */
export function nameOccupant(resolver: IncarnationResolver, tab: string, failed: (why: string) => void): string | null {
  try {
    const occupant: unknown = resolver(tab) ?? null;
    if (occupant === null || typeof occupant === 'string') return occupant;
    heed(occupant, () => undefined);
    failed(`the resolver gave ${typeof occupant} where text is its name`);
  } catch (error) {
    failed(String(error));
  }
  return null;
}

/** Whether the host has pulled a copy out of its queue; what goes wrong counts as "not recalled". */
export function hasRecalled(revoker: Revoker, tab: string, token: string, failed: (error: unknown) => void): boolean {
  try {
    const recalled = revoker(tab, token);
    heed(recalled, failed);
    return recalled === true;
  } catch (error) {
    failed(error);
    return false;
  }
}
