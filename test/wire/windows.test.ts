import { describe, expect, it } from 'vitest';
import { Windows } from './windows.ts';

const SEED = Number(process.env['READBACK_SEED'] ?? 20_261_130);
const RUNS = Number(process.env['READBACK_WIRE_RUNS'] ?? 200);
const STEPS = 500;

async function run(seed: number, form: 'answer' | 'response'): Promise<Windows> {
  const windows = new Windows(seed, { form });
  for (let i = 0; i < STEPS; i += 1) {
    windows.step();
    if (i % 10 === 0) await Promise.resolve();
  }
  await windows.heal();
  return windows;
}

async function verdicts(runs: number, form: 'answer' | 'response'): Promise<Map<string, number>> {
  const told = new Map<string, number>();
  for (let at = 0; at < runs; at += 1) {
    const windows = await run(SEED + at, form);
    expect([...windows.judge(), ...windows.doubles()], `seed ${SEED + at}, form ${form}`).toEqual([]);
    for (const { verdict } of windows.given) {
      const status = verdict?.status ?? 'none';
      told.set(status, (told.get(status) ?? 0) + 1);
    }
  }
  return told;
}

describe('several windows, and sockets that break at random', () => {
  it('[RQ-I24, RQ-I25, RQ-I26, RQ-I27] end with what is open on the screen, and with the truth', async () => {
    const told = await verdicts(RUNS, 'answer');
    // Every ending was met, so that none of the promises is empty.
    for (const status of ['ok', 'expired', 'not-sent', 'unknown'])
      expect(told.get(status) ?? 0, status).toBeGreaterThan(RUNS / 2);
  }, 120_000);

  it('[RQ-I24, RQ-I25, RQ-I26] and so they do where answers are bare response frames', async () => {
    const told = await verdicts(Math.ceil(RUNS / 5), 'response');
    expect(told.get('sent') ?? 0).toBeGreaterThan(RUNS / 5);
  }, 120_000);
});
