/** What holds of every chart before anything happens: it can be read, and its orders are given to a facade. */
import { expect, it } from 'vitest';

// What cannot be loaded is a test that fails, and not a file without tests.
const loaded = await Promise.allSettled([
  import('../src/inspect/machines.ts'),
  import('../src/index.ts'),
  import('../src/seats.ts'),
]);

interface Drawn {
  readonly id: string;
  readonly version: string;
  readonly implementations: { readonly actions: Readonly<Record<string, () => void>> };
}
const machines = (loaded[0].status === 'fulfilled' ? loaded[0].value.MACHINES : []) as unknown as readonly Drawn[];

it('every chart is loaded, and whatever runs it', () => {
  expect(loaded.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(machines.length).toBeGreaterThan(10);
});

it('every chart has a name of its own and a version, which its rows are stored with', () => {
  expect(new Set(machines.map(({ id }) => id)).size).toBe(machines.length);
  for (const { id, version } of machines) {
    expect([id, version]).toEqual([expect.stringMatching(/^[a-z]+$/), expect.stringMatching(/^\d+$/)]);
  }
});

it('an order of a chart that runs outside its facade says so, and which chart it is of', () => {
  let orders = 0;
  for (const { id, implementations } of machines) {
    for (const [name, action] of Object.entries(implementations.actions)) {
      if ('resolve' in action) continue;
      orders += 1;
      expect(action, `${id}: ${name}`).toThrow(/an order of .* ran outside /);
    }
  }
  expect(orders).toBeGreaterThan(30);
});
