/** Answers over random histories of their log, on fixed seeds; `npm run soak:seats` runs more of them. */
import { describe, expect, it } from 'vitest';
import { judgeFences } from './fence-life.ts';

const FIRST_SEED = 5_000_000;
const RUNS = { memory: 100, SQLite: 5 } as const;

describe.each(['memory', 'SQLite'] as const)('random histories of answers, on %s', (kind) => {
  it('[SE-I15] [SE-R90] [SE-R91] [SE-R92] [SE-R93] are delivered on their branch alone, and stand where the tree says', async () => {
    const seen: Record<string, number> = {};
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS[kind]; seed += 1) {
      const { faults, counts } = await judgeFences(seed, kind);
      expect(faults, `seed ${seed}`).toEqual([]);
      for (const [what, count] of Object.entries(counts)) seen[what] = (seen[what] ?? 0) + count;
    }
    if (kind === 'SQLite') return;
    const outlets = ['given to a push', 'given to a wait', 'given to a recovery', 'given to its call'];
    for (const what of [...outlets, 'retire', 'deliver', 'keep', 'again', 'hold', 'unanchored', 'unproven'])
      expect(seen[what] ?? 0, what).toBeGreaterThan(0);
  }, 60_000);
});
