/** What the log of a conversation says of the entries at which questions and answers of a tab stand. */
import type { Found } from '../machines/seats/fence.ts';
import { type Branch, type Leaf, UNKNOWN } from './branches.ts';
import type { FenceRow } from './fence-book.ts';

export interface Judged {
  readonly row: FenceRow;
  readonly doubts: number;
  readonly askedAt: string;
  readonly deliveredAt: string | null;
  readonly asked: Found;
  readonly delivered: Found | null;
}

/** Asks of all rows at once. A row may be told more meanwhile: what was asked of it goes along with what was found. */
export async function findings(
  rows: readonly FenceRow[],
  branch: Branch | undefined,
  leaf: Leaf,
): Promise<readonly Judged[]> {
  const anchored = rows.map((row) => ({
    row,
    doubts: row.doubts,
    askedAt: row.at.context.askedAt as string,
    deliveredAt: row.at.context.deliveredAt,
  }));
  const ids = anchored.flatMap(({ askedAt, deliveredAt }) =>
    deliveredAt === null ? [askedAt] : [askedAt, deliveredAt],
  );
  const found = branch === undefined || leaf === undefined ? ids.map(() => UNKNOWN) : await branch.checkAll(ids, leaf);
  let next = 0;
  return anchored.map((one) => ({
    ...one,
    asked: found[next++] ?? UNKNOWN,
    delivered: one.deliveredAt === null ? null : (found[next++] ?? UNKNOWN),
  }));
}
