/** The charts of approvals: each compiled table is its XState machine, and nothing in them is out of reach. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { compile } from '../../machines/shared/step.ts';
import { proveEqual, proveTrace } from '../support/equality.ts';
import { allTransitions, bothAdjacencyMaps } from '../support/graph.ts';
import { type Cell, judgeTable, untakenBy } from '../support/table.ts';
import { TABLES } from './approval.table.ts';
import * as samples from './approval-samples.ts';

interface Case {
  readonly machine: AnyStateMachine;
  readonly inputs: readonly unknown[];
  readonly events: readonly { readonly type: string }[];
  readonly serialize?: (snapshot: never) => string;
  readonly least: number;
}

const CASES: Readonly<Record<string, Case>> = {
  approval: {
    machine: samples.approvalMachine,
    inputs: samples.APPROVAL_INPUTS,
    events: samples.APPROVAL_EVENTS,
    serialize: samples.approvalPlace,
    least: 400,
  },
  follower: {
    machine: samples.followerMachine,
    inputs: samples.FOLLOWER_INPUTS,
    events: samples.FOLLOWER_EVENTS,
    serialize: samples.followerPlace,
    least: 200,
  },
  grant: {
    machine: samples.grantMachine,
    inputs: samples.GRANT_INPUTS,
    events: samples.GRANT_EVENTS,
    least: 100,
  },
};

const options = ({ inputs, serialize }: Case) => ({
  inputs,
  ...(serialize === undefined ? {} : { serialize: serialize as (snapshot: unknown) => string }),
});

describe.each(Object.entries(CASES))('the chart "%s"', (name, one) => {
  const { machine, events, inputs, least } = one;

  it('is its compiled table on every edge, with no transition untaken and no state unreached', () => {
    const proof = proveEqual(machine, events, options(one));
    expect(proof.transitions).toBe(allTransitions(machine).length);
    expect(proof.edges).toBeGreaterThan(least);
    expect(proof.ignored).toBeGreaterThan(0);
  });

  it('has a sample for each event that it names', () => {
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(machine.events.filter((type) => !type.startsWith('xstate.'))),
    );
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
    const [own, bundled] = bothAdjacencyMaps(machine, events, { ...options(one), inputs: inputs.slice(0, 1) });
    expect(own).toEqual(bundled);
  });

  it('does what the table of each state and event says', () => {
    const { usual, events: sent, table } = TABLES[name as keyof typeof TABLES];
    const subject = {
      machine,
      chart: compile(machine) as never,
      place: (state: string) => ({ value: state, context: usual }),
      event: (type: string) => (sent as Readonly<Record<string, { readonly type: string }>>)[type] ?? { type },
    };
    const judged = judgeTable(subject, table as Readonly<Record<string, Readonly<Record<string, Cell<string>>>>>);
    expect(judged.faults).toEqual([]);
    expect(judged.cells).toBeGreaterThanOrEqual(Object.keys(table).length * Object.keys(sent).length);
    expect(untakenBy(machine, judged.taken)).toEqual([]);
  });

  it('[RQ-R83] says of every transition which rule it is for', () => {
    const silent = allTransitions(machine).filter(({ transition }) => {
      const { meta } = transition as unknown as { meta?: { rules?: readonly string[] } };
      return (meta?.rules?.length ?? 0) === 0;
    });
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});
