/** A tracker of tool calls with nine seeded defects, each of another kind. */
import { createToolTracker } from 'readback/tools';
import { broken, misled } from './seeded.mjs';

const toolsWith = ({ tools }, own) => ({
  tools: (name) => {
    const tool = tools(name);
    return tool && { ...tool, ...own(tool) };
  },
});

/** Snapshots whose parts have some members replaced. */
const parts = (t, own) => ({
  push: (snapshot) =>
    t.push({
      ...snapshot,
      messages: snapshot.messages?.map((message) => ({
        ...message,
        content: message.content?.map?.((part) => ({ ...part, ...own(part) })) ?? message.content,
      })),
    }),
});

const OPTIONS = {
  'a call runs twice': (options) =>
    toolsWith(options, ({ execute }) => ({
      execute(...args) {
        execute?.(...args);
        return execute?.(...args);
      },
    })),
  'what the provider answers runs': () => ({ owner: () => 'unknown' }),
  'a result is reported twice': ({ onResult }) => ({
    onResult(command) {
      onResult(command);
      return onResult(command);
    },
  }),
  'whoever runs hears of no abort': (options) =>
    toolsWith(options, ({ execute }) => ({
      execute: (args, context) => execute?.(args, { ...context, abortSignal: new AbortController().signal }),
    })),
};

const MADE = {
  'history runs': (t) => {
    t.push({ messages: [], isRunning: false });
    return {};
  },
  'a gate is passed': (t) => parts(t, () => ({ approval: undefined })),
  'null is no result': (t) => parts(t, ({ result }) => ({ result: result ?? undefined })),
  'a reset forgets nothing': () => ({ reset: () => undefined }),
  'what waits is not discarded': (t) => ({ abort: () => t.abort() }),
  'a question is resumed again': (t) => ({
    resume(id, payload) {
      t.resume(id, payload);
      return true;
    },
  }),
};

export const tools = (options) => broken(createToolTracker(misled(options, OPTIONS)), MADE);
