import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askFingerprint } from '../../src/journal.ts';

type Ask = Parameters<typeof askFingerprint>[0];

const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? collapse(value) : otherwise);

function optionPart(option: unknown): unknown {
  const label: unknown = (option as { label?: unknown } | null)?.label;
  if (typeof label !== 'string') return { verbatim: option };
  return { label: collapse(label), description: textOr((option as { description?: unknown }).description, '') };
}

/** The slow twin: the list of normalised parts itself, compared structurally. No encoding, no hash. */
const parts = (ask: Ask): unknown[] => [
  textOr(ask.question, ''),
  textOr(ask.header, ''),
  ask.multi_select === true ? 'multiple' : 'single',
  ...(Array.isArray(ask.options) ? ask.options.map(optionPart) : []),
];
const sameParts = (a: Ask, b: Ask): boolean => JSON.stringify(parts(a)) === JSON.stringify(parts(b));

/** Few and treacherous pieces, so that equal and nearly equal texts are common. */
const piece = fc.constantFrom(
  'a',
  'A',
  ' ',
  '\n\t',
  '|',
  ',',
  '"',
  '\\',
  '[',
  ']',
  '{',
  '\u0000',
  '\u001f',
  ':',
  'single',
);
const text = fc.array(piece, { maxLength: 4 }).map((list) => list.join(''));
const labelled = fc.record({ label: text, description: fc.oneof(text, fc.constantFrom(undefined, 7, null)) });
const bare = fc.oneof(
  text,
  fc.constantFrom(null, 0, 1, true, 'a', '{"label":"a"}', '{"label":"a","description":""}'),
  fc.tuple(text, text),
  fc.record({ label: fc.constantFrom(1, null, true) }),
  fc.record({ description: text }),
);
const ask: fc.Arbitrary<Ask> = fc.record({
  question: text,
  header: fc.oneof(text, fc.constantFrom(undefined, 5, null)),
  multi_select: fc.constantFrom(true, false, undefined, 'true', 1),
  options: fc.oneof(
    fc.array(fc.oneof(labelled, bare), { maxLength: 3 }),
    fc.constantFrom(undefined, null, 'a', { 0: 'a', length: 1 }),
  ),
});

/** The same ask with other white space around and between its words. */
const respaced = (original: Ask): Ask => {
  const wide = <T>(value: T): T | string =>
    typeof value === 'string' ? ` \n${value.replace(/\s+/g, '\t \r\n')} ` : value;
  const wideOption = (option: unknown): unknown => {
    if (typeof (option as { label?: unknown } | null)?.label !== 'string') return option;
    const { label, description } = option as { label: string; description?: unknown };
    return { label: wide(label), description: wide(description), shade: 'other properties do not count' };
  };
  return {
    question: wide(original.question),
    header: wide(original.header),
    multi_select: original.multi_select === true ? true : 'no',
    options: Array.isArray(original.options) ? original.options.map(wideOption) : { list: false },
  };
};

const base = {
  question: 'Ship it?',
  header: 'Release',
  options: [
    { label: 'Yes', description: 'tonight' },
    { label: 'No', description: 'not yet' },
  ],
};
const f = (change: Record<string, unknown> = {}): string => askFingerprint({ ...base, ...change } as Ask);

test('[J-R017] a fingerprint is 32 lower-case hexadecimal digits and depends on nothing but the ask', () => {
  fc.assert(
    fc.property(ask, (a) => {
      expect(askFingerprint(a)).toMatch(/^[0-9a-f]{32}$/);
      expect(askFingerprint(structuredClone(a))).toBe(askFingerprint(a));
    }),
  );
});

test('[J-R018] [J-R024] two asks have equal fingerprints exactly if all their normalised parts are equal', () => {
  let equal = 0;
  fc.assert(
    fc.property(ask, ask, (a, b) => {
      if (sameParts(a, b)) equal += 1;
      expect(askFingerprint(a) === askFingerprint(b)).toBe(sameParts(a, b));
    }),
    { numRuns: 2_000, examples: [[{ question: 'a' }, { question: ' a', header: '', options: [] }]] },
  );
  expect(equal).toBeGreaterThan(0);
});

test('[J-R019] white space is normalised in question, header, label and description', () => {
  fc.assert(
    fc.property(ask, (a) => {
      expect(askFingerprint(respaced(a))).toBe(askFingerprint(a));
    }),
    { numRuns: 500 },
  );
  const space = ' \t\r\n ';
  expect(f({ question: `${space}Ship${space}it?${space}` })).toBe(f());
  expect(f({ header: `${space}Release${space}` })).toBe(f());
  expect(f({ options: [{ label: ' Yes', description: 'tonight ' }, base.options[1]] })).toBe(f());
});

test('[J-R024] nor does a text that repeats what may stand at the boundary', () => {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
  const marks = [
    ...Array.from({ length: 128 }, (_, i) => String.fromCharCode(i)),
    ...letters.flatMap((first) => letters.map((second) => first + second)),
  ];
  const of = (question: string, header: string, ...options: [label: string, description: string][]): Ask => {
    return { question, header, options: options.map(([label, description]) => ({ label, description })) };
  };
  for (const mark of marks) {
    const moves: [Ask, Ask][] = [
      [of('a', `${mark}b`), of(`a${mark}`, 'b')],
      [of('q', 'a', [`${mark}b`, '']), of('q', `a${mark}`, ['b', ''])],
      [of('q', '', ['a', `${mark}b`]), of('q', '', [`a${mark}`, 'b'])],
      [of('q', '', ['a', ''], [`${mark}b`, '']), of('q', '', [`a${mark}`, ''], ['b', ''])],
    ];
    for (const [a, b] of moves) expect(askFingerprint(a) === askFingerprint(b)).toBe(sameParts(a, b));
  }
});

test('[J-R026] the function never throws', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const dead = Proxy.revocable([], {});
  dead.revoke();
  const refuse = (): never => {
    throw new Error('no');
  };
  const hostile: unknown[] = [
    cycle,
    10n,
    Symbol('s'),
    () => 1,
    dead.proxy,
    Object.create(null),
    { toString: refuse, toJSON: refuse },
    { [Symbol.toPrimitive]: refuse },
    Object.defineProperty({}, 'label', { get: refuse, enumerable: true }),
    Object.defineProperty({ label: 'Yes' }, 'description', { get: refuse, enumerable: true }),
  ];
  for (const value of hostile) {
    for (const change of [{ question: value }, { header: value }, { multi_select: value }, { options: value }]) {
      expect(f(change)).toMatch(/^[0-9a-f]{32}$/);
    }
    expect(f({ options: [value, { label: 'Yes' }] })).toMatch(/^[0-9a-f]{32}$/);
  }
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.anything(), (question, header, options) => {
      expect(f({ question, header, options: [options] })).toMatch(/^[0-9a-f]{32}$/);
      expect(f({ options })).toMatch(/^[0-9a-f]{32}$/);
    }),
  );
});
