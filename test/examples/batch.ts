import assert from 'node:assert/strict';
import { memoryStore, openCoordinator } from 'readback';

const coordinator = await openCoordinator({ store: memoryStore() });
coordinator.attachSurface({ kind: 'page', id: 'my-panel' });
coordinator.subscribe(({ ask }) => {
  if (ask.state !== 'open') return;
  const reply = ask.options.length > 0 ? { selected: ['eu'] } : { text: 'Ada' };
  void coordinator.answer(ask.askId, reply, { surface: 'page', who: 'my-panel' });
});

// #region batch
const { outcome, outcomes } = await coordinator.askAll(
  [{ question: 'Which region?', options: [{ id: 'eu', label: 'Europe' }] }, { question: 'Who is on call?' }],
  { tab: 'chat-1', timeoutMs: 50_000, attach: () => 'turn-7' },
);
const open = outcomes.filter((each) => each.outcome === 'pending').map((each) => each.askId);
if (outcome !== 'answered' && open.length > 0) await coordinator.awaitAll(open, { attach: () => 'turn-7' });
// #endregion

assert.equal(outcome, 'answered');
assert.deepEqual(
  outcomes.map((each) => ('text' in each ? each.text : each.outcome)),
  ['Europe [eu]', 'Ada'],
);
await coordinator.close();
