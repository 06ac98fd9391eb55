/**
 * The wire: a question asked and answered over a WebSocket on loopback, beside a bare JSON echo over `ws`.
 *
 * A client is never in the process of its server, so on either side it is in a process of its own.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import { raceAnswers } from '../wire/raced.ts';
import { socketHost } from '../wire/sockets.ts';
import { paired, type Ratio, tell, timedAsync } from './measure.ts';

const ROUNDS = 2_000;
const TEXT = 'Which of the two should I use for this step, given what we said about the other one before?';
const CHILD = fileURLToPath(new URL('./wire-child.js', import.meta.url));

interface Side {
  ask(i: number): Promise<unknown>;
  close(): Promise<void>;
}

/** The client's process, once it is connected. */
async function client(side: 'readback' | 'echo', url: string): Promise<ChildProcess> {
  const child = fork(CHILD, [side, url], { execArgv: [] });
  await once(child, 'message');
  return child;
}

/** The registry and the dispatcher here, and the client's channel over there. */
async function readbackSide(): Promise<Side> {
  const host = await socketHost(['s']);
  const child = await client('readback', host.url);
  return {
    ask: (i) => host.requests.send('clarify', 's', { question: `${TEXT} ${i}` }, { timeoutMs: 60_000 }),
    async close() {
      child.disconnect();
      await host.close();
    },
  };
}

/** The same two texts, parsed at both ends, with nothing between. */
async function echoSide(): Promise<Side> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const child = await client('echo', `ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [socket] = await connected;
  const waiting = new Map<string, (result: unknown) => void>();
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id: string; result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  return {
    ask: (i) =>
      new Promise((resolve) => {
        const id = `srq-${i.toString(16).padStart(12, '0')}`;
        waiting.set(id, resolve);
        const params = { session_id: 's', question: `${TEXT} ${i}` };
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'clarify', params }));
      }),
    close: () => {
      child.disconnect();
      socket.terminate();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

export async function wireBench(): Promise<Ratio[]> {
  const [left, right] = [await readbackSide(), await echoSide()];
  // What decides is how soon a process wakes up, and that varies from pair to pair by half.
  const sides = [() => timedAsync(ROUNDS, (i) => left.ask(i)), () => timedAsync(ROUNDS, (i) => right.ask(i))] as const;
  const trip = await paired('wire: a question over WebSocket / a bare JSON echo', 1.5, sides, { pairs: 21 });
  await left.close();
  await right.close();
  const { accepted, late, faults } = await raceAnswers(1_000, 7);
  const counts = `${accepted} accepted, ${late} late, ${faults.length} faults (at most 0)`;
  tell('wire: 1,000 raced answers', faults.length === 0, counts);
  return [trip];
}
