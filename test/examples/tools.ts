import assert from 'node:assert/strict';
import { readUIMessageStream, simulateReadableStream, streamText, tool, type UIMessage } from 'ai';
import { MockLanguageModelV2 } from 'ai/test';
import { z } from 'zod';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const delta = (text: string) => ({ type: 'tool-input-delta', id: 'call-1', delta: text }) as const;
const model = new MockLanguageModelV2({
  doStream: async () => ({
    stream: simulateReadableStream({
      chunks: [
        { type: 'tool-input-start', id: 'call-1', toolName: 'weather' },
        delta('{"city":"Mün'),
        delta('chen"}'),
        { type: 'tool-input-end', id: 'call-1' },
        { type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input: '{"city":"München"}' },
        { type: 'finish', finishReason: 'tool-calls', usage },
      ],
    }),
  }),
});
const inputSchema = z.object({ city: z.string() });
const run = streamText({ model, prompt: 'Weather?', tools: { weather: tool({ inputSchema }) } });
const results: unknown[] = [];
let started = 0;
let last: UIMessage[] = [];

// #region tools
import { createToolTracker } from 'readback/tools';

const tracker = createToolTracker({
  tools: (name) => (name === 'weather' ? { parameters: inputSchema, execute: weather } : undefined),
  onResult: ({ toolCallId, result }) => void results.push([toolCallId, result]), // store it in the conversation
});
function weather({ city }: { city: string }) {
  started += 1;
  return `Sunny in ${city}`;
}

tracker.push({ messages: [], isRunning: false }); // the first snapshot is history: nothing of it runs
for await (const message of readUIMessageStream({ stream: run.toUIMessageStream() })) {
  tracker.push({ messages: [message], isRunning: true }); // every change, in order
  last = [message];
}
tracker.push({ messages: last, isRunning: false }); // the provider said its last word: now it runs
tracker.push({ messages: [...last], isRunning: false }); // and never again, whatever comes
// #endregion

await new Promise((resolve) => setTimeout(resolve, 0));
assert.deepEqual(results, [['call-1', 'Sunny in München']]);
assert.equal(started, 1);
