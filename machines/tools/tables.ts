/** Written by `npm run tables` from the charts beside it. Do not edit. */
import type { Table } from '../shared/lean.ts';

export const CALL_TABLE: Table = {
  id: 'call',
  version: '1',
  regions: {
    arguments: {
      initial: 'unread',
      states: {
        unread: { BEGIN: [['', 'open']] },
        open: {
          OBSERVE: [
            ['growsToItsEnd', 'closed', 'append', 'noteClosed'],
            ['grows', '', 'append'],
            ['equalAtItsEnd', 'closed', 'remember', 'noteClosed'],
            ['isEqual', '', 'remember'],
            ['differsCompleteAtItsEnd', 'closed', 'noticeChanged', 'noteClosed'],
            ['differsComplete', '', 'noticeChanged'],
            ['differsAtItsEnd', 'closed', 'noticeDiverged', 'noteClosed'],
            ['differs', '', 'noticeDiverged'],
            ['ends', 'closed', 'noteClosed'],
          ],
        },
        closed: {
          OBSERVE: [
            ['isEqual', '', 'remember'],
            ['isChangedAfterEnd', '', 'noticeChanged'],
          ],
        },
      },
    },
    licence: {
      initial: 'free',
      states: {
        free: {
          RECORD: [['gates', 'withheld', 'noteGate']],
          BEGIN: [['isBornWithheld', 'withheld', 'noteWithheld', 'noticeOwner']],
          OBSERVE: [
            ['gates', 'withheld', 'noteGate'],
            ['isTooLong', 'withheld', 'noteSize', 'noticeSize'],
          ],
          DISCARD: [['mayDiscard', 'withheld', 'noteDiscarded']],
        },
        withheld: {},
      },
    },
    question: {
      initial: 'none',
      states: {
        none: {
          HUMAN: [
            ['mayAsk', 'asked', 'noteAsker', 'park', 'publish'],
            ['', '', 'refuseQuestion'],
          ],
        },
        asked: {
          HUMAN: [
            ['mayAsk', '', 'supersede', 'noteAsker', 'park', 'publish'],
            ['', '', 'refuseQuestion'],
          ],
          RESUME: [['', 'none', 'forgetAsker', 'resolveQuestion', 'publish']],
          OBSERVE: [['endsQuestion', 'none', 'forgetAsker', 'rejectQuestion', 'publish']],
          ABORT: [['', 'none', 'forgetAsker', 'rejectQuestion', 'publish']],
          START: [['isPoisoned', 'none', 'forgetAsker', 'rejectQuestion', 'publish']],
          END: [['', 'none', 'forgetAsker', 'rejectQuestion']],
          RETIRE: [['', 'none', 'forgetAsker', 'rejectQuestion']],
        },
      },
    },
    phase: {
      initial: 'unseen',
      states: {
        unseen: {
          RECORD: [['', 'restored', 'noteHistory', 'sign']],
          BEGIN: [['', 'streaming', 'noteBirth', 'startCallback']],
        },
        restored: {
          RECORD: [['', '', 'noteHistory', 'sign']],
          OBSERVE: [
            ['isChanged', 'retired', 'noteOver', 'promote'],
            ['', '', 'sign'],
          ],
          ADOPT: [['isUnanswered', 'retired', 'noteOver', 'promote']],
          RETIRE: [['', 'retired', 'noteOver', 'release']],
        },
        streaming: {
          OBSERVE: [
            ['gainsResult', 'settledByProvider', 'noteAnswered', 'noteOver', 'giveResult', 'closeArguments'],
            ['closesFree', 'handedOver', 'closeArguments', 'schedule'],
            ['closes', 'skipped', 'closeArguments'],
            ['isComplete', 'waitingForRun'],
            ['isEmptyAtEnd', '', 'noticeEmpty'],
          ],
          DISCARD: [['isUnanswered', 'discarded', 'noteOver']],
          RETIRE: [['', 'retired', 'noteOver', 'release']],
        },
        waitingForRun: {
          OBSERVE: [
            ['gainsResult', 'settledByProvider', 'noteAnswered', 'noteOver', 'giveResult', 'closeArguments'],
            ['closesFree', 'handedOver', 'closeArguments', 'schedule'],
            ['closes', 'skipped', 'closeArguments'],
            ['isIncomplete', 'streaming'],
          ],
          DISCARD: [['isUnanswered', 'discarded', 'noteOver']],
          RETIRE: [['', 'retired', 'noteOver', 'release']],
        },
        handedOver: {
          OBSERVE: [['gainsResult', 'settledByProvider', 'noteAnswered', 'noteOver', 'giveResult']],
          START: [
            ['isWithheld', 'skipped'],
            ['executesNothing', 'idle', 'noteStarted'],
            ['isPoisoned', 'settledByClient', 'noteStarted', 'noteOver', 'refuse', 'giveOutcome', 'report'],
            ['isAsking', 'interrupted', 'noteStarted', 'run', 'publish'],
            ['', 'executing', 'noteStarted', 'run', 'publish'],
          ],
          DISCARD: [['isUnanswered', 'discarded', 'noteOver']],
          RETIRE: [['', 'retired', 'noteOver', 'release']],
        },
        executing: {
          OBSERVE: [['gainsResult', '', 'noteAnswered', 'giveResult']],
          HUMAN: [['mayAsk', 'interrupted']],
          ABORT: [['', '', 'signal']],
          END: [
            ['isAnswered', 'settledByProvider', 'noteOver', 'publish', 'leave'],
            ['isWithheld', 'skipped', 'noteOver', 'publish', 'leave'],
            ['', 'settledByClient', 'noteOver', 'publish', 'giveOutcome', 'report', 'leave'],
          ],
          RETIRE: [['', 'retired', 'noteOver', 'release', 'leave']],
        },
        interrupted: {
          OBSERVE: [
            ['endsQuestion', 'executing', 'noteAnswered', 'giveResult'],
            ['gainsResult', '', 'noteAnswered', 'giveResult'],
          ],
          RESUME: [['', 'executing']],
          ABORT: [['', 'executing', 'signal']],
          END: [
            ['isAnswered', 'settledByProvider', 'noteOver', 'publish', 'leave'],
            ['isWithheld', 'skipped', 'noteOver', 'publish', 'leave'],
            ['', 'settledByClient', 'noteOver', 'publish', 'giveOutcome', 'report', 'leave'],
          ],
          RETIRE: [['', 'retired', 'noteOver', 'release', 'leave']],
        },
        idle: {
          OBSERVE: [['gainsResult', 'settledByProvider', 'noteAnswered', 'noteOver', 'giveResult', 'closeArguments']],
          RETIRE: [['', 'retired', 'noteOver', 'release']],
        },
        skipped: {
          OBSERVE: [['gainsResult', 'settledByProvider', 'noteAnswered', 'noteOver', 'giveResult', 'closeArguments']],
          RETIRE: [['', 'retired', 'noteOver', 'release']],
        },
        discarded: {
          OBSERVE: [
            ['gainsResult', 'settledByProvider', 'noteAnswered', 'noteOver', 'giveResult', 'closeArguments'],
            ['closes', '', 'closeArguments'],
          ],
          RETIRE: [['', 'retired', 'noteOver', 'release']],
        },
        settledByProvider: { RETIRE: [['', 'retired', 'noteOver', 'release']] },
        settledByClient: { RETIRE: [['', 'retired', 'noteOver', 'release']] },
        retired: {},
      },
    },
  },
};

export const TRACKER_TABLE: Table = {
  id: 'tracker',
  version: '1',
  regions: {
    driver: {
      initial: 'healthy',
      states: {
        healthy: { FAIL: [['', 'failed', 'noteFailed', 'noticeFailed']], RESET: [['', '', 'rearm']] },
        failed: {
          SNAPSHOT: [
            ['mayRestart', 'healthy', 'noteRestart', 'restart'],
            ['isWellFormed', 'inert', 'noteInert', 'noticeInert'],
          ],
          RESET: [['', 'healthy', 'rearm']],
        },
        inert: { RESET: [['', 'healthy', 'rearm']] },
      },
    },
    intake: {
      initial: 'pendingRestore',
      states: {
        pendingRestore: {
          SNAPSHOT: [
            ['isMalformed', '', 'noticeMalformed'],
            ['isSpent', ''],
            ['', '', 'record'],
          ],
          PROCESSED: [
            ['isLoading', 'loading', 'remember'],
            ['', 'live', 'remember'],
          ],
          BROKE_OFF: [['', '', 'noticeBrokeOff']],
          ABORT: [
            ['discards', '', 'discard', 'abort'],
            ['', '', 'abort'],
          ],
          RESET: [['', 'pendingRestore', 'noteReset', 'retire']],
        },
        loading: {
          SNAPSHOT: [
            ['isMalformed', '', 'noticeMalformed'],
            ['isSpent', ''],
            ['isRepeat', ''],
            ['isLoading', '', 'record'],
            ['', '', 'observe'],
          ],
          PROCESSED: [
            ['isLoading', '', 'remember'],
            ['', 'live', 'remember'],
          ],
          BROKE_OFF: [
            ['isLoading', 'pendingRestore', 'noticeBrokeOff'],
            ['', '', 'noticeBrokeOff'],
          ],
          ABORT: [
            ['discards', '', 'discard', 'abort'],
            ['', '', 'abort'],
          ],
          RESET: [['', 'pendingRestore', 'noteReset', 'retire']],
        },
        live: {
          SNAPSHOT: [
            ['isMalformed', '', 'noticeMalformed'],
            ['isSpent', ''],
            ['isRepeat', ''],
            ['isLoading', '', 'record'],
            ['', '', 'observe'],
          ],
          PROCESSED: [
            ['isLoading', 'loading', 'remember'],
            ['', '', 'remember'],
          ],
          BROKE_OFF: [
            ['isLoading', 'pendingRestore', 'noticeBrokeOff'],
            ['', '', 'noticeBrokeOff'],
          ],
          ABORT: [
            ['discards', '', 'discard', 'abort'],
            ['', '', 'abort'],
          ],
          RESET: [['', 'pendingRestore', 'noteReset', 'retire']],
        },
      },
    },
  },
};

export const SPEND_TABLE: Table = {
  id: 'spend',
  version: '1',
  regions: {
    fate: {
      initial: 'claimed',
      states: {
        claimed: { DONE: [['', 'done']], FAILED: [['', 'failed']], RESTART: [['', 'unknown']] },
        unknown: { AGAIN: [['', 'claimed']], GIVEN: [['', 'done']] },
        done: {},
        failed: {},
      },
    },
  },
};
