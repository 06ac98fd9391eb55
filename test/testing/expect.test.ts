/** What the kit's own `expect` says where it fails: of what is large only the place where it differs can be read. */
import { describe, it, expect as really } from 'vitest';
import { expect } from '../../src/testing/expect.ts';

function said(run: () => void): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
}
const told = { cards: [{ id: 'pa-1', state: 'open' }], token: 'aa1' };

describe('a failure of an equality', () => {
  it.each<[string, unknown, unknown, string]>([
    [
      'deep inside',
      told,
      { ...told, cards: [{ id: 'pa-1', state: 'over' }] },
      "at cards[0].state: got 'open', wanted 'over'",
    ],
    ['of what is missing', told, { ...told, tab: 't' }, "at tab: got undefined, wanted 't'"],
    ['of what is too much', told, { cards: told.cards }, "at token: got 'aa1', wanted undefined"],
    ['of a longer list', ['a', 'b'], ['a'], "at [1]: got 'b', wanted undefined"],
    ['of a list in place of an object', { a: [] }, { a: {} }, 'at a: got [], wanted {}'],
    ['of a pattern', { a: 1 }, { a: expect.any(String) }, 'at a: got 1, wanted any String'],
    ['at the top', 1, 2, 'expected 1 to equal 2'],
  ])('%s names the place, what is there and what was wanted', (_where, actual, wanted, message) => {
    really(said(() => expect(actual).toEqual(wanted))).toBe(message);
    really(said(() => expect(actual, 'after step 2').toEqual(wanted))).toBe(`after step 2: ${message}`);
  });

  it('of a part passes over what is beside it', () => {
    really(said(() => expect(told).toMatchObject({ token: 'aa2' }))).toBe("at token: got 'aa1', wanted 'aa2'");
  });

  it('that is refused tells the value', () => {
    really(said(() => expect({ a: 1 }).not.toEqual({ a: 1 }))).toBe('expected { a: 1 } not to equal { a: 1 }');
  });

  it('holds both values as a whole', () => {
    really(() => expect(told).toEqual({})).toThrow(really.objectContaining({ actual: told, expected: {} }));
  });
});
