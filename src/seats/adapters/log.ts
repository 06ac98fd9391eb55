/** What an adapter makes of somebody's log; its fields are those that `lineage`, `createLineageChecker` and `startLeg` take. */
import { heed } from '../../../machines/shared/heed.ts';
import type { Awaitable, Entry, Id, LineageOptions, ReadEntry } from '../api.ts';

export interface ConversationLog {
  readonly read: ReadEntry;
  /** The newest entry of the branch in use, read anew at each call; null: there is none. */
  readonly leaf: () => Awaitable<Id | null>;
  /** What is a break here; pass it on with every check. */
  readonly lineage: LineageOptions;
  /** False: entries are taken out of it or exchanged, so nothing that was found of it may be remembered. Default: true. */
  readonly isAppendOnly?: boolean;
}

/** Adapters name a break so, whatever the log calls it. */
export const BREAK = 'compaction';

/** An entry of which two versions are on record, or whose place cannot be told: the check calls it malformed. */
export const NO_ENTRY = Object.freeze({ parentId: undefined }) as unknown as Entry;

/** The kind, from whether it is a break; where nobody can tell it has none. A promise does not tell in time. */
export function kindOf(isBreak: unknown): string | undefined {
  const isOpen = isBreak === undefined || isBreak === null || heed(isBreak, () => undefined);
  return isOpen ? undefined : isBreak ? BREAK : 'entry';
}

/** An entry; without a kind it may be a break. */
export const entryOf = (parentId: unknown, type: string | undefined): Entry =>
  (type === undefined ? { parentId } : { parentId, type }) as Entry;
