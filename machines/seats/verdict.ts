/**
 * One check of lineage: is the anchor on the branch of the leaf, and does the model still see what lies below it?
 *
 * The reader of the log and the clock are elsewhere; what they say comes in as events. An entry that is neither a break
 * nor untyped, with a parent that is nothing special, leads from `reading` back to `reading` and changes only how many
 * links were followed, so a walk may pass over a stretch of these and say with the next event how many they were.
 */
import { assign, setup } from 'xstate';
import { whole } from '../shared/whole.ts';

export type VerdictValue =
  | 'judging'
  | 'reading'
  | 'weighing'
  | 'classifying'
  | 'bad_input'
  | 'null_anchor'
  | 'empty_branch'
  | 'holds'
  | 'compaction'
  | 'stopped'
  | 'moved_off'
  | 'foreign_log'
  | 'bound_exceeded'
  | 'missing_leaf'
  | 'dangling_parent'
  | 'malformed'
  | 'cycle'
  | 'read_failed'
  | 'timeout'
  | 'severed'
  | 'untyped'
  | 'untyped_root';

/** What can be said before anything is read. */
export type Ask = 'bad_input' | 'null_anchor' | 'empty_branch' | 'leaf_is_anchor' | 'walk';

export interface VerdictInput {
  readonly ask: Ask;
  /** Parent links that may be followed. */
  readonly maxSteps: number;
  readonly stopAtBreak: boolean;
}

export interface VerdictContext {
  readonly ask: Ask;
  readonly maxSteps: number;
  readonly stopAtBreak: boolean;
  /** Parent links followed. */
  readonly steps: number;
  readonly breaks: number;
  /** The break nearest the leaf. */
  readonly nearest: string | null;
  /** The untyped entry nearest the leaf. */
  readonly untyped: string | null;
  /** The entry that was looked at last. */
  readonly here: string | null;
}

/** A break hides what is above it; an untyped entry may be one. */
export type Kind = 'ordinary' | 'break' | 'untyped';
export type Parent = 'anchor' | 'root' | 'seen' | 'further';

/** `steps`: the links followed to get to this entry. */
interface At {
  readonly id: string;
  readonly steps: number;
}

export type VerdictEvent =
  | ({ type: 'ENTRY'; kind: Kind; parent: Parent } & At)
  | ({ type: 'MISSING' } & At)
  | ({ type: 'MALFORMED' } & At)
  | ({ type: 'FAILED' } & At)
  | ({ type: 'TIMEOUT' } & At)
  | { type: 'ANCHOR_FOUND' }
  | { type: 'ANCHOR_MISSING' }
  | { type: 'ANCHOR_UNREAD' };

type Own = { -readonly [Field in keyof VerdictContext]: VerdictContext[Field] };

/** An own copy; a field that is missing here does not compile. */
export const copyVerdict = (context: VerdictContext): Own => ({
  ask: context.ask,
  maxSteps: context.maxSteps,
  stopAtBreak: context.stopAtBreak,
  steps: context.steps,
  breaks: context.breaks,
  nearest: context.nearest,
  untyped: context.untyped,
  here: context.here,
});

const writes = (write: (next: Own, event: VerdictEvent) => void) =>
  whole(({ context, event }: { context: VerdictContext; event: VerdictEvent }): VerdictContext => {
    const next = copyVerdict(context);
    write(next, event);
    return next;
  });

const verdictSetup = setup({
  types: { context: {} as VerdictContext, events: {} as VerdictEvent, input: {} as VerdictInput },
  guards: {
    isBadInput: ({ context }) => context.ask === 'bad_input',
    isAnchorNull: ({ context }) => context.ask === 'null_anchor',
    isLeafNull: ({ context }) => context.ask === 'empty_branch',
    isLeafAnchor: ({ context }) => context.ask === 'leaf_is_anchor',
    isFirst: ({ event }) => event.type === 'MISSING' && event.steps === 0,
    isStop: ({ context, event }) => context.stopAtBreak && event.type === 'ENTRY' && event.kind === 'break',
    isAnchorAfterUntyped: ({ context, event }) =>
      event.type === 'ENTRY' && event.parent === 'anchor' && context.untyped !== null,
    isAnchorAfterBreak: ({ context, event }) =>
      event.type === 'ENTRY' && event.parent === 'anchor' && context.breaks > 0,
    isAnchor: ({ event }) => event.type === 'ENTRY' && event.parent === 'anchor',
    isBreakRoot: ({ event }) => event.type === 'ENTRY' && event.parent === 'root' && event.kind === 'break',
    isUntypedRoot: ({ event }) => event.type === 'ENTRY' && event.parent === 'root' && event.kind === 'untyped',
    isRoot: ({ event }) => event.type === 'ENTRY' && event.parent === 'root',
    isSeen: ({ event }) => event.type === 'ENTRY' && event.parent === 'seen',
    isSpent: ({ context }) => context.steps >= context.maxSteps,
  },
  actions: {
    note: assign(
      writes((next, event) => {
        if (event.type !== 'ENTRY') return;
        next.here = event.id;
        // A root has no link that could be followed.
        next.steps = event.parent === 'root' ? event.steps : event.steps + 1;
        if (event.kind === 'break') {
          next.breaks += 1;
          next.nearest ??= event.id;
        }
        if (event.kind === 'untyped') next.untyped ??= event.id;
      }),
    ),
    noteHere: assign(
      writes((next, event) => {
        if (!('id' in event)) return;
        next.here = event.id;
        next.steps = event.steps;
      }),
    ),
  },
});

export const verdictMachine = verdictSetup.createMachine({
  id: 'verdict',
  version: '1',
  description: 'One check of lineage, from a leaf up to an anchor.',
  initial: 'judging',
  context: ({ input }) => ({ ...input, steps: 0, breaks: 0, nearest: null, untyped: null, here: null }),
  states: {
    judging: {
      description: 'Never rested in: what can be said without the log.',
      always: [
        { guard: 'isBadInput', target: 'bad_input', meta: { rules: ['R-50'] } },
        { guard: 'isAnchorNull', target: 'null_anchor', meta: { rules: ['R-51'] } },
        { guard: 'isLeafNull', target: 'empty_branch', meta: { rules: ['R-52'] } },
        { guard: 'isLeafAnchor', target: 'holds', meta: { rules: ['R-53'] } },
        { target: 'reading', meta: { rules: ['R-54'] } },
      ],
    },
    reading: {
      description: 'The log is asked for an entry.',
      on: {
        ENTRY: { target: 'weighing', actions: 'note', meta: { rules: ['R-55', 'R-56', 'R-68'] } },
        MISSING: [
          { guard: 'isFirst', target: 'missing_leaf', actions: 'noteHere', meta: { rules: ['R-64'] } },
          { target: 'dangling_parent', actions: 'noteHere', meta: { rules: ['R-64'] } },
        ],
        MALFORMED: { target: 'malformed', actions: 'noteHere', meta: { rules: ['R-65'] } },
        FAILED: { target: 'read_failed', actions: 'noteHere', meta: { rules: ['R-67'] } },
        TIMEOUT: { target: 'timeout', actions: 'noteHere', meta: { rules: ['R-67'] } },
      },
    },
    weighing: {
      description: 'Never rested in: what the entry and its parent decide.',
      always: [
        { guard: 'isStop', target: 'stopped', meta: { rules: ['R-58'] } },
        { guard: 'isAnchorAfterUntyped', target: 'untyped', meta: { rules: ['R-68'] } },
        { guard: 'isAnchorAfterBreak', target: 'compaction', meta: { rules: ['R-57'] } },
        { guard: 'isAnchor', target: 'holds', meta: { rules: ['R-57', 'R-59'] } },
        { guard: 'isBreakRoot', target: 'severed', meta: { rules: ['R-63'] } },
        { guard: 'isUntypedRoot', target: 'untyped_root', meta: { rules: ['R-63'] } },
        { guard: 'isRoot', target: 'classifying', meta: { rules: ['R-61'] } },
        { guard: 'isSeen', target: 'cycle', meta: { rules: ['R-66'] } },
        { guard: 'isSpent', target: 'bound_exceeded', meta: { rules: ['R-60'] } },
        { target: 'reading', meta: { rules: ['R-55', 'R-58'] } },
      ],
    },
    classifying: {
      description: 'A root was reached: the anchor is off the branch. The log is asked whether it knows it at all.',
      on: {
        ANCHOR_FOUND: { target: 'moved_off', meta: { rules: ['R-61'] } },
        ANCHOR_MISSING: { target: 'foreign_log', meta: { rules: ['R-61'] } },
        ANCHOR_UNREAD: { target: 'moved_off', meta: { rules: ['R-62'] } },
      },
    },
    bad_input: { description: 'Reader, anchor or leaf is none.', type: 'final' },
    null_anchor: { description: 'Nothing was claimed.', type: 'final' },
    empty_branch: { description: 'The branch is empty.', type: 'final' },
    holds: { description: 'On the branch, and nothing hides what is below the anchor.', type: 'final' },
    compaction: { description: 'On the branch, with a break below the anchor.', type: 'final' },
    stopped: { description: 'A break was met, and the caller wanted to know no more.', type: 'final' },
    moved_off: { description: 'Off the branch: rewound, or another branch.', type: 'final' },
    foreign_log: { description: 'Off the branch, and the log has no such entry.', type: 'final' },
    bound_exceeded: { description: 'Too far to look.', type: 'final' },
    missing_leaf: { description: 'The log has no entry for the leaf.', type: 'final' },
    dangling_parent: { description: 'The log has no entry for a parent.', type: 'final' },
    malformed: { description: 'What the log gave is no entry.', type: 'final' },
    cycle: { description: 'An entry is its own ancestor.', type: 'final' },
    read_failed: { description: 'The log could not be read.', type: 'final' },
    timeout: { description: 'The walk took too long.', type: 'final' },
    severed: { description: 'The root is a break: what it continued is not on record.', type: 'final' },
    untyped: { description: 'On the branch; an entry below the anchor may be a break.', type: 'final' },
    untyped_root: { description: 'The root may be a break that continued something.', type: 'final' },
  },
});
