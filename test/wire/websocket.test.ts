import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { nodeRuntime } from '../../src/runtime.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { Channel } from '../../src/wire/channel.ts';
import { eventFrame, isJsonObject } from '../../src/wire/jsonrpc.ts';
import { type StandardSocket, webSocketTransport } from '../../src/wire/socket-transport.ts';
import { type PeerOptions, type SocketPeer, servePeer } from '../../src/wire/websocket.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => void nodeRuntime.after(ms, resolve));
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !isSo(); i += 1) await pause(5);
  expect(isSo()).toBe(true);
}

async function serve(options: Partial<PeerOptions> = {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const peers: SocketPeer[] = [];
  const heard: unknown[] = [];
  const log: string[] = [];
  const gone: SocketPeer[] = [];
  const write = (line: unknown): void => void log.push(String(line));
  server.on('connection', (socket) => {
    peers.push(
      servePeer(socket, {
        onFrame: (frame) => void heard.push(frame),
        onGone: (peer) => void gone.push(peer),
        logger: { debug: write, info: write, warn: write, error: write },
        ...options,
      }),
    );
  });
  ends.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = async (): Promise<WebSocket> => {
    const socket = new WebSocket(url);
    socket.on('error', () => undefined);
    ends.push(() => socket.terminate());
    await once(socket, 'open');
    return socket;
  };
  return { url, client, peers, heard, log, gone };
}

describe('the server end of a WebSocket', () => {
  it('hands over any JSON, and refuses what is none, with the connection unharmed', async () => {
    const { client, heard } = await serve();
    const socket = await client();
    const said: unknown[] = [];
    socket.on('message', (data) => void said.push(JSON.parse(String(data))));
    for (const text of ['{"id":0}', '[]', 'null', '7']) socket.send(text);
    socket.send('{broken');
    socket.send(Buffer.from('{"id":1}'), { binary: true });
    socket.send('{"id":""}');
    await until(() => heard.length === 5 && said.length === 2);
    expect(heard).toEqual([{ id: 0 }, [], null, 7, { id: '' }]);
    expect(said).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32700 } },
    ]);
  });

  it('survives a host that throws at a frame, and quotes nothing of it', async () => {
    const seen: unknown[] = [];
    const { client, log } = await serve({
      onFrame: (frame) => {
        seen.push(frame);
        throw new TypeError(`no ${JSON.stringify(frame)}`);
      },
    });
    const socket = await client();
    socket.send('{"secret":"canary"}');
    socket.send('{}');
    await until(() => seen.length === 2);
    expect(log.join()).toContain('TypeError');
    expect(log.join()).not.toContain('canary');
  });

  it('ends a client that sends more than a frame may hold', async () => {
    const { client, gone, heard } = await serve({ frameBytes: 100 });
    const socket = await client();
    const closed = once(socket, 'close');
    socket.send(`{"a":"${'ä'.repeat(60)}"}`);
    socket.send('{"after":1}');
    expect((await closed)[0]).toBe(1009);
    expect(gone).toHaveLength(1);
    expect(heard).toEqual([]);
  });

  it('drops a client that never reads, and tells everybody who asks', async () => {
    const { client, peers, gone, log } = await serve({ bufferedBytes: 100_000 });
    const socket = await client();
    await until(() => peers.length === 1);
    socket.pause();
    const [peer] = peers as [SocketPeer];
    const frame = eventFrame('t', 's', { text: 'x'.repeat(50_000) });
    let sent = 0;
    while (peer.send(frame)) {
      sent += 1;
      if (sent % 20 === 0) await pause(1);
      if (sent > 5_000) throw new Error('it never stops');
    }
    expect([peer.closed, gone.length, peer.send(frame)]).toEqual([true, 1, false]);
    expect(log.join()).toContain('does not read');
    socket.resume();
    await once(socket, 'close');
    expect(gone).toHaveLength(1);
  });

  it('[RQ-R131] drops a client that gives no sign of life, and keeps one that does', async () => {
    const runtime = new HandRuntime();
    const { client, peers, gone } = await serve({
      runtime,
      heartbeat: { everyMs: 10, deadlineMs: 25, mode: 'response' },
    });
    const socket = await client();
    await until(() => peers.length === 1);
    for (let i = 0; i < 5; i += 1) {
      const pong = once(socket, 'ping');
      runtime.advance(10);
      await pong;
      await pause(10);
    }
    expect(gone).toEqual([]);
    runtime.advance(100);
    expect(gone).toHaveLength(1);
    expect(runtime.timers).toBe(0);
  });

  it.each([3_600_000, -3_600_000])(
    '[RQ-R131] a clock that is set by %i ms is no silence, and hides none',
    async (ms) => {
      const runtime = new HandRuntime();
      const { client, peers, gone } = await serve({ runtime, heartbeat: { everyMs: 10, deadlineMs: 25 } });
      const socket = await client();
      await until(() => peers.length === 1);
      const pong = once(socket, 'ping');
      runtime.jump(ms);
      runtime.advance(10);
      await pong;
      await pause(10);
      runtime.jump(ms);
      runtime.advance(14);
      expect(gone).toEqual([]);
      runtime.advance(30);
      expect(gone).toHaveLength(1);
    },
  );

  it('a host or a logger that fails at a frame or at the end of a connection ends no process', async () => {
    const fails = (): never => {
      throw new TypeError('canary');
    };
    const log: string[] = [];
    const error = (line: unknown): never => {
      log.push(String(line));
      throw new Error('the log is full');
    };
    const { client, peers } = await serve({
      onFrame: async () => fails(),
      onGone: fails,
      logger: { debug: fails, info: fails, warn: fails, error },
    });
    const [one, two] = [await client(), await client()];
    await until(() => peers.length === 2);
    one.send('{}');
    await until(() => log.length === 1);
    expect(() => peers[0]?.drop('is dropped')).not.toThrow();
    two.terminate();
    await until(() => log.length === 3);
    expect(log.join()).not.toContain('canary');
  });

  it('says why it closes in as many whole characters as a close frame holds', async () => {
    const { client, peers } = await serve();
    const socket = await client();
    await until(() => peers.length === 1);
    const closed = once(socket, 'close');
    peers[0]?.close('ä'.repeat(100));
    const [code, why] = await closed;
    expect([code, String(why)]).toEqual([1000, 'ä'.repeat(61)]);
  });

  it('says goodbye, and cuts a client that does not', async () => {
    const { client, peers, gone } = await serve();
    const [polite, rude] = [await client(), await client()];
    await until(() => peers.length === 2);
    const closed = once(polite, 'close');
    rude.pause();
    for (const peer of peers) peer.close('bye');
    expect((await closed)[0]).toBe(1000);
    await until(() => gone.length === 2);
  });
});

describe('the client end of a WebSocket', () => {
  it('carries a channel, over the socket of `ws` and that of the platform where there is one', async () => {
    const { url, peers } = await serve({
      onFrame: (frame, peer) => {
        if (isJsonObject(frame) && frame['method'] === 'echo') {
          peer.send({ jsonrpc: '2.0', id: frame['id'] as number, result: { got: frame['params'] ?? null } });
        }
      },
    });
    const opens = [(to: string) => new WebSocket(to) as unknown as StandardSocket];
    if ('WebSocket' in globalThis) opens.push((to) => new globalThis.WebSocket(to) as unknown as StandardSocket);
    for (const open of opens) {
      const channel = new Channel({ connect: webSocketTransport(url, { open }), ready: 'open' });
      ends.push(() => channel.close());
      channel.open();
      expect(await channel.call('echo', { a: 1 })).toEqual({ got: { a: 1 } });
      const { length } = peers;
      peers.at(-1)?.drop('is cut by the test');
      await until(() => channel.state.generation === 2 && channel.state.state === 'ready');
      await until(() => peers.length === length + 1);
      channel.close();
    }
  });

  it('says when a frame does not leave', async () => {
    const states: string[] = [];
    const socket = { readyState: 1, bufferedAmount: 0, send: () => undefined, close: () => void states.push('close') };
    const open = () => ({ ...socket, addEventListener: () => undefined });
    const handlers = { open: () => undefined, message: () => undefined, closed: () => undefined };
    expect(webSocketTransport('ws://x', { open })(handlers).send('a')).toBe(true);
    const full = { ...open(), bufferedAmount: 10_000_000 };
    expect(webSocketTransport('ws://x', { open: () => full })(handlers).send('a')).toBe(false);
    const shut = { ...open(), readyState: 0 };
    const transport = webSocketTransport('ws://x', { open: () => shut })(handlers);
    expect(transport.send('a')).toBe(false);
    transport.close();
    expect(states).toEqual(['close']);
  });
});
