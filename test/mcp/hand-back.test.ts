import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { HandBacks, OwedHandBacks } from '../../src/hand-backs.ts';
import { TIMES } from '../../src/limits.ts';
import { MCP_BOUNDS } from '../../src/mcp/bounds.ts';
import type { McpServerOptions } from '../../src/mcp/connection.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { faultyStore, handRuntime, KeptLog } from '../../src/testing/index.ts';
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

it('[A2] a hand-back that is owed stays so if the same conversation is given the answer again and that fails', async () => {
  const sessionId = 'same';
  const first = await wire(coordinator, { logger, sessionId });
  const { askId } = await first.agent.ask('Late?');
  await answer(coordinator, 'Late?', { text: 'yes' });
  const [ride] = (await first.agent.call('list_asks')).earlier;
  await handed(coordinator, askId);
  // The hand-back when the session ends, and then the hand-over to the next one.
  store.plant({ on: 'commit', nth: 1, times: 2 });
  await first.server.close();
  const next = await wire(coordinator, { logger, sessionId, memory: first.server.session.memory });
  expect((await next.agent.call('list_asks')).earlier).toEqual([]);
  expect(store.struck).toBe(2);
  await free(coordinator, askId);
  // It is given on as before, and then nothing is owed.
  expect((await next.agent.call('list_asks')).earlier).toMatchObject([{ token: ride?.token }]);
  await nap(1.2 * TIMES.retry);
  await handed(coordinator, askId);
  await next.server.close();
});

/** Hand-backs over a coordinator whose word comes when the test says so. */
function handRig() {
  const runtime = handRuntime();
  const tries: { readonly end: (error?: Error) => void }[] = [];
  const handBack = () =>
    new Promise<void>((resolve, reject) =>
      tries.push({ end: (error) => (error === undefined ? resolve() : reject(error)) }),
    );
  const owed = new OwedHandBacks();
  const backs = new HandBacks({ handBack } as unknown as Asking, runtime, new KeptLog(), owed);
  return { runtime, tries, backs, owed };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('[A2] what an older hand-back comes to says nothing of a newer one', async () => {
  for (const older of [undefined, new Error('not now')]) {
    const { runtime, tries, backs, owed } = handRig();
    void backs.give('aa1', 'turn');
    backs.hold('aa1', 'turn');
    backs.carried('aa1', 'turn');
    void backs.give('aa1', 'turn');
    tries[1]?.end(new Error('not now'));
    await settled();
    tries[0]?.end(older);
    await settled();
    runtime.advance(TIMES.retry);
    expect(tries).toHaveLength(3);
    tries[2]?.end();
    await settled();
    runtime.advance(10 * TIMES.retry);
    expect(tries).toHaveLength(3);
    expect(owed.orders.size).toBe(0);
  }
});

it('[A2] of two hand-overs under way, the one that fails hands nothing back that the other may carry', async () => {
  const { tries, backs, owed } = handRig();
  void backs.give('aa1', 'turn');
  tries[0]?.end(new Error('not now'));
  await settled();
  backs.hold('aa1', 'turn');
  backs.hold('aa1', 'turn');
  backs.notCarried('aa1', 'turn');
  expect(tries).toHaveLength(1);
  backs.notCarried('aa1', 'turn');
  expect(tries).toHaveLength(2);
  tries[1]?.end();
  await settled();
  backs.hold('aa1', 'turn');
  backs.notCarried('aa1', 'turn');
  expect(tries).toHaveLength(2);
  expect(owed.held.size).toBe(0);
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
