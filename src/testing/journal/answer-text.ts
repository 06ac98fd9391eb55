import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answerText } from './harness.ts';

export const answerTextRules = new Chapter();
const { test } = answerTextRules;

const refuse = (): never => {
  throw new Error('no');
};

test('[J-R030] a value without a JSON text becomes its plain text', () => {
  const cycle: unknown[] = ['a'];
  cycle.push(cycle);
  const sum = (a: number): number => a + 1;
  expect(answerText(undefined)).toBe('undefined');
  expect(answerText(sum)).toBe(String(sum));
  expect(answerText(Symbol('s'))).toBe('Symbol(s)');
  expect(answerText(12n)).toBe('12');
  expect(answerText(cycle)).toBe(String(cycle));
  expect(answerText({ toJSON: refuse, toString: () => 'plain' })).toBe('plain');
  expect(answerText({ toJSON: () => undefined, toString: () => 'plain' })).toBe('plain');
});

test('[J-R030] where even that throws, a fixed placeholder is returned', () => {
  const cycle = Object.create(null) as Record<string, unknown>;
  cycle['self'] = cycle;
  const dead = Proxy.revocable({}, {});
  dead.revoke();
  const texts = [
    cycle,
    dead.proxy,
    { toJSON: refuse, toString: refuse },
    { toJSON: refuse, [Symbol.toPrimitive]: refuse },
    { toJSON: refuse, toString: () => ({}), valueOf: () => ({}) },
    new Proxy({}, { get: refuse, ownKeys: refuse }),
  ].map((reply) => answerText(reply));
  expect(new Set(texts).size).toBe(1);
  expect(typeof texts[0]).toBe('string');
  expect(texts[0]).not.toBe('');
});
