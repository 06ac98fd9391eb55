import { describe, expect, it } from 'vitest';
import {
  createLineageChecker,
  type Finding,
  type LineageOptions,
  lineage,
  lineages,
  type ReadEntry,
} from '../../src/seats.ts';
import { Log } from '../../src/testing/lineage/logs.ts';

const unknown = (reason: Finding['reason'], steps: number, more: Partial<Finding> = {}): Finding => ({
  onBranch: 'unknown',
  breaks: 'unknown',
  reason,
  steps,
  ...more,
});
const unread = (detail: NonNullable<Finding['detail']>, steps: number, at?: string): Finding =>
  unknown('unreadable', steps, at === undefined ? { detail } : { detail, at });

describe('manner', () => {
  const JUNK: readonly unknown[] = [undefined, null, 0, 1, Number.NaN, '', 'x', true, {}, [], () => 1, Symbol('s'), 1n];

  it('[SE-R50] [SE-R70] [SE-I07] junk for every argument is an answer, not an error', async () => {
    const log = new Log();
    for (const read of [...JUNK, log.read]) {
      for (const anchor of JUNK) {
        for (const leaf of JUNK) {
          const finding = await lineage(read as ReadEntry, anchor as string, leaf as string);
          const isSound = typeof anchor === 'string' && anchor === leaf && anchor !== '' && typeof read === 'function';
          expect(finding.reason === 'holds').toBe(isSound);
        }
      }
    }
    for (const options of JUNK) {
      expect((await lineage(log.read, 'b', 'd', options as LineageOptions)).reason).toBe('holds');
    }
  });

  it('[SE-R50] a broken isBreak refuses: its default would not know the caller’s breaks', async () => {
    const log = new Log();
    for (const isBreak of [null, 'compaction', 1, {}]) {
      const options = { isBreak } as unknown as LineageOptions;
      expect(await lineage(log.read, 'b', 'd', options)).toEqual(unread('bad-input', 0));
    }
    const throwing = Object.defineProperty({}, 'maxSteps', {
      get: () => {
        throw new Error('no');
      },
    }) as LineageOptions;
    expect(await lineage(log.read, 'b', 'd', throwing)).toEqual(unread('bad-input', 0));
    expect(log.reads).toEqual([]);
  });

  it('[SE-R70] a clock that throws refuses', async () => {
    const now = (): number => {
      throw new Error('no');
    };
    const options = { runtime: { now, after: () => () => undefined } };
    const log = new Log();
    expect(await lineage(log.read, 'b', 'd', options)).toEqual(unread('bad-input', 0));
    expect(await lineages(log.read, ['b', 'c'], 'd', options)).toEqual([
      unread('bad-input', 0),
      unread('bad-input', 0),
    ]);
    expect(await createLineageChecker(log.read, options).check('b', 'd')).toEqual(unread('bad-input', 0));
  });

  it('[SE-R71] [SE-R72] reads one after the other, each id once, and finds the same again', async () => {
    const log = new Log();
    let running = 0;
    const read: ReadEntry = async (id) => {
      running += 1;
      expect(running).toBe(1);
      await null;
      running -= 1;
      return log.read(id);
    };
    const first = await lineage(read, 'x', 'f');
    expect(log.reads).toEqual(['f', 'e', 'k', 'd', 'c', 'b', 'a', 'x']);
    expect(await lineage(read, 'x', 'f')).toEqual(first);
  });
});
