/**
 * One answer fenced by lineage: what the log of its conversation makes of it, from the question on.
 *
 * Where it stands is a function of the log, the two anchors and the leaf, and is found out again on each leaf; what is
 * kept of it are the anchors. The answer itself is elsewhere, and so is its delivery: the fence says only whether it
 * may be delivered, and when it is owed once more.
 */
import { assign, setup } from 'xstate';
import { whole } from '../shared/whole.ts';
import type { Finding } from './finding.ts';
import { answerOutcome, type Outcome } from './outcome.ts';

export type FenceValue =
  | 'unanchored'
  | 'pending'
  | 'judging'
  | 'deliverable'
  | 'delivered'
  | 'retired'
  | 'held'
  | 'out_of_view'
  | 'gone';

export interface FenceInput {
  readonly askId: string;
  readonly tab: string;
  /** A permission, which is asked again where information would be handed over again. */
  readonly privileged: boolean;
}

/** What of an answer's branch is news to whoever looks on. */
export type FenceNews = 'on_branch' | 'off_branch' | 'unproven';

export interface FenceContext extends FenceInput {
  /** The entry that contains the question. */
  readonly askedAt: string | null;
  /** The entry that carried the answer to the model. */
  readonly deliveredAt: string | null;
  readonly answered: boolean;
  /** Its turn ended, and its question was not in the log. */
  readonly unwritten: boolean;
  /** The question is off the branch; only while nobody has answered. */
  readonly off: boolean;
  /** It was owed once more, and that delivery is not in the log yet. */
  readonly again: boolean;
  /** Leaves in a row for which nothing could be said, and the last of them. */
  readonly unknown: number;
  readonly leaf: string | null;
  readonly reported: boolean;
  /** What was found last; whatever is found next is news where it is another one. */
  readonly told: FenceNews | null;
}

export type Found = Pick<Finding, 'onBranch' | 'breaks'>;

export type FenceEvent =
  | { type: 'QUESTION_LOGGED'; at: string }
  /** Its turn is over, and its question was never written to the log. */
  | { type: 'TASK_ENDED' }
  | { type: 'ANSWERED' }
  /** `moved`: the leaf is another one by now. `leaf`: null when it could not be read. */
  | { type: 'FOUND'; asked: Found; delivered: Found | null; leaf: string | null; moved: boolean }
  | { type: 'DELIVERED'; at: string }
  | { type: 'DELIVERY_FAILED' }
  | { type: 'LEAF_CHANGED' }
  /** Its tab has another name, and so perhaps another log. */
  | { type: 'MOVE'; to: string }
  | { type: 'RESTART' }
  | { type: 'EXPIRED' }
  | { type: 'CAPACITY' };

/** Leaves in a row for which nothing can be said, until a person is told. */
export const UNKNOWN_LEAVES = 3;

type Own = { -readonly [Field in keyof FenceContext]: FenceContext[Field] };
interface Heard {
  readonly context: FenceContext;
  readonly event: FenceEvent;
}

const ordered = (): never => {
  throw new Error('an order of the fence chart ran outside the coordinator');
};

/** An own copy; a field that is missing here does not compile. */
export const copyFence = (context: FenceContext): Own => ({
  askId: context.askId,
  tab: context.tab,
  privileged: context.privileged,
  askedAt: context.askedAt,
  deliveredAt: context.deliveredAt,
  answered: context.answered,
  unwritten: context.unwritten,
  off: context.off,
  again: context.again,
  unknown: context.unknown,
  leaf: context.leaf,
  reported: context.reported,
  told: context.told,
});

const writes = (write: (next: Own, event: FenceEvent) => void) =>
  whole(({ context, event }: Heard): FenceContext => {
    const next = copyFence(context);
    write(next, event);
    return next;
  });

const isGood = ({ event }: Heard): boolean =>
  (event.type === 'QUESTION_LOGGED' || event.type === 'DELIVERED') && event.at !== '';

function outcomeOf({ context, event }: Heard): Outcome | undefined {
  if (event.type !== 'FOUND' || event.moved) return undefined;
  return answerOutcome(event.asked, event.delivered, { privileged: context.privileged }).outcome;
}

/** On the branch, and it was delivered where the branch no longer goes. */
const isRewound = (heard: Heard): boolean =>
  heard.event.type === 'FOUND' && heard.event.delivered !== null && outcomeOf(heard) === 'deliver';

/** A leaf that could not be read counts each time: nobody can say that it is the same one. */
const unknownNow = ({ context, event }: Heard): number =>
  event.type === 'FOUND' && (event.leaf === null || event.leaf !== context.leaf)
    ? context.unknown + 1
    : context.unknown;

const fenceSetup = setup({
  types: { context: {} as FenceContext, events: {} as FenceEvent, input: {} as FenceInput },
  guards: {
    isGood,
    isGoodAndAnswered: (heard) => isGood(heard) && heard.context.answered,
    isGoodAndUnanchored: (heard) => isGood(heard) && heard.context.askedAt === null,
    isGoodAndAnchored: (heard) => isGood(heard) && heard.context.askedAt !== null,
    isAnchored: ({ context }) => context.askedAt !== null,
    isAnswered: ({ context }) => context.answered,
    isUnwritten: ({ context }) => context.unwritten,
    isMoved: ({ event }) => event.type === 'FOUND' && event.moved,
    retires: (heard) => outcomeOf(heard) === 'retire',
    asksAgain: (heard) => outcomeOf(heard) === 'ask_again',
    keeps: (heard) => outcomeOf(heard) === 'keep',
    handsOverAgain: (heard) => outcomeOf(heard) === 'hand_over_again' && !heard.context.again,
    deliversAgain: (heard) => isRewound(heard) && !heard.context.again,
    delivers: (heard) => outcomeOf(heard) === 'deliver' || outcomeOf(heard) === 'hand_over_again',
    isTooLongUnknown: (heard) => !heard.context.reported && unknownNow(heard) >= UNKNOWN_LEAVES,
  },
  actions: {
    sealAskedAt: assign(
      writes((next, event) => {
        if (event.type === 'QUESTION_LOGGED') next.askedAt = event.at;
        next.unwritten = false;
      }),
    ),
    sealDeliveredAt: assign(
      writes((next, event) => {
        if (event.type === 'DELIVERED') next.deliveredAt = event.at;
        next.again = false;
      }),
    ),
    noteAnswered: assign(
      writes((next) => {
        next.answered = true;
        next.off = false;
      }),
    ),
    noteBranch: assign(
      writes((next, event) => {
        if (event.type !== 'FOUND' || event.moved) return;
        next.off = event.asked.onBranch === false;
        next.told = next.off ? 'off_branch' : 'on_branch';
      }),
    ),
    noteKnown: assign(
      writes((next) => {
        next.unknown = 0;
        next.leaf = null;
      }),
    ),
    noteAgain: assign(
      writes((next) => {
        next.unknown = 0;
        next.leaf = null;
        next.again = true;
      }),
    ),
    countUnknown: assign(({ context, event }) => ({
      unknown: unknownNow({ context, event }),
      leaf: event.type === 'FOUND' ? event.leaf : context.leaf,
    })),
    noteUnwritten: assign({ unwritten: true }),
    noteReported: assign({ reported: true }),
    tellOn: assign({ told: 'on_branch' as const }),
    tellOff: assign({ told: 'off_branch' as const }),
    tellUnproven: assign({ told: 'unproven' as const }),
    /** That it is off its branch is not told anew by the next process, which tells when that is over. */
    forgetTold: assign({ told: ({ context }) => (context.told === 'off_branch' ? context.told : null) }),
    move: assign({ tab: ({ context, event }) => (event.type === 'MOVE' ? event.to : context.tab) }),
    /** The answer is owed once more. */
    redeliver: ordered,
    /** A copy that waits in a queue is fetched back. */
    recall: ordered,
    reportOnce: ordered,
  },
});

export const fenceMachine = fenceSetup.createMachine({
  id: 'fence',
  version: '1',
  description: 'One answer and the branch of the conversation that it belongs to.',
  initial: 'unanchored',
  context: ({ input }) => ({
    ...input,
    askedAt: null,
    deliveredAt: null,
    answered: false,
    unwritten: false,
    off: false,
    again: false,
    unknown: 0,
    leaf: null,
    reported: false,
    told: null,
  }),
  states: {
    unanchored: {
      description: 'The question is not in the log yet: only the call that asked may take the answer.',
      on: {
        QUESTION_LOGGED: [
          { guard: 'isGoodAndAnswered', target: 'judging', actions: 'sealAskedAt', meta: { rules: ['R-97'] } },
          { guard: 'isGood', target: 'pending', actions: 'sealAskedAt', meta: { rules: ['R-97'] } },
        ],
        ANSWERED: [
          {
            guard: 'isUnwritten',
            target: 'held',
            actions: ['noteAnswered', 'noteReported', 'reportOnce'],
            description: 'There is no place to prove it from.',
            meta: { rules: ['R-92', 'R-97'] },
          },
          { actions: 'noteAnswered', meta: { rules: ['R-97'] } },
        ],
        DELIVERED: { guard: 'isGood', actions: 'sealDeliveredAt', meta: { rules: ['R-97'] } },
        TASK_ENDED: [
          {
            guard: 'isAnswered',
            target: 'held',
            actions: ['noteReported', 'reportOnce'],
            description: 'There is no place to prove it from.',
            meta: { rules: ['R-92', 'R-97'] },
          },
          {
            actions: 'noteUnwritten',
            description: 'Its card may still be open: whoever answers it now is held, and not given without a fence.',
            meta: { rules: ['R-97'] },
          },
        ],
        EXPIRED: { target: 'gone', meta: { rules: ['R-90'] } },
        MOVE: { actions: 'move', meta: { rules: ['R-90'] } },
        CAPACITY: { target: 'gone', meta: { rules: ['R-90'] } },
      },
    },
    pending: {
      description:
        'In the log, and nobody has answered. Off the branch its card is taken away, and comes back with it.',
      on: {
        ANSWERED: { target: 'judging', actions: 'noteAnswered', meta: { rules: ['R-93'] } },
        FOUND: { actions: 'noteBranch', meta: { rules: ['R-90'] } },
        RESTART: { actions: 'forgetTold', meta: { rules: ['R-90'] } },
        EXPIRED: { target: 'gone', meta: { rules: ['R-90'] } },
        MOVE: { actions: 'move', meta: { rules: ['R-90'] } },
      },
    },
    judging: {
      description: 'The log is asked.',
      on: {
        FOUND: [
          { guard: 'isMoved', description: 'It is read again.', meta: { rules: ['R-93'] } },
          {
            guard: 'retires',
            target: 'retired',
            actions: ['noteKnown', 'tellOff', 'recall'],
            meta: { rules: ['R-90'] },
          },
          {
            guard: 'asksAgain',
            target: 'out_of_view',
            actions: ['noteKnown', 'tellUnproven'],
            meta: { rules: ['R-96'] },
          },
          { guard: 'keeps', target: 'delivered', actions: ['noteKnown', 'tellOn'], meta: { rules: ['R-91'] } },
          {
            guard: 'handsOverAgain',
            target: 'deliverable',
            actions: ['noteAgain', 'tellOn', { type: 'redeliver', params: { repeat: true } }],
            meta: { rules: ['R-91'] },
          },
          {
            guard: 'deliversAgain',
            target: 'deliverable',
            actions: ['noteAgain', 'tellOn', { type: 'redeliver', params: { repeat: false } }],
            meta: { rules: ['R-90', 'R-91'] },
          },
          {
            guard: 'delivers',
            target: 'deliverable',
            actions: ['noteKnown', 'tellOn'],
            meta: { rules: ['R-90', 'R-91'] },
          },
          {
            guard: 'isTooLongUnknown',
            target: 'held',
            actions: ['countUnknown', 'tellUnproven', 'noteReported', 'reportOnce'],
            meta: { rules: ['R-92'] },
          },
          { target: 'held', actions: ['countUnknown', 'tellUnproven'], meta: { rules: ['R-92'] } },
        ],
        DELIVERED: { guard: 'isGood', actions: 'sealDeliveredAt', meta: { rules: ['R-91'] } },
        RESTART: { actions: 'forgetTold', meta: { rules: ['R-90'] } },
        MOVE: { actions: 'move', meta: { rules: ['R-90'] } },
        CAPACITY: { target: 'gone', meta: { rules: ['R-90'] } },
      },
    },
    deliverable: {
      description: 'On the branch of this leaf, and owed.',
      on: {
        DELIVERED: { guard: 'isGood', target: 'delivered', actions: 'sealDeliveredAt', meta: { rules: ['R-91'] } },
        DELIVERY_FAILED: { target: 'judging', meta: { rules: ['R-93'] } },
        LEAF_CHANGED: { target: 'judging', meta: { rules: ['R-90', 'R-93'] } },
        RESTART: { target: 'judging', actions: 'forgetTold', meta: { rules: ['R-90'] } },
        MOVE: { target: 'judging', actions: 'move', meta: { rules: ['R-90', 'R-93'] } },
        CAPACITY: { target: 'gone', meta: { rules: ['R-90'] } },
      },
    },
    delivered: {
      description: 'The model has it, on the branch of this leaf.',
      on: {
        DELIVERED: { guard: 'isGood', actions: 'sealDeliveredAt', meta: { rules: ['R-91'] } },
        LEAF_CHANGED: { target: 'judging', meta: { rules: ['R-90', 'R-93'] } },
        RESTART: { target: 'judging', actions: 'forgetTold', meta: { rules: ['R-90'] } },
        MOVE: { target: 'judging', actions: 'move', meta: { rules: ['R-90', 'R-93'] } },
        CAPACITY: { target: 'gone', meta: { rules: ['R-90'] } },
      },
    },
    retired: {
      description: 'Its question is off the branch of this leaf. Never an end: another leaf may bring it back.',
      on: {
        DELIVERED: { guard: 'isGood', target: 'judging', actions: 'sealDeliveredAt', meta: { rules: ['R-91'] } },
        LEAF_CHANGED: { target: 'judging', meta: { rules: ['R-90', 'R-93'] } },
        RESTART: { target: 'judging', actions: 'forgetTold', meta: { rules: ['R-90'] } },
        MOVE: { target: 'judging', actions: 'move', meta: { rules: ['R-90', 'R-93'] } },
        CAPACITY: { target: 'gone', meta: { rules: ['R-90'] } },
      },
    },
    held: {
      description: 'Nothing can be said for this leaf: neither delivered nor retired.',
      on: {
        QUESTION_LOGGED: {
          guard: 'isGoodAndUnanchored',
          target: 'judging',
          actions: 'sealAskedAt',
          description: 'It was in the log after all.',
          meta: { rules: ['R-97'] },
        },
        DELIVERED: {
          guard: 'isGoodAndAnchored',
          target: 'judging',
          actions: 'sealDeliveredAt',
          meta: { rules: ['R-91'] },
        },
        LEAF_CHANGED: { guard: 'isAnchored', target: 'judging', meta: { rules: ['R-90', 'R-92'] } },
        RESTART: { guard: 'isAnchored', target: 'judging', actions: 'forgetTold', meta: { rules: ['R-90'] } },
        MOVE: [
          { guard: 'isAnchored', target: 'judging', actions: 'move', meta: { rules: ['R-90', 'R-93'] } },
          { actions: 'move', meta: { rules: ['R-90'] } },
        ],
        CAPACITY: { target: 'gone', meta: { rules: ['R-90'] } },
      },
    },
    out_of_view: {
      description: 'A permission for what the model no longer has before it: it is asked again, never spent.',
      on: {
        LEAF_CHANGED: { target: 'judging', meta: { rules: ['R-90', 'R-93'] } },
        RESTART: { target: 'judging', actions: 'forgetTold', meta: { rules: ['R-90'] } },
        CAPACITY: { target: 'gone', meta: { rules: ['R-90'] } },
      },
    },
    gone: { description: 'Its answer has left the journal, or there never was one.', type: 'final' },
  },
});
