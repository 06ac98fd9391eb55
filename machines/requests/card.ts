/**
 * One question as a window of the client knows it: from its first delivery until it is over here, and how it ended.
 *
 * What was answered and what is being typed is kept beside the chart. The chart orders sending; whether a frame left
 * comes back as an event of its own, so that a card never leaves the screen for an answer that never left the window.
 */
import { assign, setup } from 'xstate';
import { type CardContext, type CardEvent, type CardInput, ends, firstCard, writes } from './card-facts.ts';

const ordered = (): never => {
  throw new Error('an order of the card chart ran outside the channel');
};

/** The acknowledged form left on this very connection: its verdict comes, or the connection dies. */
const isOwed = (context: CardContext, generation: number): boolean =>
  context.form === 'answer' && context.left === generation;

const cardSetup = setup({
  types: { context: {} as CardContext, events: {} as CardEvent, input: {} as CardInput },
  guards: {
    isEnded: ({ event }) => event.type === 'DELIVER' && event.ended,
    isReplayed: ({ event }) => event.type === 'ACCEPT' && event.replayed,
    hasLeft: ({ context }) => context.left > 0,
    isInDoubt: ({ context }) => context.doubt,
    // A snapshot that was asked for before the question arrived cannot know it (RC-12).
    hasArrivedSince: ({ event }) => event.type === 'LACKED' && event.arrived,
    verdictIsOwed: ({ context, event }) => 'generation' in event && isOwed(context, event.generation),
    owesVerdictInDoubt: ({ context, event }) =>
      context.doubt && 'generation' in event && isOwed(context, event.generation),
    // Whoever settles is not told so; but a frame of a dead connection may have settled it for this one's ears.
    mayBeOurs: ({ context, event }) =>
      context.doubt || (event.type === 'SETTLED_EVENT' && context.left > 0 && context.left < event.generation),
    isAcknowledgedForm: ({ context }) => context.form === 'answer',
    isLast: ({ event }) => event.type === 'LOCKED' && event.last,
  },
  actions: {
    bind: assign(
      writes((next, event) => {
        if (event.type !== 'DELIVER') return;
        next.generation = event.generation;
        next.sid = event.sid;
        if (event.locked.length > 0) next.locked = [...new Set([...next.locked, ...event.locked])];
      }),
    ),
    noteForm: assign(
      writes((next, event) => {
        next.form = event.type === 'ANSWER' ? event.form : 'response';
        next.code = null;
      }),
    ),
    noteLeft: assign(
      writes((next, event) => {
        if (event.type !== 'SENT') return;
        next.doubt ||= next.left > 0 && next.left !== event.generation;
        next.left = event.generation;
      }),
    ),
    noteNotified: assign(
      writes((next) => {
        next.notified = true;
      }),
    ),
    noteLock: assign(
      writes((next, event) => {
        if (event.type === 'LOCKED') next.locked = [...new Set([...next.locked, event.qid])];
      }),
    ),
    takeBack: assign(
      writes((next, event) => {
        next.form = null;
        next.left = 0;
        next.doubt = false;
        next.code = event.type === 'REFUSED' ? event.code : null;
      }),
    ),
    endAcknowledged: assign(ends('acknowledged')),
    endLocked: assign(ends('locked')),
    endGone: assign(ends('gone')),
    endLate: assign(ends('late')),
    endUnknown: assign(ends('unknown')),
    endElsewhere: assign(ends('elsewhere')),
    endCancelled: assign(ends('cancelled')),
    endEpoch: assign(ends('epoch')),
    endDeclined: assign(ends('declined')),
    announce: ordered,
    rebind: ordered,
    transmit: ordered,
    refuse: ordered,
    reopen: ordered,
    bury: ordered,
    drop: ordered,
  },
});

export const cardMachine = cardSetup.createMachine({
  id: 'card',
  version: '1',
  description: 'One question in one window of the client, from its first delivery to its end.',
  initial: 'absent',
  context: ({ input }) => firstCard(input),
  states: {
    absent: {
      description: 'Never delivered here, or ended before.',
      on: {
        DELIVER: [
          { guard: 'isEnded', actions: 'drop', meta: { rules: ['R-124', 'R-125'] } },
          { target: 'offered', actions: 'bind', meta: { rules: ['R-119'] } },
        ],
      },
    },
    offered: {
      description: 'The handlers are asked, within one step of the channel.',
      on: {
        ACCEPT: [
          { guard: 'isReplayed', target: 'live', meta: { rules: ['R-123', 'R-134'] } },
          { target: 'live', actions: ['noteNotified', 'announce'], meta: { rules: ['R-134'] } },
        ],
        ANSWER: { target: 'unconfirmed', actions: ['noteForm', 'transmit'], meta: { rules: ['R-121', 'R-138'] } },
        DECLINE: { target: 'declined', actions: ['endDeclined', 'refuse'], meta: { rules: ['R-119', 'R-120'] } },
      },
    },
    live: {
      description: 'On the screen, and an answer can leave.',
      on: {
        CANCEL_EVENT: {
          target: 'withdrawn',
          actions: ['endCancelled', 'bury'],
          meta: { rules: ['R-125', 'R-137'] },
        },
        SETTLED_EVENT: { target: 'withdrawn', actions: ['endElsewhere', 'bury'], meta: { rules: ['R-125', 'R-137'] } },
        LACKED: [
          { guard: 'hasArrivedSince', meta: { rules: ['R-126'] } },
          { target: 'withdrawn', actions: ['endGone', 'bury'], meta: { rules: ['R-126'] } },
        ],
        DELIVER: { actions: ['bind', 'rebind'], meta: { rules: ['R-124', 'R-139'] } },
        ANSWER: { target: 'unconfirmed', actions: ['noteForm', 'transmit'], meta: { rules: ['R-121', 'R-136'] } },
        DECLINE: { target: 'declined', actions: ['endDeclined', 'refuse'], meta: { rules: ['R-77', 'R-120'] } },
        SOCKET_LOST: { target: 'detached', meta: { rules: ['R-130'] } },
        LOCKED: [
          {
            guard: 'isLast',
            target: 'confirmed',
            actions: ['noteLock', 'endLocked', 'bury'],
            meta: { rules: ['R-45'] },
          },
          { actions: 'noteLock', meta: { rules: ['R-44'] } },
        ],
        LOCK_EXPIRED: { target: 'withdrawn', actions: ['endLate', 'bury'], meta: { rules: ['R-49'] } },
      },
    },
    detached: {
      description: 'On the screen with all that was typed, and nothing can leave until the server shows it again.',
      on: {
        CANCEL_EVENT: {
          target: 'withdrawn',
          actions: ['endCancelled', 'bury'],
          meta: { rules: ['R-125', 'R-137'] },
        },
        SETTLED_EVENT: { target: 'withdrawn', actions: ['endElsewhere', 'bury'], meta: { rules: ['R-125', 'R-137'] } },
        LACKED: { target: 'withdrawn', actions: ['endGone', 'bury'], meta: { rules: ['R-126'] } },
        EPOCH_CHANGED: { target: 'withdrawn', actions: 'endEpoch', meta: { rules: ['R-125', 'R-127'] } },
        DELIVER: { target: 'live', actions: ['bind', 'rebind'], meta: { rules: ['R-124', 'R-136'] } },
      },
    },
    unconfirmed: {
      description: 'Answered and off the screen; the answer is kept until it is known what became of it.',
      on: {
        SENT: { actions: 'noteLeft', meta: { rules: ['R-122'] } },
        NOT_SENT: [
          { guard: 'hasLeft', meta: { rules: ['R-122'] } },
          { target: 'detached', actions: 'takeBack', meta: { rules: ['R-122', 'R-136'] } },
        ],
        DELIVER: [
          { guard: 'verdictIsOwed', actions: 'bind', meta: { rules: ['R-124'] } },
          { actions: ['bind', 'transmit'], meta: { rules: ['R-124'] } },
        ],
        ACK_OK: { target: 'confirmed', actions: ['endAcknowledged', 'bury'], meta: { rules: ['R-105', 'R-125'] } },
        ACK_EXPIRED: [
          { guard: 'isInDoubt', target: 'withdrawn', actions: ['endUnknown', 'bury'], meta: { rules: ['R-105'] } },
          { target: 'withdrawn', actions: ['endLate', 'bury'], meta: { rules: ['R-105', 'R-125'] } },
        ],
        REFUSED: { target: 'live', actions: ['takeBack', 'reopen'], meta: { rules: ['R-38', 'R-105'] } },
        UNKNOWN_FORM: { actions: ['noteForm', 'transmit'], meta: { rules: ['R-105'] } },
        LACKED: [
          { guard: 'hasArrivedSince', meta: { rules: ['R-126'] } },
          { guard: 'verdictIsOwed', meta: { rules: ['R-126'] } },
          // It is over, and only the server knows whether by this answer: ask it.
          { guard: 'isAcknowledgedForm', actions: 'transmit', meta: { rules: ['R-126'] } },
          { target: 'confirmed', actions: ['endGone', 'bury'], meta: { rules: ['R-125', 'R-126'] } },
        ],
        FORGET: { target: 'confirmed', actions: ['endGone', 'bury'], meta: { rules: ['R-125'] } },
        CANCEL_EVENT: {
          target: 'withdrawn',
          actions: ['endCancelled', 'bury'],
          meta: { rules: ['R-125', 'R-137'] },
        },
        SETTLED_EVENT: [
          { guard: 'owesVerdictInDoubt', meta: { rules: ['R-125'] } },
          { guard: 'mayBeOurs', target: 'withdrawn', actions: ['endUnknown', 'bury'], meta: { rules: ['R-125'] } },
          { target: 'withdrawn', actions: ['endLate', 'bury'], meta: { rules: ['R-125', 'R-137'] } },
        ],
        LOCKED: [
          { guard: 'isLast', target: 'withdrawn', actions: ['noteLock', 'endLate', 'bury'], meta: { rules: ['R-49'] } },
          { actions: 'noteLock', meta: { rules: ['R-44'] } },
        ],
        EPOCH_CHANGED: { target: 'withdrawn', actions: 'endEpoch', meta: { rules: ['R-125', 'R-127'] } },
      },
    },
    confirmed: { description: 'It is over, and what was answered here had left in time.', type: 'final' },
    withdrawn: { description: 'It is over for another reason, which is told.', type: 'final' },
    declined: { description: 'This window cannot or will not answer; the server was told.', type: 'final' },
  },
});
