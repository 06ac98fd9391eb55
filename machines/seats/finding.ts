/** What a check of lineage found, as plain data: what the log says, and nothing about policy. */
import type { VerdictContext, VerdictValue } from './verdict.ts';

export type Reason =
  | 'holds'
  | 'null-anchor'
  | 'empty-branch'
  | 'moved-off'
  | 'foreign-log'
  | 'compaction'
  | 'bound-exceeded'
  | 'unreadable';

export type Detail =
  | 'missing-leaf'
  | 'dangling-parent'
  | 'malformed'
  | 'cycle'
  | 'read-failed'
  | 'timeout'
  | 'severed'
  | 'untyped'
  | 'bad-input';

/** What the log says of an anchor, seen from a leaf. The one licence to use what is anchored is `reason === 'holds'`. */
export interface Finding {
  /** Whether the anchor lies on the branch of the leaf. */
  readonly onBranch: boolean | 'unknown';
  /** Breaks strictly below the anchor, the leaf included; 0 off the branch, where there is no segment. */
  readonly breaks: number | 'unknown';
  readonly reason: Reason;
  /** Why it could not be read; only with `unreadable`. */
  readonly detail?: Detail;
  /** Parent links from the leaf to where the walk ended. */
  readonly steps: number;
  /** The entry that decided it. */
  readonly at?: string;
}

interface Meaning {
  readonly onBranch: Finding['onBranch'];
  readonly reason: Reason;
  readonly detail?: Detail;
  /** Which entry decided it. */
  readonly at?: 'here' | 'break' | 'untyped';
}

const unreadable = (
  detail: Detail,
  at: Meaning['at'] = 'here',
  onBranch: Finding['onBranch'] = 'unknown',
): Meaning => ({
  onBranch,
  reason: 'unreadable',
  detail,
  at,
});

/** What each end of the verdict chart says. */
const MEANINGS: Readonly<Record<Exclude<VerdictValue, 'judging' | 'reading' | 'weighing' | 'classifying'>, Meaning>> = {
  bad_input: { onBranch: 'unknown', reason: 'unreadable', detail: 'bad-input' },
  null_anchor: { onBranch: 'unknown', reason: 'null-anchor' },
  empty_branch: { onBranch: false, reason: 'empty-branch' },
  holds: { onBranch: true, reason: 'holds' },
  compaction: { onBranch: true, reason: 'compaction', at: 'break' },
  stopped: { onBranch: 'unknown', reason: 'compaction', at: 'break' },
  moved_off: { onBranch: false, reason: 'moved-off', at: 'here' },
  foreign_log: { onBranch: false, reason: 'foreign-log', at: 'here' },
  bound_exceeded: { onBranch: 'unknown', reason: 'bound-exceeded', at: 'here' },
  missing_leaf: unreadable('missing-leaf'),
  dangling_parent: unreadable('dangling-parent'),
  malformed: unreadable('malformed'),
  cycle: unreadable('cycle'),
  read_failed: unreadable('read-failed'),
  timeout: unreadable('timeout'),
  severed: unreadable('severed'),
  untyped: unreadable('untyped', 'untyped', true),
  untyped_root: unreadable('untyped'),
};

/** The finding of a verdict that has ended; `steps` may be further than where the chart last looked. */
export function findingOf(value: VerdictValue, context: VerdictContext, steps: number): Finding {
  const meaning = MEANINGS[value as keyof typeof MEANINGS];
  const { onBranch, reason, detail } = meaning;
  if (reason === 'holds') return { onBranch, breaks: 0, reason, steps };
  const at = { here: context.here, break: context.nearest, untyped: context.untyped, none: null }[meaning.at ?? 'none'];
  const isCounted = onBranch === true && detail === undefined;
  return {
    onBranch,
    breaks: isCounted ? context.breaks : onBranch === false ? 0 : 'unknown',
    reason,
    ...(detail === undefined ? {} : { detail }),
    steps,
    ...(at === null ? {} : { at }),
  };
}

/** Whether the log can never say otherwise, if it is only ever appended to. */
export const isSettled = ({ onBranch, breaks }: Finding): boolean => onBranch !== 'unknown' && breaks !== 'unknown';

/**
 * What (anchor, leaf) is, when `lower` is the settled finding of (anchor, middle) and `upper` of (middle, leaf), with
 * the middle on the leaf's branch. It is what a walk from the leaf to the anchor would have found.
 */
export function joinFindings(upper: Finding, lower: Finding): Finding {
  const steps = upper.steps + lower.steps;
  if (lower.onBranch === false || upper.reason === 'holds') {
    return { ...lower, steps };
  }
  if (upper.breaks === 'unknown' || lower.breaks === 'unknown') return { ...upper, steps };
  return { ...upper, breaks: upper.breaks + lower.breaks, steps };
}
