/** Every state of a loss against every event. A new state or event does not compile until it is decided here. */
import type { SnapshotFrom } from 'xstate';
import type { LossContext, LossEvent, lossMachine } from '../../machines/journal/loss.ts';
import type { Cell } from '../support/table.ts';

export type LossState = SnapshotFrom<typeof lossMachine>['value'];

export const USUAL: LossContext = {
  tab: 'tab-a',
  occupant: null,
  of: 'aa1',
  rides: ['r1'],
  endedBeside: [],
  copyOut: false,
  copyCarrier: null,
  shownBy: null,
};

export const EVENTS: { readonly [Type in LossEvent['type']]: Extract<LossEvent, { type: Type }> } = {
  DISPLAY: { type: 'DISPLAY', by: 'aa2' },
  OWE: { type: 'OWE' },
  TELL: { type: 'TELL' },
  RECEIPT: { type: 'RECEIPT', carrier: null },
  HANDBACK: { type: 'HANDBACK', carrier: null },
  TAKEN: { type: 'TAKEN', carrier: null },
  RECALLED: { type: 'RECALLED' },
  SURFACE: { type: 'SURFACE' },
  MOVE: { type: 'MOVE', to: 'tab-b' },
};

const R1 = { carrier: 'r1' };
const R9 = { carrier: 'r9' };
const COPY: Partial<LossContext> = { copyOut: true };
const NAMED: Partial<LossContext> = { copyOut: true, copyCarrier: 'q1' };

const ENDED: Record<LossEvent['type'], 'ignored'> = {
  DISPLAY: 'ignored',
  OWE: 'ignored',
  TELL: 'ignored',
  RECEIPT: 'ignored',
  HANDBACK: 'ignored',
  TAKEN: 'ignored',
  RECALLED: 'ignored',
  SURFACE: 'ignored',
  MOVE: 'ignored',
};

/** Whose receipt it is: that of a turn the dead answer rode, or of the copy that may still be read. */
const RECEIPTS: Cell<LossState> = [
  { with: R1, to: 'retired' },
  { with: R9, to: 'ignored' },
  { to: 'ignored' },
  { given: COPY, to: 'retired' },
  { given: NAMED, with: { carrier: 'q1' }, to: 'retired' },
  { given: NAMED, with: R9, to: 'ignored' },
];

/** What it knows of its hand-offs changes, or nothing does: there is none, or it is neither's. */
const handBacks = (to: LossState): Cell<LossState> => [
  { with: R1, to },
  { given: COPY, to },
  { given: COPY, with: R9, to },
  { given: { ...COPY, rides: [], endedBeside: ['r1'] }, with: R1, to: 'ignored' },
  { given: { ...NAMED, rides: [] }, with: R9, to: 'ignored' },
  { given: { rides: [] }, to: 'ignored' },
];

export const LOSS: Record<LossState, Record<LossEvent['type'], Cell<LossState>>> = {
  pending: {
    DISPLAY: 'handed_off',
    OWE: 'ignored',
    TELL: 'acked',
    RECEIPT: RECEIPTS,
    HANDBACK: handBacks('pending'),
    TAKEN: 'pending',
    RECALLED: 'pending',
    SURFACE: 'retired',
    MOVE: 'pending',
  },
  handed_off: {
    DISPLAY: 'ignored',
    OWE: 'pending',
    TELL: 'acked',
    RECEIPT: RECEIPTS,
    HANDBACK: handBacks('handed_off'),
    TAKEN: 'handed_off',
    RECALLED: 'handed_off',
    SURFACE: 'retired',
    MOVE: 'handed_off',
  },
  acked: ENDED,
  retired: ENDED,
};
