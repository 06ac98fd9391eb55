import { expect, it } from 'vitest';
import { raceAnswers } from './raced.ts';

const RUNS = Number(process.env['READBACK_WIRE_RACES'] ?? 1_000);

it('[RQ-R19, RQ-I03, RQ-I27] 1,000 answers raced against their deadline over real sockets: none lost, none told twice', async () => {
  const { accepted, late, faults } = await raceAnswers(RUNS, 20_261);
  expect(faults).toEqual([]);
  // Both ways of the race were run.
  expect(accepted).toBeGreaterThan(RUNS / 20);
  expect(late).toBeGreaterThan(RUNS / 20);
});
