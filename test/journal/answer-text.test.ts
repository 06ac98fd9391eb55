import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerText } from '../../src/journal.ts';

const refuse = (): never => {
  throw new Error('no');
};

test('[J-R028] a string is returned unchanged, whatever is in it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (reply) => {
      expect(answerText(reply)).toBe(reply);
    }),
  );
  for (const reply of ['', ' ', '\ud800', '\udfff lone', '\u202eright to left', '{"a":1}', '"quoted"']) {
    expect(answerText(reply)).toBe(reply);
  }
});

test('[J-R029] any other value with a JSON text becomes that text', () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => typeof value !== 'string'),
      (reply) => {
        expect(answerText(reply)).toBe(JSON.stringify(reply));
      },
    ),
  );
  for (const reply of [null, 0, -1.5, true, Number.NaN, [], [undefined], {}, { b: 2, a: undefined }, new Date(0)]) {
    expect(answerText(reply)).toBe(JSON.stringify(reply));
  }
  expect(answerText({ toJSON: () => ({ chosen: ['a'] }) })).toBe('{"chosen":["a"]}');
  expect(answerText(new String('boxed'))).toBe('"boxed"');
});

test('[J-R030] it never throws and always returns a string', () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  const method = fc.constantFrom('toJSON', 'toString', 'valueOf');
  fc.assert(
    fc.property(anything, (reply) => {
      expect(typeof answerText(reply)).toBe('string');
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(method, fc.oneof(fc.constant(refuse), anything, fc.func(anything)))), (members) => {
      const reply = Object.fromEntries(members);
      expect(typeof answerText(reply)).toBe('string');
      expect(typeof answerText([reply])).toBe('string');
    }),
    { numRuns: 150 },
  );
});
