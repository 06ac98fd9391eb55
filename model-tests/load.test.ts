/** What holds of every chart before anything happens: it can be read, and its orders are given to a facade. */
import { expect, it } from 'vitest';

// Loaded inside the tests, so that a chart that cannot be read is a test that fails.
it('every chart is read, and none is refused', async () => {
  const { MACHINES } = await import('../src/inspect/machines.ts');
  const { compile } = await import('../machines/shared/step.ts');
  for (const machine of MACHINES) expect(compile(machine as never).values.length, machine.id).toBeGreaterThan(1);
});

it('every chart has a name of its own and a version, which its rows are stored with', async () => {
  const { MACHINES } = await import('../src/inspect/machines.ts');
  expect(new Set(MACHINES.map(({ id }) => id)).size).toBe(MACHINES.length);
  for (const { id, version } of MACHINES as unknown as readonly Drawn[]) {
    expect([id, version]).toEqual([expect.stringMatching(/^[a-z]+$/), expect.stringMatching(/^\d+$/)]);
  }
});

it('an order of a chart that runs outside its facade says so, and which chart it is of', async () => {
  const { MACHINES } = await import('../src/inspect/machines.ts');
  let orders = 0;
  for (const { id, implementations } of MACHINES as unknown as readonly Drawn[]) {
    for (const [name, action] of Object.entries(implementations.actions)) {
      if ('resolve' in action) continue;
      orders += 1;
      expect(action, `${id}: ${name}`).toThrow(/an order of .* ran outside /);
    }
  }
  expect(orders).toBeGreaterThan(30);
});

interface Drawn {
  readonly id: string;
  readonly version: string;
  readonly implementations: { readonly actions: Readonly<Record<string, () => void>> };
}
