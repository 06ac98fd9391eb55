// #region stately
import { randomUUID } from 'node:crypto';
import { createWebSocketReceiver } from '@statelyai/inspect';
import { memoryStore, openCoordinator } from 'readback';
import { connectStately } from 'readback/inspect';
import { WebSocketServer } from 'ws';

// A relay of your own, on loopback and behind a secret path.
const path = `/${randomUUID()}`;
const relay = new WebSocketServer({ host: '127.0.0.1', port: 0, path });
const past: string[] = [];
relay.on('connection', (socket) => {
  for (const message of past) socket.send(message);
  socket.on('message', (data) => {
    past.push(String(data));
    if (past.length > 200) past.shift();
    for (const other of relay.clients) if (other !== socket) other.send(String(data));
  });
});
await new Promise((resolve) => relay.once('listening', resolve));
const url = `ws://127.0.0.1:${(relay.address() as { port: number }).port}${path}`;

const stately = await connectStately(url, { rows: ['pa-1'] }); // the coordinator, and these rows
const coordinator = await openCoordinator({ store: memoryStore(), inspect: stately.inspect });
await coordinator.journal.openAsk('pa-1', { tabId: 'chat-1', fingerprint: 'f', question: 'Deploy?' });

// In your page, bundled: the official receiver, and whatever draws. Here it only counts.
const seen: string[] = [];
createWebSocketReceiver({ server: url }).subscribe(({ type, sessionId }) => void seen.push(`${type} ${sessionId}`));
// #endregion
const until = Date.now() + 10_000;
while (!seen.includes('@xstate.snapshot ticket:pa-1')) {
  if (Date.now() > until) throw new Error(`the receiver saw only ${seen.join(', ')}`);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
stately.stop();
await coordinator.close();
for (const socket of relay.clients) socket.terminate();
relay.close();
