/** How everything here is timed: two sides in turn, in one run, and the median of the ratios of the pairs. */
import { cpus, totalmem } from 'node:os';

export interface Ratio {
  readonly name: string;
  /** Median of the pairs. */
  readonly ratio: number;
  readonly pairs: readonly number[];
  /** Largest ratio that the issue allows. */
  readonly limit: number;
  /** Medians of both sides, in words. */
  readonly detail: string;
}

export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export const quantile = (numbers: readonly number[], q: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
};

/** Microseconds that one call takes, over `count` calls. */
export function timed(count: number, call: (i: number) => void): number {
  const from = process.hrtime.bigint();
  for (let i = 0; i < count; i++) call(i);
  return Number(process.hrtime.bigint() - from) / 1_000 / count;
}

export async function timedAsync(count: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const from = process.hrtime.bigint();
  for (let i = 0; i < count; i++) await call(i);
  return Number(process.hrtime.bigint() - from) / 1_000 / count;
}

/** Runs both sides in turn, after one turn that does not count. */
export async function paired(
  name: string,
  limit: number,
  [left, right]: readonly [() => number | Promise<number>, () => number | Promise<number>],
  { pairs = 7, unit = 'µs' } = {},
): Promise<Ratio> {
  const ratios: number[] = [];
  const lefts: number[] = [];
  const rights: number[] = [];
  for (let i = 0; i <= pairs; i++) {
    // The side that goes first alternates, so that a drift of the machine favours neither.
    const first = i % 2 === 0 ? await left() : undefined;
    const b = await right();
    const a = first ?? (await left());
    if (i === 0) continue;
    lefts.push(a);
    rights.push(b);
    ratios.push(a / b);
  }
  const detail = `${median(lefts).toFixed(2)} ${unit} against ${median(rights).toFixed(2)} ${unit}`;
  return { name, ratio: median(ratios), pairs: ratios, limit, detail };
}

/**
 * The same for what is so close that a busy machine would drown it: blocks of both sides by turns, in processor time,
 * of which nothing else that runs here takes a part.
 */
export async function alternating(
  name: string,
  limit: number,
  [left, right]: readonly [() => Promise<void>, () => Promise<void>],
  { pairs, calls }: { readonly pairs: number; readonly calls: number },
): Promise<Ratio> {
  const used = async (block: () => Promise<void>): Promise<number> => {
    const from = process.cpuUsage();
    await block();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / calls;
  };
  for (let i = 0; i < 2; i += 1) for (const block of [left, right]) await block();
  return paired(name, limit, [() => used(left), () => used(right)], { pairs });
}

/** Names of the figures that are over their limits, in the order in which they were told. */
export const over: string[] = [];

/** Tells one figure. */
export function tell(name: string, isWithin: boolean, figures: string): void {
  console.log(`${isWithin ? 'ok  ' : 'OVER'} ${name}: ${figures}`);
  if (!isWithin) over.push(name);
}

export function tellRatio({ name, ratio, pairs, limit, detail }: Ratio): void {
  const spread = `${Math.min(...pairs).toFixed(3)}–${Math.max(...pairs).toFixed(3)}`;
  tell(name, ratio <= limit, `${ratio.toFixed(3)} (at most ${limit}; ${pairs.length} pairs ${spread}; ${detail})`);
}

export function machineFacts(): string {
  const [cpu] = cpus();
  return `Node ${process.version}, ${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}
