/** Every state of a ticket against every event. A new state or event does not compile until it is decided here. */
import type { SnapshotFrom } from 'xstate';
import type { TicketContext, TicketEvent, ticketMachine } from '../../machines/journal/ticket.ts';
import type { Cell } from '../support/table.ts';

export type TicketState = Exclude<SnapshotFrom<typeof ticketMachine>['value'], 'born'>;

const opening = { tab: 'tab-a', epoch: 0, occupant: null };
export const USUAL: TicketContext = {
  askId: 'pa-1',
  openings: [opening],
  awaiting: 1,
  reused: false,
  historyLost: false,
  why: null,
};

export const EVENTS: { readonly [Type in TicketEvent['type']]: Extract<TicketEvent, { type: Type }> } = {
  OPEN: { type: 'OPEN', opening },
  ANSWER: { type: 'ANSWER' },
  CLOSE: { type: 'CLOSE', answered: false },
  RESTART: { type: 'RESTART', answered: false },
  WITHDRAW: { type: 'WITHDRAW', why: 'no longer wanted' },
  SUPERSEDE: { type: 'SUPERSEDE', why: 'asked again' },
  DEADLINE: { type: 'DEADLINE' },
  TRIM: { type: 'TRIM' },
  MOVE: { type: 'MOVE', from: 'tab-a', to: 'tab-b', live: 0, liveThere: 0 },
};

const REUSED: Partial<TicketContext> = { reused: true };
const TWO_WAIT: Partial<TicketContext> = { reused: true, awaiting: 2 };
const ANSWERED = { answered: true };

const ENDED: Record<TicketEvent['type'], 'ignored'> = {
  OPEN: 'ignored',
  ANSWER: 'ignored',
  CLOSE: 'ignored',
  RESTART: 'ignored',
  WITHDRAW: 'ignored',
  SUPERSEDE: 'ignored',
  DEADLINE: 'ignored',
  TRIM: 'ignored',
  MOVE: 'ignored',
};

export const TICKET: Record<TicketState, Record<TicketEvent['type'], Cell<TicketState>>> = {
  awaited: {
    OPEN: 'awaited',
    ANSWER: 'ignored',
    CLOSE: [
      { given: TWO_WAIT, to: 'awaited' },
      { given: TWO_WAIT, with: ANSWERED, to: 'awaited' },
      { with: ANSWERED, to: 'released' },
      { given: REUSED, with: ANSWERED, to: 'unattended' },
      { to: 'unattended' },
    ],
    RESTART: [
      { with: ANSWERED, to: 'released' },
      { given: TWO_WAIT, with: ANSWERED, to: 'unattended' },
      { to: 'unattended' },
    ],
    WITHDRAW: 'withdrawn',
    SUPERSEDE: 'superseded',
    DEADLINE: 'expired',
    TRIM: 'evicted',
    MOVE: 'awaited',
  },
  unattended: {
    OPEN: 'awaited',
    ANSWER: [{ to: 'released' }, { given: REUSED, to: 'ignored' }],
    CLOSE: 'ignored',
    RESTART: 'ignored',
    WITHDRAW: 'withdrawn',
    SUPERSEDE: 'superseded',
    DEADLINE: 'expired',
    TRIM: 'evicted',
    MOVE: 'unattended',
  },
  released: ENDED,
  withdrawn: ENDED,
  superseded: ENDED,
  expired: ENDED,
  evicted: ENDED,
};
