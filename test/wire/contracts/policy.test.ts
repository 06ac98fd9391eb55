import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ContractViolation, contractPolicy, contracts, eventChecks } from '../../../src/contracts.ts';
import { type Fault, faultText } from '../../../src/wire/contracts/paths.ts';
import { violations } from '../../../src/wire/contracts/policy.ts';
import { Maker, objectsOf, roots } from './shapes.ts';

function listener() {
  const lines: string[] = [];
  const say = (...args: unknown[]) => void lines.push(args.map(String).join(' '));
  return { lines, logger: { debug: say, info: say, warn: say, error: say } };
}

const fault = (...path: (string | number)[]): Fault => ({ path, problem: 'missing' });

describe('policy', () => {
  it('[RQ-R156] strict throws the first fault, with contract and path', () => {
    const { lines, logger } = listener();
    const strict = violations('strict', logger);
    expect(() => strict.report('result', 'm', [])).not.toThrow();
    expect(() => strict.report('result', 'm', [fault('a', 0), fault('b')])).toThrow(ContractViolation);
    expect(() => strict.report('result', 'm', [fault('a', 0), fault('b')])).toThrow('m result: a.0: missing');
    expect(lines).toEqual([]);
  });

  it('[RQ-R156] production logs once for each kind, name and path', () => {
    const { lines, logger } = listener();
    const production = violations('production', logger);
    for (let round = 0; round < 3; round += 1) {
      production.report('result', 'm', [fault('a'), fault('b')]);
      production.report('params', 'm', [fault('a')]);
      production.report('result', 'n', [fault('a')]);
    }
    expect(lines).toHaveLength(4);
    expect(new Set(lines).size).toBe(4);
  });

  it('[RQ-R156] a logger that rejects interrupts nothing and ends no process', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', hear);
    const { logger } = listener();
    const warn = (): Promise<never> => Promise.reject(new Error('disk full'));
    violations('production', { ...logger, warn }).report('result', 'm', [fault('a')]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });

  it('[RQ-R156] the thousandth element of a list is no news', () => {
    const { lines, logger } = listener();
    const production = violations('production', logger);
    for (let at = 0; at < 1_000; at += 1) production.report('payload', 'e', [fault('list', at, 'x')]);
    expect(lines).toHaveLength(1);
  });

  it('[RQ-R156] what is remembered is bounded, and then nothing more is logged', () => {
    const { lines, logger } = listener();
    const production = violations('production', logger);
    for (let at = 0; at < 5_000; at += 1) production.report('payload', 'e', [fault(`key${at}`)]);
    expect(lines.length).toBeLessThanOrEqual(1_025);
    expect(lines.at(-1)).toContain('further violations are not logged');
  });

  it('[RQ-R156] a logger that throws changes nothing', () => {
    const boom = () => {
      throw new Error('the log is full');
    };
    const production = violations('production', { debug: boom, info: boom, warn: boom, error: boom });
    expect(() => production.report('payload', 'e', [fault('a')])).not.toThrow();
  });

  it('[RQ-R157] from the environment only 1 and true are strict', () => {
    expect(['1', 'true'].map(contractPolicy)).toEqual(['strict', 'strict']);
    for (const value of [undefined, '', '0', 'false', 'no', 'strict', 'TRUE', ' 1', 'yes']) {
      expect(contractPolicy(value)).toBe('production');
    }
  });
});

describe('events are checked where they are emitted', () => {
  const pack = contracts()
    .event('silent')
    .event('loud', z.strictObject({ n: z.number() }));

  it('[RQ-R155] [RQ-I33] strict throws exactly where production logs, and the payload stays as it is', () => {
    fc.assert(
      fc.property(
        roots.chain((fields) => fc.tuple(fc.constant(fields), objectsOf(fields))),
        ([fields, payload]) => {
          const drawn = contracts().event('drawn', new Maker().object(fields));
          const { lines, logger } = listener();
          const before = structuredClone(payload);
          let threw = false;
          try {
            eventChecks(drawn, 'strict', logger).check('drawn', payload);
          } catch (error) {
            threw = error instanceof ContractViolation;
          }
          eventChecks(drawn, 'production', logger).check('drawn', payload);
          expect(lines.length > 0).toBe(threw);
          expect(payload).toEqual(before);
        },
      ),
      { numRuns: 250 },
    );
  });

  it('[RQ-R159] without a payload in the contract any non-empty one is a violation', () => {
    const strict = eventChecks(pack, 'strict', listener().logger);
    for (const nothing of [undefined, null, {}]) expect(() => strict.check('silent', nothing)).not.toThrow();
    for (const something of [{ a: 1 }, [1], [], 'x', 0]) {
      expect(() => strict.check('silent', something)).toThrow(ContractViolation);
    }
  });

  it('[RQ-R155] a payload that is due and missing is a violation', () => {
    const strict = eventChecks(pack, 'strict', listener().logger);
    for (const nothing of [undefined, {}]) expect(() => strict.check('loud', nothing)).toThrow(ContractViolation);
  });

  it('[RQ-R155] an undeclared event passes here, and is found by its name', () => {
    const strict = eventChecks(pack, 'strict', listener().logger);
    expect(() => strict.check('unheard', { any: 1 })).not.toThrow();
    expect(strict.emitted()).toEqual(['unheard']);
  });

  it('[RQ-R156] a violation names no value', () => {
    const { lines, logger } = listener();
    eventChecks(pack, 'production', logger).check('loud', { n: 'hunter2' });
    expect(lines).toEqual(['readback contracts: loud payload: n: wrong type or value']);
    expect(faultText(fault('n'))).toBe('n: missing');
  });
});
