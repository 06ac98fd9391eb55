/** Checkpoints of LangGraph: each names the one before it in its parent config. */
import { heed } from '../../../machines/shared/heed.ts';
import type { Entry, Id } from '../api.ts';
import { BREAK, type ConversationLog, entryOf } from './log.ts';

/** What is looked at of a config. */
export interface CheckpointConfig {
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** What is looked at of a checkpoint tuple; `parent_config` is its name in Python and in what is stored from there. */
export interface CheckpointTupleLike {
  readonly config: CheckpointConfig;
  readonly parentConfig?: CheckpointConfig | null;
  readonly parent_config?: CheckpointConfig | null;
  readonly checkpoint?: unknown;
}

export interface LangGraphLogOptions {
  /** `checkpointer.getTuple`: without a checkpoint id it gives the thread's newest. */
  readonly getTuple: (config: CheckpointConfig) => Promise<CheckpointTupleLike | null | undefined>;
  /** The thread, and the namespace of a subgraph if it is one. */
  readonly thread: { readonly thread_id: string; readonly checkpoint_ns?: string };
  /** The ids of the messages that the model gets at this checkpoint; default: those of the channel `messages`. */
  readonly messagesOf?: (tuple: CheckpointTupleLike) => readonly unknown[] | undefined;
}

/** The id of a checkpoint as an anchor, from its config; null: it names none. */
export function checkpointAnchor(config: CheckpointConfig | null | undefined): Id | null {
  const { thread_id: thread, checkpoint_ns: space, checkpoint_id: id } = config?.configurable ?? {};
  if (typeof id !== 'string' || id === '') return null;
  return JSON.stringify([String(thread ?? ''), String(space ?? ''), id]);
}

/**
 * A thread of checkpoints. A fork or a replay of an older checkpoint is another branch. LangGraph marks no compaction,
 * so a checkpoint counts as a break if a message of its parent is gone in it; if either's messages cannot be read, its
 * kind is open. It asks the store for each checkpoint once, and once for the parent of the last.
 */
export function langGraphLog(options: LangGraphLogOptions): ConversationLog {
  const { getTuple, thread } = options;
  const messagesOf = (tuple: CheckpointTupleLike): readonly unknown[] | undefined => {
    const ids: unknown = (options.messagesOf ?? defaultMessages)(tuple);
    // A promise does not tell in time.
    heed(ids, () => undefined);
    return Array.isArray(ids) ? ids : undefined;
  };
  let ahead: { readonly id: Id; readonly tuple: Promise<CheckpointTupleLike | null | undefined> } | undefined;
  const tupleOf = (id: Id): Promise<CheckpointTupleLike | null | undefined> => {
    const known = ahead?.id === id ? ahead.tuple : undefined;
    // Asked for once more it is fetched anew: it may have failed.
    ahead = undefined;
    if (known !== undefined) return known;
    const config = configOf(id);
    return config === undefined ? Promise.resolve(undefined) : getTuple(config);
  };
  const read = async (id: Id): Promise<Entry | undefined> => {
    const tuple = await tupleOf(id);
    if (tuple === null || tuple === undefined || checkpointAnchor(tuple.config) !== id) return undefined;
    const parentId = checkpointAnchor(tuple.parentConfig ?? tuple.parent_config);
    if (parentId === null) return entryOf(null, 'checkpoint');
    const parent = tupleOf(parentId);
    ahead = { id: parentId, tuple: parent };
    // First what may be rejected: a host that throws below must not leave it to nobody.
    const before = await messagesIn(parent, messagesOf);
    return entryOf(parentId, kindOf(messagesOf(tuple), before));
  };
  const leaf = async (): Promise<Id | null> => {
    const newest = await getTuple({ configurable: { checkpoint_ns: '', ...thread } });
    return checkpointAnchor(newest?.config);
  };
  return Object.freeze({ read, leaf, lineage: Object.freeze({}) });
}

function configOf(id: Id): CheckpointConfig | undefined {
  try {
    const [thread, space, checkpoint] = JSON.parse(id) as string[];
    return { configurable: { thread_id: thread, checkpoint_ns: space, checkpoint_id: checkpoint } };
  } catch {
    return undefined;
  }
}

async function messagesIn(
  parent: Promise<CheckpointTupleLike | null | undefined>,
  messagesOf: (tuple: CheckpointTupleLike) => readonly unknown[] | undefined,
): Promise<readonly unknown[] | undefined> {
  try {
    const tuple = await parent;
    return tuple === null || tuple === undefined ? undefined : messagesOf(tuple);
  } catch {
    return undefined;
  }
}

function kindOf(here: readonly unknown[] | undefined, before: readonly unknown[] | undefined): string | undefined {
  if (here === undefined || before === undefined) return undefined;
  const kept = new Set(here);
  return before.every((id) => kept.has(id)) ? 'checkpoint' : BREAK;
}

/** A state without the channel keeps its messages elsewhere, if it has any; messages without ids cannot be followed. */
function defaultMessages({ checkpoint }: CheckpointTupleLike): readonly unknown[] | undefined {
  const values = (checkpoint as { channel_values?: { messages?: unknown } } | undefined)?.channel_values;
  if (typeof values !== 'object' || values === null) return undefined;
  const { messages } = values;
  if (!Array.isArray(messages)) return undefined;
  const ids = messages.map((message: { id?: unknown } | null) => message?.id);
  return ids.every((id) => typeof id === 'string' && id !== '') ? ids : undefined;
}
