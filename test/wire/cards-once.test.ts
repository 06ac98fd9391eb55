import { expect, it } from 'vitest';
import { personKinds } from '../../src/wire/card-kinds.ts';
import { createCardDesk } from '../../src/wire/cards.ts';
import { Hand } from './hand.ts';

it('[RQ-R136] a card that ends while its answer is leaving is over once, for its owner and in the list', () => {
  const hand = new Hand({ limits: { unconfirmed: 0 } });
  const ends: string[] = [];
  const kinds = { ...personKinds, clarify: { form: 'response' } } as const;
  const desk = createCardDesk({ channel: hand.channel, kinds });
  hand.channel.onRequest('own', (question) => ({
    changed: () => (question.isOver ? void ends.push(question.id) : undefined),
  }));
  hand.greet();
  hand.ask('srq-1');
  hand.ask('srq-2', {}, 'own');
  void desk.answer('srq-1', { answer: 'blue' });
  hand.channel.question('srq-2')?.respond({ answer: 'red' });
  expect(desk.gone.map(({ id }) => id)).toEqual(['srq-1']);
  expect(ends).toEqual(['srq-2']);
  expect([desk.cards(), desk.unconfirmed(), hand.channel.questions]).toEqual([[], [], []]);
});

it('[RQ-R120] an observer that fails, now or later, is reported, and keeps no other one from being told', async () => {
  const reported: string[] = [];
  const hand = new Hand({ onCallbackError: (error) => void reported.push((error as Error).message) });
  const desk = createCardDesk({ channel: hand.channel, kinds: personKinds });
  let told = 0;
  desk.observe(() => {
    throw new Error('now');
  });
  desk.observe((async () => {
    throw new Error('later');
  }) as () => void);
  desk.observe(() => {
    told += 1;
  });
  hand.greet();
  hand.ask('srq-1');
  expect(desk.draft('srq-1', 'half a word')).toBe(true);
  const before = told;
  expect(desk.draft('srq-1', 'a word')).toBe(true);
  expect(told).toBe(before + 1);
  await hand.runtime.breathe();
  expect(new Set(reported)).toEqual(new Set(['now', 'later']));
});
