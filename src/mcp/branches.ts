/** Branches of conversations as MCP clients name them: opaque ids, from the newest entry up. What was named before is remembered. */
import type { ConversationLog } from '../seats.ts';
import { MCP_BOUNDS } from './bounds.ts';
import type { Branch } from './schemas.ts';

interface Link {
  /** Undefined: not named; null: the first entry of all. */
  parentId: string | null | undefined;
  isBreak: boolean;
}

/** The entries of one tab that its client has named. */
class NamedLog implements ConversationLog {
  readonly #links = new Map<string, Link>();
  #leaf: string | null = null;
  readonly lineage = Object.freeze({});

  readonly leaf = (): string | null => this.#leaf;

  /** An entry whose parent nobody has named leads nowhere: then nothing is proven. */
  readonly read = (id: string) => {
    const link = this.#links.get(id);
    if (link?.parentId === undefined) return undefined;
    return { parentId: link.parentId, type: link.isBreak ? 'compaction' : 'entry' };
  };

  name({ conversation, leaf, parents, breaks = [], complete = false }: Branch): string {
    // Ids of two conversations may be alike.
    const own = (id: string): string => `${conversation.length}:${conversation}:${id}`;
    const chain = [leaf, ...parents];
    for (const [at, id] of chain.entries()) {
      const next = chain[at + 1];
      const known = this.#links.get(own(id));
      const parentId = next === undefined ? (complete ? null : known?.parentId) : own(next);
      this.#links.delete(own(id));
      this.#links.set(own(id), { parentId, isBreak: known?.isBreak === true || breaks.includes(id) });
    }
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= MCP_BOUNDS.links) break;
      this.#links.delete(oldest);
    }
    this.#leaf = own(leaf);
    return this.#leaf;
  }

  /** The entry directly below this one on the branch that was named last. */
  below(id: string): string | undefined {
    for (let at = this.#leaf, steps = 0; at !== null && steps <= MCP_BOUNDS.links; steps += 1) {
      const parent: string | null | undefined = this.#links.get(at)?.parentId;
      if (parent === id) return at;
      if (parent === undefined || parent === null) return undefined;
      at = parent;
    }
    return undefined;
  }
}

/** Give `log` to `openCoordinator` as `conversationLog`, and all of it to the MCP server. */
export interface NamedBranches {
  /** Undefined for a tab whose client has named no branch: there the epoch fences, as ever. */
  readonly log: (tab: string) => ConversationLog | undefined;
  /** Gives the entry that the leaf is in that log. */
  readonly name: (tab: string, branch: Branch) => string;
  readonly below: (tab: string, id: string) => string | undefined;
}

/** What clients name as the branches of their conversations, in memory: after a restart they name them anew. */
export function namedBranches(): NamedBranches {
  const logs = new Map<string, NamedLog>();
  return Object.freeze({
    log: (tab: string) => logs.get(tab),
    below: (tab: string, id: string) => logs.get(tab)?.below(id),
    name: (tab: string, branch: Branch): string => {
      const log = logs.get(tab) ?? new NamedLog();
      logs.delete(tab);
      logs.set(tab, log);
      for (const oldest of logs.keys()) {
        if (logs.size <= MCP_BOUNDS.sessions) break;
        logs.delete(oldest);
      }
      return log.name(branch);
    },
  });
}
