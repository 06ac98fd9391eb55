import { describe, expect, it } from 'vitest';
import { relate, sameJson } from '../../machines/tools/compare.ts';
import { Growing } from '../../src/tools/json.ts';

/** What has been fed, piece by piece. */
function grown(...pieces: string[]): Growing {
  const json = new Growing();
  for (const piece of pieces) json.feed(piece);
  return json;
}

describe('JSON while it grows', () => {
  it('[TL-R40] shows of a string under way what the last piece added, and of a whole one nothing', () => {
    const json = grown('{"a":"x', 'yz');
    expect(json.look(['a'])).toEqual({ complete: false, value: 'xyz', tail: 'yz' });
    expect(json.look(['b'])).toEqual({ complete: false, value: undefined, tail: '' });
    json.feed('!"');
    expect(json.look(['a'])).toEqual({ complete: true, value: 'xyz!', tail: '' });
    json.feed(',"b":"c');
    expect(json.look(['b'])).toEqual({ complete: false, value: 'c', tail: 'c' });
    json.feed('"}');
    expect(json.look(['c'])).toEqual({ complete: true, value: undefined, tail: '' });
  });

  it('[TL-R40] copies what is still open, and nothing else', () => {
    const json = grown('{"done":{"a":1},"open":{"list":[{"b":2},"x');
    const { value } = json.look([]);
    const copy = json.copy(value) as { done: object; open: { list: unknown[] } };
    expect(copy.done).toBe((value as typeof copy).done);
    expect(json.copy('x')).toBe('x');
    expect(json.copy(copy.done)).toBe(copy.done);
    json.feed('y",3]');
    expect(copy).toEqual({ done: { a: 1 }, open: { list: [{ b: 2 }, 'x'] } });
    expect(json.look(['open', 'list']).value).toEqual([{ b: 2 }, 'xy', 3]);
  });

  it('[TL-R47] gives no object another prototype', () => {
    const json = grown('{"a":1,"__proto__":{"b":[2');
    const shown = json.look([]).value;
    expect([shown, json.copy(shown)]).toEqual([{ a: 1 }, { a: 1 }]);
    for (const one of [shown, json.copy(shown)]) expect(Object.getPrototypeOf(one)).toBe(Object.prototype);
    json.feed('],"c":3},"d":4}');
    expect(json.look([]).value).toEqual({ a: 1, d: 4 });
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });

  it('leaves an escape out that is none', () => {
    expect(grown('{"a":"x\\qy').look(['a']).value).toBe('xy');
  });

  it('keeps a value that has no key out of an object', () => {
    expect(grown('{1 "a":2').look([]).value).toEqual({});
    expect(grown('{"a":1,{"b":2').look([]).value).toEqual({ a: 1 });
  });
});

describe('two texts', () => {
  it.each([
    ['{"a":', '{"a":', false, 'same'],
    ['{"a":', '{"a":', true, 'same'],
    ['{"a":', '{"a":1', false, 'grows'],
    ['{"a":1}', '{"a":1} ', true, 'equal'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}', false, 'equal'],
    ['{"a":1}', '{"a":2}', false, 'differs'],
    ['{"a":1}', '{"a":1,"b":2}', false, 'differs'],
    ['{"a":', '{"b":', false, 'differs'],
    ['[1]', '{"0":1}', false, 'differs'],
    ['{"a":1}', '{"b":1}', false, 'differs'],
  ])('[TL-R33, TL-R41, TL-R43] %s and %s, closed %s: %s', (before, next, closed, relation) => {
    expect(relate(before, next, closed)).toBe(relation);
  });

  it('[TL-R33] are compared a hundred levels deep', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
    expect([100, 101].map((levels) => sameJson(nested(levels), nested(levels)))).toEqual([true, false]);
  });
});
