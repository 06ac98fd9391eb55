import { describe, expect, it } from 'vitest';
import { answerOutcome, type Finding, lineage } from '../../src/seats.ts';
import { Log } from '../../src/testing/lineage/logs.ts';

const found = (onBranch: Finding['onBranch'], breaks: Finding['breaks'] = 0): Finding => ({
  onBranch,
  breaks,
  reason: onBranch === true && breaks === 0 ? 'holds' : 'unreadable',
  steps: 1,
});
const FINDINGS = [found(true), found(true, 2), found(true, 'unknown'), found(false), found('unknown', 'unknown')];

describe('what becomes of an answer', () => {
  it('[SE-I14] every pair of findings has an outcome, and nothing unknown is retired or delivered', () => {
    for (const asked of FINDINGS) {
      for (const delivered of [null, ...FINDINGS]) {
        for (const privileged of [false, true]) {
          const { outcome } = answerOutcome(asked, delivered, { privileged });
          expect(outcome === 'retire').toBe(asked.onBranch === false);
          if (asked.onBranch === 'unknown') expect(outcome).toBe('hold');
          if (asked.onBranch === true && delivered?.onBranch === 'unknown' && asked.breaks === 0) {
            expect(outcome).toBe('hold');
          }
        }
      }
    }
  });

  it.each([
    [found(true), null, 'deliver', false, false],
    [found(true, 1), null, 'deliver', true, false],
    [found(true, 'unknown'), null, 'deliver', true, false],
    [found(true), found(true), 'keep', false, false],
    [found(true), found(true, 1), 'hand_over_again', true, true],
    [found(true), found(true, 'unknown'), 'hand_over_again', true, true],
    [found(true), found(false), 'deliver', true, false],
    [found(true), found('unknown'), 'hold', false, false],
    [found(false), found(true), 'retire', false, false],
    [found('unknown'), null, 'hold', false, false],
  ] as const)('[SE-I14] the table: %o %o is %s', (asked, delivered, outcome, withQuestion, repeat) => {
    expect(answerOutcome(asked, delivered)).toEqual({ outcome, withQuestion, repeat });
  });

  it('[SE-R96] a permission with a break on its segment is asked again', () => {
    const privileged = { privileged: true };
    expect(answerOutcome(found(true, 1), null, privileged).outcome).toBe('ask_again');
    expect(answerOutcome(found(true), found(true, 1), privileged).outcome).toBe('ask_again');
    expect(answerOutcome(found(true), found(true), privileged).outcome).toBe('keep');
    expect(answerOutcome(found(true), null, privileged).outcome).toBe('deliver');
  });

  it('[SE-R90] follows the leaf: rewound it is retired, back on its branch it counts, compacted it comes again', async () => {
    const log = new Log();
    const at = async (leaf: string, deliveredAt: string | null): Promise<string> => {
      const asked = await lineage(log.read, 'c', leaf);
      const delivered = deliveredAt === null ? null : await lineage(log.read, deliveredAt, leaf);
      return answerOutcome(asked, delivered).outcome;
    };
    expect(await at('d', null)).toBe('deliver');
    expect(await at('d', 'd')).toBe('keep');
    expect([await at('b', 'd'), await at('y', 'd')]).toEqual(['retire', 'retire']);
    expect(await at('d', 'd')).toBe('keep');
    expect(await at('f', 'd')).toBe('hand_over_again');
    expect(await at('f', 'e')).toBe('keep');
    expect(await at('c', 'd')).toBe('deliver');
  });
});
