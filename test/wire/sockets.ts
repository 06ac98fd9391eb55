/** The registry behind real sockets on loopback, and windows of the client on it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { ServerRequests } from '../../src/requests/api.ts';
import { createServerRequests } from '../../src/requests.ts';
import { Channel } from '../../src/wire/channel.ts';
import { defaultPack } from '../../src/wire/contracts/default-pack.ts';
import { requestContracts } from '../../src/wire/contracts/request-contracts.ts';
import { createDispatcher } from '../../src/wire/dispatch.ts';
import { requestHandlers } from '../../src/wire/dispatch-handlers.ts';
import { eventFrame } from '../../src/wire/jsonrpc.ts';
import { type StandardSocket, webSocketTransport } from '../../src/wire/socket-transport.ts';
import { servePeer } from '../../src/wire/websocket.ts';
import { silent } from './gateway.ts';

export interface SocketHost {
  readonly requests: ServerRequests;
  readonly url: string;
  /** A window that is connected and has said that it answers. */
  window(): Promise<Channel>;
  close(): Promise<void>;
}

export async function socketHost(sids: readonly string[]): Promise<SocketHost> {
  const requests = createServerRequests({ contracts: requestContracts(defaultPack), logger: silent });
  const dispatcher = createDispatcher({
    pack: defaultPack,
    handlers: requestHandlers(requests),
    logger: silent,
    requests,
  });
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    const peer = servePeer(socket, {
      onFrame: (frame) => void dispatcher.receive(peer, frame),
      onGone: () => requests.forget(peer),
    });
    requests.attach(peer, sids);
    peer.send(eventFrame('gateway.ready', '', {}));
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const windows: Channel[] = [];
  return {
    requests,
    url,
    async window() {
      const open = () => new WebSocket(url, { perMessageDeflate: false }) as unknown as StandardSocket;
      const channel = new Channel({ connect: webSocketTransport(url, { open }), eventReplay: false });
      windows.push(channel);
      channel.open();
      await channel.call('client.capabilities', { server_requests: true });
      return channel;
    },
    async close() {
      for (const window of windows) window.close();
      requests.shutdown();
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
