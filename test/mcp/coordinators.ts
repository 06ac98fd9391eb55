import type { Asking } from '../../src/api.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { FakeCoordinator } from './fake-coordinator.ts';

/** Every coordinator that the MCP rim is tested over. */
export const COORDINATORS: readonly [name: string, make: () => Promise<Asking>][] = [
  ['a fake coordinator', async () => new FakeCoordinator()],
  ['the coordinator in memory', () => openCoordinator({ store: memoryStore() })],
  ['the coordinator on SQLite', () => openCoordinator({ store: openSqliteStore(':memory:') })],
];

/** A coordinator with something that can show a card. */
export async function withPage(make: () => Promise<Asking>): Promise<{ coordinator: Asking; leave: () => void }> {
  const coordinator = await make();
  const leave = coordinator.attachSurface({ kind: 'page', id: 'window-1' });
  return { coordinator, leave };
}
