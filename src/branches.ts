/** The conversation logs of tabs: one reader and one checker each, and nothing of theirs ever throws or takes for ever. */

import { heed } from '../machines/shared/heed.ts';
import { FENCES } from './limits.ts';
import type { Clock, Runtime } from './runtime.ts';
import {
  type ConversationLog,
  createLineageChecker,
  type Finding,
  type Id,
  type LineageChecker,
  type LineageOptions,
  lineages,
  type ReadEntry,
} from './seats.ts';

export type ConversationLogs = (tab: string) => ConversationLog | undefined;

export interface BranchParts {
  readonly logs: ConversationLogs;
  readonly runtime: Runtime & Clock;
  readonly warn: (text: string) => void;
}

/** `unreadable` is no id: ids are texts. */
export type Leaf = Id | null | undefined;

interface Branch {
  log: ConversationLog;
  readonly options: LineageOptions;
  readonly isAppendOnly: boolean;
  checkAll: LineageChecker['checkAll'];
  /** The leaf for which all its fences were judged; undefined: for none. */
  judged: Leaf;
}

const sameOptions = (a: object, b: object): boolean => {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => (a as never)[key] === (b as never)[key]);
};

export class Branches {
  readonly #parts: BranchParts;
  readonly #branches = new Map<string, Branch>();

  constructor(parts: BranchParts) {
    this.#parts = parts;
  }

  /** Whether this tab has a log. One that cannot be asked has: what is not proven is not delivered. */
  speaksFor(tab: string): boolean {
    try {
      return this.#logOf(tab) !== undefined;
    } catch (error) {
      this.#parts.warn(`the conversation log of tab ${tab.slice(0, 8)} failed (${String(error)})`);
      return true;
    }
  }

  /** A promise is no log: nothing is proven by it, and one that is rejected must not end the process. */
  #logOf(tab: string): ConversationLog | undefined {
    const log = this.#parts.logs(tab);
    heed(log, () => undefined);
    return log;
  }

  /** Its log as it is now. What was proven of one that only grows stays so, also when the host gives another reader of it. */
  of(tab: string): Branch | undefined {
    const { runtime } = this.#parts;
    let log: ConversationLog | undefined;
    let options: LineageOptions;
    let isAppendOnly: boolean;
    try {
      log = this.#logOf(tab);
      if (typeof log?.read !== 'function' || typeof log.leaf !== 'function') return undefined;
      options = { ...log.lineage };
      isAppendOnly = log.isAppendOnly !== false;
    } catch {
      return undefined;
    }
    const known = this.#branches.get(tab);
    this.#branches.delete(tab);
    if (known?.isAppendOnly === isAppendOnly && sameOptions(known.options, options)) {
      known.log = log;
      if (!isAppendOnly) known.judged = undefined;
      this.#branches.set(tab, known);
      return known;
    }
    const made: Branch = { log, options, isAppendOnly, checkAll: undefined as never, judged: undefined };
    const read: ReadEntry = (id) => made.log.read(id);
    const settings = { runtime, ...options };
    made.checkAll = isAppendOnly
      ? createLineageChecker(read, settings).checkAll
      : (ids, leaf) => lineages(read, ids, leaf, settings);
    this.#branches.set(tab, made);
    for (const oldest of this.#branches.keys()) {
      if (this.#branches.size <= FENCES.branches) break;
      this.#branches.delete(oldest);
    }
    return made;
  }

  /** The newest entry now; undefined when that cannot be read, or not in time. */
  async leafOf(branch: Branch | undefined): Promise<Leaf> {
    if (branch === undefined) return undefined;
    let end = (): void => undefined;
    const late = new Promise<undefined>((resolve) => {
      end = this.#parts.runtime.after(FENCES.leafMs, () => resolve(undefined));
    });
    try {
      const leaf: unknown = await Promise.race([branch.log.leaf(), late]);
      return leaf === null || (typeof leaf === 'string' && leaf !== '') ? leaf : undefined;
    } catch {
      return undefined;
    } finally {
      end();
    }
  }
}

export const UNKNOWN: Pick<Finding, 'onBranch' | 'breaks'> = Object.freeze({ onBranch: 'unknown', breaks: 'unknown' });
export type { Branch };
