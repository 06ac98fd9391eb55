/** Runs one sequence and asks every checker after every step; and what settings of the environment mean. */

import * as checks from './checks.ts';
import { perform } from './commands.ts';
import { everything } from './compare.ts';
import type { Stats } from './facts.ts';
import { checkI17 } from './gate.ts';
import type { Cmd, Sequence } from './sequence.ts';
import { World } from './world.ts';

export const CHECKS: Readonly<Record<string, checks.Check>> = {
  I01: checks.checkI01,
  I02: checks.checkI02,
  I03: checks.checkI03,
  I04: checks.checkI04,
  I05: checks.checkI05,
  I06: checks.checkI06,
  I07: checks.checkI07,
  I08: checks.checkI08,
  I09: checks.checkI09,
  I10: checks.checkI10,
  I11: checks.checkI11,
  I12: checks.checkI12,
  I13: checks.checkI13,
  I14: checks.checkI14,
  I15: checks.checkI15,
  I16: checks.checkI16,
  I18: checks.checkI18,
  I19: checks.checkI19,
  I20: checks.checkI20,
  I21: checks.checkI21,
  I22: checks.checkI22,
  I23: checks.checkI23,
  I24: checks.checkI24,
  I25: checks.checkI25,
  I26: checks.checkI26,
  I28: checks.checkI28,
  I30: checks.checkI30,
  I32: checks.checkI32,
  I33: checks.checkI33,
};

/** What broke, by invariant, at the first step at which anything did. */
export interface Verdict {
  readonly broken: ReadonlyMap<string, string>;
  /** Number of that step, from 0; -1 if nothing broke. */
  readonly at: number;
  readonly stats: Stats;
}

function judge(world: World, broken: Map<string, string>): void {
  world.quietly(() => {
    for (const slot of world.slots) {
      for (const entry of world.journal.pending(slot.name)) world.outlet('pending', entry, slot);
    }
    for (const [id, check] of Object.entries(CHECKS)) {
      const fault = check(world);
      if (fault !== null) broken.set(id, fault);
    }
  });
}

/** One command and all that it leads to; nested commands run within the same step. */
export function takeStep(world: World, cmd: Cmd): void {
  world.begin(cmd);
  perform(world, cmd);
  world.observe();
}

export function runSequence({ config, cmds }: Sequence): Verdict {
  const world = new World(config);
  world.runNested = (cmd) => perform(world, cmd);
  const broken = new Map<string, string>();
  for (const [at, cmd] of cmds.entries()) {
    takeStep(world, cmd);
    judge(world, broken);
    if (broken.size > 0) return { broken, at, stats: world.stats };
  }
  const shut = checkI17(world);
  if (shut !== null) broken.set('I17', shut);
  return { broken, at: broken.size > 0 ? cmds.length : -1, stats: world.stats };
}

/** One run of a pair: the state after each step, as a caller sees it, and what the journal said to the host. */
export function snapshots(sequence: Sequence, make: () => World, before?: (world: World, step: number) => void) {
  const world = make();
  const states: string[] = [];
  for (const [at, cmd] of sequence.cmds.entries()) {
    before?.(world, at);
    takeStep(world, cmd);
    states.push(everything(world));
  }
  return { world, states, trace: world.trace };
}

const number = (name: string, fallback: number): number => {
  const given = Number(process.env[name]);
  return Number.isSafeInteger(given) && given > 0 ? given : fallback;
};

/** A fixed seed makes a run of the tests repeatable; the soak takes new ones. */
export const SEED = number('READBACK_SEED', 20_260_101);
export const RUNS = number('READBACK_RUNS', 2_500);

export const replay = (seed: number, runs: number): string =>
  `READBACK_SEED=${seed} READBACK_RUNS=${runs} npx vitest run model-tests/journal`;
