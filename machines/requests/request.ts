/**
 * One question of the server to its clients, from the instant it is open until it has ended, in exactly one way.
 *
 * The context holds ids, names of peers, reasons and codes; what somebody answered lies beside the row, never in it.
 * Guards are tried from top to bottom, and the first that holds decides.
 */
import { assign, setup } from 'xstate';
import * as change from './request-facts.ts';
import {
  isCandidate,
  isDecline,
  othersLeft,
  type RequestContext,
  type RequestEvent,
  type RequestInput,
  UNKNOWN_METHOD,
} from './request-facts.ts';

const ordered = (): never => {
  throw new Error('an order of the request chart ran outside the registry');
};

const requestSetup = setup({
  types: { context: {} as RequestContext, events: {} as RequestEvent, input: {} as RequestInput },
  guards: {
    mustNotBeAnswered: ({ context }) => context.secret && !context.attended,
    conforms: ({ event }) => event.type === 'RESPOND' && event.conforms,
    declineByStranger: ({ context, event }) =>
      event.type === 'FAIL' && isDecline({ context, event }) && !isCandidate(context, event.from),
    declineNotLast: ({ context, event }) =>
      event.type === 'FAIL' && isDecline({ context, event }) && othersLeft(context, event.from),
    // Of a question that is not window-owned nobody can say "no window shows it": its last decline is a failure.
    lastOwnerDeclines: ({ context, event }) =>
      event.type === 'FAIL' && isDecline({ context, event }) && context.windowOwned && event.code !== UNKNOWN_METHOD,
    notBatch: ({ context }) => context.qids.length === 0,
    unknownQuestion: ({ context, event }) => event.type === 'LOCK' && !context.qids.includes(event.qid),
    lastQuestion: ({ context, event }) =>
      event.type === 'LOCK' && context.qids.every((qid) => qid === event.qid || context.locked.includes(qid)),
    goneLeavesOnlyDeclinesOfOwners: ({ context, event }) =>
      event.type === 'PEER_GONE' &&
      context.windowOwned &&
      isCandidate(context, event.peer) &&
      context.candidates.length > 1 &&
      !othersLeft(context, event.peer),
    goneLeavesOnlyDeclines: ({ context, event }) =>
      event.type === 'PEER_GONE' &&
      isCandidate(context, event.peer) &&
      context.candidates.length > 1 &&
      !othersLeft(context, event.peer),
    isCandidateGone: ({ context, event }) => event.type === 'PEER_GONE' && isCandidate(context, event.peer),
    mayBecomeCandidate: ({ context, event }) =>
      event.type === 'PEER_REPLAYED' &&
      (context.windowOwned || context.errorQuorum) &&
      !isCandidate(context, event.peer),
    isUnattended: ({ context }) => !context.attended,
    isUnseen: ({ context }) => !context.seen,
  },
  actions: {
    noteAnswer: assign(change.noteAnswer),
    noteNonsense: assign(change.noteNonsense),
    noteError: assign(change.noteError),
    noteDecline: assign(change.noteDecline),
    noteNoOwner: assign(change.noteNoOwner),
    noteNobodyKnows: assign(change.noteNobodyKnows),
    noteLock: assign(change.noteLock),
    noteAllLocked: assign(change.noteAllLocked),
    noteReason: assign(change.noteReason),
    noteInterrupted: assign(change.noteInterrupted),
    noteUnwritten: assign(change.noteUnwritten),
    noteSeen: assign(change.noteSeen),
    noteUnseen: assign(change.noteUnseen),
    noteNoCapableClient: assign(change.noteNoCapableClient),
    dropPeer: assign(change.dropPeer),
    addPeer: assign(change.addPeer),
    forgetProcess: assign(change.forgetProcess),
    noteAttended: assign(change.noteAttended),
    callOwner: ordered,
    wake: ordered,
    rejectWaiter: ordered,
    sendCancel: ordered,
    sendSettled: ordered,
    refuseUnattended: ordered,
    refuseNoBatch: ordered,
    refuseQuestion: ordered,
    acceptLock: ordered,
    acceptDecline: ordered,
  },
});

export const requestMachine = requestSetup.createMachine({
  id: 'request',
  version: '1',
  description: 'One question to the clients, and the one way in which it ends.',
  initial: 'pristine',
  context: ({ input }) => ({
    id: input.id,
    sid: input.sid,
    method: input.method,
    qids: input.qids,
    secret: input.secret,
    windowOwned: input.windowOwned,
    errorQuorum: input.errorQuorum,
    candidates: input.candidates,
    locked: [],
    declines: [],
    attended: true,
    seen: false,
    unwritten: false,
    via: null,
    reason: null,
    cause: null,
    code: null,
  }),
  states: {
    pristine: {
      description: 'Open, and nothing of it is fixed.',
      on: {
        FAIL: [
          { guard: 'declineByStranger', actions: 'acceptDecline', meta: { rules: ['R-75'] } },
          { guard: 'declineNotLast', actions: ['noteDecline', 'acceptDecline'], meta: { rules: ['R-73'] } },
          {
            guard: 'lastOwnerDeclines',
            target: 'answered',
            actions: ['noteDecline', 'noteNoOwner', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-74'] },
          },
          {
            target: 'failed',
            actions: ['noteError', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-23', 'R-33', 'R-76'] },
          },
        ],
        CANCEL: {
          target: 'cancelled',
          actions: ['noteReason', 'callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['R-50', 'R-52', 'R-53'] },
        },
        WITHDRAW: { target: 'cancelled', actions: ['noteReason', 'wake', 'sendCancel'], meta: { rules: ['R-30'] } },
        ABORT: {
          target: 'cancelled',
          actions: ['noteInterrupted', 'callOwner', 'rejectWaiter', 'sendCancel'],
          meta: { rules: ['R-21'] },
        },
        WRITE_FAILED: {
          actions: 'noteUnwritten',
          description: 'It is taken back next; while that cannot be filed nobody may join it.',
          meta: { rules: ['R-12'] },
        },
        SHOWN: { guard: 'isUnseen', actions: 'noteSeen', meta: { rules: ['F-40'] } },
        UNSEEN: {
          guard: 'isUnseen',
          target: 'cancelled',
          actions: ['noteUnseen', 'callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['F-40'] },
        },
        DEADLINE: {
          target: 'timed_out',
          actions: ['callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['R-19', 'R-20', 'R-46'] },
        },
        GATE_LOST: {
          target: 'cancelled',
          actions: ['noteNoCapableClient', 'callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['R-69', 'R-70'] },
        },
        PEER_GONE: [
          {
            guard: 'goneLeavesOnlyDeclinesOfOwners',
            target: 'answered',
            actions: ['dropPeer', 'noteNoOwner', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-75'] },
          },
          {
            guard: 'goneLeavesOnlyDeclines',
            target: 'failed',
            actions: ['dropPeer', 'noteNobodyKnows', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-75'] },
          },
          {
            guard: 'isCandidateGone',
            actions: 'dropPeer',
            description: 'With nobody left at all it waits for whoever gets it by replay.',
            meta: { rules: ['R-75'] },
          },
        ],
        PEER_REPLAYED: { guard: 'mayBecomeCandidate', actions: 'addPeer', meta: { rules: ['R-75'] } },
        RESTART: {
          actions: 'forgetProcess',
          description: 'Open as before; the connections and the waiter of the last process are gone.',
          meta: { rules: ['D-4'] },
        },
        ADOPT: { guard: 'isUnattended', actions: 'noteAttended', meta: { rules: ['D-4'] } },
        RESPOND: [
          {
            guard: 'mustNotBeAnswered',
            actions: 'refuseUnattended',
            description: 'Its waiter died with the process; a secret may be given to nobody else and kept nowhere.',
            meta: { rules: ['D-4'] },
          },
          {
            guard: 'conforms',
            target: 'answered',
            actions: ['noteAnswer', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-35', 'R-36', 'R-41'] },
          },
          {
            target: 'failed',
            actions: ['noteNonsense', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-38'] },
          },
        ],
        LOCK: [
          { guard: 'notBatch', actions: 'refuseNoBatch', meta: { rules: ['R-42'] } },
          { guard: 'unknownQuestion', actions: 'refuseQuestion', meta: { rules: ['R-43'] } },
          {
            guard: 'lastQuestion',
            target: 'answered',
            actions: ['noteLock', 'noteAllLocked', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-45'] },
          },
          { target: 'partial', actions: ['noteLock', 'acceptLock'], meta: { rules: ['R-44'] } },
        ],
      },
    },
    partial: {
      description: 'Open, with some answers of the batch fixed; each may still be replaced.',
      on: {
        FAIL: [
          { guard: 'declineByStranger', actions: 'acceptDecline', meta: { rules: ['R-75'] } },
          { guard: 'declineNotLast', actions: ['noteDecline', 'acceptDecline'], meta: { rules: ['R-73'] } },
          {
            guard: 'lastOwnerDeclines',
            target: 'answered',
            actions: ['noteDecline', 'noteNoOwner', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-74'] },
          },
          {
            target: 'failed',
            actions: ['noteError', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-23', 'R-33', 'R-76'] },
          },
        ],
        CANCEL: {
          target: 'cancelled',
          actions: ['noteReason', 'callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['R-50', 'R-52', 'R-53'] },
        },
        WITHDRAW: { target: 'cancelled', actions: ['noteReason', 'wake', 'sendCancel'], meta: { rules: ['R-30'] } },
        ABORT: {
          target: 'cancelled',
          actions: ['noteInterrupted', 'callOwner', 'rejectWaiter', 'sendCancel'],
          meta: { rules: ['R-21'] },
        },
        WRITE_FAILED: {
          actions: 'noteUnwritten',
          description: 'It is taken back next; while that cannot be filed nobody may join it.',
          meta: { rules: ['R-12'] },
        },
        SHOWN: { guard: 'isUnseen', actions: 'noteSeen', meta: { rules: ['F-40'] } },
        UNSEEN: {
          guard: 'isUnseen',
          target: 'cancelled',
          actions: ['noteUnseen', 'callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['F-40'] },
        },
        DEADLINE: {
          target: 'timed_out',
          actions: ['callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['R-19', 'R-20', 'R-46'] },
        },
        GATE_LOST: {
          target: 'cancelled',
          actions: ['noteNoCapableClient', 'callOwner', 'wake', 'sendCancel'],
          meta: { rules: ['R-69', 'R-70'] },
        },
        PEER_GONE: [
          {
            guard: 'goneLeavesOnlyDeclinesOfOwners',
            target: 'answered',
            actions: ['dropPeer', 'noteNoOwner', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-75'] },
          },
          {
            guard: 'goneLeavesOnlyDeclines',
            target: 'failed',
            actions: ['dropPeer', 'noteNobodyKnows', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-75'] },
          },
          {
            guard: 'isCandidateGone',
            actions: 'dropPeer',
            description: 'With nobody left at all it waits for whoever gets it by replay.',
            meta: { rules: ['R-75'] },
          },
        ],
        PEER_REPLAYED: { guard: 'mayBecomeCandidate', actions: 'addPeer', meta: { rules: ['R-75'] } },
        RESTART: {
          actions: 'forgetProcess',
          description: 'Open as before; the connections and the waiter of the last process are gone.',
          meta: { rules: ['D-4'] },
        },
        ADOPT: { guard: 'isUnattended', actions: 'noteAttended', meta: { rules: ['D-4'] } },
        RESPOND: [
          {
            guard: 'conforms',
            target: 'answered',
            actions: ['noteAnswer', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-35', 'R-36', 'R-41'] },
          },
          {
            target: 'failed',
            actions: ['noteNonsense', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-38'] },
          },
        ],
        LOCK: [
          { guard: 'unknownQuestion', actions: 'refuseQuestion', meta: { rules: ['R-43'] } },
          {
            guard: 'lastQuestion',
            target: 'answered',
            actions: ['noteLock', 'noteAllLocked', 'callOwner', 'wake', 'sendSettled'],
            meta: { rules: ['R-45'] },
          },
          { actions: ['noteLock', 'acceptLock'], meta: { rules: ['R-44'] } },
        ],
      },
    },
    answered: { description: 'Somebody answered, or all candidates said that it is not theirs.', type: 'final' },
    failed: { description: 'A client said that it cannot, or what it said does not conform.', type: 'final' },
    cancelled: { description: 'Taken back, for the reason that the context names.', type: 'final' },
    timed_out: { description: 'Its deadline passed first; what was locked is kept.', type: 'final' },
  },
});
