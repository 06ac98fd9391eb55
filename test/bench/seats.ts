/** What a check of lineage and a full cache of seats cost. */
import { randomUUID } from 'node:crypto';
import { createSeatCache, type Entry, lineage, lineages, type Ticket } from '../../src/seats.ts';
import { median, paired, type Ratio, timed, timedAsync } from './measure.ts';

const LINKS = 2_000;
const ANCHORS = 500;
const ROUNDS = 60;
const PAIRS = 15;
const SEATS = 65_536;
const OPERATIONS = 1_000_000;

interface Branch {
  readonly read: (id: string) => Entry | undefined;
  /** Root first. */
  readonly ids: readonly string[];
}

function branch(): Branch {
  const entries = new Map<string, Entry>();
  const ids: string[] = [];
  for (let n = 0; n <= LINKS; n += 1) {
    const id = randomUUID();
    entries.set(id, { parentId: ids.at(-1) ?? null, type: n % 2 === 0 ? 'user' : 'assistant' });
    ids.push(id);
  }
  return { read: (id) => entries.get(id), ids };
}

async function walks(): Promise<Ratio[]> {
  const { read, ids } = branch();
  const [anchor, leaf] = [ids[0] as string, ids[LINKS] as string];
  // A reader may answer later, so whoever follows the links of any log waits for each.
  const awaiting = async (): Promise<string> => {
    let id = leaf;
    while (id !== anchor) id = (await read(id))?.parentId as string;
    return id;
  };
  // For this log only, which answers at once, and with what a walk through an unknown log cannot do without.
  const guarded = (): string => {
    const seen = new Set<string>();
    let id = leaf;
    while (id !== anchor) {
      if (seen.has(id)) throw new Error('a cycle');
      seen.add(id);
      id = read(id)?.parentId as string;
    }
    return id;
  };
  const bare = (): string => {
    let id = leaf;
    while (id !== anchor) id = read(id)?.parentId as string;
    return id;
  };
  const check = (): Promise<number> => timedAsync(ROUNDS, () => lineage(read, anchor, leaf));
  const many = Array.from({ length: ANCHORS }, (_, n) => ids[n * 4] as string);
  const options = { pairs: PAIRS };
  const ratios = [
    await paired(
      'one check of 2,000 links / a bare loop that awaits each',
      2,
      [check, () => timedAsync(ROUNDS, awaiting)],
      options,
    ),
    await paired(
      'one check of 2,000 links / a loop at once that sees cycles',
      2,
      [check, () => timed(ROUNDS, guarded)],
      options,
    ),
    await paired(
      '500 anchors / one walk',
      1.5,
      [() => timedAsync(ROUNDS, () => lineages(read, many, leaf)), check],
      options,
    ),
  ];
  const floor = Array.from({ length: PAIRS }, () => timed(ROUNDS, bare));
  const walk = await check();
  console.log(
    `     for comparison, a loop at once that a cycle would hang: ${median(floor).toFixed(1)} µs; a check ${walk.toFixed(1)} µs`,
  );
  return ratios;
}

/** Each tenth of the operations against the first one; the memory of the whole against that of the full cache. */
function fullCache(): Ratio[] {
  const cache = createSeatCache<{ n: number }>({ capacity: SEATS });
  const state = { n: 1 };
  let minted = 0;
  const tickets: (Ticket | undefined)[] = [];
  const once = (i: number): void => {
    if (i % 2 === 0) {
      minted += 1;
      tickets[minted % 64] = cache.adopt(`session-${minted}`, state, 'a');
    } else cache.get(`session-${minted - ((i * 7_919) % SEATS)}`);
  };
  for (let n = 0; n < SEATS * 2; n += 1) once(n * 2);
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const tenth = OPERATIONS / 10;
  const costs = Array.from({ length: 10 }, () => timed(tenth, once));
  const after = heap();
  if (cache.size !== SEATS) throw new Error('the cache is not full');
  const first = median(costs.slice(0, 3));
  const last = median(costs.slice(-3));
  return [
    {
      name: `1,000,000 adopt/get on ${SEATS} seats: last operations / first`,
      ratio: last / first,
      pairs: costs.map((cost) => cost / first),
      limit: 1.5,
      detail: `${last.toFixed(2)} µs against ${first.toFixed(2)} µs`,
    },
    {
      name: '1,000,000 adopt/get: heap afterwards / before',
      ratio: after / before,
      pairs: [after / before],
      limit: 1.05,
      detail: `${(after / 2 ** 20).toFixed(1)} MiB against ${(before / 2 ** 20).toFixed(1)} MiB`,
    },
  ];
}

export async function seatsBench(): Promise<Ratio[]> {
  return [...(await walks()), ...fullCache()];
}
