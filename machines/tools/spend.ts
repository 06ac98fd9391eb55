/**
 * One call of a client tool across reloads: it is spent once.
 *
 * It is claimed before its executor begins and ends with its outcome on file. What dies in between is `unknown`, or
 * `adjourned` where a person was being asked: nothing runs again by itself, and the host says what became of it.
 */
import { setup } from 'xstate';
import type { SpendEvent } from './spend-facts.ts';

export const spendMachine = setup({ types: { context: {} as object, events: {} as SpendEvent } }).createMachine({
  id: 'spend',
  version: '1',
  description: 'One call of a client tool across reloads.',
  type: 'parallel',
  context: {},
  states: {
    fate: {
      initial: 'open',
      states: {
        open: {
          description: 'Its argument callback asked a person; its executor has not begun.',
          on: { CLAIM: { target: 'claimed', meta: { rules: ['H-02'] } } },
        },
        claimed: {
          description: 'Its executor may have begun.',
          on: {
            PARK: { target: 'asking', meta: { rules: ['H-05'] } },
            DONE: { target: 'done', meta: { rules: ['H-02'] } },
            FAILED: { target: 'failed', meta: { rules: ['H-02'] } },
            RESTART: { target: 'unknown', meta: { rules: ['H-03'] } },
          },
        },
        asking: {
          description: 'The same, and a person is asked.',
          on: {
            RESUME: { target: 'claimed', meta: { rules: ['H-05'] } },
            DONE: { target: 'done', meta: { rules: ['H-02'] } },
            FAILED: { target: 'failed', meta: { rules: ['H-02'] } },
            RESTART: { target: 'adjourned', meta: { rules: ['H-05'] } },
          },
        },
        unknown: {
          description: 'The process ended between claim and outcome.',
          on: {
            AGAIN: { target: 'claimed', meta: { rules: ['H-03'] } },
            GIVEN: { target: 'done', meta: { rules: ['H-03'] } },
          },
        },
        adjourned: {
          description: 'The process ended while a person was asked.',
          on: {
            AGAIN: { target: 'claimed', meta: { rules: ['H-03'] } },
            GIVEN: { target: 'done', meta: { rules: ['H-03'] } },
          },
        },
        done: { description: 'Its outcome is on file.' },
        failed: { description: 'It ended with an error, which is on file.' },
      },
    },
  },
});
