/**
 * The invariants of journal.md section 6 over random runs. All runs are made once; each test reports on one invariant.
 * READBACK_SEED and READBACK_RUNS replay or lengthen them.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newStats, STATS, type Stat } from './facts.ts';
import { checkI27, checkI29, checkI31, checkPairs } from './pairs.ts';
import { loadRegressions } from './regressions.ts';
import { RUNS, replay, runSequence, SEED } from './run.ts';
import { anySequence, calmSequence, type Sequence, singleFailure } from './sequence.ts';

const TITLES: Readonly<Record<string, string>> = {
  I01: '[J-I01] no answer is lost silently',
  I02: '[J-I02] debt is conserved: told, cancelled, surfaced or still owed',
  I03: '[J-I03] a loss is told only by a receipt for a hand-off whose text counted it, or by the carried bound',
  I04: '[J-I04] no answer crosses a conversation',
  I05: '[J-I05] no answer crosses an occupant',
  I06: '[J-I06] no answer crosses a question, a tab or the recovery window',
  I07: '[J-I07] a retired answer is never shown, armed or attached',
  I08: '[J-I08] labels only weaken, and what is fixed stays',
  I09: '[J-I09] licensed exactly if matched and not retired',
  I10: '[J-I10] only its own carrier, its queue copy or the carried bound proves an answer',
  I11: '[J-I11] nothing is proven that was never handed over',
  I12: '[J-I12] at most one queue copy of an answer',
  I13: '[J-I13] offers in arrival order, none twice, none after a refusal',
  I14: '[J-I14] what is owed a push stays owed until proof, boundary, eviction or forgetting',
  I15: '[J-I15] an open gate means that nothing is pending and nothing dropped',
  I16: '[J-I16] outstandingDebt and droppedFor agree',
  I17: '[J-I17] the gate opens again',
  I18: '[J-I18] the same answer twice is one entry',
  I19: '[J-I19] as many entries as different texts, at least',
  I20: '[J-I20] others and withheld add up, and others may be disclosed',
  I21: '[J-I21] the entry bounds hold after every operation',
  I22: '[J-I22] the ticket bound holds after every operation',
  I23: '[J-I23] allOutstanding is what is not acked',
  I24: '[J-I24] tokens are distinct and grow with arrival',
  I25: '[J-I25] questions change nothing',
  I26: '[J-I26] what ends something ends it once',
  I28: '[J-I28] other tabs are untouched',
  I30: '[J-I30] no failing callback or log call loses an answer or escapes unasked',
  I32: '[J-I32] a payload is worded as its entry is, and no stale matched copy stays unread',
  I33: '[J-I33] nothing is armed while a handler of its id waits',
};

/** What every set of runs of the usual length has met at least once. */
const MET: readonly Stat[] = STATS;

const stats = newStats();
const failed = new Map<string, { sequence: Sequence; fault: string }>();

function note(sequence: Sequence): void {
  const { broken, stats: seen } = runSequence(sequence);
  for (const name of STATS) stats[name] += seen[name];
  for (const [id, fault] of broken) if (!failed.has(id)) failed.set(id, { sequence, fault });
}

/** The shortest run that breaks it, found again from the same seed. */
function shrunk(id: string): string {
  const holds = fc.property(anySequence, (sequence) => !runSequence(sequence).broken.has(id));
  const { counterexample } = fc.check(holds, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 10_000 });
  const sequence = counterexample?.[0] ?? failed.get(id)?.sequence;
  const fault = sequence === undefined ? '' : runSequence(sequence).broken.get(id);
  return `${fault}\n${JSON.stringify(sequence)}\n${replay(SEED, RUNS)}`;
}

describe('runs that failed once', () => {
  const files = loadRegressions();

  test.each(files.map((file) => [file.name, file] as const))('%s', (_name, { sequence }) => {
    expect([...runSequence(sequence).broken]).toEqual([]);
    const calm = sequence.config.fail.length === 0 && sequence.cmds.every((cmd) => cmd.nest === undefined);
    if (calm) expect(checkPairs(sequence)).toEqual([]);
  });
});

describe('random runs', () => {
  beforeAll(() => {
    fc.assert(
      fc.property(anySequence, (sequence) => {
        note(sequence);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  }, 60_000);

  test.each(Object.entries(TITLES))('%s %s', (id) => {
    expect(failed.has(id) ? shrunk(id) : 'holds').toBe('holds');
  });

  test.runIf(RUNS >= 2_500)('they meet what there is to meet', () => {
    expect(MET.filter((name) => stats[name] === 0)).toEqual([]);
  });
});

describe('pairs of runs', () => {
  const quarter = Math.ceil(RUNS / 8);
  const settings = { seed: SEED, numRuns: quarter };

  test('[J-I27] removing a ticket by the bound strengthens nothing', () => {
    let evicted = 0;
    fc.assert(
      fc.property(calmSequence, (sequence) => {
        const result = checkI27(sequence);
        evicted += result.evicted;
        expect(result.fault).toBeNull();
      }),
      settings,
    );
    expect(evicted).toBeGreaterThan(0);
  });

  test('[J-I29] renaming a tab is transparent', () => {
    fc.assert(
      fc.property(calmSequence, fc.nat({ max: 40 }), fc.nat({ max: 2 }), (sequence, at, tab) => {
        expect(checkI29(sequence, at, tab)).toBeNull();
      }),
      settings,
    );
  });

  test('[J-I30] one failing callback or log call breaks no other invariant', () => {
    fc.assert(
      fc.property(singleFailure, (sequence) => {
        expect([...runSequence(sequence).broken]).toEqual([]);
      }),
      settings,
    );
  });

  test('[J-I31] the clock changes nothing but times and ages', () => {
    fc.assert(
      fc.property(calmSequence, (sequence) => {
        expect(checkI31(sequence)).toBeNull();
      }),
      settings,
    );
  });
});
