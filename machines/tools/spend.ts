/**
 * What one call did, on file: it is spent before its executor begins.
 *
 * What dies in between is `unknown`: nothing runs again by itself, and the host says what became of it.
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
      initial: 'claimed',
      states: {
        claimed: {
          description: 'Its executor may have begun.',
          on: {
            DONE: { target: 'done', meta: { rules: ['H-02'] } },
            FAILED: { target: 'failed', meta: { rules: ['H-02'] } },
            RESTART: { target: 'unknown', meta: { rules: ['H-03'] } },
          },
        },
        unknown: {
          description: 'The process ended between claim and outcome.',
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
