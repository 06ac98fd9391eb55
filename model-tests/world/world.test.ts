/** A small world, seed by seed: agents, people, pages, crashes and restarts; each promise is one test. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Kind, keepWorld, type Life, live, liveTwice, loadWorlds, PROMISES, RUNS, replay, SEED } from './run.ts';
import { EVENTS } from './truth.ts';

/** So many seeds also run on a real database. */
const ON_DISK = Math.ceil(RUNS / 10);
const worlds: { readonly seed: number; readonly kind: Kind; readonly life: Life }[] = [];

const told = ({ broken }: Life): string =>
  [...broken].map(([promise, faults]) => `${promise}:\n  ${faults.join('\n  ')}`).join('\n');

describe('seeds that failed once', () => {
  const files = loadWorlds();
  test.each(files.map((file) => [file.name, file] as const))('%s', async (_name, { seed, kind, steps }) => {
    expect(told(await liveTwice(seed, kind, steps))).toBe('');
  });

  test('are in their folder, if there are any', () => expect(files.length).toBeGreaterThanOrEqual(0));
});

describe('worlds', () => {
  beforeAll(
    async () => {
      for (let i = 0; i < RUNS; i++) {
        const seed = SEED + i;
        worlds.push({ seed, kind: 'memory', life: await liveTwice(seed, 'memory') });
        if (i < ON_DISK) worlds.push({ seed, kind: 'sqlite', life: await live(seed, 'sqlite') });
      }
      if (process.env['READBACK_KEEP'] !== '1') return;
      for (const { seed, kind, life } of worlds) if (life.broken.size > 0) keepWorld(seed, kind, life.broken);
    },
    120_000 + RUNS * 2_000,
  );

  test.each([...Object.keys(PROMISES), 'one seed is one world', 'the world runs'])('%s', (promise) => {
    const faults = worlds.flatMap(({ seed, kind, life }) =>
      (life.broken.get(promise) ?? []).map((fault) => `${kind} ${seed}: ${fault} (${replay(seed)})`),
    );
    expect(faults.slice(0, 10)).toEqual([]);
  });

  test.runIf(RUNS >= 30)('meet what there is to meet', () => {
    const met = new Set(worlds.flatMap(({ life }) => [...life.met.keys()]));
    expect(EVENTS.filter((event) => !met.has(event))).toEqual([]);
  });
});
