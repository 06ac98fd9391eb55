import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEMO_EVENTS, endedDemo, endingDemo, flatDemo, parallelDemo } from './support/demos.ts';
import { proveEqual, proveTrace } from './support/equality.ts';
import { randomCase } from './support/random-charts.ts';

describe('a compiled chart is its machine, on every edge of the adjacency map', () => {
  it('flat: guards, wildcards, forbidden, self and reentering transitions, always, final', () => {
    const inputs = [undefined, { count: 3 }];
    const proof = proveEqual(flatDemo, DEMO_EVENTS, { inputs });
    expect(proof.transitions).toBe(22);
    expect(proof.edges).toBeGreaterThan(300);
    expect(proof.effects).toBeGreaterThan(300);
  });

  it('parallel: several regions at once, root transitions with one and two targets, stateIn, always', () => {
    const proof = proveEqual(parallelDemo, DEMO_EVENTS);
    expect(proof.edges).toBeGreaterThan(1_000);
  });

  it('parallel with an end: done events of regions, and what a finished machine still takes', () => {
    expect(proveEqual(endingDemo, DEMO_EVENTS).edges).toBeGreaterThan(100);
  });

  it('a machine that is finished when it starts', () => {
    expect(proveEqual(endedDemo, DEMO_EVENTS).ignored).toBeGreaterThan(0);
  });
});

describe('a compiled chart is its machine, on random machines', () => {
  it('2 000 machines along random traces', { timeout: 180_000 }, () => {
    let compared = 0;
    fc.assert(
      fc.property(randomCase, ({ machine, input, events }) => {
        compared += proveTrace(machine, input, events);
      }),
      { numRuns: 2_000, seed: 20_260, endOnFailure: false },
    );
    expect(compared).toBeGreaterThan(20_000);
  });
});
