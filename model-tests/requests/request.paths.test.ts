/** Every transition of the request chart, taken by the real registry, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { RequestContext, RequestEvent, RequestInput } from '../../machines/requests/request-facts.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { RequestDriver } from './request.driver.ts';
import { REQUEST_EVENTS, REQUEST_INPUTS, requestMachine, requestPlace } from './request.samples.ts';

/** They need whoever waits to be there. */
const OWN: ReadonlySet<string> = new Set(['ABORT', 'WITHDRAW']);

function paths() {
  return coverPaths(requestMachine, REQUEST_EVENTS, {
    inputs: REQUEST_INPUTS,
    serialize: requestPlace,
    // One way to each event in each state, by each transition that it takes there.
    kind: ({ before, event }, taken) => JSON.stringify([before.value, event, taken]),
    allowed: ({ before, event }, earlier) => {
      const { attended, windowOwned, errorQuorum } = before.context as RequestContext;
      // Whoever may decline it has got it.
      if (event.type === 'SHOWN' || event.type === 'UNSEEN') return !windowOwned && !errorQuorum;
      if (OWN.has(event.type)) return attended;
      if (event.type === 'ADOPT') return !attended;
      if (event.type === 'WRITE_FAILED') return earlier === undefined || earlier.event.type === 'LOCK';
      return true;
    },
  });
}

/** From inside a write nothing can be done but to answer. */
const isPossible = (events: readonly RequestEvent[]): boolean =>
  events.at(-1)?.type !== 'WRITE_FAILED' || events.slice(0, -1).every(({ type }) => type === 'LOCK');

describe('every transition of the request chart', () => {
  it('[RQ-R02][RQ-R03][RQ-R05] is taken by the registry', async () => {
    const coverage = new Coverage(requestMachine);
    const all = paths().filter(({ events }) => isPossible(events));
    for (const [seed, { input, events }] of all.entries()) {
      try {
        await new RequestDriver(input as RequestInput, events, coverage, seed + 1).run();
      } catch (error) {
        throw new Error(`${JSON.stringify(input)} ${JSON.stringify(events)}: ${String(error)}`, { cause: error });
      }
    }
    expect(coverage.untaken).toEqual([]);
    expect(all.length).toBeGreaterThan(200);
  });
});
