/** The invariants of seats on fixed seeds; `npm run soak:seats` runs more of them. */
import { describe, expect, it } from 'vitest';
import { judgeCache } from './cache-model.ts';
import { judgeHistory } from './histories.ts';
import { judgeTree } from './trees.ts';

const FIRST_SEED = 5_000_000;

describe('random trees with faults', () => {
  it('[SE-I01] [SE-I02] [SE-I03] [SE-I04] [SE-I05] [SE-I06] [SE-I07] [SE-I08] [SE-R72] [SE-R94] [SE-R95] 2,000 seeds', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 2_000; seed += 1) {
      const faults = await judgeTree(seed);
      expect(faults, `seed ${seed}`).toEqual([]);
    }
  });
});

describe('random histories', () => {
  it('[SE-I13] [SE-R45] [SE-R82] [SE-R84] never inherit what a replay would not give', async () => {
    let inherited = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 1_000; seed += 1) {
      const found = await judgeHistory(seed);
      expect(found.faults, `seed ${seed}`).toEqual([]);
      inherited += found.inherited;
    }
    expect(inherited).toBeGreaterThan(1_000);
  });
});

describe('random operations on a cache', () => {
  it('[SE-I09] [SE-I10] [SE-I11] [SE-I12] [SE-R12] [SE-R23] [SE-R24] [SE-R33] are those of a list', () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 1_000; seed += 1) {
      expect(judgeCache(seed), `seed ${seed}`).toEqual([]);
    }
  });
});
