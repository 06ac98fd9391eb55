import { expect, test } from 'vitest';
import { Desk } from '../../src/panel/desk.ts';
import { Hand } from '../wire/hand.ts';

test('[RQ-R126] of more cards than the desk of a channel keeps, none ends unsaid on the page', async () => {
  const hand = new Hand();
  const settled: string[] = [];
  const desk = new Desk({
    channel: hand.channel,
    changed: () => undefined,
    announce: () => undefined,
    settled: (key) => void settled.push(key),
    now: () => 0,
  });
  hand.greet();
  const ids = Array.from({ length: 150 }, (_, at) => `srq-${at}`);
  for (const id of ids) hand.ask(id, { question: 'Tea?', choices: null });
  await Promise.resolve();
  expect([...desk.requests.open]).toHaveLength(150);
  for (const id of ids) hand.event('request.cancel', { id, method: 'clarify', reason: 'timeout' });
  await Promise.resolve();
  expect([...desk.requests.open]).toEqual([]);
  expect(settled).toEqual(ids);
});
