/** Charts that between them use everything that `compile` supports. Their custom actions throw when executed. */
import { and, assign, not, or, setup, stateIn } from 'xstate';

const ordered = (): never => {
  throw new Error('a custom action was executed');
};

export interface DemoContext {
  readonly count: number;
  readonly note: string;
}

export type DemoEvent =
  | { type: 'GO'; by: number }
  | { type: 'BACK' }
  | { type: 'STAY' }
  | { type: 'AGAIN' }
  | { type: 'NOTE'; text: string }
  | { type: 'RESET' }
  | { type: 'END' }
  | { type: 'alarm' }
  | { type: 'alarm.fire' }
  | { type: 'alarm.fire.east' }
  | { type: 'alarm.flood' }
  | { type: 'STRANGE' };

export const DEMO_EVENTS: readonly DemoEvent[] = [
  { type: 'GO', by: 0 },
  { type: 'GO', by: 1 },
  { type: 'GO', by: 2 },
  { type: 'BACK' },
  { type: 'STAY' },
  { type: 'AGAIN' },
  { type: 'NOTE', text: 'x' },
  { type: 'NOTE', text: '' },
  { type: 'RESET' },
  { type: 'END' },
  { type: 'alarm' },
  { type: 'alarm.fire' },
  { type: 'alarm.fire.east' },
  { type: 'alarm.flood' },
  { type: 'STRANGE' },
];

export const demoSetup = setup({
  types: { context: {} as DemoContext, events: {} as DemoEvent, input: {} as { count: number } | undefined },
  guards: {
    isEven: ({ context }) => context.count % 2 === 0,
    isBig: ({ event }) => event.type === 'GO' && event.by > 1,
    isAtLeast: ({ context }, { min }: { min: number }) => context.count >= min,
    hasText: ({ event }) => event.type === 'NOTE' && event.text !== '',
    isEvenAndBig: and(['isEven', 'isBig']),
    never: () => false,
  },
  actions: {
    add: assign({ count: ({ context, event }) => (context.count + (event.type === 'GO' ? event.by : 1)) % 4 }),
    clear: assign({ count: 0, note: '' }),
    note: assign((_, { text }: { text: string }) => ({ note: text })),
    swap: assign({ count: ({ context }) => context.note.length, note: ({ context }) => 'n'.repeat(context.count % 2) }),
    ring: ordered,
    enter: (_, _params: { where: string }) => ordered(),
    leave: (_, _params: { where: string }) => ordered(),
    tell: (_, _params: { count: number; kind: string }) => ordered(),
  },
});

export const flatDemo = demoSetup.createMachine({
  id: 'flat',
  version: '7',
  context: ({ input }) => ({ count: input?.count ?? 0, note: '' }),
  initial: 'idle',
  entry: ['ring', { type: 'enter', params: { where: 'root' } }],
  exit: { type: 'leave', params: { where: 'root' } },
  on: {
    RESET: { target: '.over', actions: ['clear', 'ring'] },
    AGAIN: { actions: { type: 'tell', params: ({ context }) => ({ count: context.count, kind: 'root' }) } },
    '*': { actions: { type: 'tell', params: ({ context, event }) => ({ count: context.count, kind: event.type }) } },
    'alarm.*': { actions: 'ring' },
  },
  states: {
    idle: {
      entry: { type: 'enter', params: ({ context }) => ({ where: `idle ${context.count}` }) },
      exit: [{ type: 'leave', params: { where: 'idle' } }, 'add'],
      on: {
        GO: [
          { guard: 'isEvenAndBig', target: 'busy', actions: ['add', 'ring', 'swap'] },
          { guard: { type: 'isAtLeast', params: { min: 3 } }, target: 'gate' },
          { guard: { type: 'isAtLeast', params: ({ event }) => ({ min: event.by }) }, actions: 'add' },
          { target: 'busy', reenter: true },
        ],
        STAY: {},
        AGAIN: { target: 'idle', reenter: true, actions: 'add' },
        BACK: { target: 'idle', actions: 'ring' },
        NOTE: [
          { guard: 'hasText', actions: { type: 'note', params: ({ event }) => ({ text: event.text }) } },
          { guard: and([not(stateIn('busy')), 'isEven']), target: 'busy' },
          { guard: and([stateIn('#flat.idle'), not('isEven')]), actions: { type: 'note', params: { text: 'odd' } } },
        ],
        'alarm.fire.*': { target: 'busy' },
        'alarm.fire': { target: 'gate', actions: 'ring' },
      },
    },
    busy: {
      entry: 'ring',
      on: {
        BACK: 'idle',
        GO: { guard: or(['never', not('isBig')]), target: 'busy', actions: 'add' },
        END: { target: 'over', actions: 'ring' },
        'alarm.fire': { actions: 'add' },
      },
    },
    gate: {
      entry: 'add',
      exit: { type: 'leave', params: { where: 'gate' } },
      always: [
        { guard: 'isEven', target: 'busy', actions: ['ring', 'add'] },
        { guard: { type: 'isAtLeast', params: { min: 3 } }, target: 'idle' },
      ],
    },
    over: { type: 'final', entry: { type: 'enter', params: { where: 'over' } }, exit: 'add' },
  },
});

export const parallelDemo = demoSetup.createMachine({
  id: 'parallel',
  type: 'parallel',
  context: { count: 0, note: '' },
  entry: 'ring',
  on: {
    RESET: { target: '.left.near', actions: ['ring', 'clear'] },
    BACK: { target: ['.left.far', '.right.low'], actions: 'add' },
    '*': { actions: 'ring' },
    STRANGE: { guard: 'isEven', actions: 'add' },
  },
  states: {
    left: {
      initial: 'near',
      entry: { type: 'enter', params: { where: 'left' } },
      exit: [{ type: 'leave', params: { where: 'left' } }, 'add'],
      on: { AGAIN: 'left', END: { guard: stateIn({ right: 'high' }), target: '.done' }, NOTE: { actions: 'ring' } },
      states: {
        near: {
          entry: { type: 'enter', params: ({ context }) => ({ where: `near ${context.count}` }) },
          exit: 'ring',
          on: {
            GO: { target: 'far', actions: ['add', { type: 'tell', params: { count: 1, kind: 'near' } }] },
            NOTE: { target: 'near', reenter: true, actions: { type: 'note', params: { text: 'left' } } },
          },
        },
        far: {
          exit: 'add',
          on: {
            GO: [
              { guard: and([stateIn('right.high'), 'isEven']), target: 'near', actions: 'swap' },
              { guard: 'isBig', actions: 'add' },
            ],
            STAY: {},
          },
        },
        done: { type: 'final', entry: { type: 'enter', params: { where: 'done' } } },
      },
    },
    right: {
      initial: 'low',
      exit: { type: 'leave', params: { where: 'right' } },
      states: {
        low: {
          on: {
            GO: {
              target: 'middle',
              actions: { type: 'tell', params: ({ context }) => ({ count: context.count, kind: 'low' }) },
            },
            NOTE: { target: 'high', actions: 'swap' },
          },
        },
        middle: {
          entry: 'add',
          always: [
            { guard: { type: 'isAtLeast', params: { min: 3 } }, target: 'high', actions: 'ring' },
            { guard: stateIn('left.done'), target: 'low' },
          ],
          on: { STAY: { target: 'low' }, GO: { target: 'middle', reenter: true } },
        },
        high: {
          entry: 'ring',
          exit: 'add',
          on: { STAY: { target: 'low', actions: 'ring' }, AGAIN: { actions: 'add' } },
        },
      },
    },
    quiet: {
      initial: 'only',
      states: { only: { on: { GO: { guard: 'isEvenAndBig', target: 'only', reenter: true } } } },
    },
  },
});

/** Both regions can end: done events, wildcards that see them, and events that a finished machine still takes. */
export const endingDemo = demoSetup.createMachine({
  id: 'ending',
  type: 'parallel',
  context: { count: 0, note: '' },
  exit: 'ring',
  states: {
    left: {
      initial: 'open',
      exit: { type: 'leave', params: { where: 'left' } },
      on: {
        AGAIN: { actions: [{ type: 'tell', params: { count: 0, kind: 'left' } }, 'add'] },
        RESET: { target: '.closed', actions: 'ring' },
        '*': { actions: { type: 'tell', params: ({ event }) => ({ count: 0, kind: event.type }) } },
      },
      states: {
        open: { always: { guard: { type: 'isAtLeast', params: { min: 3 } }, target: 'closed', actions: 'ring' } },
        closed: { type: 'final', entry: 'ring', exit: { type: 'leave', params: { where: 'closed' } } },
      },
    },
    right: {
      initial: 'open',
      exit: [{ type: 'leave', params: { where: 'right' } }, 'add'],
      on: { AGAIN: { actions: { type: 'tell', params: ({ context }) => ({ count: context.count, kind: 'right' }) } } },
      states: {
        open: { on: { GO: { target: 'closed', actions: 'add' }, NOTE: { target: 'half', actions: 'add' } } },
        half: { on: { END: 'closed', BACK: { target: 'open', actions: 'ring' } } },
        closed: { type: 'final' },
      },
    },
  },
});

/** Ends at once. */
export const endedDemo = demoSetup.createMachine({
  id: 'ended',
  context: { count: 0, note: '' },
  initial: 'over',
  entry: 'ring',
  exit: { type: 'leave', params: { where: 'root' } },
  on: { GO: { actions: 'add' } },
  states: { over: { type: 'final', entry: 'add', exit: { type: 'leave', params: { where: 'over' } } } },
});

export const DEMOS = [flatDemo, parallelDemo, endingDemo, endedDemo] as const;
