import { describe, expect, it } from 'vitest';
import type { AskCard } from '../../src/journal/rows.ts';
import { packTicket, unpackTicket } from '../../src/store/codec.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { newTicket } from '../../src/testing/rows.ts';

const PLAIN: AskCard = {
  header: '',
  options: [],
  multiSelect: false,
  freeText: true,
  from: '',
  expiresAt: null,
  batch: null,
};

describe('the place of a card in its batch, in a row', () => {
  const pack = (card: AskCard) => packTicket(newTicket(memoryStore().book, 'pa-1', { card }), 1, 1);

  it('costs nothing where a question was put alone', () => {
    expect(pack(PLAIN).card).toBe('{}');
    expect(unpackTicket(pack(PLAIN), 'tab').card).toEqual(PLAIN);
  });

  it('is read as it was written', () => {
    const card = { ...PLAIN, batch: { id: 'pb-1', index: 2, of: 3 } };
    expect(pack(card).card).toBe('{"batch":["pb-1",2,3]}');
    expect(unpackTicket(pack(card), 'tab').card).toEqual(card);
  });

  it('is absent in a row that was written before there were batches', () => {
    expect(unpackTicket({ ...pack(PLAIN), card: '{"header":"Old"}' }, 'tab').card).toMatchObject({ batch: null });
  });
});
