/** Written by `npm run tables` from the charts beside it. Do not edit. */
import type { Table } from '../shared/lean.ts';
import type { SpendEvent } from './spend-facts.ts';

export const SPEND_TABLE: Table<object, SpendEvent> = {
  fate: {
    open: { CLAIM: [['', 'claimed']] },
    claimed: { PARK: [['', 'asking']], DONE: [['', 'done']], FAILED: [['', 'failed']], RESTART: [['', 'unknown']] },
    asking: { RESUME: [['', 'claimed']], DONE: [['', 'done']], FAILED: [['', 'failed']], RESTART: [['', 'adjourned']] },
    unknown: { AGAIN: [['', 'claimed']], GIVEN: [['', 'done']] },
    adjourned: { AGAIN: [['', 'claimed']], GIVEN: [['', 'done']] },
    done: {},
    failed: {},
  },
};
