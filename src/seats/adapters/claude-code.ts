/** Session files of Claude Code: one JSON record a line, which names its parent. */
import type { Entry, Id } from '../api.ts';
import { BREAK, type ConversationLog, entryOf, NO_ENTRY } from './log.ts';

interface Row {
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
 * `severed`. A rewind is in the file only when the next record is written: until then the leaf is the old one.
 */
export function claudeCodeLog(text: string): ClaudeCodeLog {
  const rows = new Map<Id, Row>();
  const leaves = new Map<string, Id>();
  let main: Id | null = null;
  let isHiding = false;
  for (const line of String(text).split('\n')) {
    const record = parse(line);
    if (record === undefined) continue;
    const { uuid } = record;
    if (typeof uuid !== 'string' || uuid === '') {
      isHiding ||= HIDING.has(String(record['type']));
      continue;
    }
    add(rows, uuid, record, isHiding);
    isHiding = false;
    if (record['isSidechain'] !== true) main = uuid;
    else if (typeof record['agentId'] === 'string') leaves.set(record['agentId'], uuid);
  }
  return Object.freeze({
    read: (id: Id) => entry(rows, id),
    leaf: () => main,
    leafOf: (agentId: string) => leaves.get(agentId) ?? null,
    lineage: Object.freeze({}),
  });
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line.trim() === '') return undefined;
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? (record as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function add(rows: Map<Id, Row>, uuid: Id, record: Readonly<Record<string, unknown>>, isHiding: boolean): void {
  const { parentUuid, logicalParentUuid, type, subtype } = record;
  const isBoundary = BOUNDARIES.has(String(subtype));
  const parent = isBoundary && parentUuid === null ? (logicalParentUuid ?? null) : parentUuid;
  // A resumed session may hold copies of earlier records.
  const earlier = rows.get(uuid);
  rows.set(uuid, {
    parent,
    isBoundary: isBoundary || isHiding || earlier?.isBoundary === true,
    isSummary: record['isCompactSummary'] === true,
    type: typeof type === 'string' ? type : undefined,
    isTwofold: earlier !== undefined && (earlier.isTwofold || earlier.parent !== parent),
  });
}

function entry(rows: ReadonlyMap<Id, Row>, id: Id): Entry | undefined {
  const row = rows.get(id);
  if (row === undefined) return undefined;
  if (row.isTwofold) return NO_ENTRY;
  // The summary right under its boundary is what the boundary put there; it hides nothing more.
  const isOwnBreak = row.isSummary && (typeof row.parent !== 'string' || rows.get(row.parent)?.isBoundary !== true);
  return entryOf(row.parent, row.isBoundary || isOwnBreak ? BREAK : row.type);
}
