/** Session files of Claude Code: one JSON record a line, which names its parent. */
import type { Entry, Id } from '../api.ts';
import { BREAK, type ConversationLog, entryOf, NO_ENTRY } from './log.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Row {
  /** As the record names it. */
  readonly named: unknown;
  readonly parent: unknown;
  readonly isBoundary: boolean;
  readonly isSummary: boolean;
  readonly type: string | undefined;
  /** Two records of one id that name different parents: neither proves anything. */
  readonly isTwofold: boolean;
}

/** Records without an id of their own that hide something from the model, of what is above. */
const HIDING = new Set(['content-replacement', 'marble-origami-commit']);
const BOUNDARIES = new Set(['compact_boundary', 'microcompact_boundary']);

export interface ClaudeCodeLog extends ConversationLog {
  /** The newest record of a side agent's chain, where one file holds several. */
  readonly leafOf: (agentId: string) => Id | null;
}

/**
 * The text of a session file, as it is now; made anew for a file that has grown. What is no JSON is passed over, as the
 * program itself does, and whoever names it as a parent is `dangling-parent`.
 *
 * A compaction starts a new root that names what it continued (`logicalParentUuid`); one that names nothing is
 * `severed`. Tool calls side by side are one stretch of the branch, in the order of the file, though each result names
 * only its own call. A rewind is in the file only when the next record is written: until then the leaf is the old one.
 */
export function claudeCodeLog(text: string): ClaudeCodeLog {
  const file = new SessionFile();
  for (const line of String(text).split('\n')) {
    const record = parse(line);
    if (record !== undefined) file.add(record);
  }
  return Object.freeze({
    read: (id: Id) => file.entry(id),
    leaf: () => file.leafOf(MAIN),
    leafOf: (agentId: string) => file.leafOf(agentOf(agentId)),
    lineage: Object.freeze({}),
  });
}

const MAIN = 'main';
const agentOf = (agentId: string): string => `agent ${agentId}`;

/** The chain that a record is on; undefined: a side agent's that has no name. */
function chainOf({ isSidechain, agentId }: Fields): string | undefined {
  if (isSidechain !== true) return MAIN;
  return typeof agentId === 'string' ? agentOf(agentId) : undefined;
}

class SessionFile {
  readonly #rows = new Map<Id, Row>();
  readonly #leaves = new Map<string, Id>();
  /** The chains of which something was hidden since their last record. */
  readonly #hidden = new Set<string>();
  /** The response of the model that a record is a part of, or a result for. */
  readonly #responseOf = new Map<Id, string>();
  readonly #lastOf = new Map<string, Id>();

  leafOf(chain: string): Id | null {
    return this.#leaves.get(chain) ?? null;
  }

  add(record: Fields): void {
    const { uuid, type } = record;
    if (typeof uuid === 'string' && uuid !== '') this.#enter(uuid, record);
    else if (HIDING.has(String(type)) || isSnip(record)) this.#hide(record);
  }

  /** What no agent is named for may be of any chain. Up to now it is the last record that tells of it, then the next. */
  #hide({ agentId }: Fields): void {
    const chains = typeof agentId === 'string' ? [agentOf(agentId)] : [...this.#leaves.keys()];
    for (const chain of chains) {
      this.#hidden.add(chain);
      const leaf = this.#leaves.get(chain);
      const row = leaf === undefined ? undefined : this.#rows.get(leaf);
      if (leaf !== undefined && row !== undefined) this.#rows.set(leaf, { ...row, isBoundary: true });
    }
  }

  #enter(uuid: Id, record: Fields): void {
    const { parentUuid, logicalParentUuid, type, subtype } = record;
    const isOwn = BOUNDARIES.has(String(subtype));
    const named = isOwn && parentUuid === null ? (logicalParentUuid ?? null) : parentUuid;
    const chain = chainOf(record);
    // A resumed session may hold copies of earlier records. They are where they were, and no branch ends in them.
    const earlier = this.#rows.get(uuid);
    const isPending = chain === undefined ? this.#hidden.size > 0 : this.#hidden.has(chain);
    const row = {
      named,
      parent: earlier === undefined ? this.#join(uuid, named, record) : earlier.parent,
      isBoundary: isOwn || isSnip(record) || (earlier?.isBoundary ?? isPending),
      isSummary: record['isCompactSummary'] === true,
      type: typeof type === 'string' ? type : undefined,
      isTwofold: earlier !== undefined && (earlier.isTwofold || earlier.named !== named),
    };
    this.#rows.set(uuid, row);
    // The progress of a tool is shown to a person and hangs where its call is; the conversation does not go on from it.
    if (chain === undefined || earlier !== undefined || type === 'progress') return;
    this.#leaves.set(chain, uuid);
    this.#hidden.delete(chain);
  }

  /**
   * The parent. A response of the model with several tool calls is several records of one message id, and each result
   * names the record of its own call; the program puts all of them before the model again, whichever the branch names.
   */
  #join(uuid: Id, named: unknown, { type, message }: Fields): unknown {
    const { id, content } = (message ?? {}) as { readonly id?: unknown; readonly content?: unknown };
    const above = typeof named === 'string' ? this.#responseOf.get(named) : undefined;
    const parent = above === undefined ? named : this.#lastOf.get(above);
    const own = type === 'assistant' && typeof id === 'string' ? id : undefined;
    const response = own ?? (type === 'user' && hasResult(content) ? above : undefined);
    if (response !== undefined) {
      this.#responseOf.set(uuid, response);
      this.#lastOf.set(response, uuid);
    }
    return parent;
  }

  entry(id: Id): Entry | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    if (row.isTwofold) return NO_ENTRY;
    // The summary right under its boundary is what the boundary put there; it hides nothing more.
    const isUnder = typeof row.parent === 'string' && this.#rows.get(row.parent)?.isBoundary === true;
    return entryOf(row.parent, row.isBoundary || (row.isSummary && !isUnder) ? BREAK : row.type);
  }
}

/** Takes records out of the middle of what the model sees. */
const isSnip = ({ snipMetadata }: Fields): boolean => typeof snipMetadata === 'object' && snipMetadata !== null;

const hasResult = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block: Fields | null) => block?.['type'] === 'tool_result');

function parse(line: string): Fields | undefined {
  if (line.trim() === '') return undefined;
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? (record as Fields) : undefined;
  } catch {
    return undefined;
  }
}
