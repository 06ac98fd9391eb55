/** A client that names the branch of its conversation: its answers follow it. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, expect, it } from 'vitest';
import { openCoordinator } from '../../src/coordinator.ts';
import { createMcpServer, namedBranches } from '../../src/mcp/server.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { faultyStore, KeptLog } from '../../src/testing/index.ts';
import { Agent } from './rig.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function wired() {
  const branches = namedBranches();
  const logger = new KeptLog();
  const store = faultyStore(memoryStore());
  const coordinator = await openCoordinator({ store, logger, alwaysVisible: true, conversationLog: branches.log });
  const server = createMcpServer({ coordinator, branches, logger, sessionId: 's' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(here);
  ends.push(
    () => client.close(),
    () => server.close(),
    () => coordinator.close(),
  );
  return { agent: new Agent(client, 'agent'), coordinator, store };
}

const on = (leaf: string, parents: string[], more: object = {}) => ({ conversation: 'c', leaf, parents, ...more });

it('[SE-R90] [SE-R91] withholds after a rewind, gives on the way back, and repeats after a compaction', async () => {
  const { agent, coordinator } = await wired();
  const call = (name: string, branch: object, more: object = {}) => agent.call(name, { branch, ...more });
  const first = await call('ask_user', on('call', ['root'], { complete: true }), {
    question: 'Name?',
    hold_seconds: 0,
  });
  expect(first.outcome).toBe('pending');
  await coordinator.answer(first.askId, { text: 'Ada' }, { surface: 'page' });
  // Rewound to before the question, by whomever.
  expect((await call('list_asks', on('other', ['root']))).earlier).toEqual([]);
  // Back on its branch it rides on the next result.
  const back = await call('list_asks', on('back', ['call']));
  expect(back.earlier.map(({ answer }) => answer)).toEqual(['Ada']);
  const token = back.earlier[0]?.token as string;
  // The next call names the entry that carried it, and proves it.
  const acked = await call('ack_answers', on('next', ['result', 'back']), { tokens: [token] });
  expect(acked.data['acks']).toEqual([{ token, accepted: true }]);
  expect((await call('list_asks', on('next2', ['next']))).earlier).toEqual([]);
  const after = await call('list_asks', on('next3', ['summary', 'next2'], { breaks: ['summary'] }));
  expect(after.earlier).toMatchObject([{ token, answer: 'Ada', question: 'Name?', possible_repeat: true }]);
});

it.each([1, 2])(
  '[SE-R91] what carried an answer is put on file with a later call when it could not be, and is repeated after a compaction (%i)',
  async (failing) => {
    const { agent, coordinator, store } = await wired();
    const call = (name: string, branch: object, more: object = {}) => agent.call(name, { branch, ...more });
    const ask = { question: 'Name?', hold_seconds: 0 };
    const first = await call('ask_user', on('call', ['root'], { complete: true }), ask);
    const second = await call('ask_user', on('call', ['root']), { ...ask, question: 'Age?' });
    for (const { askId } of [first, second]) await coordinator.answer(askId, { text: 'Ada' }, { surface: 'page' });
    const { earlier } = await call('list_asks', on('back', ['call']));
    const tokens = earlier.map(({ token }) => token);
    expect(tokens).toHaveLength(2);
    store.plant({ on: 'commit', nth: failing });
    expect(await call('ack_answers', on('next', ['result', 'back']), { tokens })).toMatchObject({ isError: true });
    const acked = await call('ack_answers', on('next', ['result', 'back']), { tokens });
    expect(acked.data['acks']).toMatchObject([{ accepted: true }, { accepted: true }]);
    const after = await call('list_asks', on('next3', ['summary', 'next'], { breaks: ['summary'] }));
    expect(after.earlier.map(({ token }) => token)).toEqual(tokens);
  },
);

it('refuses what is no branch, and changes nothing without one', async () => {
  const { agent } = await wired();
  const twice = await agent.call('list_asks', { branch: on('a', ['a']) });
  expect(twice).toMatchObject({ isError: true, data: { field: 'branch' } });
  const long = await agent.call('list_asks', {
    branch: on(
      'a',
      Array.from({ length: 3_000 }, (_, i) => `p${i}`),
    ),
  });
  expect(long).toMatchObject({ isError: true, data: { field: 'branch.parents' } });
  expect((await agent.call('list_asks')).isError).toBe(false);
});
