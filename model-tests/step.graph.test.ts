import { describe, expect, it } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { DEMO_EVENTS, DEMOS, demoSetup, endingDemo, flatDemo } from './support/demos.ts';
import { allTransitions, bothAdjacencyMaps, requireFullCoverage, transitionPaths, walks } from './support/graph.ts';
import { Tracer } from './support/tracer.ts';

const INPUTS = { inputs: [undefined, { count: 3 }] };

describe('the graph package', () => {
  it.each(DEMOS.map((machine) => [machine.id, machine] as const))(
    'and the one bundled with XState find the same adjacency map of "%s"',
    (_id, machine) => {
      const [own, bundled] = bothAdjacencyMaps(machine as never, DEMO_EVENTS as never, INPUTS);
      expect(own).toEqual(bundled);
      expect(JSON.stringify(own).length).toBeGreaterThan(100);
    },
  );
});

describe('paths', () => {
  it.each(['edge', 'transition'] as const)('take every transition, each by replay from the start (%s)', (each) => {
    const paths = transitionPaths(flatDemo, DEMO_EVENTS, { ...INPUTS, each });
    const tracer = new Tracer(flatDemo);
    const taken = new Set<object>(INPUTS.inputs.flatMap((input) => [...tracer.ofStart(input)]));
    for (const { input, steps } of paths) {
      let [at] = initialTransition(flatDemo, input as (typeof INPUTS.inputs)[number]);
      for (const { event, state } of steps) {
        for (const one of tracer.ofEvent(at, event)) taken.add(one);
        [at] = transition(flatDemo, at, event);
        expect([at.value, at.context]).toEqual([state.value, state.context]);
      }
    }
    expect(taken.size).toBe(allTransitions(flatDemo).length);
  });

  it('are fewer and shorter when each transition is wanted once', () => {
    const edges = transitionPaths(flatDemo, DEMO_EVENTS, INPUTS);
    const once = transitionPaths(flatDemo, DEMO_EVENTS, { ...INPUTS, each: 'transition' });
    expect(once.length).toBeLessThan(edges.length / 2);
    expect(once.length).toBeLessThanOrEqual(allTransitions(flatDemo).length);
  });

  it('cover every edge of the map, ignored events too when asked', () => {
    const all = transitionPaths(endingDemo, DEMO_EVENTS, { ignored: true });
    const key = (state: { value: unknown; context: unknown }, event: unknown) => JSON.stringify([state.context, event]);
    const walked = new Set<string>();
    for (const { start, steps } of all) {
      let before: { value: unknown; context: unknown } = start;
      for (const { event, state } of steps) {
        walked.add(key(before, event));
        before = state;
      }
    }
    const wanted = walks(endingDemo, DEMO_EVENTS).flatMap(({ edges }) =>
      edges.map((edge) => key(edge.before, edge.event)),
    );
    expect([...new Set(wanted)].filter((edge) => !walked.has(edge))).toEqual([]);
  });
});

describe('coverage', () => {
  const withGaps = demoSetup.createMachine({
    id: 'gaps',
    context: { count: 0, note: '' },
    initial: 'a',
    states: {
      a: { on: { GO: [{ guard: 'never', target: 'b' }, { target: 'c' }], BACK: { actions: 'ring' } } },
      b: {},
      c: { always: { guard: 'never', actions: 'ring' } },
    },
  });

  it('lists what is not taken and not reached, eventless transitions too', () => {
    const check = () => requireFullCoverage(withGaps, walks(withGaps, [{ type: 'GO', by: 1 }]));
    expect(check).toThrow('not taken: gaps.a on GO[0] -> gaps.b');
    expect(check).toThrow('not taken: gaps.a on BACK[0] -> nowhere');
    expect(check).toThrow('not taken: gaps.c on always[0] -> nowhere');
    expect(check).toThrow('not reached: gaps.b');
    expect(check).not.toThrow('GO[1]');
  });

  it('fails when an event sample is left out', () => {
    const withoutEnd = DEMO_EVENTS.filter(({ type }) => type !== 'END');
    expect(() => transitionPaths(flatDemo, withoutEnd, INPUTS)).toThrow('not taken: flat.busy on END[0] -> flat.over');
  });

  it('fails when the machine does not start', () => {
    const broken = demoSetup.createMachine({
      id: 'broken',
      context: () => {
        throw new Error('no context');
      },
      initial: 'a',
      states: { a: {} },
    });
    expect(() => walks(broken, DEMO_EVENTS)).toThrow('machine "broken" does not start');
  });
});
