/** Every transition of the doors of a process, taken by the idle proof, compared after each event. */
import { expect, it } from 'vitest';
import type { RetirementEvent } from '../machines/retirement.ts';
import { compile, start, step } from '../machines/shared/step.ts';
import { createIdle, type Retirement } from '../src/idle.ts';
import { quiet, settled } from '../test/idle/support.ts';
import { RETIREMENT_EVENTS, retirementMachine, retirementPlace } from './retirement.samples.ts';
import { Coverage, coverPaths } from './support/cover.ts';
import { same } from './support/same.ts';

const chart = compile(retirementMachine);

/** One retirement is prepared before anybody comes in, and one after the first: so they are numbered. */
class RetirementDriver {
  #say: (count: number) => void = () => undefined;
  readonly #told: string[] = [];
  readonly #proof = createIdle({
    ledgers: (['turn', 'input'] as const).map((probe) => ({
      ...{ name: probe, probe },
      // The first one keeps the proof waiting until the path says what it finds.
      read: () => (probe === 'turn' ? new Promise<number>((resolve) => (this.#say = resolve)) : 0),
    })),
    ...{ logger: quiet, watch: { tell: (_machine, _id, _before, { type }) => void this.#told.push(type) } },
  });
  readonly #prepared: Retirement[] = [];

  async run(events: readonly RetirementEvent[], coverage: Coverage<typeof retirementMachine>): Promise<void> {
    let at = start(chart, undefined).snapshot;
    coverage.start(undefined);
    this.#prepared.push(this.#proof.prepare());
    for (const event of events) {
      coverage.step(at, event);
      const stepped = step(chart, at, event);
      at = stepped.snapshot;
      if (event.type === 'ADMIT') {
        this.#proof.admit();
        if (this.#prepared.length === 1) this.#prepared.push(this.#proof.prepare());
      }
      if (event.type === 'FREEZE') void this.#prepared[event.by - 1]?.commit();
      if (event.type === 'PROVEN') this.#say(0);
      if (event.type === 'REFUTED') this.#say(1);
      if (event.type === 'CANCEL') this.#prepared[event.by - 1]?.cancel();
      await settled();
      same(JSON.stringify(event), 'doors', this.#proof.doors, at.value);
      // Whoever is let in has a row of its own.
      if (event.type !== 'ADMIT' || stepped.ignored) same(JSON.stringify(event), 'told', this.#told.at(-1), event.type);
    }
  }
}

it('[RQ-R148] every transition of the doors of a process is taken by the idle proof', async () => {
  const coverage = new Coverage(retirementMachine);
  const paths = coverPaths(retirementMachine, RETIREMENT_EVENTS, {
    serialize: retirementPlace as never,
    allowed: ({ event }) => event.type !== 'FREEZE' || event.by === event.since + 1,
  });
  for (const { events } of paths) await new RetirementDriver().run(events, coverage);
  expect(coverage.untaken).toEqual([]);
  expect(paths.length).toBeGreaterThan(5);
});
