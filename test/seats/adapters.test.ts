/** Adapters for logs people have, each on a small sample in the shape of the real thing. */
import { describe, expect, it } from 'vitest';
import {
  aiSdkLog,
  type CheckpointConfig,
  type CheckpointTupleLike,
  type ConversationLog,
  checkpointAnchor,
  claudeCodeLog,
  langGraphLog,
  lineage,
  listLog,
  treeLog,
} from '../../src/seats.ts';

async function seen(log: ConversationLog, anchor: string | null, leaf?: string | null): Promise<string> {
  const at = leaf === undefined ? await log.leaf() : leaf;
  const { reason, detail } = await lineage(log.read, anchor, at, log.lineage);
  return detail ?? reason;
}

describe('a tree with parent ids', () => {
  interface Row {
    readonly up: string | null;
    readonly kind?: string;
  }
  const rows = new Map<string, Row>([
    ['q', { up: null, kind: 'user' }],
    ['r', { up: 'q', kind: 'assistant' }],
    ['r2', { up: 'q', kind: 'assistant' }],
    ['s', { up: 'r', kind: 'summary' }],
    ['t', { up: 's' }],
  ]);
  const log = (get: (id: string) => Row | undefined | Promise<Row | undefined>): ConversationLog =>
    treeLog<Row>({
      get,
      parentOf: ({ up }) => up,
      isBreak: ({ kind }) => (kind === undefined ? undefined : kind === 'summary'),
      leaf: () => 's',
    });

  it.each([
    ['at once', (id: string) => rows.get(id)],
    ['later', async (id: string) => rows.get(id)],
  ] as const)('[SE-R55] [SE-R68] is read %s as it is', async (_when, get) => {
    const tree = log(get);
    expect(await seen(tree, 'q', 'r')).toBe('holds');
    expect(await seen(tree, 'r')).toBe('compaction');
    expect(await seen(tree, 'r', 'r2')).toBe('moved-off');
    expect(await seen(tree, 's', 't')).toBe('untyped');
    expect(await seen(tree, 'zz', 'r')).toBe('foreign-log');
  });
});

describe('a flat list with ids', () => {
  interface Item {
    readonly id: string;
    readonly summary?: boolean;
  }
  const items = (...ids: string[]): Item[] => ids.map((id) => ({ id, summary: id.startsWith('k') }));
  const logOf = (entries: () => readonly Item[], name?: string) =>
    listLog<Item>({
      entries,
      idOf: ({ id }) => id,
      isBreak: ({ summary }) => summary,
      ...(name === undefined ? {} : { name }),
    });

  it('[SE-R55] [SE-R57] the entry before is the parent; a rewound one is foreign', async () => {
    let list = items('a', 'b', 'c');
    const log = logOf(() => list);
    expect(await seen(log, 'a')).toBe('holds');
    list.push(...items('k', 'd'));
    expect(await seen(log, 'c')).toBe('compaction');
    expect(await seen(log, 'k')).toBe('holds');
    list.length = 2;
    expect([await seen(log, 'b'), await seen(log, 'c')]).toEqual(['holds', 'foreign-log']);
    list = items('a', 'x');
    expect([await seen(log, 'a'), await seen(log, 'b')]).toEqual(['holds', 'foreign-log']);
    list = items('k2', 'x2');
    expect(await seen(log, 'a')).toBe('severed');
    list = [];
    expect(await seen(log, 'a')).toBe('empty-branch');
  });

  it('[SE-R65] an id that is there twice, or is none, proves nothing', async () => {
    expect(
      await seen(
        logOf(() => items('a', 'b', 'b', 'c')),
        'a',
      ),
    ).toBe('malformed');
    expect(
      await seen(
        logOf(() => [{ id: 7 as unknown as string }, ...items('b', 'c')]),
        'zz',
      ),
    ).toBe('malformed');
  });

  it('[SE-R64] an entry that is exchanged in place is seen', async () => {
    const list = items('a', 'b', 'c', 'd');
    const log = logOf(() => list);
    expect(await seen(log, 'b')).toBe('holds');
    list[1] = { id: 'b2', summary: false };
    expect([await seen(log, 'b'), await seen(log, 'b2')]).toEqual(['foreign-log', 'holds']);
  });

  it('[SE-R73] ids that each log counts from the start need the log’s name', async () => {
    const old = logOf(() => items('1', '2', '3'), 'first');
    const rebuilt = logOf(() => items('1', '2', '3', '4'), 'second');
    const anchor = old.idOf({ id: '2' });
    expect([await seen(old, anchor), await seen(rebuilt, anchor)]).toEqual(['holds', 'foreign-log']);
    // Without names the rebuilt log would pass for the old one.
    expect(
      await seen(
        logOf(() => items('1', '2', '3', '4')),
        '2',
      ),
    ).toBe('holds');
  });
});

describe('a session file of Claude Code', () => {
  const record = (uuid: string, parentUuid: string | null, more: object = {}): string =>
    JSON.stringify({ parentUuid, isSidechain: false, sessionId: 's-1', type: 'user', uuid, ...more });
  const boundary = (uuid: string, logicalParentUuid?: string): string =>
    record(uuid, null, {
      type: 'system',
      subtype: 'compact_boundary',
      compactMetadata: { trigger: 'auto', preTokens: 150_000 },
      ...(logicalParentUuid === undefined ? {} : { logicalParentUuid }),
    });
  const START = [
    JSON.stringify({ type: 'file-history-snapshot', messageId: 'u1', snapshot: {} }),
    record('u1', null),
    record('a1', 'u1', { type: 'assistant' }),
    record('u2', 'a1'),
    record('a2', 'u2', { type: 'assistant' }),
  ];
  const file = (...lines: string[]): string => `${lines.join('\n')}\n`;

  it('[SE-R55] [SE-R61] follows parentUuid, and takes another branch for another', async () => {
    expect(await seen(claudeCodeLog(file(...START)), 'a1')).toBe('holds');
    const rewound = claudeCodeLog(file(...START, record('u3', 'a1')));
    expect([await seen(rewound, 'a1'), await seen(rewound, 'a2')]).toEqual(['holds', 'moved-off']);
    expect(await seen(rewound, 'another-session')).toBe('foreign-log');
  });

  it('[SE-R57] [SE-R63] a compaction starts a root: across it when it names its predecessor, severed when not', async () => {
    const summary = record('u3', 'b1', { isCompactSummary: true, isVisibleInTranscriptOnly: true });
    const named = claudeCodeLog(file(...START, boundary('b1', 'a2'), summary, record('a3', 'u3')));
    expect([await seen(named, 'a2'), await seen(named, 'b1'), await seen(named, 'u3')]).toEqual([
      'compaction',
      'holds',
      'holds',
    ]);
    const { breaks } = await lineage(named.read, 'a2', 'a3');
    expect(breaks).toBe(1);
    const unnamed = claudeCodeLog(file(...START, boundary('b1'), summary, record('a3', 'u3')));
    expect([await seen(unnamed, 'a2'), await seen(unnamed, 'u3')]).toEqual(['severed', 'holds']);
    const moved = claudeCodeLog(file(boundary('b1', 'in-another-file'), summary));
    expect(await seen(moved, 'a2')).toBe('dangling-parent');
    const forked = record('b1', 'a2', { type: 'system', subtype: 'compact_boundary' });
    expect(await seen(claudeCodeLog(file(...START, forked, summary)), 'a2')).toBe('compaction');
  });

  it('[SE-R57] what trims tool results, collapses context or summarises without a boundary hides too', async () => {
    const micro = record('m1', 'a2', { type: 'system', subtype: 'microcompact_boundary' });
    expect(await seen(claudeCodeLog(file(...START, micro)), 'a2')).toBe('compaction');
    for (const type of ['content-replacement', 'marble-origami-commit']) {
      const hidden = claudeCodeLog(file(...START, JSON.stringify({ type }), record('u3', 'a2')));
      expect(await seen(hidden, 'a2')).toBe('compaction');
    }
    const old = claudeCodeLog(file(...START, record('u3', 'a2', { isCompactSummary: true })));
    expect(await seen(old, 'a2')).toBe('compaction');
  });

  it('[SE-R57] hides on the chain of which it is, and until its next record says so', async () => {
    const side = (uuid: string, parent: string | null): string =>
      record(uuid, parent, { isSidechain: true, agentId: '0a1b2c' });
    const replaced = (more: object = {}): string => JSON.stringify({ type: 'content-replacement', ...more });
    const last = claudeCodeLog(file(...START, replaced()));
    expect(await seen(last, 'u2')).toBe('compaction');
    const between = claudeCodeLog(file(...START, replaced(), side('x1', null), record('u3', 'a2')));
    expect(await seen(between, 'a2')).toBe('compaction');
    const ticked = claudeCodeLog(
      file(...START, replaced(), record('p1', 'a2', { type: 'progress' }), record('u3', 'a2')),
    );
    expect(await seen(ticked, 'a2')).toBe('compaction');
    const agents = file(...START, side('x1', null), side('x2', 'x1'), replaced({ agentId: '0a1b2c' }));
    const agent = claudeCodeLog(agents + file(record('u3', 'a2'), side('x3', 'x2')));
    expect([await seen(agent, 'a2'), await seen(agent, 'x1', 'x3')]).toEqual(['holds', 'compaction']);
    // Whose it is cannot be told: it is everybody's.
    const unnamed = claudeCodeLog(file(...START, side('x1', null), replaced(), side('x2', 'x1'), record('u3', 'a2')));
    expect([await seen(unnamed, 'a2'), await seen(unnamed, 'x1', 'x2')]).toEqual(['compaction', 'compaction']);
  });

  it('[SE-R57] a snip takes records out of the middle, and is a break', async () => {
    const snip = record('s1', 'a2', {
      type: 'system',
      subtype: 'snip_boundary',
      snipMetadata: { removedUuids: ['a1', 'u2'] },
    });
    expect(await seen(claudeCodeLog(file(...START, snip, record('u3', 's1'))), 'a1')).toBe('compaction');
  });

  it('[SE-R55] tool calls side by side are one stretch of the branch, though each result names its own call', async () => {
    const part = (uuid: string, parent: string): string =>
      record(uuid, parent, { type: 'assistant', message: { id: 'msg_1', content: [{ type: 'tool_use' }] } });
    const result = (uuid: string, parent: string): string =>
      record(uuid, parent, { message: { role: 'user', content: [{ type: 'tool_result' }] } });
    const both = [part('c1', 'a2'), part('c2', 'c1'), result('r1', 'c1'), result('r2', 'c2')];
    const crossed = [part('c1', 'a2'), part('c2', 'c1'), result('r2', 'c2'), result('r1', 'c1')];
    for (const [calls, newest] of [
      [both, 'r2'],
      [crossed, 'r1'],
    ] as const) {
      const log = claudeCodeLog(file(...START, ...calls, record('a3', newest, { type: 'assistant' })));
      for (const anchor of ['a2', 'c1', 'c2', 'r1', 'r2']) expect(await seen(log, anchor), anchor).toBe('holds');
      // What was rewound is off the branch as ever, with all that hung on it.
      const rewound = claudeCodeLog(file(...START, ...calls, record('u3', 'a2')));
      for (const anchor of ['c1', 'c2', 'r1', 'r2']) expect(await seen(rewound, anchor), anchor).toBe('moved-off');
    }
    // A prompt that was taken back does not come in again: it is no part of the response.
    const prompts = [...both, record('u4', 'r2'), record('u5', 'r2')];
    expect(await seen(claudeCodeLog(file(...START, ...prompts)), 'u4')).toBe('moved-off');
  });

  it('[SE-R55] neither the progress of a tool nor a copy of an earlier record is where the conversation goes on', async () => {
    const ticking = [...START, record('u3', 'a2'), record('p1', 'u2', { type: 'progress' })];
    const log = claudeCodeLog(file(...ticking));
    expect([log.leaf(), await seen(log, 'u3')]).toEqual(['u3', 'holds']);
    const copied = claudeCodeLog(file(...START, record('u3', 'a2'), START[1] as string, START[2] as string));
    expect([copied.leaf(), await seen(copied, 'u2')]).toEqual(['u3', 'holds']);
  });

  it('[SE-R64] [SE-R65] lines that are no record are passed over, and nothing is proven across them', async () => {
    const torn = claudeCodeLog(file(...START.slice(0, 3), '{"uuid":"u2","paren', '7', 'null', START[4] as string));
    expect(await seen(torn, 'a1')).toBe('dangling-parent');
    const copied = claudeCodeLog(file(...START, START[2] as string, record('u3', 'a2')));
    expect(await seen(copied, 'u1')).toBe('holds');
    const twofold = claudeCodeLog(file(...START, record('u2', 'u1'), record('u3', 'a2')));
    expect(await seen(twofold, 'a1')).toBe('malformed');
    expect(await seen(claudeCodeLog(''), 'a1')).toBe('empty-branch');
    expect(await seen(claudeCodeLog(undefined as unknown as string), 'a1')).toBe('empty-branch');
  });

  it('[SE-R55] a side agent has a leaf of its own', async () => {
    const side = record('x1', null, { isSidechain: true, agentId: '0a1b2c' });
    const log = claudeCodeLog(file(...START, side));
    expect([await log.leaf(), log.leafOf('0a1b2c'), log.leafOf('none')]).toEqual(['a2', 'x1', null]);
    expect(await seen(log, 'a1')).toBe('holds');
    expect(await seen(log, 'a1', log.leafOf('0a1b2c'))).toBe('moved-off');
  });
});

describe('checkpoints of LangGraph', () => {
  const config = (id: string, thread = 't'): CheckpointConfig => ({
    configurable: { thread_id: thread, checkpoint_ns: '', checkpoint_id: id },
  });
  class Saver {
    readonly tuples: CheckpointTupleLike[] = [];
    asked = 0;

    put(id: string, parent: string | null, messages: unknown, python = false): this {
      const parentConfig = parent === null ? undefined : config(parent);
      const values = messages === undefined ? {} : { messages };
      this.tuples.push({
        config: config(id),
        ...(python ? { parent_config: parentConfig ?? null } : parentConfig === undefined ? {} : { parentConfig }),
        checkpoint: { v: 4, id, channel_values: values },
      });
      return this;
    }

    readonly getTuple = async ({ configurable }: CheckpointConfig): Promise<CheckpointTupleLike | undefined> => {
      this.asked += 1;
      const id = configurable?.['checkpoint_id'];
      if (id === undefined) return this.tuples.at(-1);
      return this.tuples.find((tuple) => tuple.config.configurable?.['checkpoint_id'] === id);
    };
  }
  const ids = (...names: string[]): { id: string }[] => names.map((id) => ({ id }));
  const at = (id: string): string => checkpointAnchor(config(id)) as string;
  const logOf = (saver: Saver): ConversationLog =>
    langGraphLog({ getTuple: saver.getTuple, thread: { thread_id: 't' } });

  it('[SE-R55] [SE-R57] a checkpoint in which a message is gone is a break', async () => {
    const saver = new Saver()
      .put('1', null, ids('m1'))
      .put('2', '1', ids('m1', 'm2'))
      .put('3', '2', ids('m1', 'm2', 'm3'), true);
    const log = logOf(saver);
    expect(await log.leaf()).toBe(at('3'));
    saver.asked = 0;
    expect(await seen(log, at('1'), at('3'))).toBe('holds');
    expect(saver.asked).toBe(3);
    saver.put('4', '3', ids('summary', 'm3'));
    expect([await seen(log, at('2')), await seen(log, at('4'))]).toEqual(['compaction', 'holds']);
  });

  it('[SE-R61] a fork is another branch, another thread another log', async () => {
    const saver = new Saver().put('1', null, ids('m1')).put('2', '1', ids('m1', 'm2')).put('2b', '1', ids('m1', 'm9'));
    const log = logOf(saver);
    expect([await seen(log, at('1')), await seen(log, at('2'))]).toEqual(['holds', 'moved-off']);
    expect(await seen(log, checkpointAnchor(config('1', 'other')))).toBe('foreign-log');
    expect(await seen(log, 'no json')).toBe('foreign-log');
  });

  it('[SE-R68] without messages, or with some that have no id, nothing is proven', async () => {
    const log = logOf(
      new Saver()
        .put('1', null, undefined)
        .put('2', '1', undefined)
        .put('3', '2', [{ content: 'x' }]),
    );
    expect([await seen(log, at('1')), await seen(log, at('2'))]).toEqual(['untyped', 'untyped']);
    const own = langGraphLog({
      getTuple: new Saver().put('1', null, undefined).put('2', '1', undefined).getTuple,
      thread: { thread_id: 't' },
      messagesOf: () => [],
    });
    expect(await seen(own, at('1'))).toBe('holds');
  });

  it('leaves no rejection to nobody when the host throws while its store fails', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', hear);
    const config = (id: string) => ({ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: id } });
    const log = langGraphLog({
      getTuple: ({ configurable }) =>
        configurable?.['checkpoint_id'] === 'b'
          ? Promise.resolve({ config: config('b'), parentConfig: config('a') })
          : new Promise((_, reject) => setTimeout(() => reject(new Error('down')))),
      thread: { thread_id: 't' },
      messagesOf: () => {
        throw new Error('no messages');
      },
    });
    await expect(log.read(checkpointAnchor(config('b')) as string)).rejects.toThrow('no messages');
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });

  it('[SE-R67] a store that is down is said to be', async () => {
    const log = langGraphLog({ getTuple: () => Promise.reject(new Error('down')), thread: { thread_id: 't' } });
    expect(await seen(log, at('1'), at('2'))).toBe('read-failed');
    expect([checkpointAnchor(undefined), checkpointAnchor({})]).toEqual([null, null]);
  });
});

describe('message lists of the AI SDK', () => {
  const message = (id: string, role: string, summary = false) => ({
    id,
    role,
    parts: [{ type: 'text', text: id }],
    metadata: { summary },
  });

  it('[SE-R55] [SE-R57] [SE-R61] edits and regenerated answers refuse, and so does what you call a summary', async () => {
    let messages = [
      message('m1', 'user'),
      message('m2', 'assistant'),
      message('m3', 'user'),
      message('m4', 'assistant'),
    ];
    const log = aiSdkLog({ messages: () => messages, isSummary: ({ metadata }) => metadata.summary });
    expect(await seen(log, 'm2')).toBe('holds');
    messages = [...messages.slice(0, 3), message('m4b', 'assistant')];
    expect([await seen(log, 'm3'), await seen(log, 'm4')]).toEqual(['holds', 'foreign-log']);
    messages = [message('sum', 'assistant', true), ...messages.slice(2)];
    expect([await seen(log, 'm2'), await seen(log, 'm3')]).toEqual(['severed', 'holds']);
  });
});
