import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { age, cells, clip, columns, line, pad, safe, span, stamp, wrap } from '../../src/cli/text.ts';
import { steers } from './hand-io.ts';

const anything = fc.string({ unit: 'binary', maxLength: 60 });
const nasty = fc.array(
  fc.constantFrom(
    '\u001b[2J',
    '\u0007',
    '\u009b31m',
    '\u202e',
    '\u2066',
    'a',
    'ש',
    '👩‍👩‍👧',
    '\ud800',
    '\n',
    '\r',
    '日',
  ),
  { maxLength: 30 },
);

describe('untrusted text', () => {
  it('leaves nothing in that drives a terminal', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          nasty.map((parts) => parts.join('')),
        ),
        (text) => {
          expect(steers(safe(text))).toBe(false);
          expect(safe(text).isWellFormed()).toBe(true);
          expect(line(text)).not.toContain('\n');
        },
      ),
    );
  });

  it('closes every isolate that it opens, also where it cuts', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 2, max: 40 }), (parts, width) => {
        const cut = clip(line(parts.join('')), width);
        expect(cut.split('\u2068').length).toBe(cut.split('\u2069').length);
      }),
    );
  });

  it('leaves ordinary text as it is: letters of any script, emoji with joiners, line breaks', () => {
    for (const text of ['Ship 1.4?', 'naïve Zoë', '日本語', '👩‍👩‍👧 ok', 'two\nlines', 'हिन्दी'])
      expect(safe(text)).toBe(text);
  });

  it.each([
    ['\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
    ['\u202edesrever', '\\u202edesrever'],
    ['a\ud800b', 'a\\ud800b'],
    ['a\r\nb', 'a\nb'],
    ['over\rwritten', 'over\\x0dwritten'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('writes %j as %j', (text, shown) => {
    expect(safe(text)).toBe(shown);
  });

  it('keeps right-to-left words from reordering what stands beside them', () => {
    expect(safe('שלום')).toBe('\u2068שלום\u2069');
  });
});

describe('columns', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['🎉', 2],
    ['👩‍👩‍👧', 2],
    ['e\u0301', 1],
    ['\u2068ש\u2069', 1],
    ['', 0],
  ])('%j takes %i cells', (text, width) => {
    expect(cells(text)).toBe(width);
  });

  it('clips to its width and never beyond', () => {
    fc.assert(
      fc.property(anything.map(line), fc.integer({ min: 1, max: 30 }), (text, width) => {
        expect(cells(clip(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('starts each column at the same cell', () => {
    const rows = columns(
      [
        ['a', 'one', 'x'],
        ['日本', 'b', 'y'],
      ],
      80,
    );
    expect(rows).toEqual(['a     one  x', '日本  b    y']);
  });

  it('breaks at spaces and keeps the breaks that are there', () => {
    expect(wrap('one two three\nfour', 8)).toEqual(['one two', 'three', 'four']);
    expect(pad('日', 4)).toBe('日  ');
  });
});

describe('ages', () => {
  const now = Date.UTC(2026, 10, 30, 12);
  it.each([
    [0, 'just now'],
    [4_000, 'just now'],
    [12_000, '12 s ago'],
    [190_000, '3 min ago'],
    [7_200_000, '2 h ago'],
    [86_400_000, '1 day ago'],
    [5 * 86_400_000, '5 days ago'],
  ])('%i ms is %s', (past, words) => {
    expect(age(now - past, now)).toBe(words);
  });

  it('shows the date it claims when the clock was set back', () => {
    expect(age(now + 3_600_000, now)).toBe(stamp(now + 3_600_000));
    expect(age(now + 2_000, now)).toBe('just now');
    expect(stamp(Number.NaN)).toBe('unknown time');
    expect(span(59_600)).toBe('1 min');
  });
});
