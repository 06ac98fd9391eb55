import assert from 'node:assert/strict';
// #region embed
import { memoryStore, openCoordinator } from 'readback';

const coordinator = await openCoordinator({ store: memoryStore() }); // or openSqliteStore('answers.db')
coordinator.attachSurface({ kind: 'page', id: 'my-panel' }); // something can show cards now
coordinator.subscribe(({ ask }) => {
  // Called after each commit that people see: draw the card, and hand in what the person says.
  if (ask.state !== 'open') return;
  void coordinator.answer(ask.askId, { selected: ['yes'] }, { surface: 'page', who: 'my-panel' });
});

const outcome = await coordinator.ask(
  {
    question: 'Deploy to production?',
    options: [
      { id: 'yes', label: 'Deploy' },
      { id: 'no', label: 'Wait' },
    ],
  },
  { tab: 'chat-1', timeoutMs: 50_000, attach: () => 'turn-7' },
);
if (outcome.outcome === 'answered') {
  console.log(`The person says ${outcome.text}.`);
  await coordinator.ack([outcome.token], 'turn-7'); // the turn ended with its own result: it was read
}
await coordinator.close();
// #endregion

assert.equal(outcome.outcome, 'answered');
