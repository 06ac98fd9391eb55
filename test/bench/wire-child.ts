/** The client's end of the wire bench, in a process of its own: `readback <url>` or `echo <url>`. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Channel } from '../../src/wire/channel.ts';
import { type StandardSocket, webSocketTransport } from '../../src/wire/socket-transport.ts';

const [side = '', url = ''] = process.argv.slice(2);

async function readback(): Promise<void> {
  const open = (to: string) => new WebSocket(to, { perMessageDeflate: false }) as unknown as StandardSocket;
  const channel = new Channel({ connect: webSocketTransport(url, { open }), eventReplay: false });
  channel.onRequest('clarify', (question) => void question.respond({ answer: 'The first' }));
  channel.open();
  await channel.call('client.capabilities', { server_requests: true });
}

async function echo(): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on('message', (data) => {
    const { id } = JSON.parse(String(data)) as { id: string };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { answer: 'The first' } }));
  });
  await once(socket, 'open');
}

await (side === 'echo' ? echo() : readback());
process.send?.('ready');
// Whoever started it has gone.
process.on('disconnect', () => process.exit(0));
