/** The card chart with samples of every event, at least one for each way a guard can go. */
import { cardMachine } from '../../machines/requests/card.ts';
import type { CardContext, CardEvent, CardInput } from '../../machines/requests/card-facts.ts';

export { cardMachine };

export const CARD_INPUTS: readonly CardInput[] = [{ id: 'srq-1', sid: 's', method: 'clarify' }];

const deliver = (generation: number, more: Partial<Extract<CardEvent, { type: 'DELIVER' }>> = {}): CardEvent => ({
  ...{ type: 'DELIVER', generation, sid: 's', replayed: false, ended: false, locked: [], ...more },
});

export const CARD_EVENTS: readonly CardEvent[] = [
  deliver(1),
  deliver(1, { replayed: true }),
  deliver(1, { ended: true }),
  deliver(2, { replayed: true, locked: ['a'] }),
  { type: 'ACCEPT', replayed: false },
  { type: 'ACCEPT', replayed: true },
  { type: 'DECLINE', code: -32601 },
  { type: 'DECLINE', code: -32603 },
  { type: 'DECLINE', code: -32004 },
  { type: 'ANSWER', form: 'response' },
  { type: 'ANSWER', form: 'answer' },
  { type: 'SENT', generation: 1 },
  { type: 'SENT', generation: 2 },
  { type: 'NOT_SENT' },
  { type: 'SOCKET_LOST' },
  { type: 'ACK_OK' },
  { type: 'ACK_EXPIRED' },
  { type: 'REFUSED', code: 4002 },
  { type: 'UNKNOWN_FORM' },
  { type: 'LACKED', arrived: false, generation: 1 },
  { type: 'LACKED', arrived: false, generation: 2 },
  { type: 'LACKED', arrived: true, generation: 1 },
  { type: 'FORGET' },
  { type: 'CANCEL_EVENT', reason: 'timeout' },
  { type: 'SETTLED_EVENT', generation: 1 },
  { type: 'SETTLED_EVENT', generation: 2 },
  { type: 'LOCKED', qid: 'a', last: false },
  { type: 'LOCKED', qid: 'b', last: true },
  { type: 'LOCK_EXPIRED' },
  { type: 'EPOCH_CHANGED' },
];

/** What guards and later steps depend on. */
export const cardPlace = ({ value, context: one }: { readonly value: unknown; readonly context: CardContext }) =>
  JSON.stringify([value, one.generation, one.notified, one.form, one.left, one.doubt]);
