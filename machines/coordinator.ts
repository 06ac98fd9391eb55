/**
 * The coordinator: its doors, and the tabs it knows with their conversation epochs and occupants.
 *
 * The one chart that runs as a live actor, and the root of what an inspector shows. Its events are rare.
 */
import { assign, setup } from 'xstate';

export interface Tab {
  /** Grows by one with each conversation boundary. */
  readonly epoch: number;
  /** Occupants that were declared gone and have not been seen since. */
  readonly gone: readonly string[];
  /** The occupant seen last; null before the first. */
  readonly occupant: string | null;
}

export interface CoordinatorContext {
  readonly tabs: Readonly<Record<string, Tab>>;
}

export type CoordinatorEvent =
  | { type: 'OPENED' }
  | { type: 'CLOSE' }
  | { type: 'CLOSED' }
  | { type: 'BOUNDARY'; tab: string }
  | { type: 'SEEN'; tab: string; occupant: string }
  | { type: 'GONE'; tab: string; occupant: string }
  | { type: 'MOVE'; from: string; to: string }
  | { type: 'RESET' };

export const UNTOUCHED_TAB: Tab = Object.freeze({ epoch: 0, gone: [], occupant: null });

const tabOf = (context: CoordinatorContext, tab: string): Tab =>
  Object.hasOwn(context.tabs, tab) ? (context.tabs[tab] ?? UNTOUCHED_TAB) : UNTOUCHED_TAB;

/** A record without a prototype, so that no tab key can be mistaken for a member of Object. */
const withTab = (context: CoordinatorContext, key: string, tab: Tab | undefined): CoordinatorContext['tabs'] => {
  const tabs: Record<string, Tab> = Object.assign(Object.create(null), context.tabs);
  if (tab === undefined) delete tabs[key];
  else tabs[key] = tab;
  return tabs;
};

const coordinatorSetup = setup({
  types: {
    context: {} as CoordinatorContext,
    events: {} as CoordinatorEvent,
    input: {} as { tabs: Readonly<Record<string, Tab>> },
  },
  actions: {
    raiseEpoch: assign({
      tabs: ({ context, event }) => {
        if (event.type !== 'BOUNDARY') return context.tabs;
        const tab = tabOf(context, event.tab);
        return withTab(context, event.tab, { ...tab, epoch: tab.epoch + 1 });
      },
    }),
    noteSeen: assign({
      tabs: ({ context, event }) => {
        if (event.type !== 'SEEN') return context.tabs;
        const tab = tabOf(context, event.tab);
        const gone = tab.gone.filter((occupant) => occupant !== event.occupant);
        return withTab(context, event.tab, { ...tab, gone, occupant: event.occupant });
      },
    }),
    noteGone: assign({
      tabs: ({ context, event }) => {
        if (event.type !== 'GONE') return context.tabs;
        const tab = tabOf(context, event.tab);
        return withTab(context, event.tab, { ...tab, gone: [...new Set([...tab.gone, event.occupant])] });
      },
    }),
    moveTab: assign({
      tabs: ({ context, event }) => {
        if (event.type !== 'MOVE' || !Object.hasOwn(context.tabs, event.from)) return context.tabs;
        const from = tabOf(context, event.from);
        const to = tabOf(context, event.to);
        const gone = [...new Set([...to.gone, ...from.gone])];
        const tabs = withTab(context, event.to, { ...to, gone });
        return withTab({ tabs }, event.from, undefined);
      },
    }),
    clear: assign({ tabs: {} }),
  },
});

export const coordinatorMachine = coordinatorSetup.createMachine({
  id: 'coordinator',
  version: '1',
  description: 'Doors and tabs of one coordinator.',
  initial: 'opening',
  context: ({ input }) => ({ tabs: input.tabs }),
  on: {
    BOUNDARY: { actions: 'raiseEpoch', meta: { rules: ['R-176', 'R-186'] } },
    SEEN: { actions: 'noteSeen', meta: { rules: ['R-155'] } },
    GONE: { actions: 'noteGone', meta: { rules: ['R-155'] } },
    MOVE: { actions: 'moveTab', meta: { rules: ['R-170'] } },
    RESET: { actions: 'clear', meta: { rules: ['R-214'] } },
  },
  states: {
    opening: {
      description: 'Fencing, folding and arming; nothing is accepted yet.',
      on: {
        OPENED: { target: 'open', meta: { rules: ['D-4'] } },
        CLOSE: { target: 'closing', meta: { rules: ['D-4'] } },
      },
    },
    open: { description: 'Accepting.', on: { CLOSE: { target: 'closing', meta: { rules: ['D-4'] } } } },
    closing: {
      description: 'Waiters are being settled; nothing new is accepted.',
      on: { CLOSED: { target: 'closed', meta: { rules: ['D-4'] } } },
    },
    closed: { description: 'The store is closed.', type: 'final' },
  },
});
