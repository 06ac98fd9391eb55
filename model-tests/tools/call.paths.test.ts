/** Every transition of the chart of a call, taken by the real tracker, compared after each event. */
import { describe, expect, it } from 'vitest';
import { callMachine } from '../../machines/tools/call.ts';
import { Coverage } from '../support/cover.ts';
import { CallDriver, Wire } from './call.driver.ts';
import { callWays } from './call.ways.ts';

describe('every transition of the chart of a call', () => {
  it('[TL-R12, TL-R30, TL-R50, TL-R53, TL-R60, TL-R61, TL-R71] [TL-R80, TL-R85, TL-R88, TL-R103] is taken by the tracker', async () => {
    const coverage = new Coverage(callMachine);
    const wire = new Wire();
    const ways = callWays();
    let unsent = 0;
    for (const events of ways) {
      try {
        const driver = new CallDriver(wire, coverage, events);
        await driver.run();
        unsent += driver.unsent;
      } catch (error) {
        throw new Error(`${JSON.stringify(events)}: ${String(error)}`, { cause: error });
      }
    }
    expect(coverage.untaken).toEqual([]);
    expect(ways.length).toBeGreaterThan(300);
    // Snapshots that show nothing new are not passed on; the chart would do nothing with them either.
    expect(unsent).toBeGreaterThan(0);
    expect(unsent).toBeLessThan(10);
  });
});
