import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { TIMES } from '../../src/limits.ts';
import { MCP_BOUNDS } from '../../src/mcp/bounds.ts';
import type { McpServerOptions } from '../../src/mcp/connection.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { faultyStore, KeptLog } from '../../src/testing/index.ts';
import { answer, free, handed, receipt, wire } from './rig.ts';

let store: ReturnType<typeof faultyStore>;
let coordinator: Coordinator;
let logger: KeptLog;

beforeEach(async () => {
  store = faultyStore(memoryStore());
  logger = new KeptLog();
  coordinator = await openCoordinator({ store, logger, alwaysVisible: true });
});

afterEach(() => coordinator.close());

const nap = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const failed = () => logger.lines.filter(({ text }) => text.includes('could not be handed back'));

/** A session that ends with an answer in its hands, while nothing can be committed. */
async function endedAbruptly(options: Partial<McpServerOptions> = {}) {
  const { agent, server } = await wire(coordinator, { logger, ...options });
  const asked = agent.ask('Whose?', 5_000);
  const { askId } = await answer(coordinator, 'Whose?', { text: 'mine' });
  const { token } = await asked;
  await handed(coordinator, askId);
  store.plant({ on: 'commit', nth: 1, times: 2 });
  await server.close();
  expect(failed()).toHaveLength(1);
  await handed(coordinator, askId);
  return { askId, token, memory: server.session.memory };
}

it('[A2] a hand-back that could not be committed when its session ended is tried until it is', async () => {
  const { askId } = await endedAbruptly();
  await free(coordinator, askId);
  expect(store.struck).toBe(2);
  expect(failed()).toHaveLength(1);
});

it('[A2] and is not owed any more once the same conversation has the answer again', async () => {
  const sessionId = 'same';
  const { askId, token, memory } = await endedAbruptly({ sessionId });
  store.heal();
  const next = await wire(coordinator, { logger, sessionId, memory });
  expect((await next.agent.call('list_asks')).earlier).toMatchObject([{ token }]);
  await nap(1.2 * TIMES.retry);
  await handed(coordinator, askId);
  expect((await next.agent.call('ack_answers', { tokens: [token] })).data.acks).toEqual([{ token, accepted: true }]);
  expect(await receipt(coordinator, askId)).toBe('read_back');
  await next.server.close();
});

it('[I1] a coordinator that is closed ends the trying', async () => {
  await endedAbruptly();
  await coordinator.close();
  await nap(2.2 * TIMES.retry);
  expect(failed()).toHaveLength(2);
});

it('[A2] an answer that another conversation fetched, and was shown until it was parked there, is in nobody’s hands after its end', async () => {
  const own = await wire(coordinator, { logger });
  const other = await wire(coordinator, { logger });
  const { askId } = await own.agent.ask('Whose?');
  await answer(coordinator, 'Whose?', { text: 'mine' });
  const { token } = await other.agent.wait(askId);
  for (let times = 0; times < MCP_BOUNDS.repeats; times += 1) {
    expect((await other.agent.call('list_asks')).earlier).toMatchObject([{ token }]);
  }
  expect((await other.agent.call('list_asks')).data['parked']).toMatchObject([{ token }]);
  await handed(coordinator, askId);
  await other.server.close();
  await free(coordinator, askId);
  expect(await receipt(coordinator, askId)).toBe('saved');
  expect((await own.agent.call('list_asks')).earlier).toMatchObject([{ token }]);
  await own.server.close();
});

it.each([
  () => {
    throw new Error('of the logger');
  },
  () => Promise.reject(new Error('of the logger')),
])('[A2] a logger that fails keeps no hand-back from being tried, and ends no process: %s', async (fails) => {
  const unheard: unknown[] = [];
  const note = (error: unknown): void => void unheard.push(error);
  process.on('unhandledRejection', note);
  const bad = { debug: fails, info: fails, warn: fails, error: fails };
  const { agent, server } = await wire(coordinator, { logger: bad });
  const asked = agent.ask('Whose?', 5_000);
  const { askId } = await answer(coordinator, 'Whose?', { text: 'mine' });
  await asked;
  await handed(coordinator, askId);
  store.plant({ on: 'commit', nth: 1 });
  await server.close();
  await free(coordinator, askId);
  expect(store.struck).toBe(1);
  process.off('unhandledRejection', note);
  expect(unheard).toEqual([]);
});
