import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
// #region window
import { memoryStore, openCoordinator } from 'readback';
import { createChannel, webSocketTransport } from 'readback/channel';
import { defaultPack, requestContracts } from 'readback/contracts';
import { startHost } from 'readback/host';
import { WebSocket } from 'ws';

const coordinator = await openCoordinator({ store: memoryStore(), contracts: requestContracts(defaultPack) });
const { requests, approvals } = coordinator;
const host = await startHost({ coordinator, requests, approvals }); // serves the page too: open host.link

// A window of your own. In a browser leave `open` out.
const open = (url: string) => new WebSocket(url, { headers: { authorization: `Bearer ${host.token}` } });
const channel = createChannel({
  connect: webSocketTransport(`${host.url.replace('http', 'ws')}/ws`, { open }),
  resume: { method: 'desk.resume', params: { window: 'window-1' } },
});
channel.onRequest('clarify', (question) => {
  // Draw a card. Whatever happens to sockets, it is shown once, answered once, and taken away once.
  void question.answer({ answers: { colour: 'blue' } }).then(({ status }) => console.log(status)); // ok, expired …
  return { changed: () => question.isOver && console.log(`over: ${question.why}`) };
});
channel.open();

const questions = [{ qid: 'colour', question: 'Which colour?', choices: ['blue', 'red'], multi_select: false }];
const settled = await requests.send('clarify', 'chat-1', { questions }, { timeoutMs: 60_000, qids: ['colour'] });
// In the end: channel.close(), host.close() and coordinator.close().
// #endregion

assert.deepEqual(settled, { kind: 'answered', result: { answers: { colour: 'blue' } }, via: 'response' });
while (channel.questions.length > 0) await setImmediate();
channel.close();
await host.close();
await coordinator.close();
