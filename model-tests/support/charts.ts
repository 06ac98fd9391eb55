/** The real charts with samples of every event, at least one for each way a guard can go. */
import type { EventFromLogic, InputFrom } from 'xstate';
import { coordinatorMachine } from '../../machines/coordinator.ts';
import { answerMachine } from '../../machines/journal/answer.ts';
import type { AnswerContext, AnswerEvent, AnswerInput } from '../../machines/journal/answer-facts.ts';
import { debtMachine } from '../../machines/journal/debt.ts';
import { type LossInput, lossMachine } from '../../machines/journal/loss.ts';
import { type TicketInput, ticketMachine } from '../../machines/journal/ticket.ts';
import { canonical } from './graph.ts';

export const TAB = 'tab-a';
export const OTHER_TAB = 'tab-b';
export const BOUND = 3;

type Snap<Context> = { readonly value: unknown; readonly context: Context };
const place = (value: unknown, ...facts: unknown[]): string => JSON.stringify([canonical(value), ...facts]);

// ---- answer

const born = (label: AnswerInput['label'], known: boolean, awaited: boolean, retired: boolean): AnswerInput => ({
  token: 'aa1',
  key: TAB,
  label,
  known,
  awaited,
  retired,
});

/** The births that attribution can decide on: a match is always known, and what has no card is not. */
export const ANSWER_INPUTS: readonly AnswerInput[] = [
  born('matched', true, true, false),
  born('matched', true, false, false),
  born('matched', true, false, true),
  born('foreign', false, false, false),
  born('ambiguous', true, true, false),
  born('ambiguous', true, false, false),
  born('ambiguous', true, false, true),
  born('ambiguous', false, false, false),
];

const CAUSES = ['return', 'blur', 'boundary', 'evict', 'forget'] as const;

export const ANSWER_EVENTS: readonly AnswerEvent[] = [
  { type: 'CLOSE' },
  { type: 'RETURN', carrier: 'c1', replay: false },
  { type: 'RETURN', carrier: 'c2', replay: true },
  { type: 'RETURN', carrier: null, replay: false },
  ...(['matched', 'foreign'] as const).flatMap((worded) => [
    { type: 'OFFER_TAKEN', losses: [], worded, carrier: null } as const,
    { type: 'OFFER_TAKEN', losses: [7], worded, carrier: null } as const,
    { type: 'OFFER_TAKEN', losses: [], worded, carrier: 'c1' } as const,
  ]),
  { type: 'OFFER_REFUSED' },
  { type: 'RECEIPT', carrier: 'c1' },
  { type: 'RECEIPT', carrier: 'c9' },
  { type: 'RECEIPT', carrier: null },
  { type: 'HANDBACK', carried: false, carrier: 'c1', bound: BOUND },
  { type: 'HANDBACK', carried: false, carrier: 'c9', bound: BOUND },
  { type: 'HANDBACK', carried: false, carrier: null, bound: BOUND },
  { type: 'HANDBACK', carried: true, carrier: null, bound: BOUND },
  { type: 'BLUR', erase: true },
  { type: 'BLUR', erase: false },
  { type: 'BOUNDARY' },
  ...CAUSES.map((because) => ({ type: 'RECALLED', because }) as const),
  { type: 'RESTART' },
  { type: 'PARK', why: 'given up' },
  { type: 'REDELIVER', repeat: true },
  { type: 'REDELIVER', repeat: false },
  { type: 'EVICT' },
  { type: 'FORGET' },
  { type: 'MOVE', to: OTHER_TAB },
];

/** What guards and later steps depend on; wording, counters that nothing reads and names are left out. */
export const answerPlace = ({ value, context: one }: Snap<AnswerContext>): string =>
  place(
    value,
    [one.known, one.returned, one.proven === 'no', one.channel, one.worded, one.copyCarrier, one.copyOut],
    [...one.rides].sort(),
    [...one.endedBeside].sort(),
    one.shown.length,
    Math.min(one.carriedReleases, BOUND - 1),
  );

/** The same with fewer places, for proofs that cost much for each: hand-backs are counted where no turn carries it. */
export const answerProofPlace = ({ value, context }: Snap<AnswerContext>): string =>
  answerPlace({ value, context: context.rides.length > 0 ? { ...context, carriedReleases: 0 } : context });

// ---- ticket

const opening = { tab: TAB, epoch: 0, occupant: null };

export const TICKET_INPUTS: readonly TicketInput[] = [
  { askId: 'pa-1', opening, reused: false, historyLost: false },
  { askId: 'pa-1', opening, reused: true, historyLost: false },
  { askId: 'pa-1', opening, reused: true, historyLost: true },
];

export const TICKET_EVENTS: readonly EventFromLogic<typeof ticketMachine>[] = [
  { type: 'OPEN', opening },
  { type: 'ANSWER' },
  { type: 'CLOSE', answered: false },
  { type: 'CLOSE', answered: true },
  { type: 'RESTART', answered: false },
  { type: 'RESTART', answered: true },
  { type: 'WITHDRAW', why: 'no longer wanted' },
  { type: 'SUPERSEDE', why: 'It was asked again in another way.' },
  { type: 'DEADLINE' },
  { type: 'TRIM' },
  { type: 'MOVE', from: TAB, to: OTHER_TAB, live: 0, liveThere: 0 },
  { type: 'MOVE', from: TAB, to: OTHER_TAB, live: 1, liveThere: 0 },
];

type TicketSnap = Snap<{
  readonly openings: readonly { readonly tab: string; readonly epoch: number }[];
  readonly awaiting: number;
  readonly reused: boolean;
  readonly historyLost: boolean;
}>;

export const ticketPlace = ({ value, context: { openings, awaiting, reused, historyLost } }: TicketSnap): string =>
  place(value, Math.min(awaiting, 3), reused, historyLost, [
    ...new Set(openings.map(({ tab, epoch }) => `${tab} ${epoch}`)),
  ]);

// ---- debt and loss

export const DEBT_INPUTS: readonly InputFrom<typeof debtMachine>[] = [
  { token: 'aad1', tab: TAB, carrier: null, losses: [1, 2] },
  { token: 'aad1', tab: TAB, carrier: 'c1', losses: [1, 2] },
];

export const DEBT_EVENTS: readonly EventFromLogic<typeof debtMachine>[] = [
  { type: 'RECEIPT', carrier: 'c1' },
  { type: 'RECEIPT', carrier: 'c9' },
  { type: 'RECEIPT', carrier: null },
  { type: 'HANDBACK' },
  { type: 'SETTLED', loss: 1 },
  { type: 'SETTLED', loss: 2 },
  { type: 'MOVE', to: OTHER_TAB },
];

const dead = (rides: readonly string[], copyOut: boolean, copyCarrier: string | null): LossInput => ({
  tab: TAB,
  occupant: null,
  of: 'aa1',
  rides,
  endedBeside: [],
  copyOut,
  copyCarrier,
});

export const LOSS_INPUTS: readonly LossInput[] = [
  dead([], false, null),
  dead(['r1'], false, null),
  dead([], true, null),
  dead([], true, 'q1'),
  dead(['r1'], true, null),
];

export const LOSS_EVENTS: readonly EventFromLogic<typeof lossMachine>[] = [
  { type: 'DISPLAY', by: 'aa2' },
  { type: 'OWE' },
  { type: 'TELL' },
  { type: 'RECEIPT', carrier: 'r1' },
  { type: 'RECEIPT', carrier: 'q1' },
  { type: 'RECEIPT', carrier: null },
  { type: 'HANDBACK', carrier: 'r1' },
  { type: 'HANDBACK', carrier: 'q1' },
  { type: 'HANDBACK', carrier: null },
  { type: 'RECALLED' },
  { type: 'TAKEN', carrier: 'q1' },
  { type: 'TAKEN', carrier: null },
  { type: 'SURFACE' },
  { type: 'MOVE', to: OTHER_TAB },
];

// ---- coordinator

export const COORDINATOR_EVENTS: readonly EventFromLogic<typeof coordinatorMachine>[] = [
  { type: 'OPENED' },
  { type: 'CLOSE' },
  { type: 'CLOSED' },
  { type: 'BOUNDARY', tab: TAB },
  { type: 'SEEN', tab: TAB, occupant: 'x' },
  { type: 'SEEN', tab: TAB, occupant: 'y' },
  { type: 'GONE', tab: TAB, occupant: 'x' },
  { type: 'GONE', tab: TAB, occupant: 'y' },
  { type: 'MOVE', from: TAB, to: OTHER_TAB },
  { type: 'RESET' },
];

type Tabs = Readonly<Record<string, { readonly epoch: number; readonly gone: readonly string[] }>>;

export const coordinatorPlace = ({ value, context }: Snap<{ readonly tabs: Tabs }>): string => {
  const tabs = Object.entries(context.tabs).map(([key, tab]) => [
    key,
    { ...tab, epoch: Math.min(tab.epoch, 1), gone: [...tab.gone].sort() },
  ]);
  return place(value, Object.fromEntries(tabs.sort()));
};

export { answerMachine, coordinatorMachine, debtMachine, lossMachine, ticketMachine };
