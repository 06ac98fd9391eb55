/**
 * Runs the journal's invariants and small worlds on new seeds until a time budget ends: `npm run soak -- [seconds] [first seed]`.
 * The first failure ends it, shrunk, with the command that shows it again.
 */
import fc from 'fast-check';
import { checkI27, checkI29, checkI31 } from './journal/pairs.ts';
import { replay, runSequence } from './journal/run.ts';
import { anySequence, calmSequence, type Sequence } from './journal/sequence.ts';
import { type Kind, keepWorld, live, liveTwice } from './world/run.ts';

const RUNS_PER_SEED = 200;

const seconds = Number(process.argv[2] ?? 60);
const firstSeed = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
if (!Number.isFinite(seconds) || !Number.isSafeInteger(firstSeed)) {
  console.error('usage: tsx model-tests/soak.ts [seconds] [first seed]');
  process.exit(2);
}

const every = fc.property(anySequence, (sequence) => {
  const { broken, at } = runSequence(sequence);
  if (broken.size > 0) throw new Error([...broken].map(([id, fault]) => `step ${at}, ${id}: ${fault}`).join('\n'));
});

const pairs = fc.property(calmSequence, fc.nat({ max: 40 }), fc.nat({ max: 2 }), (sequence, at, tab) => {
  const faults = { I27: checkI27(sequence).fault, I29: checkI29(sequence, at, tab), I31: checkI31(sequence) };
  const broken = Object.entries(faults).filter(([, fault]) => fault !== null);
  if (broken.length > 0) throw new Error(broken.map(([id, fault]) => `${id}: ${fault}`).join('\n'));
});

function fail(seed: number, runs: number, error: unknown, sequence: Sequence | undefined, extra: unknown[]): never {
  console.error(`seed ${seed} broke something: ${error instanceof Error ? error.message : String(error)}`);
  console.error(JSON.stringify(sequence), ...extra.map((one) => JSON.stringify(one)));
  console.error(`again: ${replay(seed, runs)}`);
  console.error(`or: npx tsx model-tests/soak.ts 1 ${seed}`);
  process.exit(1);
}

/** Worlds of one seed; one that breaks a promise is kept as a file. */
async function worlds(seed: number): Promise<void> {
  for (const kind of ['memory', 'sqlite'] as const satisfies readonly Kind[]) {
    const { broken } = await (kind === 'memory' ? liveTwice(seed, kind) : live(seed, kind));
    if (broken.size === 0) continue;
    console.error(`seed ${seed} broke a promise of the world (${kind}); kept as ${keepWorld(seed, kind, broken)}`);
    for (const [promise, faults] of broken) console.error(`${promise}:\n  ${faults.join('\n  ')}`);
    console.error(`again: npx tsx model-tests/soak.ts 1 ${seed}`);
    process.exit(1);
  }
}

const end = Date.now() + seconds * 1_000;
let seed = firstSeed;
do {
  const one = fc.check(every, { seed, numRuns: RUNS_PER_SEED });
  if (one.failed) fail(seed, RUNS_PER_SEED, one.errorInstance, one.counterexample?.[0], []);
  const two = fc.check(pairs, { seed, numRuns: RUNS_PER_SEED / 8 });
  if (two.failed) {
    const [sequence, ...rest] = two.counterexample ?? [];
    fail(seed, RUNS_PER_SEED, two.errorInstance, sequence as Sequence | undefined, rest);
  }
  await worlds(seed);
  seed += 1;
} while (Date.now() < end);
console.log(
  `${seed - firstSeed} seeds from ${firstSeed}, ${RUNS_PER_SEED} runs each: every invariant and every promise held`,
);
