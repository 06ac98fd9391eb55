/** Answers that follow the branch of their conversation: rewound, switched back to, compacted. */
import { deepStrictEqual, strictEqual } from 'node:assert';
// #region fencing
import { memoryStore, openCoordinator } from 'readback';
import { treeLog } from 'readback/seats';

interface Entry {
  readonly parent: string | null;
  readonly isCompaction?: boolean;
}
const entries = new Map<string, Entry>([['start', { parent: null }]]);
let leaf = 'start'; // the newest entry of the branch in use

const log = treeLog<Entry>({
  get: (id) => entries.get(id),
  parentOf: ({ parent }) => parent,
  isBreak: ({ isCompaction }) => isCompaction === true,
  leaf: () => leaf,
});
const coordinator = await openCoordinator({
  store: memoryStore(),
  alwaysVisible: true,
  conversationLog: (tab) => (tab === 'chat-1' ? log : undefined), // undefined: this tab has the epoch only
});

async function deliver() {
  const given: string[] = [];
  const tokens: string[] = [];
  await coordinator.journal.deliverPending('chat-1', ({ ask_answer, possible_repeat }, token) => {
    given.push(`${ask_answer}${possible_repeat ? ' (repeat)' : ''}`);
    tokens.push(token);
    return { carrier: 'turn-1' };
  });
  if (tokens.length > 0) await coordinator.ack(tokens, 'turn-1'); // once the agent has read it: never inside the callback
  return given;
}
// #endregion

const write = (id: string, isCompaction = false): void => {
  entries.set(id, { parent: leaf, isCompaction });
  leaf = id;
};

// #region fencing_life
const { askId } = await coordinator.ask({ question: 'Name?' }, { tab: 'chat-1', timeoutMs: 0 });
write('question');
await coordinator.questionLogged(askId, 'question'); // the entry that contains it
const { token } = await coordinator.answer(askId, { text: 'Ada' }, { surface: 'page' });

leaf = 'start'; // rewound to before the question
await coordinator.leafChanged('chat-1');
deepStrictEqual(await deliver(), []);
leaf = 'question'; // and back
deepStrictEqual(await deliver(), ['Ada']);

write('answer');
await coordinator.answerLogged(token ?? '', 'answer'); // the entry that carried it to the model
write('summary', true); // a compaction, by whichever process: the model has forgotten
await coordinator.leafChanged('chat-1');
deepStrictEqual(await deliver(), ['Ada (repeat)']);
// #endregion
strictEqual((await coordinator.show(askId))?.state, 'answered');
await coordinator.close();
