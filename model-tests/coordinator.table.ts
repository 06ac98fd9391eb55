/** Every state of the coordinator against every event. A new one does not compile until it is decided here. */
import type { SnapshotFrom } from 'xstate';
import type { CoordinatorContext, CoordinatorEvent, coordinatorMachine } from '../machines/coordinator.ts';
import type { Cell } from './support/table.ts';

export type Doors = SnapshotFrom<typeof coordinatorMachine>['value'];

export const USUAL: CoordinatorContext = { tabs: {} };

export const EVENTS: { readonly [Type in CoordinatorEvent['type']]: Extract<CoordinatorEvent, { type: Type }> } = {
  OPENED: { type: 'OPENED' },
  CLOSE: { type: 'CLOSE' },
  CLOSED: { type: 'CLOSED' },
  BOUNDARY: { type: 'BOUNDARY', tab: 'tab-a' },
  SEEN: { type: 'SEEN', tab: 'tab-a', occupant: 'x' },
  GONE: { type: 'GONE', tab: 'tab-a', occupant: 'x' },
  MOVE: { type: 'MOVE', from: 'tab-a', to: 'tab-b' },
  RESET: { type: 'RESET' },
};

/** Tabs are kept in every state: what is folded before the doors open counts too. */
const kept = <State extends Doors>(state: State) => ({
  BOUNDARY: state,
  SEEN: state,
  GONE: state,
  MOVE: state,
  RESET: state,
});

export const COORDINATOR: Record<Doors, Record<CoordinatorEvent['type'], Cell<Doors>>> = {
  opening: { OPENED: 'open', CLOSE: 'closing', CLOSED: 'ignored', ...kept('opening') },
  open: { OPENED: 'ignored', CLOSE: 'closing', CLOSED: 'ignored', ...kept('open') },
  closing: { OPENED: 'ignored', CLOSE: 'ignored', CLOSED: 'closed', ...kept('closing') },
  closed: { OPENED: 'ignored', CLOSE: 'ignored', CLOSED: 'ignored', ...kept('closed') },
};
