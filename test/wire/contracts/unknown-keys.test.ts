import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contracts, jsonObject, jsonValue, keyPath, type ParamsSchema } from '../../../src/contracts.ts';
import { side } from '../../../src/wire/contracts/check.ts';
import { expectedUnknown } from './oracle.ts';
import { Maker, objectsOf, roots } from './shapes.ts';

const unknownIn = (schema: ParamsSchema, value: unknown): string[] =>
  side(schema, 'inbound')
    .unknown(value)
    .map((one) => keyPath(one.path));

/** A property draws a contract first, and then values for it. */
const cases = roots.chain((fields) => fc.tuple(fc.constant(fields), objectsOf(fields)));

function without(value: unknown, path: readonly (string | number)[]): unknown {
  const copy = structuredClone(value);
  let holder = copy as Record<string | number, unknown>;
  for (const part of path.slice(0, -1)) holder = holder[part] as Record<string | number, unknown>;
  delete holder[path.at(-1) ?? ''];
  return copy;
}

describe('keys that a contract does not know', () => {
  it('[RQ-R154] are those that no branch knows, in the order of the input', () => {
    let hits = 0;
    fc.assert(
      fc.property(cases, ([fields, value]) => {
        const expected = expectedUnknown(fields, value).map(keyPath);
        hits += expected.length > 0 ? 1 : 0;
        expect(unknownIn(new Maker().object(fields), value)).toEqual(expected);
      }),
      { numRuns: 800 },
    );
    expect(hits).toBeGreaterThan(100);
  });

  it('[RQ-I32] are gone after the reported ones were removed, one by one', () => {
    fc.assert(
      fc.property(cases, ([fields, given]) => {
        const contract = side(new Maker().object(fields), 'inbound');
        let value: unknown = given;
        const before = JSON.stringify(given).length;
        for (let round = 0; round <= before; round += 1) {
          const [fault] = contract.unknown(value);
          if (fault === undefined) return;
          value = without(value, fault.path);
        }
        expect.fail('removing keys does not end');
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, ParamsSchema, unknown, string[]]>([
    [
      'in a list of objects',
      z.strictObject({ questions: z.array(z.strictObject({ qid: z.string() })) }),
      { questions: [{ qid: 'q', foo: 1 }] },
      ['questions.0.foo'],
    ],
    [
      'outer and inner, the first of the input first',
      z.strictObject({ a: z.strictObject({ b: z.string() }) }),
      { y: 1, a: { b: 'x', z: 1 } },
      ['y', 'a.z'],
    ],
    [
      'and the same the other way round',
      z.strictObject({ a: z.strictObject({ b: z.string() }) }),
      { a: { b: 'x', z: 1 }, y: 1 },
      ['a.z', 'y'],
    ],
    [
      'not hidden by a wrong type in the branch that half fits',
      z.strictObject({ v: z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.number() })]) }),
      { v: { a: 1, c: 1 } },
      ['v.c'],
    ],
    [
      'known to one branch is known',
      z.strictObject({ v: z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.number() })]) }),
      { v: { a: 'x', b: 'not a number' } },
      [],
    ],
    [
      'a scalar branch knows none, and hides none',
      z.strictObject({ v: z.union([z.string(), z.array(z.string()), z.strictObject({ a: z.string() })]) }),
      { v: { c: 1 } },
      ['v.c'],
    ],
    ['where a scalar belongs, the type is wrong and no key is', z.strictObject({ v: z.string() }), { v: { c: 1 } }, []],
    [
      'a discriminator says which branch is meant',
      z.strictObject({
        v: z.discriminatedUnion('k', [
          z.strictObject({ k: z.literal('a'), x: z.string() }),
          z.strictObject({ k: z.literal('b'), y: z.string() }),
        ]),
      }),
      { v: { k: 'a', x: '', y: '' } },
      ['v.y'],
    ],
    [
      'open where the contract says so',
      z.strictObject({ v: jsonValue, w: jsonObject }),
      { v: { a: { b: 1 } }, w: { c: 1 } },
      [],
    ],
    [
      'through optional, nullable and default',
      z.strictObject({ v: z.strictObject({}).nullable().optional() }),
      { v: { a: 1 } },
      ['v.a'],
    ],
    [
      'a name that every object inherits',
      z.strictObject({}),
      { toString: 1, constructor: 2 },
      ['toString', 'constructor'],
    ],
  ])('[RQ-R154] %s', (_what, schema, value, expected) => {
    expect(unknownIn(schema, value)).toEqual(expected);
  });

  it('[RQ-R154] __proto__ is known to nobody, not even to a record', () => {
    const schema = z.strictObject({ v: z.record(z.string(), z.number()) });
    expect(unknownIn(schema, JSON.parse('{"v":{"__proto__":1}}'))).toEqual(['v.__proto__']);
    expect(unknownIn(schema, JSON.parse('{"__proto__":{"v":{}}}'))).toEqual(['__proto__']);
  });

  it('[RQ-R154] a contract that holds itself is followed as deep as the value goes', () => {
    interface Tree {
      kids?: Tree[] | undefined;
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.strictObject({ kids: z.array(tree).optional() }));
    const schema = z.strictObject({ tree });
    expect(unknownIn(schema, { tree: { kids: [{}, { kids: [{ leaf: 1 }] }] } })).toEqual(['tree.kids.1.kids.0.leaf']);
    expect(contracts().method('m', { params: schema, result: jsonObject }).methods.size).toBe(1);
  });

  it('[RQ-R154] a path is bounded and holds no line end, whatever the key', () => {
    const schema = z.strictObject({});
    const [long] = unknownIn(schema, { ['k'.repeat(1_000_000)]: 1 });
    expect(long?.length).toBeLessThan(200);
    expect(unknownIn(schema, { 'a\nb\u2028c\ud800': 1 })[0]).not.toMatch(/[\n\u2028\ud800]/);
  });
});
