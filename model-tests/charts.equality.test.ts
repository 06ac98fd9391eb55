/** Every chart that ships: its compiled table is its XState machine, and both graph packages see the same machine. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { RETIREMENT_EVENTS, retirementMachine, retirementPlace } from './retirement.samples.ts';
import * as charts from './support/charts.ts';
import { proveEqual, proveTrace } from './support/equality.ts';
import { allTransitions, bothAdjacencyMaps } from './support/graph.ts';

interface Case {
  readonly machine: AnyStateMachine;
  readonly inputs: readonly unknown[];
  readonly events: readonly { readonly type: string }[];
  /** Events of the random traces, where they are more. */
  readonly traced?: readonly { readonly type: string }[];
  readonly serialize?: (snapshot: never) => string;
  /** Fewer edges than this were not a proof. */
  readonly least: number;
}

const ONE_TURN = { type: 'RETURN', carrier: 'c1', replay: true } as const;

const CASES: Readonly<Record<string, Case>> = {
  answer: {
    machine: charts.answerMachine,
    inputs: charts.ANSWER_INPUTS,
    // Two turns at once multiply the places and open no other guard; the random traces have them.
    events: charts.ANSWER_EVENTS.map((event) => (event.type === 'RETURN' && event.replay ? ONE_TURN : event)),
    traced: charts.ANSWER_EVENTS,
    serialize: charts.answerProofPlace,
    least: 2_000,
  },
  ticket: {
    machine: charts.ticketMachine,
    inputs: charts.TICKET_INPUTS,
    events: charts.TICKET_EVENTS,
    serialize: charts.ticketPlace,
    least: 300,
  },
  debt: { machine: charts.debtMachine, inputs: charts.DEBT_INPUTS, events: charts.DEBT_EVENTS, least: 50 },
  loss: { machine: charts.lossMachine, inputs: charts.LOSS_INPUTS, events: charts.LOSS_EVENTS, least: 150 },
  coordinator: {
    machine: charts.coordinatorMachine,
    inputs: [{ tabs: {} }, { tabs: { [charts.OTHER_TAB]: { epoch: 1, gone: ['y'], occupant: null } } }],
    events: charts.COORDINATOR_EVENTS,
    serialize: charts.coordinatorPlace,
    least: 500,
  },
  retirement: {
    machine: retirementMachine,
    inputs: [undefined],
    events: RETIREMENT_EVENTS,
    serialize: retirementPlace as never,
    least: 50,
  },
};

const options = ({ inputs, serialize }: Case) => ({
  inputs,
  ...(serialize === undefined ? {} : { serialize: serialize as (snapshot: unknown) => string }),
});

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
    const trace = fc.array(fc.constantFrom(...(one.traced ?? events)), { maxLength: 25, size: 'max' });
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
    expect(JSON.stringify(own).length).toBeGreaterThan(100);
  });
});
