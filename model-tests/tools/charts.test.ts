/** The tool charts: compiled table and plain table are both the XState machine, on every edge and along traces. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, initialTransition, transition } from 'xstate';
import { firstPlace, leanStep, type Meaning, type Place, tableOf } from '../../machines/shared/lean.ts';
import { callMachine } from '../../machines/tools/call.ts';
import { FIRST_CALL } from '../../machines/tools/call-facts.ts';
import { spendMachine } from '../../machines/tools/spend.ts';
import { SPEND_TABLE } from '../../machines/tools/spend-table.ts';
import { CALL_TABLE, TRACKER_TABLE } from '../../machines/tools/tables.ts';
import { trackerMachine } from '../../machines/tools/tracker.ts';
import { FIRST_TRACKER } from '../../machines/tools/tracker-facts.ts';
import { MEANINGS } from '../../test/support/write-tables.ts';
import { proveEqual, proveTrace } from '../support/equality.ts';
import { allTransitions, bothAdjacencyMaps, canonical, walks } from '../support/graph.ts';
import { CALL_EVENTS, callPlace, SPEND_EVENTS, TRACKER_EVENTS, trackerPlace } from './samples.ts';
import '../../test/support/seed.ts';

interface Case {
  readonly machine: AnyStateMachine;
  readonly table: object;
  readonly meaning: Meaning;
  readonly first: object;
  readonly events: readonly { readonly type: string }[];
  readonly serialize: (snapshot: never) => string;
  readonly least: number;
}

const CASES: Readonly<Record<string, Case>> = {
  call: {
    machine: callMachine as AnyStateMachine,
    table: CALL_TABLE,
    meaning: MEANINGS.call,
    first: FIRST_CALL,
    events: CALL_EVENTS,
    serialize: callPlace,
    least: 5_000,
  },
  tracker: {
    machine: trackerMachine as AnyStateMachine,
    table: TRACKER_TABLE,
    meaning: MEANINGS.tracker,
    first: FIRST_TRACKER,
    events: TRACKER_EVENTS,
    serialize: trackerPlace,
    least: 100,
  },
  spend: {
    machine: spendMachine as AnyStateMachine,
    table: SPEND_TABLE,
    meaning: MEANINGS.spend,
    first: {},
    events: SPEND_EVENTS.map((type) => ({ type })),
    serialize: ({ value }: { value: unknown }) => JSON.stringify(value),
    least: 10,
  },
};

/** What the plain table does, beside what XState does. */
function differences({ table }: Case, machine: AnyStateMachine, before: Place<object>, event: never): string[] {
  const at = machine.resolveState({ value: before.value, context: before.context } as never);
  const [after, actions] = transition(machine, at, event);
  const { place, orders } = leanStep(table as never, before, event);
  const ignored = place === before;
  const theirs = [canonical(after.value), after.context, actions.map(({ type }) => type)];
  const ours = [canonical(place.value), place.context, orders];
  const where = JSON.stringify([before, event]);
  const same = JSON.stringify(theirs) === JSON.stringify(ours);
  const taken = machine.getTransitionData(at as never, event).length > 0;
  return [...(same ? [] : [`${where}: ${JSON.stringify(theirs)}, not ${JSON.stringify(ours)}`])].concat(
    taken === ignored ? [`${where}: ignored ${ignored}`] : [],
  );
}

describe.each(Object.entries(CASES))('the %s chart', (_name, one) => {
  const { machine, events, serialize } = one;
  const options = { serialize: serialize as never, limit: 200_000 };

  it('is its compiled table on every edge, with nothing untaken and nothing unreached', () => {
    const proof = proveEqual(machine, events as never, options);
    expect(proof.transitions).toBe(allTransitions(machine).length);
    expect(proof.edges).toBeGreaterThan(one.least);
  });

  it('is its plain table on every edge', () => {
    const faults = walks(machine, events as never, options).flatMap(({ edges }) =>
      edges.flatMap(({ before, event }) =>
        differences(one, machine, { value: before.value as never, context: before.context }, event as never),
      ),
    );
    expect(faults.slice(0, 3)).toEqual([]);
  });

  it('has the plain table that was written from it, and both begin alike', () => {
    expect(one.table).toEqual(tableOf(machine, one.meaning));
    const [begun] = initialTransition(machine);
    expect(firstPlace(one.table as never, one.first)).toEqual({ value: begun.value, context: begun.context });
  });

  it('is its tables along random traces', () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 20, size: 'max' }), (sent) => {
        compared += proveTrace(machine, undefined, sent as never);
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(100);
  });

  it('has a sample for each event that it names, and is the same to both graph packages', () => {
    const named = new Set(machine.events.filter((type) => !type.startsWith('xstate.')));
    expect(new Set(events.map(({ type }) => type))).toEqual(named);
    const [own, bundled] = bothAdjacencyMaps(machine, events as never, options);
    expect(own).toEqual(bundled);
  });
});

describe('a plain table', () => {
  it.each([
    ['no regions', { states: {} }],
    ['an entry action', { type: 'parallel', states: { a: { initial: 'b', states: { b: { entry: 'x' } } } } }],
    ['an eventless transition', { type: 'parallel', states: { a: { initial: 'b', states: { b: { always: 'b' } } } } }],
    [
      'a guard with parameters',
      { type: 'parallel', states: { a: { initial: 'b', states: { b: { on: { E: { guard: { type: 'g' } } } } } } } },
    ],
    [
      'a transition that restarts',
      {
        type: 'parallel',
        states: { a: { initial: 'b', states: { b: { on: { E: { target: 'b', reenter: true } } } } } },
      },
    ],
  ])('refuses %s', (_what, config) => {
    expect(() => tableOf({ id: 'odd', config } as never, MEANINGS.spend)).toThrow('odd');
  });
});
