import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duration, hold, option, question, utf8, whole } from '../../src/cli/parse.ts';
import { Problem } from '../../src/cli/problem.ts';
import { SIZES } from '../../src/limits.ts';

/** The refusal of `work`, which must name its field and say what to do. */
function refused(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    const problem = error as Problem;
    expect(problem.exit).toBe(2);
    expect(problem.field).toBeTruthy();
    expect(problem.remedy).not.toBe('');
    return problem;
  }
  throw new Error('nothing was refused');
}

describe('durations', () => {
  it.each([
    ['90', 90_000],
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
  ])('%s is %i ms', (text, ms) => {
    expect(duration('--timeout', text)).toBe(ms);
  });

  it.each(['', '0', '-5', 'soon', '5 m', '1e3', 'NaN', 'Infinity', '5w', '0.0001s'])('refuses %j', (text) => {
    expect(refused(() => duration('--timeout', text)).field).toBe('--timeout');
  });

  it('refuses what a timer cannot hold, instead of firing at once', () => {
    expect(refused(() => duration('--expires', '25d')).message).toContain('24 days');
  });

  it('takes a hold between a second and an hour', () => {
    expect(hold('50')).toBe(50_000);
    for (const text of ['999ms', '61m', '0', 'x']) expect(refused(() => hold(text)).field).toBe('--hold');
  });

  it.each(['-1', '1.5', '70000', 'x', ''])('refuses %j as a port', (text) => {
    expect(refused(() => whole('--port', text, 1, 65_535)).message).toContain('65535');
  });
});

describe('options', () => {
  it.each([
    ['yes', { id: 'yes', label: 'yes' }],
    ['yes=Ship it', { id: 'yes', label: 'Ship it' }],
    ['yes=Ship it::starts at once', { id: 'yes', label: 'Ship it', description: 'starts at once' }],
    ['eq=a=b::c::d', { id: 'eq', label: 'a=b', description: 'c::d' }],
    ['🎉=שלום', { id: '🎉', label: 'שלום' }],
  ])('%s', (text, card) => {
    expect(option(text)).toEqual(card);
  });

  it.each(['', '=Label', 'id=', 'id=::only a description'])('refuses %j', (text) => {
    expect(refused(() => option(text)).field).toBe('--option');
  });

  it('gives back every id, label and description that was written', () => {
    const word = fc
      .string({ minLength: 1, maxLength: 20 })
      .filter((text) => text.trim() === text && !/[=:]/.test(text));
    fc.assert(
      fc.property(word, word, word, (id, label, description) => {
        expect(option(`${id}=${label}::${description}`)).toEqual({ id, label, description });
      }),
    );
  });
});

describe('a card', () => {
  it('takes a text when there are no options, and beside options only when it was asked for', () => {
    expect(question('Which?', {})).toEqual({ question: 'Which?', freeText: true });
    expect(question('Ship?', { option: ['yes', 'no'] }).freeText).toBe(false);
    expect(question('Ship?', { option: ['yes', 'no'], text: true, multi: true })).toMatchObject({
      freeText: true,
      multiSelect: true,
    });
  });

  it('[I11] takes a header longer than twelve characters: it is a hint, never an error', () => {
    expect(question('Ship?', { header: 'a header of many words' }).header).toBe('a header of many words');
  });

  it.each([
    ['an empty question', '  ', {}, 'question'],
    ['a question beyond its bound', 'x'.repeat(SIZES.question + 1), {}, 'question'],
    ['an option twice', 'Ship?', { option: ['a=1', 'a=2'] }, '--option'],
    ['too many options', 'Ship?', { option: Array.from({ length: SIZES.options + 1 }, (_, i) => `o${i}`) }, '--option'],
    ['an id beyond its bound', 'Ship?', { option: ['x'.repeat(SIZES.optionId + 1)] }, '--option'],
    ['a label beyond its bound', 'Ship?', { option: [`a=${'x'.repeat(SIZES.optionLabel + 1)}`] }, '--option'],
    ['several of nothing', 'Ship?', { multi: true }, '--multi'],
    ['a header beyond its bound', 'Ship?', { header: 'x'.repeat(SIZES.header + 1) }, '--header'],
  ])('refuses %s', (_what, text, flags, field) => {
    expect(refused(() => question(text, flags)).field).toBe(field);
  });
});

describe('[I9] text from a pipe', () => {
  it('is taken whole, but for the line break at its end', () => {
    expect(utf8('--text', Buffer.from('a\n\nשלום 🎉\n'))).toBe('a\n\nשלום 🎉');
  });

  it('is refused when it is no UTF-8, also as a lone surrogate', () => {
    expect(refused(() => utf8('--text', Uint8Array.of(0x61, 0xff))).field).toBe('--text');
    expect(refused(() => utf8('--text', Uint8Array.of(0xed, 0xa0, 0x80))).field).toBe('--text');
  });
});
