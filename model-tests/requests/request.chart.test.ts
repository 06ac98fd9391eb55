/** The charts of a request and of a mirrored one: their tables, and their compiled form on every edge. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { copyRequest } from '../../machines/requests/request-facts.ts';
import { compile } from '../../machines/shared/step.ts';
import { proveEqual, proveTrace } from '../support/equality.ts';
import { allTransitions, bothAdjacencyMaps } from '../support/graph.ts';
import { judgeTable, untakenBy } from '../support/table.ts';
import * as samples from './request.samples.ts';
import * as tables from './request.table.ts';

interface Case {
  readonly machine: AnyStateMachine;
  readonly chart: never;
  readonly inputs: readonly unknown[];
  readonly events: readonly { readonly type: string }[];
  readonly serialize?: (snapshot: never) => string;
  readonly table: object;
  readonly usual: object;
  readonly usualEvents: object;
  readonly least: number;
}

const CASES: Readonly<Record<string, Case>> = {
  request: {
    machine: samples.requestMachine as AnyStateMachine,
    chart: compile(samples.requestMachine, copyRequest) as never,
    inputs: samples.REQUEST_INPUTS,
    events: samples.REQUEST_EVENTS,
    serialize: samples.requestPlace,
    table: tables.REQUEST,
    usual: tables.USUAL,
    usualEvents: tables.EVENTS,
    least: 2_000,
  },
  mirror: {
    machine: samples.mirrorMachine as AnyStateMachine,
    chart: compile(samples.mirrorMachine) as never,
    inputs: [samples.MIRROR_INPUT],
    events: samples.MIRROR_EVENTS,
    table: tables.MIRROR,
    usual: tables.MIRRORED,
    usualEvents: tables.MIRROR_EVENT,
    least: 100,
  },
};

describe.each(Object.entries(CASES))('the chart "%s"', (_name, one) => {
  const { machine, chart, events, inputs, least } = one;
  const options = {
    inputs,
    ...(one.serialize === undefined ? {} : { serialize: one.serialize as (snapshot: unknown) => string }),
  };

  it('does what its table says, cell by cell', () => {
    const event = (type: string) => (one.usualEvents as Record<string, { type: string }>)[type] ?? { type };
    const subject = { machine, chart, place: (value: string) => ({ value, context: one.usual }), event };
    const { faults, taken } = judgeTable(subject, one.table as never);
    expect(faults).toEqual([]);
    expect(untakenBy(machine, taken)).toEqual([]);
  });

  it('is its compiled table on every edge, with no transition untaken and no state unreached', () => {
    const proof = proveEqual(machine, events as never, options);
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
        compared += proveTrace(machine, input, sent as never);
      }),
      { numRuns: 60, seed: 20_261, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(200);
  });

  it('is the same to both graph packages', () => {
    const [own, bundled] = bothAdjacencyMaps(machine, events as never, { ...options, inputs: inputs.slice(0, 1) });
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
