/**
 * One adoption of a session's seat: where in the conversation what its state vouches for is known to lie.
 *
 * The state itself is not here; whoever keeps the rows holds it, and lets go of it when ordered to.
 */
import { assign, setup } from 'xstate';
import { whole } from '../shared/whole.ts';

export type SeatValue = 'absent' | 'unanchored' | 'provisional' | 'sealed' | 'superseded' | 'evicted';

export interface SeatContext {
  readonly session: string;
  /** What the state vouches for lies at or above this entry. */
  readonly anchor: string | null;
}

export interface SeatInput {
  readonly session: string;
}

export type SeatEvent =
  /** `good`: session and state are what they must be. */
  | { type: 'ADOPT'; good: boolean; anchor: string | null }
  /** `mine`: the ticket names this adoption. */
  | { type: 'SEAL'; mine: boolean; leaf: string | null }
  | { type: 'GET' }
  | { type: 'OVERFLOW'; least: boolean }
  | { type: 'DROP' }
  | { type: 'CLEAR' }
  | { type: 'RESTART' };

const ordered = (): never => {
  throw new Error('an order of the seat chart ran outside the cache');
};

const storesAnchor = whole(({ context, event }: { context: SeatContext; event: SeatEvent }): SeatContext => {
  if (event.type === 'ADOPT') return { session: context.session, anchor: event.anchor };
  return event.type === 'SEAL' ? { session: context.session, anchor: event.leaf } : context;
});

const seatSetup = setup({
  types: { context: {} as SeatContext, events: {} as SeatEvent, input: {} as SeatInput },
  guards: {
    isGoodUnanchored: ({ event }) => event.type === 'ADOPT' && event.good && event.anchor === null,
    isGood: ({ event }) => event.type === 'ADOPT' && event.good,
    isMineWithLeaf: ({ event }) => event.type === 'SEAL' && event.mine && event.leaf !== null,
    isMine: ({ event }) => event.type === 'SEAL' && event.mine,
    isLeast: ({ event }) => event.type === 'OVERFLOW' && event.least,
  },
  actions: {
    storeAnchor: assign(storesAnchor),
    storeRef: ordered,
    releaseRef: ordered,
    touch: ordered,
    diagnose: ordered,
  },
});

export const seatMachine = seatSetup.createMachine({
  id: 'seat',
  version: '1',
  description: 'One adoption of a session’s seat. Only a sealed one may be used, and only with a finding that holds.',
  initial: 'absent',
  context: ({ input }) => ({ session: input.session, anchor: null }),
  states: {
    absent: {
      description: 'The session has no seat.',
      on: {
        ADOPT: [
          {
            guard: 'isGoodUnanchored',
            target: 'unanchored',
            actions: ['storeRef', 'touch'],
            meta: { rules: ['R-20', 'R-25'] },
          },
          {
            guard: 'isGood',
            target: 'provisional',
            actions: ['storeAnchor', 'storeRef', 'touch'],
            meta: { rules: ['R-20', 'R-21', 'R-23'] },
          },
          { actions: 'diagnose', meta: { rules: ['R-27'] } },
        ],
      },
    },
    unanchored: {
      description: 'Adopted on an empty branch; it vouches for nothing that can be proven.',
      on: {
        SEAL: [
          {
            guard: 'isMineWithLeaf',
            target: 'sealed',
            actions: ['storeAnchor', 'touch'],
            meta: { rules: ['R-30', 'R-31', 'R-32', 'R-36'] },
          },
          { guard: 'isMine', actions: 'diagnose', meta: { rules: ['R-34'] } },
        ],
        GET: { actions: 'touch', meta: { rules: ['R-12', 'R-13'] } },
        ADOPT: { guard: 'isGood', target: 'superseded', actions: 'releaseRef', meta: { rules: ['R-22', 'R-28'] } },
        OVERFLOW: { guard: 'isLeast', target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-24'] } },
        DROP: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-40'] } },
        CLEAR: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-40'] } },
        RESTART: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-02'] } },
      },
    },
    provisional: {
      description: 'Anchored where its task began. What the task has read since is not covered (R-82).',
      on: {
        SEAL: [
          {
            guard: 'isMineWithLeaf',
            target: 'sealed',
            actions: ['storeAnchor', 'touch'],
            meta: { rules: ['R-30', 'R-31', 'R-32', 'R-36'] },
          },
          { guard: 'isMine', actions: 'diagnose', meta: { rules: ['R-34'] } },
        ],
        GET: { actions: 'touch', meta: { rules: ['R-12', 'R-13'] } },
        ADOPT: { guard: 'isGood', target: 'superseded', actions: 'releaseRef', meta: { rules: ['R-22', 'R-28'] } },
        OVERFLOW: { guard: 'isLeast', target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-24'] } },
        DROP: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-40'] } },
        CLEAR: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-40'] } },
        RESTART: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-02'] } },
      },
    },
    sealed: {
      description: 'Its task has settled: all it vouches for lies at or above the anchor.',
      on: {
        // A second seal moves the anchor; the state stays what it is.
        SEAL: [
          {
            guard: 'isMineWithLeaf',
            actions: ['storeAnchor', 'touch'],
            meta: { rules: ['R-30', 'R-31', 'R-32', 'R-36', 'R-35'] },
          },
          { guard: 'isMine', actions: 'diagnose', meta: { rules: ['R-34'] } },
        ],
        GET: { actions: 'touch', meta: { rules: ['R-12', 'R-13'] } },
        ADOPT: { guard: 'isGood', target: 'superseded', actions: 'releaseRef', meta: { rules: ['R-22', 'R-28'] } },
        OVERFLOW: { guard: 'isLeast', target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-24'] } },
        DROP: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-40'] } },
        CLEAR: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-40'] } },
        RESTART: { target: 'evicted', actions: 'releaseRef', meta: { rules: ['R-02'] } },
      },
    },
    superseded: { description: 'A later adoption has the session.', type: 'final' },
    evicted: { description: 'The cache let go of it.', type: 'final' },
  },
});
