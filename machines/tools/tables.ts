/** Written by `npm run tables` from the charts beside it. Do not edit. */
import type { Table } from '../shared/lean.ts';
import type { CallContext, CallEvent } from './call-facts.ts';
import * as callGuards from './call-guards.ts';
import * as callWrites from './call-writes.ts';
import type { TrackerContext, TrackerEvent } from './tracker-facts.ts';
import * as trackerGuards from './tracker-guards.ts';
import * as trackerWrites from './tracker-writes.ts';

export const CALL_TABLE: Table<CallContext, CallEvent> = {
  text: {
    unread: { BEGIN: [['', 'read']] },
    read: {
      OBSERVE: [
        [callGuards.grows, '', 'remember'],
        [callGuards.isEqual, '', 'remember'],
        [callGuards.differsAfterEnd, '', 'noticeChanged'],
        [callGuards.differs, '', 'noticeDiverged'],
      ],
    },
  },
  licence: {
    free: {
      RECORD: [[callGuards.bars, 'withheld', callWrites.noteWithheld]],
      BEGIN: [[callGuards.bars, 'withheld', callWrites.noteWithheld, 'noticeOwner']],
      OBSERVE: [
        [callGuards.bars, 'withheld', callWrites.noteWithheld],
        [callGuards.isTooLong, 'withheld', callWrites.noteWithheld, 'noticeSize'],
      ],
      DISCARD: [[callGuards.mayDiscard, 'withheld', callWrites.noteWithheld]],
    },
    withheld: {},
  },
  question: {
    none: {
      HUMAN: [
        [callGuards.mayAsk, 'asked', callWrites.noteAsker, 'park', 'publish'],
        ['', '', 'refuseQuestion'],
      ],
    },
    asked: {
      HUMAN: [
        [callGuards.mayAsk, '', 'supersede', callWrites.noteAsker, 'park', 'publish'],
        ['', '', 'refuseQuestion'],
      ],
      RESUME: [['', 'none', callWrites.forgetAsker, 'resolveQuestion', 'publish']],
      OBSERVE: [[callGuards.endsQuestion, 'none', callWrites.forgetAsker, 'rejectQuestion', 'publish']],
      ABORT: [['', 'none', callWrites.forgetAsker, 'rejectQuestion', 'publish']],
      START: [[callGuards.isPoisoned, 'none', callWrites.forgetAsker, 'rejectQuestion', 'publish']],
      END: [['', 'none', callWrites.forgetAsker, 'rejectQuestion']],
      RETIRE: [['', 'none', callWrites.forgetAsker, 'rejectQuestion']],
    },
  },
  phase: {
    unseen: {
      RECORD: [['', 'restored', callWrites.noteHistory, 'remember']],
      BEGIN: [['', 'streaming', callWrites.noteBirth, 'startCallback']],
    },
    restored: {
      RECORD: [['', '', callWrites.noteHistory, 'remember']],
      OBSERVE: [
        [callGuards.isChanged, 'retired', callWrites.noteOver, 'promote'],
        ['', '', 'remember'],
      ],
      ADOPT: [[callGuards.isFree, 'retired', callWrites.noteOver, 'promote']],
      RETIRE: [['', 'retired', callWrites.noteOver]],
    },
    streaming: {
      OBSERVE: [
        [
          callGuards.gainsResult,
          'settledByProvider',
          callWrites.noteAnswered,
          callWrites.noteOver,
          callWrites.noteClosed,
          'giveResult',
          'closeArguments',
        ],
        [callGuards.closesFree, 'handedOver', callWrites.noteClosed, 'closeArguments', 'schedule'],
        [callGuards.closes, 'skipped', callWrites.noteClosed, 'closeArguments'],
        [callGuards.isComplete, 'waitingForRun'],
        [callGuards.isEmptyAtEnd, '', 'noticeEmpty'],
      ],
      DISCARD: [['', 'discarded', callWrites.noteOver]],
      RETIRE: [['', 'retired', callWrites.noteOver, 'release']],
    },
    waitingForRun: {
      OBSERVE: [
        [
          callGuards.gainsResult,
          'settledByProvider',
          callWrites.noteAnswered,
          callWrites.noteOver,
          callWrites.noteClosed,
          'giveResult',
          'closeArguments',
        ],
        [callGuards.closesFree, 'handedOver', callWrites.noteClosed, 'closeArguments', 'schedule'],
        [callGuards.closes, 'skipped', callWrites.noteClosed, 'closeArguments'],
        [callGuards.isIncomplete, 'streaming'],
      ],
      DISCARD: [['', 'discarded', callWrites.noteOver]],
      RETIRE: [['', 'retired', callWrites.noteOver, 'release']],
    },
    handedOver: {
      OBSERVE: [
        [callGuards.gainsResult, 'settledByProvider', callWrites.noteAnswered, callWrites.noteOver, 'giveResult'],
      ],
      START: [
        [callGuards.isWithheld, 'skipped'],
        [callGuards.executesNothing, 'idle', callWrites.noteStarted],
        [
          callGuards.isPoisoned,
          'settledByClient',
          callWrites.noteStarted,
          callWrites.noteOver,
          'giveOutcome',
          'report',
        ],
        ['', 'executing', callWrites.noteStarted, 'run'],
      ],
      DISCARD: [['', 'discarded', callWrites.noteOver]],
      RETIRE: [['', 'retired', callWrites.noteOver, 'release']],
    },
    executing: {
      OBSERVE: [[callGuards.gainsResult, '', callWrites.noteAnswered, 'giveResult']],
      ABORT: [['', '', 'signal']],
      END: [
        [callGuards.isAnswered, 'settledByProvider', callWrites.noteOver, 'leave', 'publish'],
        [callGuards.isWithheld, 'skipped', callWrites.noteOver, 'leave', 'publish'],
        ['', 'settledByClient', callWrites.noteOver, 'leave', 'publish', 'giveOutcome', 'report'],
      ],
      RETIRE: [['', 'retired', callWrites.noteOver, 'release', 'leave']],
    },
    idle: {
      OBSERVE: [
        [callGuards.gainsResult, 'settledByProvider', callWrites.noteAnswered, callWrites.noteOver, 'giveResult'],
      ],
      RETIRE: [['', 'retired', callWrites.noteOver, 'release']],
    },
    skipped: {
      OBSERVE: [
        [callGuards.gainsResult, 'settledByProvider', callWrites.noteAnswered, callWrites.noteOver, 'giveResult'],
      ],
      RETIRE: [['', 'retired', callWrites.noteOver, 'release']],
    },
    discarded: {
      OBSERVE: [
        [
          callGuards.gainsResult,
          'settledByProvider',
          callWrites.noteAnswered,
          callWrites.noteOver,
          callWrites.noteClosed,
          'giveResult',
          'closeArguments',
        ],
        [callGuards.closes, '', callWrites.noteClosed, 'closeArguments'],
      ],
      RETIRE: [['', 'retired', callWrites.noteOver, 'release']],
    },
    settledByProvider: { RETIRE: [['', 'retired', callWrites.noteOver, 'release']] },
    settledByClient: { RETIRE: [['', 'retired', callWrites.noteOver, 'release']] },
    retired: {},
  },
};
export const TRACKER_TABLE: Table<TrackerContext, TrackerEvent> = {
  driver: {
    healthy: {
      FAIL: [['', 'failed', trackerWrites.noteFailed, 'noticeFailed']],
      RESET: [['', '', trackerWrites.rearm]],
    },
    failed: {
      SNAPSHOT: [
        [trackerGuards.isMalformed, ''],
        [trackerGuards.mayRestart, 'healthy', trackerWrites.noteRestart, 'restart'],
        ['', 'inert', 'noticeInert'],
      ],
      RESET: [['', 'healthy', trackerWrites.rearm]],
    },
    inert: { RESET: [['', 'healthy', trackerWrites.rearm]] },
  },
  intake: {
    pendingRestore: {
      SNAPSHOT: [
        [trackerGuards.isMalformed, '', 'noticeMalformed'],
        [trackerGuards.isSpent, ''],
        ['', '', 'record'],
      ],
      PROCESSED: [
        [trackerGuards.isLoading, 'loading', 'remember'],
        ['', 'live', 'remember'],
      ],
      BROKE_OFF: [['', '', 'noticeBrokeOff']],
      ABORT: [
        [trackerGuards.discards, '', 'discard', 'abort'],
        ['', '', 'abort'],
      ],
      RESET: [['', 'pendingRestore', trackerWrites.noteReset, 'retire']],
    },
    loading: {
      SNAPSHOT: [
        [trackerGuards.isMalformed, '', 'noticeMalformed'],
        [trackerGuards.isSpent, ''],
        [trackerGuards.isRepeat, ''],
        [trackerGuards.isLoading, '', 'record'],
        ['', '', 'observe'],
      ],
      PROCESSED: [
        [trackerGuards.isLoading, '', 'remember'],
        ['', 'live', 'remember'],
      ],
      BROKE_OFF: [
        [trackerGuards.isLoading, 'pendingRestore', 'noticeBrokeOff'],
        ['', '', 'noticeBrokeOff'],
      ],
      ABORT: [
        [trackerGuards.discards, '', 'discard', 'abort'],
        ['', '', 'abort'],
      ],
      RESET: [['', 'pendingRestore', trackerWrites.noteReset, 'retire']],
    },
    live: {
      SNAPSHOT: [
        [trackerGuards.isMalformed, '', 'noticeMalformed'],
        [trackerGuards.isSpent, ''],
        [trackerGuards.isRepeat, ''],
        [trackerGuards.isLoading, '', 'record'],
        ['', '', 'observe'],
      ],
      PROCESSED: [
        [trackerGuards.isLoading, 'loading', 'remember'],
        ['', '', 'remember'],
      ],
      BROKE_OFF: [
        [trackerGuards.isLoading, 'pendingRestore', 'noticeBrokeOff'],
        ['', '', 'noticeBrokeOff'],
      ],
      ABORT: [
        [trackerGuards.discards, '', 'discard', 'abort'],
        ['', '', 'abort'],
      ],
      RESET: [['', 'pendingRestore', trackerWrites.noteReset, 'retire']],
    },
  },
};
