import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { askFingerprint } from './harness.ts';

export const fingerprintRules = new Chapter();
const { test } = fingerprintRules;

type Ask = Parameters<typeof askFingerprint>[0];

const base = {
  question: 'Ship it?',
  header: 'Release',
  options: [
    { label: 'Yes', description: 'tonight' },
    { label: 'No', description: 'not yet' },
  ],
};
const f = (change: Record<string, unknown> = {}): string => askFingerprint({ ...base, ...change } as Ask);
/** No two of these have the same fingerprint. */
const expectAllDifferent = (prints: string[]): void => expect(new Set(prints).size).toBe(prints.length);

test('[J-R018] every part counts, in its place: question, header, choice, options in their order', () => {
  const [yes, no] = base.options;
  expectAllDifferent([
    f(),
    f({ question: 'Release', header: 'Ship it?' }),
    f({ header: '' }),
    f({ multi_select: true }),
    f({ options: [no, yes] }),
    f({ options: [yes] }),
    f({ options: [yes, no, no] }),
    f({ options: [{ label: 'tonight', description: 'Yes' }, no] }),
  ]);
});

test('[J-R019] nothing else is normalised: case, punctuation, order of words and Unicode form count', () => {
  const questions = [
    'Ship it?',
    'ship it?',
    'Ship it',
    'it Ship?',
    'Shipit?',
    'Caf\u00e9?',
    'Cafe\u0301?',
    '\ufb01',
    'fi',
  ];
  expectAllDifferent(questions.map((question) => f({ question })));
  expectAllDifferent(questions.map((label) => f({ options: [{ label }] })));
  expectAllDifferent(questions.map((header) => f({ header })));
});

test('[J-R020] a header that is not a string counts as the empty one', () => {
  for (const header of [undefined, null, 5, true, ['Release'], { toString: () => 'Release' }]) {
    expect(f({ header })).toBe(f({ header: '' }));
  }
});

test('[J-R021] only the boolean true means multiple choice', () => {
  for (const multi_select of [undefined, null, false, 0, 1, 'true', 'multiple', {}, [true], new Boolean(true)]) {
    expect(f({ multi_select })).toBe(f());
    expect(f({ multi_select })).not.toBe(f({ multi_select: true }));
  }
});

test('[J-R022] an option counts by label and description only', () => {
  const plain = f({ options: [{ label: 'Yes' }] });
  expect(f({ options: [{ label: 'Yes', id: 'y', value: 3, hidden: true }] })).toBe(plain);
  for (const description of [undefined, null, 4, {}, ['tonight'], '', '  ']) {
    expect(f({ options: [{ label: 'Yes', description }] })).toBe(plain);
  }
  expect(f({ options: [{ label: 'Yes', description: 'tonight' }] })).not.toBe(plain);
});

test('[J-R023] an option without a string label counts by its whole value, white space included', () => {
  const bareOptions = [
    'a b',
    'a  b',
    ' a b',
    { label: 1, note: 'a b' },
    { label: 1, note: 'a  b' },
    { note: 'a b' },
    ['a b'],
  ];
  expectAllDifferent(bareOptions.map((option) => f({ options: [option] })));
  for (const option of bareOptions) expect(f({ options: [structuredClone(option)] })).toBe(f({ options: [option] }));
});

test('[J-R024] an option without a label never equals one with a label, however it is spelled', () => {
  const withLabel = f({ options: [{ label: 'Yes', description: '' }] });
  for (const imitation of [
    'Yes',
    '{"label":"Yes","description":""}',
    '{"label":"Yes"}',
    '["Yes",""]',
    ['Yes'],
    ['Yes', ''],
    { label: ['Yes'], description: '' },
    { Label: 'Yes', description: '' },
    [{ label: 'Yes', description: '' }],
  ]) {
    expect(f({ options: [imitation] })).not.toBe(withLabel);
  }
});

test('[J-R024] no text inside one part imitates a boundary between parts', () => {
  for (const glue of ['', ' ', ',', '|', '","', '\u0000', '\u001f', '\n', ':', '\\', '"],["']) {
    expectAllDifferent([
      f({ question: `a${glue}b`, header: '' }),
      f({ question: 'a', header: `${glue}b` }),
      f({ question: 'a', header: '', options: [{ label: `b${glue}c` }] }),
      f({ question: 'a', header: '', options: [{ label: 'b' }, { label: `${glue}c` }] }),
      f({ question: 'a', header: '', options: [{ label: 'b', description: `${glue}c` }] }),
    ]);
  }
});

test('[J-R025] options that are not a list count as the empty list', () => {
  for (const options of [undefined, null, 'Yes', 3, {}, { 0: 'Yes', length: 1 }, new Set(['Yes'])]) {
    expect(f({ options })).toBe(f({ options: [] }));
  }
  expect(f({ options: [] })).not.toBe(f({ options: [''] }));
});

test('[J-R026] a missing question counts as empty; another value is converted to text', () => {
  expect(askFingerprint({} as Ask)).toBe(askFingerprint({ question: '' }));
  expect(f({ question: undefined })).toBe(f({ question: '' }));
  expect(f({ question: 42 })).toBe(f({ question: '42' }));
  expect(f({ question: 42 })).not.toBe(f({ question: 43 }));
});

test('[J-R027] tab, ask id and time do not take part', () => {
  const extra = { tab: 't', tabId: 't', key: 't', askId: 'pa-1', openedAt: 5, answeredAt: 6 };
  expect(f(extra)).toBe(f());
  const now = Date.now;
  try {
    Date.now = () => 1;
    expect(f()).toBe(askFingerprint(base));
  } finally {
    Date.now = now;
  }
});
