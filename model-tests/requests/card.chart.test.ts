/** The card chart: its table of states and events, and its compiled form, equal to what XState does on every edge. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { copyCard } from '../../machines/requests/card-facts.ts';
import { compile } from '../../machines/shared/step.ts';
import { proveEqual, proveTrace } from '../support/equality.ts';
import { allTransitions, bothAdjacencyMaps } from '../support/graph.ts';
import { judgeTable, untakenBy } from '../support/table.ts';
import { CARD_EVENTS, CARD_INPUTS, cardMachine, cardPlace } from './card.samples.ts';
import { CARD, EVENTS, USUAL } from './card.table.ts';

const machine = cardMachine as AnyStateMachine;
const options = { inputs: CARD_INPUTS, serialize: cardPlace as (snapshot: unknown) => string };

describe('the card chart', () => {
  it('does what its table says, cell by cell', () => {
    const chart = compile(cardMachine, copyCard) as never;
    const event = (type: string) => EVENTS[type as keyof typeof EVENTS] ?? { type };
    const subject = { machine, chart, place: (value: string) => ({ value, context: USUAL }), event };
    const { faults, taken } = judgeTable(subject, CARD);
    expect(faults).toEqual([]);
    expect(untakenBy(machine, taken)).toEqual([]);
  });

  it('is its compiled table on every edge, with no transition untaken and no state unreached', () => {
    const proof = proveEqual(machine, CARD_EVENTS as never, options);
    expect(proof.transitions).toBe(allTransitions(machine).length);
    expect(proof.edges).toBeGreaterThan(500);
    expect(proof.ignored).toBeGreaterThan(0);
  });

  it('has a sample for each event that it names', () => {
    const named = new Set(machine.events.filter((type) => !type.startsWith('xstate.')));
    expect(new Set(CARD_EVENTS.map(({ type }) => type as string))).toEqual(named);
  });

  it('is its compiled table along random traces', () => {
    let compared = 0;
    const trace = fc.array(fc.constantFrom(...CARD_EVENTS), { maxLength: 25, size: 'max' });
    fc.assert(
      fc.property(trace, (sent) => {
        compared += proveTrace(machine, CARD_INPUTS[0], sent);
      }),
      { numRuns: 60, seed: 20_261, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(200);
  });

  it('is the same to both graph packages', () => {
    const [own, bundled] = bothAdjacencyMaps(machine, CARD_EVENTS as never, options);
    expect(own).toEqual(bundled);
  });
});
