/** Tokens are short and count up, so a client may name one that it was never given: by mistake, or out of the air. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type FaultyStore, faultyStore, KeptLog } from '../../src/testing/index.ts';
import { answer, Bare, receipt, wire } from './rig.ts';

const QUEUE = 'gateway';

describe.each([
  ['memory', memoryStore],
  ['SQLite', () => openSqliteStore(':memory:')],
] as const)('what a client says of tokens, over %s', (_name, store) => {
  const log = new KeptLog();
  let faulty: FaultyStore;
  let c: Coordinator;

  beforeEach(async () => {
    faulty = faultyStore(store());
    c = await openCoordinator({ store: faulty, logger: log, alwaysVisible: true, limits: { entriesPerTab: 1 } });
  });
  afterEach(() => c.close());

  async function push(id: string, carrier?: string): Promise<string> {
    await c.journal.openAsk(id, { tabId: QUEUE, fingerprint: id, question: id });
    await c.journal.closeAsk(id);
    const { token } = await c.journal.record(id, 'pushed', { tabId: QUEUE });
    await c.journal.deliverPending(QUEUE, () => (carrier === undefined ? true : { carrier }));
    return token;
  }

  it('[J-R122] [J-H13] a client proves no copy that waits in the queue of another agent; its host does', async () => {
    const { agent } = await wire(c);
    const token = await push('pa-1');
    const { data } = await agent.call('ack_answers', { tokens: [token] });
    expect(data.acks).toEqual([{ token, accepted: false }]);
    expect(await c.journal.entriesFor(QUEUE)).toMatchObject([{ state: 'handed_off' }]);
    expect(log.at('warn').at(-1)).toContain('whoever the host vouches for');
    expect(await c.ack([token], 'turn-1')).toEqual([{ token, accepted: true }]);
  });

  it('[J-R122] it proves the copy whose queue named it, and what it rode beside a copy', async () => {
    const { agent } = await wire(c, { sessionId: 'a' });
    const token = await push('pa-1', 'mcp:a');
    expect((await agent.call('ack_answers', { tokens: [token] })).data.acks).toEqual([{ token, accepted: true }]);
    const both = await push('pa-2');
    const given = await agent.wait('pa-2', 50);
    expect(given.token).toBe(both);
    expect((await agent.call('ack_answers', { tokens: [both] })).data.acks).toEqual([{ token: both, accepted: true }]);
  });

  it('[J-R123] what another agent has proven to have read is not in the hands of one that was never given it', async () => {
    const { agent } = await wire(c, { sessionId: 'a' });
    const { agent: other } = await wire(c, { sessionId: 'b' });
    const { askId } = await c.ask({ question: 'Which?' }, { tab: 'mcp:a', timeoutMs: 0 });
    await c.answer(askId, { text: 'this' }, { surface: 'page' });
    const { token } = await agent.wait(askId, 50);
    const say = async (who: typeof agent) => (await who.call('ack_answers', { tokens: [token] })).data.acks;
    for (let n = 0; n < 2; n += 1) expect(await say(agent)).toEqual([{ token, accepted: true }]);
    expect(await say(other)).toEqual([{ token, accepted: false }]);
    expect((await other.call('await_answer', { ask_id: askId })).text).toContain('This was acknowledged already');
    expect(await say(other)).toEqual([{ token, accepted: true }]);
  });

  it('[J-R129] the loss of an answer whose copy is still in a queue is not cancelled by a stranger', async () => {
    const { agent } = await wire(c);
    const token = await push('pa-1');
    await push('pa-2');
    expect(await c.journal.droppedFor(QUEUE)).toBe(1);
    await agent.call('ack_answers', { tokens: [token] });
    expect(await c.journal.droppedFor(QUEUE)).toBe(1);
    await c.journal.ack(token);
    expect(await c.journal.droppedFor(QUEUE)).toBe(0);
  });

  it('[J-R133] a client cannot hand back what another has in its hands', async () => {
    const [{ agent }, bare] = [await wire(c), await Bare.open(c)];
    const asked = agent.ask('Whose is it?', 5_000);
    const { askId } = await answer(c, 'Whose is it?', { text: 'mine' });
    const { token } = await asked;
    const queued = await push('pa-1');
    const params = { tokens: [token, queued] };
    await bare.send({ jsonrpc: '2.0', method: 'notifications/readback/not_written', params });
    await bare.tool(1, 'list_asks', {});
    await bare.result(1);
    expect(await receipt(c, askId)).toBe('handed');
    expect(await c.journal.entriesFor(QUEUE)).toMatchObject([{ state: 'handed_off' }]);
  });

  it('what could not be parked on file is parked with a later result, and told of then', async () => {
    const { agent } = await wire(c);
    const asked = agent.ask('Colour?', 5_000);
    const { askId } = await answer(c, 'Colour?', { text: 'red' });
    await asked;
    for (let times = 0; times < 3; times += 1) await agent.call('list_asks');
    faulty.plant({ on: 'write', nth: 1, times: 4 });
    expect((await agent.call('list_asks')).data.parked).toBeUndefined();
    expect(await receipt(c, askId)).toBe('handed');
    faulty.heal();
    expect((await agent.call('list_asks')).data.parked).toMatchObject([{ question: 'Colour?' }]);
    expect(await receipt(c, askId)).toBe('parked');
  });
});
