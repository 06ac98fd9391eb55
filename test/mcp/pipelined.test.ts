/** Calls that are sent one behind the other on one connection: their responses wait in line, and Node tells no end of them. */
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { TestHost, TOKEN } from './host.ts';
import { answer, card, free, handed } from './rig.ts';

let coordinator: Coordinator;
let host: TestHost;

afterEach(async () => {
  await host.stop();
  await coordinator.close();
});

const ask = (id: number, question: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'ask_user', arguments: { question, hold_seconds: 20 } },
});

function post(body: object, session: string): string {
  const text = JSON.stringify(body);
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: test',
    `Authorization: Bearer ${TOKEN}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Mcp-Session-Id: ${session}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

it.each(['before', 'after'])(
  '[A2] a result that waits in line when its connection ends %s the answer has been handed to nobody',
  async (when) => {
    coordinator = await openCoordinator({ store: memoryStore(), alwaysVisible: true });
    host = await TestHost.start(coordinator);
    const { agent, transport } = await host.client();
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    const session = transport.sessionId ?? '';
    socket.write(
      [ask(101, 'First?'), ask(102, 'Second?'), ask(103, 'Third?')].map((one) => post(one, session)).join(''),
    );
    for (const question of ['First?', 'Second?', 'Third?']) await card(coordinator, question);
    if (when === 'before') socket.destroy();
    const { askId } = await answer(coordinator, 'Second?', { text: 'yes' });
    if (when === 'after') {
      await handed(coordinator, askId);
      socket.destroy();
    }
    await free(coordinator, askId);
    expect((await agent.call('list_asks')).earlier).toMatchObject([{ ask_id: askId, answer: 'yes' }]);
    await expect.poll(async () => (await coordinator.list()).map(({ awaited }) => awaited)).toEqual([false, false]);
  },
);
