import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { until } from '../host/support.ts';
import { type HandLedger, ledger, quiet } from './support.ts';

let jobs: HandLedger;
let coordinator: Coordinator;
beforeEach(async () => {
  jobs = ledger('jobs', 'turn');
  coordinator = await openCoordinator({ store: memoryStore(), alwaysVisible: true, logger: quiet, ledgers: [jobs] });
});
afterEach(() => coordinator.close());

/** Commits of what is only noted may come a moment later; until then the answer is "busy". */
const quietened = () => until(async () => (await coordinator.idle()).reason !== 'turn_in_flight');

test('[RQ-I29] a question that is open is not idle, although no call waits for it any more', async () => {
  const { askId, outcome } = await coordinator.ask({ question: 'Ship?' }, { tab: 't', timeoutMs: 5 });
  expect(outcome).toBe('pending');
  await quietened();
  expect(await coordinator.idle()).toMatchObject({
    idle: false,
    reason: 'awaiting_human_input',
    detail: { ledger: 'asks', count: 1, owners: [askId] },
  });
  expect(await coordinator.prepareRetirement().commit()).toBe(false);
  await coordinator.answer(askId, { text: 'yes' }, { surface: 'test' });
  await quietened();
  expect(await coordinator.idle()).toEqual({ idle: true, reason: null });
});

test('[RQ-R142] the ledgers of the host count', async () => {
  jobs.says = { count: 1, owners: ['job-7'] };
  expect(await coordinator.idle()).toEqual({
    idle: false,
    reason: 'turn_in_flight',
    detail: { ledger: 'jobs', count: 1, owners: ['job-7'] },
  });
});

test('[RQ-R148] a question that is only being let in keeps the process', async () => {
  const retirement = coordinator.prepareRetirement();
  const asked = coordinator.ask({ question: 'Ship?' }, { tab: 't', timeoutMs: 5 });
  expect(await coordinator.idle()).toMatchObject({ idle: false });
  expect(await retirement.commit()).toBe(false);
  expect((await asked).outcome).toBe('pending');
});

test('[RQ-R148] a process that has just opened, and found nothing to do, is idle and may go at once', async () => {
  expect(await coordinator.idle()).toEqual({ idle: true, reason: null });
  expect(await coordinator.prepareRetirement().commit()).toBe(true);
});

test('[RQ-R148] a process that retires refuses questions, and opens none', async () => {
  await quietened();
  const retirement = coordinator.prepareRetirement();
  expect(await retirement.commit()).toBe(true);
  const retiring = { code: 'retiring', retry: true };
  await expect(coordinator.ask({ question: 'Ship?' }, { tab: 't' })).rejects.toMatchObject(retiring);
  await expect(coordinator.askAll([{ question: 'Ship?' }], { tab: 't' })).rejects.toMatchObject(retiring);
  expect(await coordinator.list()).toEqual([]);
  retirement.cancel();
  expect((await coordinator.ask({ question: 'Ship?' }, { tab: 't', timeoutMs: 5 })).outcome).toBe('pending');
});

test('[RQ-R144] a coordinator that is closed proves nothing', async () => {
  await coordinator.close();
  await expect(coordinator.idle()).rejects.toMatchObject({ code: 'closed' });
});
