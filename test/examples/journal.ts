import assert from 'node:assert/strict';
// #region journal
import { askFingerprint, createJournal } from 'readback/journal';

const journal = createJournal();
journal.setTurnAttacher(() => 'turn-1'); // names the turn that carries an answer
const ask = { question: 'Which colour?', options: [{ label: 'Blue' }, { label: 'Red' }] };

journal.openAsk('pa-1', { tabId: 'tab-1', fingerprint: askFingerprint(ask), question: ask.question });
journal.closeAsk('pa-1'); // the tool call has timed out; the card stays
journal.record('pa-1', 'Blue', { tabId: 'tab-1' }); // the person answers all the same

const queue: string[] = [];
journal.deliverPending('tab-1', (payload) => queue.push(payload.ask_answer) > 0);
journal.hasOutstanding(); // true: handed over is not read back
journal.ack('aa1'); // the turn that read the queue has ended properly
journal.hasOutstanding(); // false
// #endregion

assert.deepEqual(queue, ['Blue']);
assert.equal(journal.hasOutstanding(), false);
assert.equal(journal.entriesFor('tab-1')[0]?.state, 'acked');
