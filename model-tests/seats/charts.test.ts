/** The charts of seats: each compiled table is its XState machine, and nothing in them is out of reach. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { copyFence, type FenceContext, type FenceValue } from '../../machines/seats/fence.ts';
import { compile, restore, start, step } from '../../machines/shared/step.ts';
import { proveEqual, proveTrace } from '../support/equality.ts';
import { allTransitions, bothAdjacencyMaps } from '../support/graph.ts';
import * as samples from './samples.ts';

interface Case {
  readonly machine: AnyStateMachine;
  readonly inputs: readonly unknown[];
  readonly events: readonly { readonly type: string }[];
  readonly serialize?: (snapshot: never) => string;
  readonly least: number;
}

const options = ({ inputs, serialize }: Case) => ({
  inputs,
  ...(serialize === undefined ? {} : { serialize: serialize as (snapshot: unknown) => string }),
});

const CASES: Readonly<Record<string, Case>> = {
  verdict: {
    machine: samples.verdictMachine,
    inputs: samples.VERDICT_INPUTS,
    events: samples.VERDICT_EVENTS,
    serialize: samples.verdictPlace,
    least: 500,
  },
  fence: {
    machine: samples.fenceMachine,
    inputs: samples.FENCE_INPUTS,
    events: samples.FENCE_EVENTS,
    serialize: samples.fencePlace,
    least: 500,
  },
  seat: { machine: samples.seatMachine, inputs: samples.SEAT_INPUTS, events: samples.SEAT_EVENTS, least: 50 },
};

describe.each(Object.entries(CASES))('the chart "%s"', (_name, one) => {
  const { machine, events, inputs, least } = one;

  it('is its compiled table on every edge, with no transition untaken and no state unreached', () => {
    const proof = proveEqual(machine, events, options(one));
    expect(proof.transitions).toBe(allTransitions(machine).length);
    expect(proof.edges).toBeGreaterThan(least);
    expect(proof.ignored).toBeGreaterThan(0);
  });

  it('has a sample for each event that it names', () => {
    const named = new Set(machine.events.filter((type) => !type.startsWith('xstate.')));
    expect(new Set(events.map(({ type }) => type))).toEqual(named);
  });

  it('is its compiled table along random traces', () => {
    let compared = 0;
    const trace = fc.array(fc.constantFrom(...events), { maxLength: 25, size: 'max' });
    fc.assert(
      fc.property(fc.constantFrom(...inputs), trace, (input, sent) => {
        compared += proveTrace(machine, input, sent);
      }),
      { numRuns: 60, seed: 20_261, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(200);
  });

  it('is the same for the graph package and the one bundled with XState', () => {
    const [own, bundled] = bothAdjacencyMaps(machine, events, { ...options(one), inputs: inputs.slice(-1) });
    expect(own).toEqual(bundled);
  });

  it('says of every transition which rule it is for', () => {
    const silent = allTransitions(machine).filter(({ transition }) => {
      const { meta } = transition as unknown as { meta?: { rules?: readonly string[] } };
      return (meta?.rules?.length ?? 0) === 0;
    });
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

describe('a fence', () => {
  const chart = compile(samples.fenceMachine, copyFence);
  const { context } = start(chart, { askId: 'pa-1', tab: 'tab-a', privileged: false }).snapshot;
  const STATES = ['pending', 'judging', 'deliverable', 'delivered', 'retired', 'held', 'out_of_view'] as const;
  const restarted = (value: FenceValue, told: FenceContext['told']) =>
    step(chart, restore(chart, value, { ...context, askedAt: 'q', told }), { type: 'RESTART' }).snapshot.context.told;

  it.each(STATES)(
    '[SE-R90] that is %s tells a new process anew what it found, but not that it is off its branch',
    (at) => {
      const told = (['off_branch', 'on_branch', 'unproven', null] as const).map((one) => restarted(at, one));
      expect(told).toEqual(['off_branch', null, null, null]);
    },
  );
});
