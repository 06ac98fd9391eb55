/**
 * `npm run bench`: every figure that readback promises, as a ratio to a floor measured in the same run.
 *
 * Prints one line a figure and ends with a summary. It is no test: a busy machine may push a figure over its limit.
 * Names of parts (`memory`, `step`, `sqlite`, `file`, `start`, `requests`, `wire`, `tools`, `seats`, `tap`, `inspect`) as arguments run only these.
 */

import { machineFacts, over, type Ratio, tell, tellRatio } from './measure.ts';

// Each is loaded when its turn comes: what others have loaded is on the heap of those that are timed.
const PARTS: Record<string, () => Promise<readonly Ratio[]>> = {
  step: async () => (await import('./step.ts')).stepBench(),
  memory: async () => (await import('./memory.ts')).memoryBench(),
  sqlite: async () => {
    const { syncsPerCycle } = await import('./syncs.ts');
    const { slowDiskBench, sqliteBench } = await import('./sqlite.ts');
    const syncs = syncsPerCycle();
    if (syncs === undefined) console.log('     SQLite: syncs of a cycle not counted, there is no strace here');
    else tell('SQLite: syncs of a cycle', syncs === 2, `${syncs} (exactly 2)`);
    const slow = slowDiskBench();
    if (slow === undefined) console.log('     SQLite: not tried with slower syncs, there is no strace here');
    return [...(await sqliteBench()), ...(slow ?? [])];
  },
  tools: async () => (await import('./tools.ts')).toolsBench(),
  file: async () => (await import('./on-file.ts')).onFileBench(),
  start: async () => (await import('./startup.ts')).startupBench(),
  requests: async () => {
    const { raceAnswers, requestsBench } = await import('./requests.ts');
    const { runs, answered, timedOut, lost, double } = await raceAnswers(100_000);
    const what = `${answered} answered, ${timedOut} timed out, ${lost} lost (exactly 0), ${double} told twice (exactly 0)`;
    tell(`requests: ${runs} answers raced against deadlines`, lost + double === 0, what);
    return requestsBench();
  },
  wire: async () => (await import('./wire.ts')).wireBench(),
  seats: async () => (await import('./seats.ts')).seatsBench(),
  tap: async () => (await import('./tap.ts')).tapBench(),
  inspect: async () => (await import('./inspect.ts')).inspectBench(),
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

console.log(machineFacts());
for (const [name, part] of Object.entries(PARTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`-- ${name}`);
  for (const result of await part()) tellRatio(result);
}
console.log(over.length === 0 ? 'Every figure is within its limit.' : `Over the limit: ${over.join('; ')}.`);
process.exit(0);
