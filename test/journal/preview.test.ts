import fc from 'fast-check';
import { expect, test } from 'vitest';
import { preview } from '../../src/journal.ts';

const NOBODY = '(an unattributed question)';
const ELLIPSIS = '\u2026';
const normal = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Letters of one UTF-16 unit each, right-to-left and combining ones among them. */
const narrow = fc.string({
  unit: fc.constantFrom('a', 'Z', ' ', '\n', '\t', '\u05d0', '\u0645', '\u0301', '\u202e', '?'),
  maxLength: 200,
});
/** Pairs, lone halves in both orders, and plain letters. */
const surrogates = fc.string({
  unit: fc.constantFrom('\u{1f600}', '\u{10ffff}', '\ud83d', '\ude00', 'a', ' ', '\u2764\ufe0f'),
  maxLength: 200,
});

/** What is left of the text, without the ellipsis. */
const kept = (shown: string): string => (shown.endsWith(ELLIPSIS) ? shown.slice(0, -1) : shown);

test('[J-R031] where there is no question to show, it says so', () => {
  for (const nothing of [null, undefined, '', ' ', '\n\t  \r\n']) expect(preview(nothing)).toBe(NOBODY);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r') }), (space) => {
      expect(preview(space)).toBe(NOBODY);
    }),
  );
});

test('[J-R032] up to 60 characters are shown as they are, with white space normalised', () => {
  expect(preview('  Which\n\tcolour?  ')).toBe('Which colour?');
  expect(preview('x'.repeat(60))).toBe('x'.repeat(60));
  expect(preview(` ${'x'.repeat(60)}\n`)).toBe('x'.repeat(60));
  fc.assert(
    fc.property(narrow, (text) => {
      const whole = normal(text);
      fc.pre(whole.length > 0 && whole.length <= 60);
      expect(preview(text)).toBe(whole);
    }),
  );
});

test('[J-R033] beyond 60 characters the first 57 are shown, and one ellipsis', () => {
  expect(preview('x'.repeat(61))).toBe(`${'x'.repeat(57)}${ELLIPSIS}`);
  fc.assert(
    fc.property(narrow, fc.integer({ min: 61, max: 300 }), (text, length) => {
      const whole = normal(`${text}${'y'.repeat(length)}`);
      expect(preview(whole)).toBe(`${whole.slice(0, 57)}${ELLIPSIS}`);
    }),
  );
});

test('[J-R033] the cut never separates a surrogate pair', () => {
  fc.assert(
    fc.property(surrogates, (text) => {
      const whole = normal(text);
      fc.pre(whole.length > 0);
      const shown = preview(text);
      const rest = kept(shown);
      expect(whole.startsWith(rest)).toBe(true);
      expect(/[\ud800-\udbff]$/.test(rest) && /^[\udc00-\udfff]/.test(whole.slice(rest.length))).toBe(false);
      if (whole.length <= 60) expect(shown).toBe(whole);
      if ([...whole].length > 60) {
        expect(shown.endsWith(ELLIPSIS)).toBe(true);
        expect([...rest].length).toBeLessThanOrEqual(57);
        expect(rest.length).toBeGreaterThanOrEqual(56);
      }
    }),
    { numRuns: 500 },
  );
  for (let before = 50; before <= 60; before += 1) {
    const shown = preview(`${'x'.repeat(before)}${'\u{1f600}'.repeat(40)}`);
    expect(() => encodeURIComponent(shown)).not.toThrow();
    expect(shown.endsWith(ELLIPSIS)).toBe(true);
  }
});
