/** Every state of an answer against every event. A new state or event does not compile until it is decided here. */
import type { SnapshotFrom } from 'xstate';
import type { answerMachine } from '../../machines/journal/answer.ts';
import type { AnswerContext, AnswerEvent } from '../../machines/journal/answer-facts.ts';
import type { Cell } from '../support/table.ts';

type Value = SnapshotFrom<typeof answerMachine>['value'];
export type Delivery = Exclude<Value['delivery'], 'born'>;
export type Label = Exclude<Value['label'], 'born'>;
type Facts = Partial<AnswerContext>;

/** An answer of a known conversation, in nobody's hands. Each cell gives what differs. */
export const USUAL: AnswerContext = {
  token: 'aa1',
  key: 'tab-a',
  known: true,
  returned: false,
  proven: 'no',
  hint: false,
  channel: 'none',
  worded: 'nothing',
  copyCarrier: null,
  copyOut: false,
  rides: [],
  endedBeside: [],
  shown: [],
  attempts: 0,
  carriedReleases: 0,
  erased: false,
  parked: null,
  birth: 'none',
  bornAs: 'matched',
};

export const EVENTS: { readonly [Type in AnswerEvent['type']]: Extract<AnswerEvent, { type: Type }> } = {
  CLOSE: { type: 'CLOSE' },
  RETURN: { type: 'RETURN', carrier: null, replay: false },
  OFFER_TAKEN: { type: 'OFFER_TAKEN', losses: [], worded: 'matched', carrier: null },
  OFFER_REFUSED: { type: 'OFFER_REFUSED' },
  RECEIPT: { type: 'RECEIPT', carrier: null },
  HANDBACK: { type: 'HANDBACK', carried: false, carrier: null, bound: 3 },
  BLUR: { type: 'BLUR', erase: false },
  BOUNDARY: { type: 'BOUNDARY' },
  RECALLED: { type: 'RECALLED', because: 'return' },
  RESTART: { type: 'RESTART' },
  PARK: { type: 'PARK', why: 'given up' },
  REDELIVER: { type: 'REDELIVER', repeat: true },
  EVICT: { type: 'EVICT' },
  FORGET: { type: 'FORGET' },
  MOVE: { type: 'MOVE', to: 'tab-b' },
};

const RIDE: Facts = { rides: ['c1'], returned: true };
const RESULT: Facts = { ...RIDE, channel: 'result' };
const QUEUE: Facts = { channel: 'queue', worded: 'matched' };
const FOREIGN_QUEUE: Facts = { channel: 'queue', worded: 'foreign' };
const NAMED_QUEUE: Facts = { ...QUEUE, copyCarrier: 'c1' };
/** A copy of one turn and a ride of another. */
const OTHER_QUEUE: Facts = { ...RIDE, ...QUEUE, copyCarrier: 'q1' };
const BOTH: Facts = { ...RIDE, ...QUEUE };
const LAST: Facts = { ...QUEUE, carriedReleases: 2 };
const C1 = { carrier: 'c1' };
const C9 = { carrier: 'c9' };
const CARRIED = { carried: true };

export const DELIVERY: Record<Delivery, Record<AnswerEvent['type'], Cell<Delivery>>> = {
  none: {
    CLOSE: [
      { to: 'pending' },
      { given: { returned: true }, to: 'ignored' },
      { given: { known: false }, to: 'ignored' },
    ],
    RETURN: [{ to: 'none' }, { with: C1, to: 'none' }],
    OFFER_TAKEN: 'ignored',
    OFFER_REFUSED: 'ignored',
    RECEIPT: [
      { given: RIDE, with: C1, to: 'acked' },
      { given: RIDE, with: C9, to: 'none' },
      { given: RIDE, to: 'none' },
      { to: 'none' },
    ],
    HANDBACK: [{ given: RIDE, with: C1, to: 'none' }, { to: 'ignored' }],
    BLUR: 'ignored',
    BOUNDARY: 'retired',
    RECALLED: 'ignored',
    RESTART: [{ to: 'pending' }, { given: RIDE, to: 'ignored' }, { given: { known: false }, to: 'ignored' }],
    PARK: 'none',
    REDELIVER: [
      { given: { returned: true }, to: 'pending' },
      { given: { returned: true, known: false }, to: 'ignored' },
      { to: 'ignored' },
    ],
    EVICT: 'none',
    FORGET: 'retired',
    MOVE: 'none',
  },
  pending: {
    CLOSE: 'ignored',
    RETURN: [{ with: C1, to: 'handed_off' }, { to: 'pending' }],
    OFFER_TAKEN: 'handed_off',
    OFFER_REFUSED: 'pending',
    RECEIPT: [{ given: RIDE, with: C1, to: 'acked' }, { given: RIDE, with: C9, to: 'pending' }, { to: 'pending' }],
    HANDBACK: [{ given: RIDE, with: C1, to: 'pending' }, { to: 'ignored' }],
    BLUR: 'ignored',
    BOUNDARY: 'retired',
    RECALLED: 'ignored',
    RESTART: 'ignored',
    PARK: 'pending',
    REDELIVER: 'ignored',
    EVICT: 'pending',
    FORGET: 'retired',
    MOVE: 'pending',
  },
  handed_off: {
    CLOSE: 'ignored',
    RETURN: [
      { given: QUEUE, with: C1, to: 'handed_off' },
      { given: RESULT, with: C1, to: 'handed_off' },
      { given: QUEUE, to: 'handed_off' },
    ],
    OFFER_TAKEN: [
      { given: RESULT, to: 'handed_off' },
      { given: QUEUE, to: 'ignored' },
    ],
    OFFER_REFUSED: 'ignored',
    RECEIPT: [
      { given: BOTH, with: C1, to: 'acked' },
      { given: QUEUE, to: 'acked' },
      { given: QUEUE, with: C9, to: 'acked' },
      { given: NAMED_QUEUE, with: C1, to: 'acked' },
      { given: NAMED_QUEUE, with: C9, to: 'handed_off' },
      { given: NAMED_QUEUE, to: 'handed_off' },
      { given: RESULT, with: C9, to: 'handed_off' },
      { given: RESULT, to: 'handed_off' },
    ],
    HANDBACK: [
      { given: BOTH, with: C1, to: 'handed_off' },
      { given: { ...QUEUE, endedBeside: ['c1'] }, with: C1, to: 'ignored' },
      { given: OTHER_QUEUE, with: C1, to: 'handed_off' },
      { given: OTHER_QUEUE, with: C9, to: 'ignored' },
      { given: OTHER_QUEUE, with: { carrier: 'q1' }, to: 'pending' },
      { given: OTHER_QUEUE, to: 'pending' },
      { given: { ...RIDE, ...NAMED_QUEUE }, with: C1, to: 'pending' },
      { given: { ...LAST, ...NAMED_QUEUE }, with: { ...C1, ...CARRIED }, to: 'acked' },
      { given: { ...LAST, ...NAMED_QUEUE }, with: { ...C9, ...CARRIED }, to: 'ignored' },
      { given: LAST, with: CARRIED, to: 'acked' },
      { given: LAST, to: 'pending' },
      { given: QUEUE, with: CARRIED, to: 'pending' },
      { given: BOTH, with: C9, to: 'pending' },
      { given: RESULT, with: C1, to: 'pending' },
    ],
    BLUR: [
      { given: QUEUE, to: 'handed_off' },
      { given: FOREIGN_QUEUE, to: 'ignored' },
      { given: RESULT, to: 'ignored' },
    ],
    BOUNDARY: [
      { given: QUEUE, to: 'retired' },
      { given: RESULT, to: 'retired' },
    ],
    RECALLED: [
      { given: QUEUE, to: 'handed_off' },
      { given: QUEUE, with: { because: 'blur' }, to: 'pending' },
      { given: QUEUE, with: { because: 'boundary' }, to: 'ignored' },
      { given: QUEUE, with: { because: 'evict' }, to: 'ignored' },
      { given: QUEUE, with: { because: 'forget' }, to: 'ignored' },
      { given: RESULT, to: 'ignored' },
    ],
    RESTART: 'pending',
    PARK: 'handed_off',
    REDELIVER: [
      { given: QUEUE, to: 'pending' },
      { given: RESULT, with: { repeat: false }, to: 'pending' },
    ],
    EVICT: [
      { given: QUEUE, to: 'handed_off' },
      { given: RESULT, to: 'handed_off' },
    ],
    FORGET: [
      { given: QUEUE, to: 'retired' },
      { given: RESULT, to: 'retired' },
    ],
    MOVE: 'handed_off',
  },
  acked: {
    CLOSE: 'ignored',
    RETURN: [{ to: 'acked' }, { with: C1, to: 'acked' }],
    OFFER_TAKEN: 'ignored',
    OFFER_REFUSED: 'ignored',
    RECEIPT: [{ to: 'ignored' }, { given: RIDE, with: C1, to: 'ignored' }],
    HANDBACK: [{ given: RIDE, with: C1, to: 'acked' }, { to: 'ignored' }],
    BLUR: 'ignored',
    BOUNDARY: 'retired',
    RECALLED: 'ignored',
    RESTART: 'ignored',
    PARK: 'ignored',
    REDELIVER: [
      { given: { proven: 'receipt' }, to: 'pending' },
      { with: { repeat: false }, to: 'pending' },
    ],
    EVICT: 'acked',
    FORGET: 'retired',
    MOVE: 'acked',
  },
  retired: {
    CLOSE: 'ignored',
    RETURN: [{ to: 'retired' }, { with: C1, to: 'retired' }],
    OFFER_TAKEN: 'retired',
    OFFER_REFUSED: 'ignored',
    RECEIPT: [
      { given: RIDE, with: C1, to: 'retired' },
      { given: { copyOut: true }, to: 'retired' },
      { given: RIDE, with: C9, to: 'retired' },
      { to: 'retired' },
    ],
    HANDBACK: [
      { given: RIDE, with: C1, to: 'retired' },
      { given: { copyOut: true }, to: 'retired' },
      { given: { copyOut: true }, with: C9, to: 'retired' },
      { given: { copyOut: true, copyCarrier: 'q1' }, with: C9, to: 'ignored' },
      { given: { copyOut: true, endedBeside: ['c1'] }, with: C1, to: 'ignored' },
      { to: 'ignored' },
    ],
    BLUR: 'ignored',
    BOUNDARY: 'ignored',
    RECALLED: 'retired',
    RESTART: [{ given: { copyOut: true }, to: 'retired' }, { to: 'ignored' }],
    PARK: 'ignored',
    REDELIVER: 'ignored',
    EVICT: [{ given: { proven: 'receipt' }, to: 'retired' }, { to: 'retired' }],
    FORGET: 'retired',
    MOVE: 'retired',
  },
};

/** A label that has been weakened is never strengthened, and only these three events weaken one. */
export const LABEL: Record<Label, Record<AnswerEvent['type'], Cell<Label>>> = {
  matched: {
    CLOSE: 'ignored',
    RETURN: 'ignored',
    OFFER_TAKEN: 'ignored',
    OFFER_REFUSED: 'ignored',
    RECEIPT: 'ignored',
    HANDBACK: 'ignored',
    BLUR: [{ to: 'ambiguous' }, { with: { erase: true }, to: 'ambiguous' }],
    BOUNDARY: 'foreign',
    RECALLED: 'ignored',
    RESTART: 'ignored',
    PARK: 'ignored',
    REDELIVER: 'ignored',
    EVICT: 'ignored',
    FORGET: 'foreign',
    MOVE: 'matched',
  },
  foreign: {
    CLOSE: 'ignored',
    RETURN: 'ignored',
    OFFER_TAKEN: 'ignored',
    OFFER_REFUSED: 'ignored',
    RECEIPT: 'ignored',
    HANDBACK: 'ignored',
    BLUR: [{ to: 'ambiguous' }, { with: { erase: true }, to: 'ambiguous' }],
    BOUNDARY: 'ignored',
    RECALLED: 'ignored',
    RESTART: 'ignored',
    PARK: 'ignored',
    REDELIVER: 'ignored',
    EVICT: 'ignored',
    FORGET: 'ignored',
    MOVE: 'foreign',
  },
  ambiguous: {
    CLOSE: 'ignored',
    RETURN: 'ignored',
    OFFER_TAKEN: 'ignored',
    OFFER_REFUSED: 'ignored',
    RECEIPT: 'ignored',
    HANDBACK: 'ignored',
    BLUR: [{ to: 'ambiguous' }, { with: { erase: true }, to: 'ambiguous' }],
    BOUNDARY: 'ignored',
    RECALLED: 'ignored',
    RESTART: 'ignored',
    PARK: 'ignored',
    REDELIVER: 'ignored',
    EVICT: 'ignored',
    FORGET: 'ignored',
    MOVE: 'ambiguous',
  },
};
