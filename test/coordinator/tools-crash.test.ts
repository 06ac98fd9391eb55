import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { KeptLog } from '../../src/testing/index.ts';
import type { UnknownCall } from '../../src/tools/durable.ts';
import { createToolTracker } from '../../src/tools.ts';
import { buildChild, type Child, killAtEach, type Run } from './child.ts';
import type { Note } from './tools-crash-child.ts';

const IDS = ['plain', 'asks', 'fails'];
const MOST = 40;

let child: Child<Note>;
beforeAll(async () => {
  child = await buildChild('tools-crash-child.ts');
});
afterAll(() => child.end());

interface Observed {
  /** Calls whose executors ran here. */
  readonly ran: string[];
  readonly unknown: UnknownCall[];
  readonly said: Record<string, readonly [unknown, boolean]>;
}

/** The next process: the calls are history, and the host takes each up again. */
async function observe(c: Coordinator): Promise<Observed> {
  const seen: Observed = { ran: [], unknown: [], said: {} };
  let over: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    over = resolve;
  });
  const tracker = createToolTracker({
    tools: c.tools.durable({
      tools: (name) => ({
        execute: async (_args, { human }) => {
          seen.ran.push(name);
          return name === 'asks' ? `sent: ${((await human('Send it?')) as { text: string }).text}` : 'ran later';
        },
      }),
      boundary: 'chat-1#0',
      resume: (id, payload) => tracker.resume(id, payload),
      question: (payload) => ({ question: { question: String(payload) }, options: { tab: 'chat-1' } }),
      onUnknown: (call) => {
        seen.unknown.push(call);
        return call.waited ? { again: true } : { result: 'nobody knows', isError: true };
      },
    }),
    onResult: ({ toolCallId, result, isError }) => {
      seen.said[toolCallId] = [result, isError];
      if (Object.keys(seen.said).length === IDS.length) over();
    },
  });
  const content = IDS.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: id, argsText: '{}' }));
  tracker.push({ messages: [{ role: 'assistant', content }], isRunning: false });
  for (const id of IDS) tracker.adopt(id);
  await all;
  return seen;
}

/** Opens the next process on that database; whoever is asked says yes. */
async function next<T>(path: string, look: (c: Coordinator) => Promise<T>): Promise<T> {
  const c = await openCoordinator({ store: openSqliteStore(path), alwaysVisible: true, logger: new KeptLog() });
  const yes = (askId: string) => void c.answer(askId, { text: 'yes' }, { surface: 'page' }).catch(() => undefined);
  c.subscribe(({ ask }) => (ask.state === 'open' ? yes(ask.askId) : undefined));
  for (const { askId } of await c.list()) yes(askId);
  try {
    return await look(c);
  } finally {
    await c.close();
  }
}

async function check({ path, notes }: Run<Note>, said: string): Promise<void> {
  const of = (what: Note['what']): Note[] => notes.filter((note) => note.what === what);
  const effects = of('effect').map(({ id = '' }) => id);
  const second = await next(path, async (c) => {
    const before = (await c.list({ what: 'recent' })).length + (await c.list()).length;
    const seen = await observe(c);
    const cards = [...(await c.list({ what: 'recent' })), ...(await c.list())];
    // One question is one card, whichever commit it was that was the last.
    expect(cards.length, `${said}: cards`).toBe(before === 0 ? cards.length : before);
    expect(cards.length, said).toBeLessThan(2);
    return seen;
  });
  for (const { id = '', result, isError } of of('reported')) {
    expect(second.said[id], `${said}: ${id} was reported`).toEqual([result, isError]);
    expect(second.ran, `${said}: ${id} was reported`).not.toContain(id);
  }
  // What had its effect outside never runs again by itself; and of what had not, nobody claims that it had.
  for (const id of effects) expect(second.ran, `${said}: ${id} had its effect`).not.toContain(id);
  for (const { toolCallId, waited } of second.unknown)
    if (waited) expect(effects, `${said}: it only waited`).not.toContain(toolCallId);
  const [saved] = of('saved');
  if (saved !== undefined && second.ran.includes('asks')) {
    expect(second.said['asks'], `${said}: the answer was saved`).toEqual(['sent: yes', false]);
  }
  const third = await next(path, observe);
  expect([third.ran, third.unknown, third.said], `${said}: the process after that`).toEqual([[], [], second.said]);
}

describe('a process with tools that is killed', () => {
  it.each(['before', 'after'] as const)(
    '[TL-H01, TL-H02, TL-H03, TL-H04, TL-H05] at each commit, %s it: no effect comes twice, and no answer is lost',
    async (when) => {
      const whole = await child.run(0, when);
      expect([whole.code, whole.said, whole.notes.at(-1)?.what]).toEqual([0, '', 'done']);
      await check(whole, 'never killed');
      const { killed, last } = await killAtEach(child, when, MOST, check);
      expect(killed).toBeGreaterThan(7);
      expect(last).toBeLessThan(MOST);
    },
    120_000,
  );
});
