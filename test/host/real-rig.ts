import { openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Rig } from './fake-coordinator.ts';

/** The coordinator that ships, over the memory store. */
export async function makeRig(): Promise<Rig> {
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const coordinator = await openCoordinator({ store: memoryStore(), logger });
  return {
    asking: coordinator,
    replaceConversation: (tab) => coordinator.journal.closeAsks(tab),
    close: () => coordinator.close(),
  };
}
