/** Callbacks of the host's that give a promise where a word is wanted: a refusal, and nobody is left with a rejection. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  aiSdkLog,
  type ConversationLog,
  createSeatCache,
  langGraphLog,
  lineage,
  listLog,
  startLeg,
  treeLog,
} from '../../src/seats.ts';
import { Log } from '../../src/testing/lineage/logs.ts';

const unheard: unknown[] = [];
const hear = (error: unknown): void => void unheard.push(error);
beforeEach(() => {
  unheard.length = 0;
  process.on('unhandledRejection', hear);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', hear);
  expect(unheard).toEqual([]);
});

/** What an async function gives that fails. */
const failing = (() => Promise.reject(new Error('no'))) as () => never;
const hopeful = (async () => false) as unknown as () => boolean;

const seen = async (log: ConversationLog, anchor: string): Promise<string> => {
  const { reason, detail } = await lineage(log.read, anchor, await log.leaf(), log.lineage);
  return detail ?? reason;
};

describe('a promise where a word is wanted', () => {
  it.each([failing, hopeful])('[SE-R67] of `isBreak` is a failed read (%#)', async (isBreak) => {
    const { reason, detail } = await lineage(new Log().read, 'b', 'd', { isBreak });
    expect([reason, detail]).toEqual(['unreadable', 'read-failed']);
  });

  it.each([failing, hopeful, () => null as never])('[SE-R68] tells nothing of an entry (%#)', async (isBreak) => {
    const entries = ['a', 'b', 'c'].map((id) => ({ id, role: 'user' }));
    const idOf = ({ id }: { id: string }): string => id;
    expect(await seen(listLog({ entries: () => entries, idOf, isBreak }), 'b')).toBe('untyped');
    expect(await seen(aiSdkLog({ messages: () => entries, isSummary: isBreak }), 'b')).toBe('untyped');
    const up: Record<string, string | null> = { a: null, b: 'a' };
    const tree = treeLog<string>({ get: (id) => id, parentOf: (id) => up[id] ?? null, isBreak, leaf: () => 'b' });
    expect(await seen(tree, 'a')).toBe('untyped');
  });

  it('[SE-R68] tells nothing of the messages of a checkpoint', async () => {
    const config = (id: string) => ({ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: id } });
    const log = langGraphLog({
      getTuple: async ({ configurable }) =>
        configurable?.['checkpoint_id'] === 'a'
          ? { config: config('a') }
          : { config: config('b'), parentConfig: config('a') },
      thread: { thread_id: 't' },
      messagesOf: failing,
    });
    expect(await seen(log, JSON.stringify(['t', '', 'a']))).toBe('untyped');
  });

  it('[SE-R83] admits nothing, and puts nothing that somebody would have to wait for', async () => {
    const cache = createSeatCache<Set<string>>({
      logger: { debug: failing, info: failing, warn: failing, error: failing },
    });
    const ticket = cache.adopt('s', new Set(['x']), 'b');
    if (ticket !== undefined) cache.seal(ticket, 'c');
    cache.adopt('', new Set(), 'b');
    const leg = async (more: object) =>
      startLeg<Set<string>, string>({
        kind: 'fresh',
        session: 's',
        cache,
        read: new Log().read,
        leaf: () => 'd',
        empty: () => new Set(),
        itemsOf: (state) => state,
        put: (state, item) => void state.add(item),
        replay: () => ['y'],
        ...more,
      });
    expect((await leg({ admits: failing })).state.size).toBe(0);
    expect((await leg({ kind: 'continuation', put: failing })).state.size).toBe(0);
    expect(await leg({ itemsOf: failing, replay: () => failing() })).toMatchObject({ source: 'empty' });
  });

  it('[SE-R80] a checkpoint that is null is none', async () => {
    const { source, state } = await startLeg<Set<string>, string>({
      ...{ kind: 'resume', session: 's', cache: createSeatCache<Set<string>>(), read: new Log().read },
      ...{ leaf: () => 'd', empty: () => new Set(), itemsOf: (set) => set, put: () => undefined, replay: () => [] },
      checkpoint: () => null as never,
    });
    expect([source, state.size]).toEqual(['empty', 0]);
  });
});

it('[SE-R67] a checkpoint that could not be read once is read anew the next time', async () => {
  const config = (id: string) => ({ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: id } });
  let isDown = false;
  const log = langGraphLog({
    getTuple: async ({ configurable }) => {
      if (configurable?.['checkpoint_id'] === 'c') {
        return { config: config('c'), parentConfig: config('b') };
      }
      if (isDown) throw new Error('down');
      if (configurable?.['checkpoint_id'] === 'a') return { config: config('a') };
      return { config: config('b'), parentConfig: config('a') };
    },
    thread: { thread_id: 't' },
    messagesOf: () => [],
  });
  const at = (id: string): string => JSON.stringify(['t', '', id]);
  isDown = true;
  const down = await lineage(log.read, at('a'), at('c'));
  expect(down.detail).toBe('read-failed');
  isDown = false;
  expect((await lineage(log.read, at('a'), at('b'))).reason).toBe('holds');
});
