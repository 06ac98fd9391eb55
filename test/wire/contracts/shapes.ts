/** Random contracts: a shape is drawn as plain data, and made into zod, into values, and into an oracle of its own. */
import fc from 'fast-check';
import { z } from 'zod';
import { jsonValue, whole } from '../../../src/contracts.ts';

export type Shape =
  | { readonly kind: 'string' | 'number' | 'whole' | 'boolean' | 'null' | 'json' }
  | { readonly kind: 'literals'; readonly values: readonly string[] }
  | { readonly kind: 'array' | 'record' | 'nullable' | 'named'; readonly inner: Shape }
  | { readonly kind: 'object'; readonly fields: readonly FieldShape[] }
  | { readonly kind: 'union'; readonly options: readonly Shape[] }
  /** A discriminated union: one object a tag. */
  | { readonly kind: 'tagged'; readonly options: readonly (readonly FieldShape[])[] };

export interface FieldShape {
  readonly key: string;
  readonly inner: Shape;
  readonly presence: 'required' | 'optional' | 'defaulted';
}

const FIELDS = ['a', 'b', 'c', '0', 'naïve key'];
/** Keys of values; those that every object inherits must be nothing special. */
const KEYS = [...FIELDS, 'toString', 'constructor'];
export const TAG = 'tag';

const field = (inner: fc.Arbitrary<Shape>): fc.Arbitrary<FieldShape> =>
  fc.record({ key: fc.constantFrom(...FIELDS), inner, presence: fc.constantFrom('required', 'optional', 'defaulted') });
const fields = (inner: fc.Arbitrary<Shape>) =>
  fc.uniqueArray(field(inner), { maxLength: 3, selector: ({ key }) => key });

/** Any shape that the generator can write down. */
export const shapes: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({ kind: fc.constantFrom('string', 'number', 'whole', 'boolean', 'null', 'json') }) as fc.Arbitrary<Shape>,
    fc.record({
      kind: fc.constant('literals' as const),
      values: fc.uniqueArray(fc.constantFrom('x', 'y', "it's", '"', '\\', '\n'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('object' as const), fields: fields(tie('shape')) }),
    fc.record({
      kind: fc.constantFrom('array' as const, 'record' as const, 'nullable' as const, 'named' as const),
      inner: tie('shape'),
    }),
    fc.record({ kind: fc.constant('union' as const), options: fc.array(tie('shape'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      kind: fc.constant('tagged' as const),
      options: fc.array(fields(tie('shape')), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).shape;

/** An object of such shapes: what params, results and payloads are. */
export const roots: fc.Arbitrary<readonly FieldShape[]> = fields(shapes);

const arrange = <T>(list: readonly T[], reversed: boolean): T[] => (reversed ? list.toReversed() : [...list]);

/** Makes zod schemas of shapes; `reversed` declares fields and alternatives in the other order. */
export class Maker {
  readonly #reversed: boolean;
  readonly #named = new Map<string, z.ZodType>();

  constructor(reversed = false) {
    this.#reversed = reversed;
  }

  object(list: readonly FieldShape[], tag?: string): z.ZodObject {
    const shape = arrange(list, this.#reversed).map((one): [string, z.ZodType] => [one.key, this.#field(one)]);
    return z.strictObject(Object.fromEntries(tag === undefined ? shape : [...shape, [TAG, z.literal(tag)]]));
  }

  #field({ inner, presence }: FieldShape): z.ZodType {
    const made = this.make(inner);
    if (presence === 'optional') return made.optional();
    // No schema here ever looks at the default; the one thing that counts is that there is one.
    return presence === 'defaulted' ? made.default('unseen') : made;
  }

  make(shape: Shape): z.ZodType {
    switch (shape.kind) {
      case 'literals':
        return z.enum(arrange(shape.values, this.#reversed) as [string, ...string[]]);
      case 'array':
        return z.array(this.make(shape.inner));
      case 'record':
        return z.record(z.string(), this.make(shape.inner));
      case 'nullable':
        return this.make(shape.inner).nullable();
      case 'named':
        return this.#model(shape.inner);
      case 'object':
        return this.object(shape.fields);
      case 'union':
        return z.union(arrange(shape.options, this.#reversed).map((one) => this.make(one)));
      case 'tagged': {
        const options = shape.options.map((one, at) => this.object(one, `t${at}`));
        return z.discriminatedUnion(TAG, arrange(options, this.#reversed) as [z.ZodObject, ...z.ZodObject[]]);
      }
      default:
        return scalar(shape.kind);
    }
  }

  /** Equal shapes are one model. */
  #model(inner: Shape): z.ZodType {
    const text = JSON.stringify(inner);
    const known = this.#named.get(text);
    if (known !== undefined) return known;
    const id = `M${[...text].map((char) => char.charCodeAt(0).toString(36)).join('')}`;
    const model = this.make(inner).meta({ id });
    this.#named.set(text, model);
    return model;
  }
}

function scalar(kind: 'string' | 'number' | 'whole' | 'boolean' | 'null' | 'json'): z.ZodType {
  if (kind === 'json') return jsonValue;
  if (kind === 'whole') return whole;
  return { string: z.string, number: z.number, boolean: z.boolean, null: z.null }[kind]();
}

/** Plain JSON without a key that no contract takes. */
export const json: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'));

/** Values near a shape: most of them conform, some lack a field, hold a strange one, or are of another kind. */
export function valuesOf(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: near(shape) }, { weight: 1, arbitrary: json });
}

function near(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'string':
      return fc.string({ maxLength: 4 });
    case 'number':
      return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    case 'whole':
      return fc.oneof(fc.integer(), fc.constantFrom(2 ** 53, 1e300, 1.5));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'json':
      return json;
    case 'literals':
      return fc.constantFrom(...shape.values);
    case 'array':
      return fc.array(valuesOf(shape.inner), { maxLength: 3 });
    case 'record':
      return fc.dictionary(fc.constantFrom(...KEYS), valuesOf(shape.inner), { maxKeys: 3 });
    case 'nullable':
      return fc.oneof(fc.constant(null), valuesOf(shape.inner));
    case 'named':
      return valuesOf(shape.inner);
    case 'object':
      return objectsOf(shape.fields);
    case 'union':
      return fc.oneof(...shape.options.map(valuesOf));
    case 'tagged':
      return fc.oneof(...shape.options.map((one, at) => tagged(one, `t${at}`)));
  }
}

const tagged = (list: readonly FieldShape[], tag: string): fc.Arbitrary<unknown> =>
  fc
    .tuple(objectsOf(list), fc.constantFrom(tag, tag, tag, 't0', 'none', undefined))
    .map(([value, said]) => (said === undefined ? value : { ...value, [TAG]: said }));

/** Objects near these fields. */
export function objectsOf(list: readonly FieldShape[]): fc.Arbitrary<Record<string, unknown>> {
  const own = list.map(({ key, inner, presence }) =>
    fc.tuple(fc.constant(key), valuesOf(inner), fc.nat(presence === 'required' ? 12 : 2)),
  );
  const strange = fc.tuple(fc.constantFrom(...KEYS, 'z'), json, fc.nat(6));
  return fc.tuple(fc.tuple(...own), strange).map(([parts, [key, value, rare]]) => {
    const there = parts
      .filter(([, , missing]) => missing !== 0)
      .map(([name, inner]): [string, unknown] => [name, inner]);
    const extra: [string, unknown][] = rare === 0 && !there.some(([name]) => name === key) ? [[key, value]] : [];
    return Object.fromEntries([...there, ...extra]);
  });
}
