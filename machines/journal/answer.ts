/**
 * One answer on file: where it is on its way to a reader (`delivery`), and how sure it is whose answer it is (`label`).
 *
 * The context holds the token, never the text. What a callback said arrives as an event of its own (`RECALLED`,
 * the carrier in `RETURN`), after the event that protects has been applied.
 */
import { assign, setup } from 'xstate';
import * as change from './answer-changes.ts';
import type { AnswerContext, AnswerEvent, AnswerInput } from './answer-facts.ts';
import { handsBackCopy, isRideOf, mayProveCopy } from './answer-facts.ts';

const ordered = (): never => {
  throw new Error('an order of the answer chart ran outside the journal');
};

const answerSetup = setup({
  types: { context: {} as AnswerContext, events: {} as AnswerEvent, input: {} as AnswerInput },
  guards: {
    bornRetired: ({ context }) => context.birth === 'retired',
    bornPending: ({ context }) => context.birth === 'pending',
    bornMatched: ({ context }) => context.bornAs === 'matched',
    bornForeign: ({ context }) => context.bornAs === 'foreign',
    wasReturned: ({ context }) => context.returned && context.known,
    mayBeArmed: ({ context }) => !context.returned && context.known,
    hasCarrier: ({ event }) => event.type === 'RETURN' && event.carrier !== null,
    hasCarrierAndCopy: ({ context, event }) =>
      event.type === 'RETURN' && event.carrier !== null && context.channel === 'queue',
    isRide: ({ context, event }) =>
      (event.type === 'RECEIPT' || event.type === 'HANDBACK') && isRideOf(context, event.carrier),
    provesCopy: ({ context, event }) =>
      event.type === 'RECEIPT' && context.channel === 'queue' && mayProveCopy(context, event.carrier),
    provesLateCopy: ({ context, event }) =>
      event.type === 'RECEIPT' &&
      (isRideOf(context, event.carrier) || (context.copyOut && mayProveCopy(context, event.carrier))),
    settlesByBound: ({ context, event }) =>
      event.type === 'HANDBACK' &&
      handsBackCopy(context, event.carrier) &&
      event.carried &&
      context.carriedReleases + 1 >= event.bound,
    handsBackCopy: ({ context, event }) => event.type === 'HANDBACK' && handsBackCopy(context, event.carrier),
    recalledForReturn: ({ context, event }) =>
      event.type === 'RECALLED' && context.channel === 'queue' && event.because === 'return',
    recalledForBlur: ({ context, event }) =>
      event.type === 'RECALLED' && context.channel === 'queue' && event.because === 'blur',
    wordedMatched: ({ context }) => context.channel === 'queue' && context.worded === 'matched',
    owesCopy: ({ context }) => context.channel === 'queue',
    isProven: ({ context }) => context.proven !== 'no',
    ridesResult: ({ context }) => context.channel === 'result',
    hasRides: ({ context }) => context.rides.length > 0,
    hasCopyOut: ({ context }) => context.copyOut,
  },
  actions: {
    attach: assign(change.attach),
    markReturned: assign(change.markReturned),
    rideResult: assign(change.rideResult),
    queueCopy: assign(change.queueCopy),
    countOffer: assign(change.countOffer),
    endCopy: assign(change.endCopy),
    copyBecomesRide: assign(change.copyBecomesRide),
    prove: assign(change.prove),
    proveByBound: assign(change.proveByBound),
    dropRide: assign(change.dropRide),
    noteEnded: assign(change.noteEnded),
    noteCarried: assign(change.noteCarried),
    leaveCopyOut: assign(change.leaveCopyOut),
    noteCopyOut: assign(change.noteCopyOut),
    copyIsGone: assign(change.copyIsGone),
    hintRepeat: assign(change.hintRepeat),
    oweAgain: assign(change.oweAgain),
    erase: assign(change.erase),
    park: assign(change.park),
    move: assign(change.move),
    flushTab: ordered,
    recallCopy: ordered,
    warnRefused: ordered,
    warnSettled: ordered,
    warnUndelivered: ordered,
    settleShown: ordered,
    oweShown: ordered,
    noteLoss: ordered,
    logDropped: ordered,
    logRetired: ordered,
    warnForgotten: ordered,
  },
});

export const answerMachine = answerSetup.createMachine({
  id: 'answer',
  version: '1',
  description: 'One answer, from the instant it is on file until it is read back or its conversation is gone.',
  type: 'parallel',
  context: ({ input }) => ({
    token: input.token,
    key: input.key,
    known: input.known,
    returned: false,
    proven: 'no',
    hint: false,
    channel: 'none',
    worded: 'nothing',
    copyCarrier: null,
    copyOut: false,
    rides: [],
    endedBeside: [],
    shown: [],
    attempts: 0,
    carriedReleases: 0,
    erased: false,
    parked: null,
    birth: input.retired ? 'retired' : input.known && !input.awaited ? 'pending' : 'none',
    bornAs: input.label,
  }),
  on: {
    MOVE: { actions: 'move', meta: { rules: ['R-168'] } },
  },
  states: {
    delivery: {
      initial: 'born',
      states: {
        born: {
          description: 'Never rested in: the facts of arrival choose the first state.',
          always: [
            { guard: 'bornRetired', target: 'retired', meta: { rules: ['R-063', 'R-064', 'R-066'] } },
            { guard: 'bornPending', target: 'pending', actions: 'flushTab', meta: { rules: ['R-066', 'R-070'] } },
            { target: 'none', meta: { rules: ['R-066'] } },
          ],
        },
        none: {
          description: 'Its handler returns it, or it was returned and awaits its receipt, or it must never be pushed.',
          on: {
            CLOSE: { guard: 'mayBeArmed', target: 'pending', actions: 'flushTab', meta: { rules: ['R-073'] } },
            RETURN: { actions: 'attach', meta: { rules: ['R-079', 'R-084', 'R-088'] } },
            RECEIPT: [
              { guard: 'isRide', target: 'acked', actions: 'prove', meta: { rules: ['R-121', 'R-125'] } },
              { actions: 'warnRefused', meta: { rules: ['R-123', 'R-124'] } },
            ],
            HANDBACK: { guard: 'hasRides', actions: 'dropRide', meta: { rules: ['R-131', 'R-133', 'R-140'] } },
            BOUNDARY: { target: 'retired', meta: { rules: ['R-187'] } },
            RESTART: {
              guard: 'mayBeArmed',
              target: 'pending',
              actions: ['hintRepeat', 'flushTab'],
              meta: { rules: ['R-073', 'D-4'] },
            },
            REDELIVER: {
              guard: 'wasReturned',
              target: 'pending',
              actions: ['oweAgain', 'flushTab'],
              meta: { rules: ['D-6'] },
            },
            PARK: { actions: 'park', meta: { rules: ['D-5'] } },
            EVICT: { actions: ['noteLoss'], meta: { rules: ['R-206', 'R-207'] } },
            FORGET: { target: 'retired', actions: 'warnForgotten', meta: { rules: ['R-177', 'R-178'] } },
          },
        },
        pending: {
          description: 'Owed a push.',
          on: {
            OFFER_TAKEN: { target: 'handed_off', actions: 'queueCopy', meta: { rules: ['R-107', 'R-112'] } },
            OFFER_REFUSED: { actions: 'countOffer', meta: { rules: ['R-108'] } },
            RETURN: [
              {
                guard: 'hasCarrier',
                target: 'handed_off',
                actions: ['attach', 'rideResult'],
                meta: { rules: ['R-084', 'R-086'] },
              },
              { actions: 'markReturned', meta: { rules: ['R-085'] } },
            ],
            RECEIPT: [
              { guard: 'isRide', target: 'acked', actions: 'prove', meta: { rules: ['R-121', 'R-125'] } },
              { actions: 'warnRefused', meta: { rules: ['R-124'] } },
            ],
            HANDBACK: { guard: 'hasRides', actions: 'dropRide', meta: { rules: ['R-133', 'R-140'] } },
            BOUNDARY: { target: 'retired', actions: 'warnUndelivered', meta: { rules: ['R-188', 'R-191'] } },
            PARK: { actions: 'park', meta: { rules: ['D-5'] } },
            EVICT: { actions: ['noteLoss'], meta: { rules: ['R-206'] } },
            FORGET: { target: 'retired', actions: 'warnForgotten', meta: { rules: ['R-177', 'R-178'] } },
          },
        },
        handed_off: {
          description: 'In a queue or in a tool result; nothing proves yet that it was read.',
          on: {
            OFFER_TAKEN: {
              guard: 'ridesResult',
              actions: 'queueCopy',
              description: 'The host put it into a result and into the queue that was offered it, both at once.',
              meta: { rules: ['R-107', 'R-114'] },
            },
            RETURN: [
              {
                guard: 'hasCarrierAndCopy',
                actions: ['attach', { type: 'recallCopy', params: { because: 'return' } }],
                meta: { rules: ['R-087'] },
              },
              { guard: 'hasCarrier', actions: 'attach', meta: { rules: ['R-084'] } },
              { actions: 'markReturned', meta: { rules: ['R-085'] } },
            ],
            RECALLED: [
              { guard: 'recalledForReturn', actions: ['oweShown', 'copyBecomesRide'], meta: { rules: ['R-087'] } },
              {
                guard: 'recalledForBlur',
                target: 'pending',
                actions: ['oweShown', 'endCopy', 'flushTab'],
                meta: { rules: ['R-045', 'R-059'] },
              },
            ],
            RECEIPT: [
              { guard: 'isRide', target: 'acked', actions: ['oweShown', 'prove'], meta: { rules: ['R-121', 'R-127'] } },
              {
                guard: 'provesCopy',
                target: 'acked',
                actions: ['settleShown', 'prove'],
                meta: { rules: ['R-122', 'R-126'] },
              },
              { actions: 'warnRefused', meta: { rules: ['R-123'] } },
            ],
            HANDBACK: [
              {
                guard: 'settlesByBound',
                target: 'acked',
                actions: ['settleShown', 'dropRide', 'proveByBound', 'warnSettled'],
                meta: { rules: ['R-136'] },
              },
              {
                guard: 'handsBackCopy',
                target: 'pending',
                actions: ['oweShown', 'noteCarried', 'dropRide', 'endCopy'],
                meta: { rules: ['R-135', 'R-137', 'R-138'] },
              },
              { guard: 'ridesResult', target: 'pending', actions: ['dropRide', 'endCopy'], meta: { rules: ['R-132'] } },
              { guard: 'isRide', actions: ['noteEnded', 'dropRide'], meta: { rules: ['R-133', 'R-134', 'I-26'] } },
            ],
            BLUR: {
              guard: 'wordedMatched',
              actions: [{ type: 'recallCopy', params: { because: 'blur' } }],
              meta: { rules: ['R-045', 'R-059'] },
            },
            BOUNDARY: [
              {
                guard: 'owesCopy',
                target: 'retired',
                actions: ['oweShown', 'leaveCopyOut', { type: 'recallCopy', params: { because: 'boundary' } }],
                meta: { rules: ['R-187', 'R-189'] },
              },
              {
                target: 'retired',
                actions: ['leaveCopyOut', 'warnUndelivered'],
                meta: { rules: ['R-187', 'R-191', 'R-196'] },
              },
            ],
            RESTART: {
              target: 'pending',
              actions: ['oweShown', 'endCopy', 'hintRepeat', 'flushTab'],
              description: 'What held it died with the process: handed back, not carried. Rides may still prove it.',
              meta: { rules: ['D-4'] },
            },
            REDELIVER: { target: 'pending', actions: ['oweShown', 'oweAgain', 'flushTab'], meta: { rules: ['D-6'] } },
            PARK: { actions: 'park', meta: { rules: ['D-5'] } },
            EVICT: [
              {
                guard: 'owesCopy',
                actions: ['oweShown', 'noteLoss', { type: 'recallCopy', params: { because: 'evict' } }],
                meta: { rules: ['R-206', 'R-208', 'R-210'] },
              },
              { actions: ['noteLoss'], meta: { rules: ['R-206'] } },
            ],
            FORGET: [
              {
                guard: 'owesCopy',
                target: 'retired',
                actions: [
                  'oweShown',
                  'leaveCopyOut',
                  { type: 'recallCopy', params: { because: 'forget' } },
                  'warnForgotten',
                ],
                meta: { rules: ['R-177', 'R-178', 'R-179'] },
              },
              { target: 'retired', actions: ['leaveCopyOut', 'warnForgotten'], meta: { rules: ['R-177', 'R-178'] } },
            ],
          },
        },
        acked: {
          description: 'Read back. On file so that the identical question can still be answered from it.',
          on: {
            RETURN: { actions: 'attach', meta: { rules: ['R-079', 'R-084'] } },
            HANDBACK: { guard: 'hasRides', actions: 'dropRide', meta: { rules: ['R-133'] } },
            BOUNDARY: { target: 'retired', meta: { rules: ['R-125', 'R-187'] } },
            REDELIVER: { target: 'pending', actions: ['oweAgain', 'flushTab'], meta: { rules: ['D-6'] } },
            EVICT: { actions: ['logDropped'], meta: { rules: ['R-205'] } },
            FORGET: { target: 'retired', actions: 'warnForgotten', meta: { rules: ['R-178'] } },
          },
        },
        retired: {
          description: 'Its conversation is gone. No outlet may show it; a late receipt may still prove it.',
          on: {
            OFFER_TAKEN: {
              actions: ['noteCopyOut', { type: 'recallCopy', params: { because: 'boundary' } }],
              description: 'The boundary fell while the queue was taking it.',
              meta: { rules: ['R-114', 'R-189'] },
            },
            RETURN: { actions: 'markReturned', meta: { rules: ['R-081'] } },
            RECALLED: { actions: 'copyIsGone', meta: { rules: ['R-189'] } },
            RECEIPT: [
              { guard: 'provesLateCopy', actions: 'prove', meta: { rules: ['R-125', 'R-196'] } },
              { actions: 'warnRefused', meta: { rules: ['R-123', 'R-124'] } },
            ],
            HANDBACK: [
              { guard: 'handsBackCopy', actions: ['dropRide', 'copyIsGone'], meta: { rules: ['R-134', 'R-139'] } },
              { guard: 'hasRides', actions: ['noteEnded', 'dropRide'], meta: { rules: ['R-133', 'R-139', 'I-26'] } },
            ],
            RESTART: { guard: 'hasCopyOut', actions: 'copyIsGone', meta: { rules: ['D-4'] } },
            EVICT: [
              { guard: 'isProven', actions: ['logDropped'], meta: { rules: ['R-205'] } },
              { actions: ['logRetired'], meta: { rules: ['R-209'] } },
            ],
            FORGET: { actions: 'warnForgotten', meta: { rules: ['R-178'] } },
          },
        },
      },
    },
    label: {
      initial: 'born',
      states: {
        born: {
          description: 'Never rested in: attribution chooses the first label.',
          always: [
            { guard: 'bornMatched', target: 'matched', meta: { rules: ['R-054'] } },
            { guard: 'bornForeign', target: 'foreign', meta: { rules: ['R-055'] } },
            { target: 'ambiguous', meta: { rules: ['R-058', 'R-060'] } },
          ],
        },
        matched: {
          description: 'Provably the answer to a card that this journal opened.',
          on: {
            BLUR: { target: 'ambiguous', actions: 'erase', meta: { rules: ['R-044', 'R-058'] } },
            BOUNDARY: { target: 'foreign', meta: { rules: ['R-187'] } },
            FORGET: { target: 'foreign', meta: { rules: ['R-177'] } },
          },
        },
        foreign: {
          description: 'Real, but it satisfies no question.',
          on: { BLUR: { target: 'ambiguous', actions: 'erase', meta: { rules: ['R-044', 'R-058'] } } },
        },
        ambiguous: {
          description: 'Its id names more than one card, or carried more than one answer. Reads `foreign` on the wire.',
          on: { BLUR: { actions: 'erase', meta: { rules: ['R-044'] } } },
        },
      },
    },
  },
});
