import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts, generate } from '../../../src/contracts.ts';
import { side } from '../../../src/wire/contracts/check.ts';
import { Maker, objectsOf, roots } from './shapes.ts';

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Judges of generated schemas that know nothing of zod. A field is there only if the value itself has it. */
function judges(openRpc: string, models: readonly string[]): ((value: unknown) => boolean)[] {
  const { components } = JSON.parse(openRpc) as Document;
  const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false, meta: false });
  ajv.addSchema({ $id: 'https://example.org/doc', components });
  return models.map((model) => {
    const judge = ajv.compile({ $ref: `https://example.org/doc#/components/schemas/${model}` });
    return (value) => judge(value) === true;
  });
}

const cases = roots.chain((fields) => fc.tuple(fc.constant(fields), fc.array(objectsOf(fields), { maxLength: 10 })));

describe('zod and the generated JSON Schema', () => {
  it('[RQ-I35] accept the same values, in both directions', () => {
    const seen = { accepted: 0, refused: 0, apart: 0 };
    fc.assert(
      fc.property(cases, ([fields, values]) => {
        const schema = new Maker().object(fields);
        const pack = contracts().method('m', { params: schema, result: schema });
        const document = generate(pack)['openrpc.json'];
        const [inbound, outbound] = judges(document, ['MParams', 'MResult']);
        for (const value of values) {
          const accepted = schema.safeParse(value).success;
          expect(inbound?.(value)).toBe(accepted);
          const sent = side(schema, 'outbound').wrong(value).length === 0;
          expect(outbound?.(value)).toBe(sent);
          seen[accepted ? 'accepted' : 'refused'] += 1;
          seen.apart += accepted === sent ? 0 : 1;
        }
      }),
      { numRuns: 120 },
    );
    // A validator that takes everything, or nothing, would agree with nobody here.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(30);
  });
});
