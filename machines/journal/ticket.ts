/**
 * One ask as the journal knows it: the card that was dispatched, and who waits for its answer.
 *
 * The states after `unattended` are final: the card is off every surface, for the reason that the state names.
 */
import { assign, setup } from 'xstate';
import { whole } from '../shared/whole.ts';

export type TicketValue =
  | 'born'
  | 'awaited'
  | 'unattended'
  | 'released'
  | 'withdrawn'
  | 'superseded'
  | 'expired'
  | 'evicted';

export interface Opening {
  readonly tab: string;
  /** Epoch of the tab when the card was drawn; below zero once it can never be live again. */
  readonly epoch: number;
  readonly occupant: string | null;
}

export interface TicketInput {
  readonly askId: string;
  readonly opening: Opening;
  /** The id was opened, or carried an answer, before this ticket was made. */
  readonly reused: boolean;
  readonly historyLost: boolean;
}

export interface TicketContext {
  readonly askId: string;
  readonly openings: readonly Opening[];
  /** Handlers that have not finished. */
  readonly awaiting: number;
  readonly reused: boolean;
  readonly historyLost: boolean;
  /** Why the card is off the surfaces, for people. */
  readonly why: string | null;
}

type OwnContext = { -readonly [Field in keyof TicketContext]: TicketContext[Field] };

/** An own copy; a field that is missing here does not compile. */
export const copyTicket = (context: TicketContext): OwnContext => ({
  askId: context.askId,
  openings: context.openings,
  awaiting: context.awaiting,
  reused: context.reused,
  historyLost: context.historyLost,
  why: context.why,
});

export type TicketEvent =
  | { type: 'OPEN'; opening: Opening }
  | { type: 'ANSWER' }
  | { type: 'CLOSE'; answered: boolean }
  | { type: 'RESTART'; answered: boolean }
  | { type: 'WITHDRAW'; why: string }
  | { type: 'SUPERSEDE'; why: string }
  | { type: 'DEADLINE' }
  | { type: 'TRIM' }
  | { type: 'MOVE'; from: string; to: string; live: number; liveThere: number };

/** A change that writes into an own copy of the context. */
const writes = (write: (next: OwnContext, event: TicketEvent) => void) =>
  whole(({ context, event }: { context: TicketContext; event: TicketEvent }): TicketContext => {
    const next = copyTicket(context);
    write(next, event);
    return next;
  });

const ordered = (): never => {
  throw new Error('an order of the ticket chart ran outside the journal');
};

/** A card that was live on the old key is live on the new one; one that was not never is again. */
const moved = (opening: Opening, event: { from: string; to: string; live: number; liveThere: number }): Opening =>
  opening.tab !== event.from
    ? opening
    : { ...opening, tab: event.to, epoch: opening.epoch === event.live ? event.liveThere : -1 };

const ticketSetup = setup({
  types: { context: {} as TicketContext, events: {} as TicketEvent, input: {} as TicketInput },
  guards: {
    othersWait: ({ context }) => context.awaiting > 1,
    isAnswered: ({ context, event }) =>
      (event.type === 'CLOSE' || event.type === 'RESTART') && event.answered && !context.reused,
    isPlain: ({ context }) => !context.reused,
  },
  actions: {
    reopen: assign(
      writes((next, event) => {
        if (event.type === 'OPEN') next.openings = [...next.openings, event.opening];
        next.awaiting += 1;
        next.reused = true;
      }),
    ),
    handlerLeaves: assign(
      writes((next) => {
        next.awaiting -= 1;
      }),
    ),
    nobodyWaits: assign(
      writes((next) => {
        next.awaiting = 0;
      }),
    ),
    giveReason: assign(
      writes((next, event) => {
        next.awaiting = 0;
        if (event.type === 'WITHDRAW' || event.type === 'SUPERSEDE') next.why = event.why;
      }),
    ),
    move: assign(
      writes((next, event) => {
        if (event.type === 'MOVE') next.openings = next.openings.map((opening) => moved(opening, event));
      }),
    ),
    warnReopened: ordered,
    logTrimmed: ordered,
  },
});

export const ticketMachine = ticketSetup.createMachine({
  id: 'ticket',
  version: '1',
  description: 'One dispatched card: what makes a later answer attributable.',
  initial: 'born',
  context: ({ input }) => ({
    askId: input.askId,
    openings: [input.opening],
    awaiting: 1,
    reused: input.reused,
    historyLost: input.historyLost,
    why: null,
  }),
  states: {
    born: {
      description: 'Never rested in: an id that was seen before is said so.',
      always: [
        { guard: 'isPlain', target: 'awaited', meta: { rules: ['R-039'] } },
        { target: 'awaited', actions: 'warnReopened', meta: { rules: ['R-041', 'R-043', 'R-048'] } },
      ],
    },
    awaited: {
      description: 'The card is shown and some handler waits.',
      on: {
        OPEN: { actions: ['reopen', 'warnReopened'], meta: { rules: ['R-042', 'R-043', 'R-046', 'R-048'] } },
        CLOSE: [
          { guard: 'othersWait', actions: 'handlerLeaves', meta: { rules: ['R-072'] } },
          { guard: 'isAnswered', target: 'released', actions: 'nobodyWaits', meta: { rules: ['R-074'] } },
          { target: 'unattended', actions: 'nobodyWaits', meta: { rules: ['R-072', 'R-074'] } },
        ],
        RESTART: [
          { guard: 'isAnswered', target: 'released', actions: 'nobodyWaits', meta: { rules: ['D-4'] } },
          { target: 'unattended', actions: 'nobodyWaits', meta: { rules: ['D-4'] } },
        ],
        WITHDRAW: { target: 'withdrawn', actions: 'giveReason', meta: { rules: ['D-5'] } },
        SUPERSEDE: { target: 'superseded', actions: 'giveReason', meta: { rules: ['D-5'] } },
        DEADLINE: { target: 'expired', actions: 'giveReason', meta: { rules: ['D-5'] } },
        TRIM: { target: 'evicted', actions: ['giveReason', 'logTrimmed'], meta: { rules: ['R-200', 'R-201'] } },
        MOVE: { actions: 'move', meta: { rules: ['R-169'] } },
      },
    },
    unattended: {
      description: 'The card is shown and nobody waits.',
      on: {
        OPEN: {
          target: 'awaited',
          actions: ['reopen', 'warnReopened'],
          meta: { rules: ['R-042', 'R-043', 'R-046', 'R-048'] },
        },
        ANSWER: { guard: 'isPlain', target: 'released', meta: { rules: ['R-068'] } },
        WITHDRAW: { target: 'withdrawn', actions: 'giveReason', meta: { rules: ['D-5'] } },
        SUPERSEDE: { target: 'superseded', actions: 'giveReason', meta: { rules: ['D-5'] } },
        DEADLINE: { target: 'expired', actions: 'giveReason', meta: { rules: ['D-5'] } },
        TRIM: { target: 'evicted', actions: ['giveReason', 'logTrimmed'], meta: { rules: ['R-200', 'R-201'] } },
        MOVE: { actions: 'move', meta: { rules: ['R-169'] } },
      },
    },
    released: { description: 'Answered, and every handler has finished.', type: 'final' },
    withdrawn: { description: 'Taken back by whoever asked.', type: 'final' },
    superseded: { description: 'Another ask took its place.', type: 'final' },
    expired: { description: 'Its deadline passed without an answer.', type: 'final' },
    evicted: { description: 'Removed by the bound of tickets.', type: 'final' },
  },
});
