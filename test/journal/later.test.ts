/** The durable journal is held to the same paths: its operations return promises, and its ticks are in the test's hand. */
import { describe, test } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { HandRuntime, type LaterJournalSubject } from '../../src/testing/index.ts';
import { journalContract } from '../../src/testing/journal-contract.ts';
import { ended } from './ended.ts';

/** The wall clock is the walk's; a commit takes as long as the test lets it. */
class WalkRuntime extends HandRuntime {
  clock: { now(): number } | undefined;

  override now(): number {
    return this.clock?.now() ?? super.now();
  }
}

let runtime = new WalkRuntime();
const opened = new Map<unknown, Coordinator>();

const coordinator: LaterJournalSubject = {
  isLater: true,
  async create({ clock, limits, logger }) {
    runtime = new WalkRuntime();
    runtime.clock = clock;
    const made = await openCoordinator({ store: memoryStore(), runtime, limits, logger });
    opened.set(made.journal, made);
    return made.journal;
  },
  done: (work) => ended(runtime, work),
  end: async (journal) => {
    await ended(runtime, opened.get(journal)?.close());
    opened.delete(journal);
  },
};

journalContract('of a coordinator', coordinator, { describe, test });
