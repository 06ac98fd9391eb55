/**
 * One process whose tools have effects outside, on a database in a file, which kills itself at one commit. One tool acts
 * at once, one asks a person first, one fails. What happened outside is written down at once.
 */
import { openCoordinator } from '../../src/coordinator.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { ToolContext } from '../../src/tools/types.ts';
import { createToolTracker } from '../../src/tools.ts';
import { asChild } from './child-process.ts';

export interface Note {
  readonly what: 'effect' | 'saved' | 'reported' | 'done';
  readonly id?: string;
  readonly result?: unknown;
  readonly isError?: boolean;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const { path, write, mortal } = asChild<Note>();

const c = await openCoordinator({ store: mortal(openSqliteStore(path)), alwaysVisible: true, logger: SILENT });
c.subscribe(({ ask }) => {
  if (ask.state !== 'open') return;
  void c.answer(ask.askId, { text: 'yes' }, { surface: 'page' }).then(({ saved }) => {
    if (saved) write({ what: 'saved', id: ask.askId });
  });
});

const TOOLS: Readonly<Record<string, (context: ToolContext) => unknown>> = {
  plain: () => {
    write({ what: 'effect', id: 'plain' });
    return 'did it';
  },
  asks: async ({ human }) => {
    const { text } = (await human('Send it?')) as { text: string };
    write({ what: 'effect', id: 'asks' });
    return `sent: ${text}`;
  },
  fails: () => {
    write({ what: 'effect', id: 'fails' });
    throw new Error('half way');
  },
};

let left = Object.keys(TOOLS).length;
let over: () => void = () => undefined;
const all = new Promise<void>((resolve) => {
  over = resolve;
});
const tracker = createToolTracker({
  tools: c.tools.durable({
    tools: (name) => ({ execute: (_args, context) => TOOLS[name]?.(context) }),
    boundary: 'chat-1#0',
    resume: (id, payload) => tracker.resume(id, payload),
    question: (payload) => ({ question: { question: String(payload) }, options: { tab: 'chat-1' } }),
  }),
  onResult: ({ toolCallId, result, isError }) => {
    write({ what: 'reported', id: toolCallId, result, isError });
    left -= 1;
    if (left === 0) over();
  },
});
tracker.push({ messages: [], isRunning: false });
const content = Object.keys(TOOLS).map((id) => ({ type: 'tool-call', toolCallId: id, toolName: id, argsText: '{}' }));
tracker.push({ messages: [{ role: 'assistant', content }], isRunning: false });
await all;
await c.close();
write({ what: 'done' });
process.exit(0);
