import { describe, expect, it, vi } from 'vitest';
import { macrotask, message, part } from '../../src/testing/tools/rig.ts';
import { Growing } from '../../src/tools/json.ts';
import { Tracker } from '../../src/tools/tracker.ts';
import { createToolTracker } from '../../src/tools.ts';
import { live, type Rig } from './rig.ts';

describe('never throws', () => {
  it('[TL-R140, TL-I12] whatever it is given', async () => {
    const cyclic: Record<string, unknown> = { role: 'assistant' };
    cyclic['content'] = [cyclic, part(cyclic), part('{}', { id: cyclic, messages: cyclic })];
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        has: () => {
          throw new Error('trap');
        },
      },
    );
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const junk: unknown[] = [
      null,
      undefined,
      0,
      NaN,
      'x',
      Symbol('s'),
      () => 1,
      cyclic,
      hostile,
      revoked.proxy,
      [],
      10n,
    ];
    const rig = live();
    for (const one of junk) {
      rig.tracker.push(one as never);
      rig.tracker.push({ messages: one, isRunning: one, isLoading: one } as never);
      rig.tracker.push({
        messages: [one, message(one, part(one), part('{}', { name: one, approval: one }))],
        isRunning: false,
      });
      await rig.tracker.abort(one as never);
      expect(rig.tracker.resume(one as never, one)).toBe(false);
      expect(rig.tracker.adopt(one as never)).toBe(false);
      rig.tracker.reset();
    }
    rig.push('s');
    rig.push('s', part('{}', { id: 'good' }));
    await macrotask();
    expect(rig.started.at(-1)?.id).toBe('good');
  });

  it('[TL-R141] writes notices to the console by default, and ignores what a listener throws', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    try {
      const quiet = createToolTracker({ tools: () => undefined, onResult: () => undefined });
      quiet.push(null as never);
      expect(warn.mock.calls).toEqual([['readback tools: malformed-snapshot', {}]]);
    } finally {
      warn.mockRestore();
    }
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const failing = new Tracker({ tools: () => undefined, onResult: () => undefined });
    failing.fail(7);
    expect(error.mock.calls).toEqual([['readback tools: failed', { error: 7 }]]);
    error.mockRestore();
    const tracker = createToolTracker({
      tools: () => undefined,
      onResult: () => undefined,
      notice: () => {
        throw new Error('listener');
      },
    });
    expect(() => tracker.push(null as never)).not.toThrow();
  });

  it('reads a snapshot that a callback feeds after the one under way', async () => {
    const rig: Rig = live({
      owner: ({ id }) => {
        if (id === 't') rig.push('s', part('{}', { id: 'nested' }));
        return 'unknown';
      },
    });
    rig.push('s', part('{}'), part('{}', { id: 'u' }));
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['t', 'u', 'nested']);
  });

  it('leaves a snapshot whose reading began another boundary', async () => {
    const rig: Rig = live({
      owner: ({ id }) => {
        if (id === 't') rig.tracker.reset();
        return 'client';
      },
    });
    rig.push('s', part('{}'), part('{}', { id: 'u' }));
    await macrotask();
    expect(rig.started).toEqual([]);
    expect(rig.kept.records).toBe(0);
    expect(rig.tracker.place.value['intake']).toBe('pendingRestore');
  });
});

describe('bounds', () => {
  const many = (count: number, options = {}) =>
    Array.from({ length: count }, (_, i) => part('{}', { id: `c${i}`, ...options }));

  it('[TL-I19] lets ended records go, remembers their ids, and runs none again', async () => {
    const rig = live({ limits: { records: 64, remembered: 100 } });
    for (let from = 0; from < 200; from += 20) {
      rig.push('s', ...many(200).slice(from, from + 20));
      await macrotask();
    }
    const { records, ids } = rig.kept;
    expect(records).toBeLessThanOrEqual(64);
    expect(ids).toBeLessThanOrEqual(100);
    expect(rig.started).toHaveLength(200);
    rig.push('s', ...many(200).slice(120));
    await macrotask();
    expect(rig.started).toHaveLength(200);
    expect(rig.notices).toEqual([['forgotten', { toolCallId: 'c0' }]]);
  });

  it('[TL-I19] lets records go only when there are more than may be', () => {
    const rig = live({ limits: { records: 16 } });
    rig.push('s', ...many(16, { result: 1 }));
    expect(rig.kept).toMatchObject({ records: 16, ids: 0 });
    rig.push('s', ...many(17, { result: 1 }));
    expect(rig.kept).toMatchObject({ records: 15, ids: 2 });
  });

  it('[TL-R14, TL-I19] lets no record go of what may still run, and of history only when nothing else ended', async () => {
    const rig: Rig = live({
      limits: { records: 16 },
      tools: () => ({ execute: (args: unknown, context) => rig.execute(args, context, 'hang') }),
    });
    rig.loading('s', part('{', { id: 'history' }));
    rig.push('r', part('{', { id: 'streams' }), part('{}', { id: 'waits' }));
    rig.push('s', part('{}', { id: 'runs' }));
    await macrotask();
    rig.push('r', ...many(40, { result: 1 }));
    const kept = () => ['history', 'streams', 'waits', 'runs'].filter((id) => rig.record(id) !== undefined);
    expect(kept()).toEqual(['history', 'streams', 'waits', 'runs']);
    // One sixteenth less than may be kept, the oldest first.
    expect(rig.kept).toMatchObject({ records: 15, ids: 29 });
    expect([rig.record('c28'), rig.record('c29')?.id]).toEqual([undefined, 'c29']);
    rig.push('r', ...Array.from({ length: 16 }, (_, i) => part('{', { id: `open${i}` })));
    expect(kept()).toEqual(['streams', 'waits', 'runs']);
    rig.started[0]?.resolve('kept');
    await macrotask();
    expect(rig.results.map(({ result }) => result)).toEqual(['kept']);
  });

  it('[TL-R92] ends the reader of a record that it lets go', async () => {
    const responses: Promise<unknown>[] = [];
    const rig = live({
      limits: { records: 1 },
      tool: { streamCall: ({ response }) => void responses.push(response.get()) },
    });
    rig.push('s', part('{}', { approval: 1 }));
    await macrotask();
    rig.push('s', part('{}', { id: 'next', result: 1 }));
    await expect(responses[0]).rejects.toThrow('Tool execution aborted');
  });

  it('[TL-R106, TL-T19, TL-I19] keeps a bounded number of cancelled turns that nobody answers', async () => {
    const rig = live({ limits: { records: 64, remembered: 128, withheld: 16 } });
    for (let turn = 0; turn < 500; turn += 1) {
      rig.push('r', part('{}', { id: `c${turn}` }));
      await rig.tracker.abort({ discardPending: true });
    }
    rig.tracker.fail(new Error('driver'));
    rig.push('r');
    const { records, ids, withheld } = rig.kept;
    expect([records <= 64, ids <= 128, withheld <= 16]).toEqual([true, true, true]);
  });

  it('[TL-I19] keeps a bounded number of notices, and nothing over a reset', () => {
    const rig = live({ limits: { notices: 10 } });
    rig.push('s', ...Array.from({ length: 50 }, (_, i) => part(1, { id: `n${i}` })));
    expect(rig.kinds).toHaveLength(50);
    expect(rig.kept.notices).toBe(10);
    rig.tracker.reset();
    expect(rig.kept).toEqual({ records: 0, ids: 0, withheld: 0, notices: 0 });
  });

  it('handles a thousand calls in one message', async () => {
    const rig = live({ limits: { executors: 2_000 } });
    rig.push('s', ...many(1_000));
    await macrotask();
    expect(rig.results).toHaveLength(1_000);
  });

  it('[TL-R50] parses a text once, also if each piece of it ends where an object ends', async () => {
    const asked = vi.spyOn(JSON, 'parse');
    try {
      const rig = live();
      const rows = Array.from({ length: 100 }, (_, at) => ({ at, text: 'x'.repeat(100) }));
      const whole = JSON.stringify({ rows });
      for (let at = whole.indexOf('}'); at !== -1; at = whole.indexOf('}', at + 1)) {
        rig.push('r', part(whole.slice(0, at + 1)));
      }
      rig.push('s', part(whole));
      await macrotask();
      expect(rig.results).toMatchObject([{ isError: false }]);
      const letters = asked.mock.calls.reduce((sum, [text]) => sum + (text.length > 50 ? text.length : 0), 0);
      // To see that it is whole, and for the executor.
      expect(letters).toBe(2 * whole.length);
    } finally {
      asked.mockRestore();
    }
  });

  it('[TL-R40, TL-R50] reads a text of 200 KB that grows in a hundred snapshots once, and parses it when it is whole', async () => {
    const fed = vi.spyOn(Growing.prototype, 'feed');
    const asked = vi.spyOn(JSON, 'parse');
    try {
      let read = '';
      let ran: unknown;
      const rig = live({
        tool: {
          streamCall: async ({ args }) => {
            for await (const piece of args.streamText('text')) read += piece;
          },
          execute: (args: unknown) => {
            ran = args;
          },
        },
      });
      const words = 'what it says, "quoted" {braced} [and so on]; '.repeat(4_400);
      const whole = JSON.stringify({ text: words });
      for (let at = 1; at <= 100; at += 1) {
        rig.push('r', part(whole.slice(0, Math.round((whole.length * at) / 100))));
        await macrotask();
      }
      rig.push('s', part(whole));
      await macrotask();
      expect([read, ran]).toEqual([words, { text: words }]);
      const letters = (calls: readonly (readonly unknown[])[]): number =>
        calls.reduce((sum, [text]) => sum + String(text).length, 0);
      expect(letters(fed.mock.calls)).toBe(whole.length);
      // To see that it is whole, and for the executor; each escape besides.
      expect(letters(asked.mock.calls.filter(([text]) => text.length > 8))).toBe(2 * whole.length);
    } finally {
      fed.mockRestore();
      asked.mockRestore();
    }
  });
});
