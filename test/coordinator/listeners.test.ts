/** Listeners of an embedder that fail in ways that cannot even be put into words. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AskChange } from '../../src/api.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { KeptLog } from '../../src/testing/index.ts';

const unheard: unknown[] = [];
const note = (error: unknown): void => void unheard.push(error);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', note);
  expect(unheard.splice(0)).toHaveLength(0);
});

const wordless: unknown = Object.create(null);

it.each([
  () => {
    throw wordless;
  },
  () => Promise.reject(wordless),
])('keep no other one from being told, and end no process: %s', async (fails) => {
  const logger = new KeptLog();
  const coordinator = await openCoordinator({ store: memoryStore(), logger, alwaysVisible: true });
  const told: string[] = [];
  coordinator.subscribe(fails as unknown as (change: AskChange) => void);
  coordinator.subscribe(({ cause }) => void told.push(cause));
  await coordinator.ask({ question: 'Which?' }, { tab: 'tab-1', timeoutMs: 0 });
  expect(told).toContain('opened');
  await coordinator.close();
});
