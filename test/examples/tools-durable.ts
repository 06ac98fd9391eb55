import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'readback-example-'));
const path = join(folder, 'answers.db');
const sent: string[] = [];
const mail = (to: string): string => `Sent, ${sent.push(to)} in all`;
const results: unknown[] = [];
const part = { type: 'tool-call', toolCallId: 'call-1', toolName: 'send', argsText: '{"to":"Ada"}' };
const messages = [{ role: 'assistant', content: [part] }];

// #region durable
import { openCoordinator } from 'readback';
import { openSqliteStore } from 'readback/store/sqlite';
import { createToolTracker, type ToolSpec } from 'readback/tools';

const send: ToolSpec = {
  async execute({ to }: { to: string }, { human }) {
    const { text } = (await human(`Send it to ${to}?`)) as { text: string }; // rejects where the person declines
    return text === 'yes' ? mail(to) : 'Not sent';
  },
};

async function open() {
  const coordinator = await openCoordinator({ store: openSqliteStore(path), alwaysVisible: true });
  const tracker = createToolTracker({
    tools: coordinator.tools.durable({
      tools: (name) => (name === 'send' ? send : undefined),
      boundary: 'chat-1#0', // the conversation, and a count that you raise with each reset
      resume: (id, answer) => tracker.resume(id, answer),
      question: (payload) => ({ question: { question: String(payload) }, options: { tab: 'chat-1' } }),
      // The process ended under way. A tool that only waited may begin again; of any other, find out what it did.
      onUnknown: ({ waited }) => (waited ? { again: true } : { result: 'Nobody knows', isError: true }),
    }),
    onResult: ({ result }) => void results.push(result),
  });
  return { coordinator, tracker };
}

const first = await open();
first.tracker.push({ messages: [], isRunning: false });
first.tracker.push({ messages, isRunning: false }); // it runs, asks, and waits
// #endregion
while ((await first.coordinator.list()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
// #region again
await first.coordinator.close(); // or the process dies

const second = await open();
const [card] = await second.coordinator.list(); // still open; the person answers now
await second.coordinator.answer(card?.askId ?? '', { text: 'yes' }, { surface: 'page' });
second.tracker.push({ messages, isRunning: false }); // history: nothing of it runs by itself
second.tracker.adopt('call-1'); // take it up again: it gets that answer, and no second card
// #endregion

while (results.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
await second.coordinator.close();
rmSync(folder, { recursive: true, force: true });
assert.deepEqual([results, sent], [['Sent, 1 in all'], ['Ada']]);
