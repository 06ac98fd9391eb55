/** Listeners and loggers of an embedder that fail in ways that cannot even be put into words. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AskChange } from '../../src/api.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { faultyStore, KeptLog } from '../../src/testing/index.ts';

const unheard: unknown[] = [];
const note = (error: unknown): void => void unheard.push(error);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', note);
  expect(unheard.splice(0)).toHaveLength(0);
});

const wordless: unknown = Object.create(null);

const FAILING = [
  () => {
    throw wordless;
  },
  () => Promise.reject(wordless),
];

it.each(FAILING)('keep no other one from being told, and end no process: %s', async (fails) => {
  const logger = new KeptLog();
  const coordinator = await openCoordinator({ store: memoryStore(), logger, alwaysVisible: true });
  const told: string[] = [];
  coordinator.subscribe(fails as unknown as (change: AskChange) => void);
  coordinator.subscribe(({ cause }) => void told.push(cause));
  await coordinator.ask({ question: 'Which?' }, { tab: 'tab-1', timeoutMs: 0 });
  expect(told).toContain('opened');
  await coordinator.close();
});

it.each(FAILING)('[J-R010] a logger that fails keeps no answer, and ends no process: %s', async (fails) => {
  const store = faultyStore(memoryStore());
  const logger = { debug: fails, info: fails, warn: fails, error: fails };
  const coordinator = await openCoordinator({ store, logger, alwaysVisible: true });
  const row = await coordinator.journal.record('pa-of-nobody', 'Fido', { tabId: 'tab-1' });
  expect(row.correlation.status).toBe('foreign');
  const asking = coordinator.ask({ question: 'Which?' }, { tab: 'tab-1', attach: () => 'turn-1' });
  const [ask] = await vi.waitUntil(async () => (await coordinator.list()).length > 0 && (await coordinator.list()));
  await coordinator.answer(ask?.askId ?? '', { text: 'this one' }, { surface: 'page' });
  store.plant({ on: 'commit', nth: 1 });
  expect(await asking).toMatchObject({ outcome: 'answered', text: 'this one' });
  await vi.waitFor(async () => expect(store.struck).toBe(1));
  await coordinator.close();
});
