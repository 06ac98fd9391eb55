import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  contracts,
  defaultPack,
  jsonObject,
  jsonValue,
  keyPath,
  requestContracts,
  whole,
} from '../../../src/contracts.ts';
import { side } from '../../../src/wire/contracts/check.ts';
import { VALUE_BOUNDS } from '../../../src/wire/contracts/guard.ts';
import { faultText } from '../../../src/wire/contracts/paths.ts';
import { Maker, objectsOf, roots } from './shapes.ts';

const cases = roots.chain((fields) => fc.tuple(fc.constant(fields), objectsOf(fields)));

describe('a full check', () => {
  it('[RQ-R155] of what a client sends says what zod says', () => {
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(cases, ([fields, value]) => {
        const schema = new Maker().object(fields);
        const faults = side(schema, 'inbound').wrong(value);
        expect(faults.length === 0).toBe(schema.safeParse(value).success);
        seen[faults.length === 0 ? 'right' : 'wrong'] += 1;
      }),
      { numRuns: 600 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(100);
  });

  it('[RQ-R162] of what the backend sends wants a defaulted field to be there', () => {
    const inner = z.strictObject({ a: z.string().default('x') });
    const schema = z.strictObject({
      list: z.array(inner),
      map: z.record(z.string(), inner.nullable()).optional(),
      either: z.union([z.string(), inner]).optional(),
    });
    const problems = (direction: 'inbound' | 'outbound', value: unknown) =>
      side(schema, direction).wrong(value).map(faultText);
    expect(problems('inbound', { list: [{}], map: { k: {} }, either: {} })).toEqual([]);
    expect(problems('outbound', { list: [{ a: '' }], map: { k: null }, either: { a: '' } })).toEqual([]);
    expect(problems('outbound', { list: [{}], map: { k: {} }, either: {} })).toEqual([
      'list.0.a: missing',
      'map.k.a: missing',
      'either: wrong type or value',
    ]);
  });

  it('[RQ-R162] a model that holds itself is still strict in the other direction', () => {
    interface Node {
      name?: string | undefined;
      next?: Node | undefined;
    }
    const node: z.ZodType<Node> = z.lazy(() => z.strictObject({ name: z.string().default(''), next: node.optional() }));
    const schema = z.strictObject({ node });
    expect(side(schema, 'outbound').wrong({ node: { name: 'a', next: { name: 'b' } } })).toEqual([]);
    expect(
      side(schema, 'outbound')
        .wrong({ node: { name: 'a', next: {} } })
        .map(faultText),
    ).toEqual(['node.next.name: missing']);
    expect(side(schema, 'inbound').wrong({ node: { next: {} } })).toEqual([]);
  });

  it('[RQ-R154] names each fault once, with its kind', () => {
    const schema = z.strictObject({ a: z.string(), b: z.number(), c: z.strictObject({}) });
    expect(
      side(schema, 'inbound')
        .wrong({ b: 'x', c: { d: 1 } })
        .map(faultText),
    ).toEqual(['c.d: unknown key', 'a: missing', 'b: wrong type or value']);
    expect(side(schema, 'inbound').wrong('text').map(faultText)).toEqual(['(all of it): wrong type or value']);
  });

  it('[RQ-R156] a fault never holds a value', () => {
    const schema = z.strictObject({ a: z.literal('x'), b: z.enum(['y']), c: z.union([z.number(), z.null()]) });
    const secret = 'hunter2';
    fc.assert(
      fc.property(fc.constantFrom(secret, { [`k`]: secret }, [secret]), (value) => {
        for (const bad of [value, { a: value, b: value, c: value }]) {
          expect(JSON.stringify(side(schema, 'inbound').wrong(bad).map(faultText))).not.toContain(secret);
        }
      }),
    );
  });
});

describe('secrets', () => {
  it('[RQ-R156] of a secret only fields that the contract names are named', () => {
    const contract = requestContracts(defaultPack).request('sudo');
    expect(contract?.wrongResult({ hunter2: 1 })).toEqual(['(unknown key)', 'value']);
    expect(contract?.wrongResult({ value: { hunter2: 1 } as never })).toEqual(['value']);
    const open = contracts().request('s', {
      secret: true,
      params: z.strictObject({}),
      result: z.strictObject({ logins: z.record(z.string(), z.string()) }),
    });
    expect(
      requestContracts(open)
        .request('s')
        ?.wrongResult({ logins: { hunter2: 1 } }),
    ).toEqual(['logins']);
  });
});

const nest = (levels: number, array = false): unknown => {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level += 1) value = array ? [value] : { a: value };
  return value;
};

describe('bad input ends in a verdict, in bounded time', () => {
  const open = side(z.strictObject({ v: jsonValue }), 'inbound');
  interface Tree {
    a?: Tree | string | undefined;
  }
  const tree: z.ZodType<Tree> = z.lazy(() => z.strictObject({ a: z.union([z.string(), tree]).optional() }));
  const recursive = side(z.strictObject({ v: tree }), 'outbound');

  it.each([10_000, 100_000])('[RQ-R155] %i levels of nesting are too deep', (levels) => {
    for (const contract of [open, recursive]) {
      for (const value of [nest(levels), nest(levels, true)]) {
        expect(contract.wrong({ v: value }).map(({ problem }) => problem)).toEqual(['nested too deeply']);
        expect(contract.unknown({ v: value }).map(({ problem }) => problem)).toEqual(['nested too deeply']);
      }
    }
    expect(keyPath(open.wrong({ v: nest(levels) })[0]?.path ?? []).length).toBeLessThan(200);
  });

  it('[RQ-R155] what is as deep as it may be is checked', () => {
    expect(open.wrong({ v: nest(VALUE_BOUNDS.depth - 1) })).toEqual([]);
    expect(recursive.wrong({ v: nest(VALUE_BOUNDS.depth - 1) })).toEqual([]);
    expect(open.wrong({ v: nest(VALUE_BOUNDS.depth) })).toHaveLength(1);
  });

  it('[RQ-R155] a cycle is too deep', () => {
    const cycle: Record<string, unknown> = {};
    cycle['v'] = cycle;
    expect(open.wrong(cycle).map(({ problem }) => problem)).toEqual(['nested too deeply']);
  });

  it('[RQ-R155] parts that share parts are too large, not walked for ever', () => {
    let value: unknown = {};
    for (let level = 0; level < 100; level += 1) value = { a: value, b: value };
    expect(open.wrong({ v: value }).map(({ problem }) => problem)).toEqual(['too large']);
  });

  it('[RQ-R155] a huge list is too large, and one that just fits is checked in time', () => {
    const list = side(z.strictObject({ v: z.array(z.strictObject({ a: z.string() })) }), 'inbound');
    expect(list.wrong({ v: new Array(10_000_000).fill(0) })).toHaveLength(1);
    const begun = performance.now();
    const faults = list.wrong({ v: Array.from({ length: 40_000 }, () => ({ b: 1 })) });
    expect(faults.length).toBeLessThanOrEqual(32);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('[RQ-R155] __proto__ as JSON brings it changes nothing and conforms to no field', () => {
    const value = JSON.parse('{"v":{"__proto__":{"polluted":true}}}') as object;
    expect(
      side(z.strictObject({ v: jsonObject }), 'inbound')
        .wrong(value)
        .map(faultText),
    ).toEqual(['v.__proto__: unknown key']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('[RQ-R154][RQ-R155] names a key that zod lets through without knowing it', () => {
    const schema = z.strictObject({ v: z.looseRecord(z.string().regex(/^x-/), z.string()) });
    expect(schema.safeParse({ v: { other: 'a' } }).success).toBe(true);
    const faults = side(schema, 'inbound').wrong({ v: { 'x-a': 'a', other: 'a' } });
    expect(faults.map(faultText)).toEqual(['v.other: unknown key']);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => undefined],
    ['NaN', Number.NaN],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => expect.fail() })],
    ['a revoked proxy', revoked()],
  ])('[RQ-R155] %s is not JSON', (_what, value) => {
    expect(open.wrong({ v: value })).toHaveLength(1);
  });

  it('[RQ-R155] a refinement that throws, or would have to be awaited, proves nothing', () => {
    const boom = z.strictObject({ a: z.string().refine(() => expect.fail()) });
    const later = z.strictObject({ a: z.string().refine(async () => true) });
    for (const schema of [boom, later]) expect(side(schema, 'inbound').wrong({ a: '' })).toHaveLength(1);
  });

  it('[RQ-R155] any JSON gets a verdict from any contract of the default pack', () => {
    const sides = [...defaultPack.methods.values(), ...defaultPack.requests.values()].flatMap((one) => [
      one.params,
      one.result,
    ]);
    fc.assert(
      fc.property(
        fc.constantFrom(...sides),
        fc.anything({ withNullPrototype: true, withBigInt: true }),
        (one, value) => {
          expect(Array.isArray(one.wrong(value))).toBe(true);
          expect(Array.isArray(one.unknown(value))).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('[RQ-R158] whole numbers of any size are whole', () => {
    const schema = side(z.strictObject({ n: whole }), 'inbound');
    for (const n of [0, -0, 1e300, 2 ** 53 + 2]) expect(schema.wrong({ n })).toEqual([]);
    for (const n of [0.5, Number.POSITIVE_INFINITY, '1']) expect(schema.wrong({ n })).toHaveLength(1);
  });
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
