/**
 * Runs the invariants of seats on many seeds: `npm run soak:seats -- [seeds] [first seed]`.
 *
 * The first failure ends it, with the seed that shows it again.
 */
import { judgeCache } from './cache-model.ts';
import { judgeFences } from './fence-life.ts';
import { judgeHistory } from './histories.ts';
import { judgeTree } from './trees.ts';

const count = Number(process.argv[2] ?? 100_000);
const first = Number(process.argv[3] ?? 1);
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first)) {
  console.error('usage: tsx model-tests/seats/soak.ts [seeds] [first seed]');
  process.exit(2);
}

/** A life of answers costs as much as a hundred trees. */
const LIVES_EVERY = 100;

async function faultsOfLives(seed: number): Promise<readonly string[]> {
  if (count > 1 && seed % LIVES_EVERY !== 0) return [];
  const lives = [await judgeFences(seed, 'memory'), await judgeFences(seed, 'SQLite')];
  return lives.flatMap(({ faults }) => faults);
}

async function main(): Promise<void> {
  for (let seed = first; seed < first + count; seed += 1) {
    const faults = [
      ...(await judgeTree(seed)),
      ...(await judgeHistory(seed)).faults,
      ...judgeCache(seed),
      ...(await faultsOfLives(seed)),
    ];
    if (faults.length > 0) {
      console.error(`seed ${seed}:\n  ${faults.join('\n  ')}\nagain: npx tsx model-tests/seats/soak.ts 1 ${seed}`);
      process.exit(1);
    }
    if ((seed - first + 1) % 10_000 === 0) console.log(`${seed - first + 1} seeds`);
  }
  console.log(`${count} seeds from ${first}: every invariant of seats held`);
}

void main();
