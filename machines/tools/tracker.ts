/**
 * The tracker as a whole: how a snapshot is to be read, and whether the machinery that moves work is well.
 *
 * A pass over a snapshot is an order; how it went comes back as an event of its own, so that a snapshot counts as read
 * only when it was.
 */
import { assign, setup } from 'xstate';
import { namedGuards, written } from '../shared/named.ts';
import { FIRST_TRACKER, type TrackerContext, type TrackerEvent } from './tracker-facts.ts';
import * as trackerGuards from './tracker-guards.ts';
import * as trackerWrites from './tracker-writes.ts';

const ordered = (): never => {
  throw new Error('an order of the tracker chart ran outside the tracker');
};

const trackerSetup = setup({
  types: { context: {} as TrackerContext, events: {} as TrackerEvent },
  guards: namedGuards<TrackerContext, TrackerEvent, keyof typeof trackerGuards>(trackerGuards),
  actions: {
    noteFailed: assign(written(trackerWrites.noteFailed)),
    noteRestart: assign(written(trackerWrites.noteRestart)),
    noteReset: assign(written(trackerWrites.noteReset)),
    rearm: assign(written(trackerWrites.rearm)),
    noticeMalformed: ordered,
    noticeBrokeOff: ordered,
    noticeFailed: ordered,
    noticeInert: ordered,
    record: ordered,
    observe: ordered,
    remember: ordered,
    restart: ordered,
    retire: ordered,
    discard: ordered,
    abort: ordered,
  },
});

export const trackerMachine = trackerSetup.createMachine({
  id: 'tracker',
  version: '1',
  description: 'The reading of snapshots: history or live; and the one restart of a boundary.',
  type: 'parallel',
  context: FIRST_TRACKER,
  states: {
    driver: {
      initial: 'healthy',
      description: 'The machinery of the tracker itself.',
      states: {
        healthy: {
          on: {
            FAIL: { target: 'failed', actions: ['noteFailed', 'noticeFailed'], meta: { rules: ['R-130'] } },
            RESET: { actions: 'rearm', meta: { rules: ['R-113'] } },
          },
        },
        failed: {
          description: 'The next snapshot restarts it, once.',
          on: {
            SNAPSHOT: [
              { guard: 'isMalformed', meta: { rules: ['R-15'] } },
              {
                guard: 'mayRestart',
                target: 'healthy',
                actions: ['noteRestart', 'restart'],
                meta: { rules: ['R-130', 'R-131'] },
              },
              { target: 'inert', actions: 'noticeInert', meta: { rules: ['R-130'] } },
            ],
            RESET: { target: 'healthy', actions: 'rearm', meta: { rules: ['R-113'] } },
          },
        },
        inert: {
          description: 'It failed again: nothing starts any more, until a reset.',
          on: { RESET: { target: 'healthy', actions: 'rearm', meta: { rules: ['R-113'] } } },
        },
      },
    },
    intake: {
      initial: 'pendingRestore',
      description: 'How the next snapshot is read.',
      states: {
        pendingRestore: {
          description: 'The first snapshot is history, whatever its flags.',
          on: {
            SNAPSHOT: [
              { guard: 'isMalformed', actions: 'noticeMalformed', meta: { rules: ['R-15'] } },
              { guard: 'isSpent', meta: { rules: ['R-130'] } },
              { actions: 'record', meta: { rules: ['R-02', 'R-12'] } },
            ],
            PROCESSED: [
              { guard: 'isLoading', target: 'loading', actions: 'remember', meta: { rules: ['R-11', 'R-13'] } },
              { target: 'live', actions: 'remember', meta: { rules: ['R-13'] } },
            ],
            BROKE_OFF: { actions: 'noticeBrokeOff', meta: { rules: ['R-13'] } },
            ABORT: [
              { guard: 'discards', actions: ['discard', 'abort'], meta: { rules: ['R-100', 'R-103', 'R-104'] } },
              { actions: 'abort', meta: { rules: ['R-100', 'R-102'] } },
            ],
            RESET: { target: 'pendingRestore', actions: ['noteReset', 'retire'], meta: { rules: ['R-110'] } },
          },
        },
        loading: {
          description: 'A window of history is open.',
          on: {
            SNAPSHOT: [
              { guard: 'isMalformed', actions: 'noticeMalformed', meta: { rules: ['R-15'] } },
              { guard: 'isSpent', meta: { rules: ['R-130'] } },
              { guard: 'isRepeat', meta: { rules: ['R-10'] } },
              { guard: 'isLoading', actions: 'record', meta: { rules: ['R-11', 'R-12'] } },
              { actions: 'observe', meta: { rules: ['R-11'] } },
            ],
            PROCESSED: [
              { guard: 'isLoading', actions: 'remember', meta: { rules: ['R-13'] } },
              { target: 'live', actions: 'remember', meta: { rules: ['R-11', 'R-13'] } },
            ],
            BROKE_OFF: [
              {
                guard: 'isLoading',
                target: 'pendingRestore',
                actions: 'noticeBrokeOff',
                meta: { rules: ['R-13'] },
              },
              { actions: 'noticeBrokeOff', meta: { rules: ['R-13'] } },
            ],
            ABORT: [
              { guard: 'discards', actions: ['discard', 'abort'], meta: { rules: ['R-100', 'R-103', 'R-104'] } },
              { actions: 'abort', meta: { rules: ['R-100', 'R-102'] } },
            ],
            RESET: { target: 'pendingRestore', actions: ['noteReset', 'retire'], meta: { rules: ['R-110'] } },
          },
        },
        live: {
          on: {
            SNAPSHOT: [
              { guard: 'isMalformed', actions: 'noticeMalformed', meta: { rules: ['R-15'] } },
              { guard: 'isSpent', meta: { rules: ['R-130'] } },
              { guard: 'isRepeat', meta: { rules: ['R-10'] } },
              { guard: 'isLoading', actions: 'record', meta: { rules: ['R-11', 'R-12'] } },
              { actions: 'observe', meta: { rules: ['R-30'] } },
            ],
            PROCESSED: [
              { guard: 'isLoading', target: 'loading', actions: 'remember', meta: { rules: ['R-11', 'R-13'] } },
              { actions: 'remember', meta: { rules: ['R-13'] } },
            ],
            BROKE_OFF: [
              {
                guard: 'isLoading',
                target: 'pendingRestore',
                actions: 'noticeBrokeOff',
                meta: { rules: ['R-13'] },
              },
              { actions: 'noticeBrokeOff', meta: { rules: ['R-13'] } },
            ],
            ABORT: [
              { guard: 'discards', actions: ['discard', 'abort'], meta: { rules: ['R-100', 'R-103', 'R-104'] } },
              { actions: 'abort', meta: { rules: ['R-100', 'R-102'] } },
            ],
            RESET: { target: 'pendingRestore', actions: ['noteReset', 'retire'], meta: { rules: ['R-110'] } },
          },
        },
      },
    },
  },
});
