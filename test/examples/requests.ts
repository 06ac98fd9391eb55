import assert from 'node:assert/strict';
// #region requests
import { memoryStore, openCoordinator } from 'readback';
import { digestOf } from 'readback/approvals';
import { defaultPack, requestContracts } from 'readback/contracts';
import type { Peer } from 'readback/requests';

const host = await openCoordinator({ store: memoryStore(), contracts: requestContracts(defaultPack) });
const { requests, approvals } = host;

// One object for each connected window. `send` writes a frame to its socket; here the window answers at once.
const window1: Peer = {
  kind: 'websocket',
  closed: false,
  author: { surface: 'page', who: 'window-1' }, // as your surface authenticated it
  send(frame) {
    if (!('id' in frame) || !('method' in frame)) return true; // an event: a card is over, answered elsewhere …
    const id = String(frame.id);
    if (frame.method === 'approval') return requests.answer(id, { choice: 'once' }, window1);
    return requests.answer(id, { answers: { colour: 'blue' } }, window1);
  },
};

const questions = [{ qid: 'colour', question: 'Which colour?', choices: ['blue', 'red'], multi_select: false }];
const settling = requests.send('clarify', 'chat-1', { questions }, { timeoutMs: 300_000, qids: ['colour'] });

// The window connects only now, or again, or after a restart:
requests.attach(window1, ['chat-1']);
requests.advertise(window1, true); // it has sent client.capabilities { server_requests: true }
for (const open of requests.replayTo(window1, 'chat-1')) window1.send({ jsonrpc: '2.0', ...open }); // what is open already

const settled = await settling;
if (settled.kind === 'answered') console.log(settled.result); // { answers: { colour: 'blue' } }

// What is shown and what will run are one digest, and a decision is spent once.
const args = { argv: ['npm', 'publish'] };
const digest = digestOf({ method: 'shell', subject: '/repo', args });
const verdict = await approvals.request('chat-1', { sid: 'chat-1', tool: 'shell', command: 'npm publish', digest });
const claim = approvals.claim(verdict.approvalId, digest, { surface: 'library', who: 'worker-1' });
if (claim.ok) {
  console.log('publishing …'); // after a crash from here on, claim says "unknown_outcome": nothing runs again by itself
  approvals.done(verdict.approvalId);
}
await host.close();
// #endregion

assert.deepEqual(settled, { kind: 'answered', result: { answers: { colour: 'blue' } }, via: 'response' });
assert.equal(verdict.choice, 'once');
assert.equal(claim.ok, true);
