/** What shall become of an answer, read off the tree in memory: the oracle beside the coordinator. */
import type { Entry } from '../../src/seats.ts';

/** `keep`: the model has it. `again`: it had it, and a compaction took it away. */
export type Expected = 'retire' | 'deliver' | 'keep' | 'again' | 'hold';

export interface Anchors {
  readonly askedAt: string | null;
  readonly deliveredAt: string | null;
}

type Tree = ReadonlyMap<string, Entry>;

/** The ids from the leaf up to the root, and where its breaks are. */
function pathOf(tree: Tree, leaf: string | null): { ids: string[]; isBreak: boolean[] } {
  const ids: string[] = [];
  const isBreak: boolean[] = [];
  for (let id = leaf; id !== null; id = tree.get(id)?.parentId ?? null) {
    ids.push(id);
    isBreak.push(tree.get(id)?.type === 'compaction');
  }
  return { ids, isBreak };
}

/** The table of answers (seats 8.4). A root that is a break says nothing of what may have been above it. */
export function expectedOf(tree: Tree, { askedAt, deliveredAt }: Anchors, leaf: string | null): Expected {
  if (askedAt === null) return 'hold';
  const { ids, isBreak } = pathOf(tree, leaf);
  const isSevered = isBreak.at(-1) === true;
  const asked = ids.indexOf(askedAt);
  if (asked < 0) return isSevered ? 'hold' : 'retire';
  if (deliveredAt === null) return 'deliver';
  const delivered = ids.indexOf(deliveredAt);
  if (delivered < 0) return isSevered ? 'hold' : 'deliver';
  return isBreak.slice(0, delivered).includes(true) ? 'again' : 'keep';
}
