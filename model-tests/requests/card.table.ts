/** Every state of a card against every event. A new state or event does not compile until it is decided here. */
import type { CardContext, CardEvent, CardValue } from '../../machines/requests/card-facts.ts';
import type { Cell } from '../support/table.ts';

export const USUAL: CardContext = {
  ...{ id: 'srq-1', sid: 's', method: 'clarify', generation: 1, locked: [], notified: true },
  ...{ form: 'answer', left: 1, doubt: false, why: null, reason: null, code: null },
};

export const EVENTS: { readonly [Type in CardEvent['type']]: Extract<CardEvent, { type: Type }> } = {
  DELIVER: { type: 'DELIVER', generation: 2, sid: 's', replayed: true, ended: false, locked: [] },
  ACCEPT: { type: 'ACCEPT', replayed: false },
  DECLINE: { type: 'DECLINE', code: -32601 },
  ANSWER: { type: 'ANSWER', form: 'answer' },
  SENT: { type: 'SENT', generation: 1 },
  NOT_SENT: { type: 'NOT_SENT' },
  SOCKET_LOST: { type: 'SOCKET_LOST' },
  ACK_OK: { type: 'ACK_OK' },
  ACK_EXPIRED: { type: 'ACK_EXPIRED' },
  REFUSED: { type: 'REFUSED', code: 4002 },
  UNKNOWN_FORM: { type: 'UNKNOWN_FORM' },
  LACKED: { type: 'LACKED', arrived: false, generation: 2 },
  FORGET: { type: 'FORGET' },
  CANCEL_EVENT: { type: 'CANCEL_EVENT', reason: 'timeout' },
  SETTLED_EVENT: { type: 'SETTLED_EVENT', generation: 1 },
  LOCKED: { type: 'LOCKED', qid: 'a', last: false },
  LOCK_EXPIRED: { type: 'LOCK_EXPIRED' },
  EPOCH_CHANGED: { type: 'EPOCH_CHANGED' },
};

const NOTHING: Record<CardEvent['type'], 'ignored'> = {
  DELIVER: 'ignored',
  ACCEPT: 'ignored',
  DECLINE: 'ignored',
  ANSWER: 'ignored',
  SENT: 'ignored',
  NOT_SENT: 'ignored',
  SOCKET_LOST: 'ignored',
  ACK_OK: 'ignored',
  ACK_EXPIRED: 'ignored',
  REFUSED: 'ignored',
  UNKNOWN_FORM: 'ignored',
  LACKED: 'ignored',
  FORGET: 'ignored',
  CANCEL_EVENT: 'ignored',
  SETTLED_EVENT: 'ignored',
  LOCKED: 'ignored',
  LOCK_EXPIRED: 'ignored',
  EPOCH_CHANGED: 'ignored',
};

const LATER = { generation: 2 };
const DOUBT: Partial<CardContext> = { doubt: true, left: 2 };
const BARE: Partial<CardContext> = { form: 'response' };

export const CARD: Record<CardValue, Record<CardEvent['type'], Cell<CardValue>>> = {
  absent: { ...NOTHING, DELIVER: [{ to: 'offered' }, { with: { ended: true }, to: 'absent' }] },
  offered: {
    ...NOTHING,
    ACCEPT: [{ to: 'live' }, { with: { replayed: true }, to: 'live' }],
    ANSWER: 'unconfirmed',
    DECLINE: 'declined',
  },
  live: {
    ...NOTHING,
    DELIVER: 'live',
    ANSWER: 'unconfirmed',
    DECLINE: 'declined',
    SOCKET_LOST: 'detached',
    LACKED: [{ to: 'withdrawn' }, { with: { arrived: true }, to: 'live' }],
    CANCEL_EVENT: 'withdrawn',
    SETTLED_EVENT: 'withdrawn',
    LOCKED: [{ to: 'live' }, { with: { last: true }, to: 'confirmed' }],
    LOCK_EXPIRED: 'withdrawn',
  },
  detached: {
    ...NOTHING,
    DELIVER: 'live',
    LACKED: 'withdrawn',
    CANCEL_EVENT: 'withdrawn',
    SETTLED_EVENT: 'withdrawn',
    EPOCH_CHANGED: 'withdrawn',
  },
  unconfirmed: {
    ...NOTHING,
    SENT: 'unconfirmed',
    NOT_SENT: [{ to: 'unconfirmed' }, { given: { left: 0 }, to: 'detached' }],
    DELIVER: [{ to: 'unconfirmed' }, { with: { generation: 1 }, to: 'unconfirmed' }],
    ACK_OK: 'confirmed',
    ACK_EXPIRED: [{ to: 'withdrawn' }, { given: DOUBT, to: 'withdrawn' }],
    REFUSED: 'live',
    UNKNOWN_FORM: 'unconfirmed',
    LACKED: [
      { to: 'unconfirmed' },
      { with: { arrived: true }, to: 'unconfirmed' },
      { with: { generation: 1 }, to: 'unconfirmed' },
      { given: BARE, to: 'confirmed' },
      { given: BARE, with: { arrived: true }, to: 'unconfirmed' },
    ],
    FORGET: 'confirmed',
    CANCEL_EVENT: 'withdrawn',
    SETTLED_EVENT: [
      { to: 'withdrawn' },
      { with: LATER, to: 'withdrawn' },
      { given: DOUBT, with: LATER, to: 'unconfirmed' },
      { given: { ...DOUBT, ...BARE }, with: LATER, to: 'withdrawn' },
    ],
    LOCKED: [{ to: 'unconfirmed' }, { with: { last: true }, to: 'withdrawn' }],
    EPOCH_CHANGED: 'withdrawn',
  },
  confirmed: NOTHING,
  withdrawn: NOTHING,
  declined: NOTHING,
};
