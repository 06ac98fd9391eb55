import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askFingerprint } from '../../src/journal.ts';
import { SEED } from './run.ts';

type Asked = Parameters<typeof askFingerprint>[0];

const normal = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** The parts of R-018, each with what make of it. */
function parts({ question, header, multi_select, options }: Asked): unknown[] {
  const list: unknown[] = Array.isArray(options) ? options : [];
  return [
    normal(question),
    typeof header === 'string' ? normal(header) : '',
    multi_select === true,
    list.map((option) => {
      if (typeof option !== 'object' || option === null || !('label' in option)) return ['whole', option];
      const { label } = option;
      if (typeof label !== 'string') return ['whole', option];
      const description = 'description' in option && typeof option.description === 'string' ? option.description : '';
      return ['labelled', normal(label), normal(description)];
    }),
  ];
}

/** Few words, and everything that could pass for a boundary between parts. */
const text = fc
  .array(fc.constantFrom('a', 'A', ' ', '\n', '\u00a0', '\0', '\u001f', '|', '"', ',', '[', '\\', ':', '{}', '1'), {
    maxLength: 4,
  })
  .map((pieces) => pieces.join(''));
const option = fc.oneof(
  { arbitrary: fc.record({ label: text, description: text }, { requiredKeys: ['label'] }), weight: 4 },
  {
    arbitrary: fc.oneof(
      text,
      fc.constantFrom(null, 0, 1, true, false),
      fc.record({ label: fc.constantFrom(1, null, true) }),
      fc.array(text, { maxLength: 2 }),
      fc.record({ description: text }),
    ),
    weight: 2,
  },
);
const asked: fc.Arbitrary<Asked> = fc.record({
  question: text,
  header: fc.oneof(text, fc.constantFrom(undefined, null, 7)),
  multi_select: fc.constantFrom(true, false, undefined, 'true', 1),
  options: fc.oneof(fc.array(option, { maxLength: 3 }), fc.constantFrom(undefined, null, 'a', { 0: 'a' })),
});

/** The same card with something moved over a boundary, respelled in white space, or not touched at all. */
const respelled = fc.tuple(asked, fc.nat({ max: 7 })).map(([ask, how]): readonly [Asked, Asked] => {
  const options: unknown[] = Array.isArray(ask.options) ? ask.options : [];
  const header = typeof ask.header === 'string' ? ask.header : '';
  const [first, ...rest] = options;
  const others: Asked[] = [
    { ...ask, question: ` ${ask.question}\t` },
    { ...ask, question: ask.question + header, header: '' },
    { ...ask, question: `${ask.question} ${header}`, header: undefined },
    { ...ask, options: options.map((one) => (typeof one === 'string' ? { label: one } : one)) },
    { ...ask, options: options.map((one) => JSON.stringify(one)) },
    { ...ask, options: first === undefined ? [''] : [...rest, first] },
    { ...ask, options: [...options, { label: '' }] },
    { ...ask, multi_select: ask.multi_select === true ? 'true' : ask.multi_select },
  ];
  return [ask, others[how] ?? ask];
});

test('[J-I34] two asks have one fingerprint exactly if their normalised parts are equal', () => {
  let equal = 0;
  let different = 0;
  fc.assert(
    fc.property(fc.oneof(respelled, fc.tuple(asked, asked)), ([one, other]) => {
      const same = JSON.stringify(parts(one)) === JSON.stringify(parts(other));
      if (same) equal += 1;
      else different += 1;
      expect(askFingerprint(one) === askFingerprint(other)).toBe(same);
    }),
    { seed: SEED, numRuns: 5_000 },
  );
  expect(Math.min(equal, different)).toBeGreaterThan(500);
});
