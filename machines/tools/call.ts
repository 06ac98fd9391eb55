/**
 * One tool call in one boundary, from its first sight to the end of the boundary.
 *
 * Texts, payloads and results stay outside: the shell compares, the chart decides, the shell performs what is ordered.
 * Regions stand in the order in which their orders must be performed: a piece of text first, the report last.
 */
import { assign, setup } from 'xstate';
import { namedGuards, written } from '../shared/named.ts';
import { type CallContext, type CallEvent, FIRST_CALL } from './call-facts.ts';
import * as callGuards from './call-guards.ts';
import * as callWrites from './call-writes.ts';

const ordered = (): never => {
  throw new Error('an order of the call chart ran outside the tracker');
};

const callSetup = setup({
  types: { context: {} as CallContext, events: {} as CallEvent },
  guards: namedGuards<CallContext, CallEvent, keyof typeof callGuards>(callGuards),
  actions: {
    noteHistory: assign(written(callWrites.noteHistory)),
    noteBirth: assign(written(callWrites.noteBirth)),
    noteWithheld: assign(written(callWrites.noteWithheld)),
    noteAnswered: assign(written(callWrites.noteAnswered)),
    noteClosed: assign(written(callWrites.noteClosed)),
    noteStarted: assign(written(callWrites.noteStarted)),
    noteOver: assign(written(callWrites.noteOver)),
    noteAsker: assign(written(callWrites.noteAsker)),
    forgetAsker: assign(written(callWrites.forgetAsker)),
    remember: ordered,
    noticeDiverged: ordered,
    noticeChanged: ordered,
    noticeEmpty: ordered,
    noticeSize: ordered,
    noticeOwner: ordered,
    park: ordered,
    refuseQuestion: ordered,
    supersede: ordered,
    resolveQuestion: ordered,
    rejectQuestion: ordered,
    publish: ordered,
    promote: ordered,
    startCallback: ordered,
    giveResult: ordered,
    giveOutcome: ordered,
    closeArguments: ordered,
    schedule: ordered,
    run: ordered,
    signal: ordered,
    report: ordered,
    leave: ordered,
    release: ordered,
  },
});

export const callMachine = callSetup.createMachine({
  id: 'call',
  version: '1',
  description: 'One tool call in one boundary: it runs once at most, and is reported once at most.',
  type: 'parallel',
  context: FIRST_CALL,
  states: {
    text: {
      initial: 'unread',
      description: 'The argument text that the reader has been given.',
      states: {
        unread: {
          description: 'History has no reader.',
          on: { BEGIN: { target: 'read', meta: { rules: ['R-30'] } } },
        },
        read: {
          on: {
            OBSERVE: [
              { guard: 'grows', actions: 'remember', meta: { rules: ['R-40'] } },
              { guard: 'isEqual', actions: 'remember', meta: { rules: ['R-41', 'R-43'] } },
              {
                guard: 'differsAfterEnd',
                actions: 'noticeChanged',
                meta: { rules: ['R-41', 'R-42', 'R-43', 'R-44'] },
              },
              { guard: 'differs', actions: 'noticeDiverged', meta: { rules: ['R-41', 'R-42'] } },
            ],
          },
        },
      },
    },
    licence: {
      initial: 'free',
      description: 'Whether it may run. It is taken once and never given back.',
      states: {
        free: {
          on: {
            RECORD: { guard: 'bars', target: 'withheld', actions: 'noteWithheld', meta: { rules: ['R-35'] } },
            BEGIN: {
              guard: 'bars',
              target: 'withheld',
              actions: ['noteWithheld', 'noticeOwner'],
              meta: { rules: ['R-35', 'R-62', 'R-64'] },
            },
            OBSERVE: [
              { guard: 'bars', target: 'withheld', actions: 'noteWithheld', meta: { rules: ['R-61'] } },
              {
                guard: 'isTooLong',
                target: 'withheld',
                actions: ['noteWithheld', 'noticeSize'],
                meta: { rules: ['R-46'] },
              },
            ],
            DISCARD: {
              guard: 'mayDiscard',
              target: 'withheld',
              actions: 'noteWithheld',
              meta: { rules: ['R-64', 'R-104'] },
            },
          },
        },
        withheld: { description: 'Nothing of the tool runs but its argument callback.' },
      },
    },
    question: {
      initial: 'none',
      description: 'The request to a person that is parked.',
      states: {
        none: {
          on: {
            HUMAN: [
              {
                guard: 'mayAsk',
                target: 'asked',
                actions: ['noteAsker', 'park', 'publish'],
                meta: { rules: ['R-80'] },
              },
              { actions: 'refuseQuestion', meta: { rules: ['R-82'] } },
            ],
          },
        },
        asked: {
          on: {
            HUMAN: [
              {
                guard: 'mayAsk',
                actions: ['supersede', 'noteAsker', 'park', 'publish'],
                meta: { rules: ['R-81'] },
              },
              { actions: 'refuseQuestion', meta: { rules: ['R-82'] } },
            ],
            RESUME: {
              target: 'none',
              actions: ['forgetAsker', 'resolveQuestion', 'publish'],
              meta: { rules: ['R-120', 'R-121'] },
            },
            OBSERVE: {
              guard: 'endsQuestion',
              target: 'none',
              actions: ['forgetAsker', 'rejectQuestion', 'publish'],
              meta: { rules: ['R-85'] },
            },
            ABORT: {
              target: 'none',
              actions: ['forgetAsker', 'rejectQuestion', 'publish'],
              meta: { rules: ['R-83', 'R-85', 'R-100'] },
            },
            START: {
              guard: 'isPoisoned',
              target: 'none',
              actions: ['forgetAsker', 'rejectQuestion', 'publish'],
              meta: { rules: ['R-47', 'R-85'] },
            },
            END: { target: 'none', actions: ['forgetAsker', 'rejectQuestion'], meta: { rules: ['R-85'] } },
            RETIRE: {
              target: 'none',
              actions: ['forgetAsker', 'rejectQuestion'],
              meta: { rules: ['R-83', 'R-111'] },
            },
          },
        },
      },
    },
    phase: {
      initial: 'unseen',
      description: 'How far it has come.',
      states: {
        unseen: {
          description: 'A record that nothing was written into.',
          on: {
            RECORD: { target: 'restored', actions: ['noteHistory', 'remember'], meta: { rules: ['R-12'] } },
            BEGIN: { target: 'streaming', actions: ['noteBirth', 'startCallback'], meta: { rules: ['R-30'] } },
          },
        },
        restored: {
          description: 'Known from history only. Nothing runs.',
          on: {
            RECORD: { actions: ['noteHistory', 'remember'], meta: { rules: ['R-12'] } },
            OBSERVE: [
              { guard: 'isChanged', target: 'retired', actions: ['noteOver', 'promote'], meta: { rules: ['R-32'] } },
              { actions: 'remember', meta: { rules: ['R-31', 'R-33', 'R-34'] } },
            ],
            ADOPT: {
              guard: 'isFree',
              target: 'retired',
              actions: ['noteOver', 'promote'],
              meta: { rules: ['R-36'] },
            },
            RETIRE: { target: 'retired', actions: 'noteOver', meta: { rules: ['R-111'] } },
          },
        },
        streaming: {
          description: 'Live; the arguments are not a whole yet.',
          on: {
            OBSERVE: [
              {
                guard: 'gainsResult',
                target: 'settledByProvider',
                actions: ['noteAnswered', 'noteOver', 'noteClosed', 'giveResult', 'closeArguments'],
                meta: { rules: ['R-50', 'R-60'] },
              },
              {
                guard: 'closesFree',
                target: 'handedOver',
                actions: ['noteClosed', 'closeArguments', 'schedule'],
                meta: { rules: ['R-50', 'R-52'] },
              },
              {
                guard: 'closes',
                target: 'skipped',
                actions: ['noteClosed', 'closeArguments'],
                meta: { rules: ['R-60', 'R-61', 'R-62', 'R-66'] },
              },
              { guard: 'isComplete', target: 'waitingForRun', meta: { rules: ['R-50'] } },
              { guard: 'isEmptyAtEnd', actions: 'noticeEmpty', meta: { rules: ['R-45'] } },
            ],
            DISCARD: {
              target: 'discarded',
              actions: 'noteOver',
              meta: { rules: ['R-103', 'R-104'] },
            },
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        waitingForRun: {
          description: 'The provider may still answer or gate it.',
          on: {
            OBSERVE: [
              {
                guard: 'gainsResult',
                target: 'settledByProvider',
                actions: ['noteAnswered', 'noteOver', 'noteClosed', 'giveResult', 'closeArguments'],
                meta: { rules: ['R-50', 'R-60'] },
              },
              {
                guard: 'closesFree',
                target: 'handedOver',
                actions: ['noteClosed', 'closeArguments', 'schedule'],
                meta: { rules: ['R-50', 'R-52'] },
              },
              {
                guard: 'closes',
                target: 'skipped',
                actions: ['noteClosed', 'closeArguments'],
                meta: { rules: ['R-60', 'R-61', 'R-62', 'R-66'] },
              },
              { guard: 'isIncomplete', target: 'streaming', meta: { rules: ['R-40'] } },
            ],
            DISCARD: {
              target: 'discarded',
              actions: 'noteOver',
              meta: { rules: ['R-103', 'R-104'] },
            },
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        handedOver: {
          description: 'It will start as soon as there is a place, if nothing comes in between.',
          on: {
            OBSERVE: {
              guard: 'gainsResult',
              target: 'settledByProvider',
              actions: ['noteAnswered', 'noteOver', 'giveResult'],
              meta: { rules: ['R-53', 'R-60'] },
            },
            START: [
              { guard: 'isWithheld', target: 'skipped', meta: { rules: ['R-53'] } },
              { guard: 'executesNothing', target: 'idle', actions: 'noteStarted', meta: { rules: ['R-70'] } },
              {
                guard: 'isPoisoned',
                target: 'settledByClient',
                actions: ['noteStarted', 'noteOver', 'giveOutcome', 'report'],
                meta: { rules: ['R-47'] },
              },
              { target: 'executing', actions: ['noteStarted', 'run'], meta: { rules: ['R-71', 'R-84', 'R-88'] } },
            ],
            DISCARD: {
              target: 'discarded',
              actions: 'noteOver',
              meta: { rules: ['R-103', 'R-104'] },
            },
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        executing: {
          description: 'The executor has started and has not ended; it may be asking a person.',
          on: {
            OBSERVE: {
              guard: 'gainsResult',
              actions: ['noteAnswered', 'giveResult'],
              meta: { rules: ['R-60'] },
            },
            ABORT: { actions: 'signal', meta: { rules: ['R-75', 'R-100'] } },
            END: [
              {
                guard: 'isAnswered',
                target: 'settledByProvider',
                actions: ['noteOver', 'leave', 'publish'],
                meta: { rules: ['R-60'] },
              },
              {
                guard: 'isWithheld',
                target: 'skipped',
                actions: ['noteOver', 'leave', 'publish'],
                meta: { rules: ['R-61'] },
              },
              {
                target: 'settledByClient',
                actions: ['noteOver', 'leave', 'publish', 'giveOutcome', 'report'],
                meta: { rules: ['R-71', 'R-90'] },
              },
            ],
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release', 'leave'],
              meta: { rules: ['R-101', 'R-111'] },
            },
          },
        },
        idle: {
          description: 'There is nothing to run it; the provider may still answer.',
          on: {
            OBSERVE: {
              guard: 'gainsResult',
              target: 'settledByProvider',
              actions: ['noteAnswered', 'noteOver', 'giveResult'],
              meta: { rules: ['R-60'] },
            },
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        skipped: {
          description: 'Withheld when its time came.',
          on: {
            OBSERVE: {
              guard: 'gainsResult',
              target: 'settledByProvider',
              actions: ['noteAnswered', 'noteOver', 'giveResult'],
              meta: { rules: ['R-60'] },
            },
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        discarded: {
          description: 'Its turn was ended before it started.',
          on: {
            OBSERVE: [
              {
                guard: 'gainsResult',
                target: 'settledByProvider',
                actions: ['noteAnswered', 'noteOver', 'noteClosed', 'giveResult', 'closeArguments'],
                meta: { rules: ['R-50', 'R-60'] },
              },
              { guard: 'closes', actions: ['noteClosed', 'closeArguments'], meta: { rules: ['R-65'] } },
            ],
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        settledByProvider: {
          description: 'Answered by the provider.',
          on: {
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        settledByClient: {
          description: 'Its own outcome was reported.',
          on: {
            RETIRE: {
              target: 'retired',
              actions: ['noteOver', 'release'],
              meta: { rules: ['R-92', 'R-111'] },
            },
          },
        },
        retired: { description: 'Of an older boundary, or replaced: it has no effect any more.', type: 'final' },
      },
    },
  },
});
