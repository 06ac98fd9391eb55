/** One seed, run to its end and judged; and what settings of the environment mean. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditComplete } from './checkers/audit.ts';
import { noCrossing } from './checkers/no-crossing.ts';
import { nothingInvented, nothingLost } from './checkers/nothing-lost.ts';
import { oneOutcome, waitersSettle } from './checkers/one-outcome.ts';
import { oneVerdict } from './checkers/one-verdict.ts';
import { owedAgain } from './checkers/owed-again.ts';
import { receiptsForward, receiptsHonest } from './checkers/receipts.ts';
import { labelsStay, repeatsLabelled } from './checkers/repeats.ts';
import { act } from './commands.ts';
import { World } from './world.ts';

export type Kind = 'memory' | 'sqlite';
export const PROMISES: Readonly<Record<string, (world: World) => string[] | Promise<string[]>>> = {
  'what a dead process held is owed again': owedAgain,
  'nothing accepted is lost': nothingLost,
  'what failed has changed nothing': nothingInvented,
  'exactly one verdict for each submission': oneVerdict,
  'no answer crosses a conversation, an ask or a tab': noCrossing,
  'a repeat is labelled': (world) => [...repeatsLabelled(world), ...labelsStay(world)],
  'every ask ends with exactly one outcome for each call': oneOutcome,
  'every call that waits settles at close': waitersSettle,
  'receipts only move forward, and are honest': (world) => [...receiptsForward(world), ...receiptsHonest(world)],
  'the audit has a row for each': auditComplete,
};

export interface Life {
  readonly log: readonly string[];
  readonly met: ReadonlyMap<string, number>;
  /** By promise; empty when all were kept. */
  readonly broken: ReadonlyMap<string, readonly string[]>;
}

const STEPS = 140;

export async function live(seed: number, kind: Kind, steps = STEPS): Promise<Life> {
  const folder = kind === 'sqlite' ? mkdtempSync(join(tmpdir(), 'readback-world-')) : undefined;
  const world = new World(seed, folder === undefined ? undefined : join(folder, 'world.db'));
  const broken = new Map<string, readonly string[]>();
  try {
    await world.open();
    for (let i = 0; i < steps; i++) await act(world);
    await world.restart();
    for (const [promise, check] of Object.entries(PROMISES)) {
      const faults = await check(world);
      if (faults.length > 0) broken.set(promise, faults);
    }
    world.log.push(JSON.stringify(await world.done(world.c.audit({ limit: 1_000_000 }))));
    await world.close();
  } catch (error) {
    broken.set('the world runs', [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  } finally {
    world.endDatabase();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
  return { log: world.log, met: world.met, broken };
}

/** A seed twice: any difference is chance or a clock that nobody was given. */
export async function liveTwice(seed: number, kind: Kind, steps = STEPS): Promise<Life> {
  const first = await live(seed, kind, steps);
  const second = await live(seed, kind, steps);
  const at = first.log.findIndex((line, i) => line !== second.log[i]);
  if (at < 0 && first.log.length === second.log.length) return first;
  const lines = [`line ${at}`, first.log[at] ?? 'nothing', second.log[at] ?? 'nothing'];
  return { ...first, broken: new Map([...first.broken, ['one seed is one world', lines]]) };
}

const number = (name: string, fallback: number): number => {
  const given = Number(process.env[name]);
  return Number.isSafeInteger(given) && given > 0 ? given : fallback;
};
export const SEED = number('READBACK_SEED', 20_260_101);
export const RUNS = number('READBACK_RUNS', 30);
export const replay = (seed: number): string =>
  `READBACK_SEED=${seed} READBACK_RUNS=1 npx vitest run --project model model-tests/world`;

// ---- seeds that failed once

const FOLDER = new URL('../regressions/', import.meta.url);

export interface WorldRegression {
  readonly name: string;
  readonly note: string;
  readonly seed: number;
  readonly kind: Kind;
  readonly steps: number;
}

/** The files that hold a seed of the world: `world-*.json`. */
export function loadWorlds(): WorldRegression[] {
  const names = readdirSync(FOLDER).filter((name) => name.startsWith('world-') && name.endsWith('.json'));
  return names.sort().map((name) => {
    const { note, seed, kind, steps } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as WorldRegression;
    if (typeof note !== 'string' || note === '') throw new Error(`${name}: says not what it is for`);
    if (!Number.isSafeInteger(seed) || (kind !== 'memory' && kind !== 'sqlite')) throw new Error(`${name}: no seed`);
    return { name, note, seed, kind, steps: steps ?? STEPS };
  });
}

/** Keeps a seed that broke a promise; returns the name of its file. */
export function keepWorld(seed: number, kind: Kind, broken: Life['broken']): string {
  const name = `world-${kind}-${seed}.json`;
  const note = [...broken.keys()].join('; ');
  writeFileSync(new URL(name, FOLDER), `${JSON.stringify({ note, seed, kind, steps: STEPS }, null, 2)}\n`);
  return name;
}
