import { describe, expect, it, vi } from 'vitest';
import { macrotask, message, part } from '../../src/testing/tools/rig.ts';
import { Call } from '../../src/tools/record.ts';
import { createToolTracker } from '../../src/tools.ts';
import { live, Rig } from './rig.ts';

const starts = (rig: Rig): string[] => rig.started.map(({ id }) => id);

describe('intake', () => {
  it('[TL-R10] does nothing for the same list and flags', async () => {
    let walked = 0;
    const messages = [message(part('{}'))];
    const rig = live({
      project: (list) => {
        walked += 1;
        expect(list.length).toBeLessThan(2);
        return [];
      },
    });
    const before = walked;
    for (let i = 0; i < 3; i += 1) rig.tracker.push({ messages, isRunning: true });
    expect(walked - before).toBe(1);
    rig.tracker.push({ messages, isRunning: false });
    expect(walked - before).toBe(2);
    rig.tracker.push({ messages: [...messages], isRunning: false });
    expect(walked - before).toBe(3);
  });

  it('[TL-R10, TL-I14] looks no further at a call that shows the same', () => {
    const rig = new Rig();
    rig.push('s', part('{', { id: 'history' }));
    const shown = [part('{', { id: 'history' }), part('{'), part('{}', { id: 'done', result: 1, approval: 1 })];
    rig.push('r', ...shown);
    const step = vi.spyOn(Call.prototype, 'step');
    rig.push('r', ...structuredClone(shown));
    expect(step).not.toHaveBeenCalled();
    rig.push('s', ...shown);
    expect(step).toHaveBeenCalledTimes(3);
  });

  it('[TL-R11, TL-R12] opens a window of history in mid-session, and closes it', async () => {
    const rig = live();
    rig.loading('s', part('{"a":1}'));
    rig.loading('s', part('{"a":2}'));
    rig.push('s', part('{"a":2}'));
    await macrotask();
    expect(rig.log).toEqual([]);
    rig.push('s', part('{"a":3}'));
    await macrotask();
    expect(rig.started[0]?.args).toEqual({ a: 3 });
  });

  it('[TL-R12] takes nothing of a live call from a window, and catches up behind it', async () => {
    const rig = live();
    rig.push('r', part('{"a":'));
    rig.loading('s', part('{"a":1}', { result: 1, approval: {} }));
    await macrotask();
    expect(rig.record()?.phase).toBe('streaming');
    rig.push('s', part('{"a":1}'));
    await macrotask();
    expect(starts(rig)).toEqual(['t']);
  });

  it('[TL-R13] reads the snapshot after a broken one afresh, with the flags before it', async () => {
    let isBroken = true;
    const list = [message(part('{}'))];
    const rig = new Rig({
      project: function* () {
        if (isBroken) throw new Error('half');
        yield { id: 't', name: 'x', argsText: '{}' } as never;
      },
    });
    rig.tracker.push({ messages: list, isRunning: false });
    expect(rig.tracker.place.value['intake']).toBe('pendingRestore');
    isBroken = false;
    // The identical one is read, and it is history still.
    rig.tracker.push({ messages: list, isRunning: false });
    await macrotask();
    expect(rig.tracker.place.value['intake']).toBe('live');
    expect(rig.log).toEqual([]);
    expect(rig.notices).toStrictEqual([['broke-off', { error: new Error('half') }]]);
    isBroken = true;
    rig.tracker.push({ messages: [...list], isRunning: true, isLoading: true });
    expect(rig.tracker.place.value['intake']).toBe('pendingRestore');
  });

  it('[TL-R13] adopts with the flags of the last snapshot that was read', async () => {
    let isBroken = false;
    const rig = new Rig({
      project: () => {
        if (isBroken) throw new Error('broken');
        return [{ id: 't', name: 'x', argsText: '{}' }] as never;
      },
    });
    rig.tracker.push({ messages: [1], isRunning: true });
    isBroken = true;
    rig.tracker.push({ messages: [2], isRunning: false });
    rig.tracker.adopt('t');
    await macrotask();
    expect(rig.log).toEqual([]);
  });

  it('[TL-R14] does not advance a call that is away, and hears a running one', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('r', part('{}', { id: 'waits' }));
    rig.push('s');
    await macrotask();
    expect(starts(rig)).toEqual([]);
    rig.push('s', part('{}', { id: 'runs' }));
    await macrotask();
    rig.push('s');
    rig.started[0]?.resolve('kept');
    await macrotask();
    expect(rig.results.map(({ result }) => result)).toEqual(['kept']);
  });

  it.each([null, undefined, 7, 'x', {}, { messages: 1 }, { messages: null, isRunning: true }])(
    '[TL-R15] drops %j whole, with one notice',
    async (junk) => {
      const rig = live();
      rig.tracker.push(junk as never);
      rig.tracker.push(junk as never);
      rig.push('s', part('{}'));
      await macrotask();
      expect(rig.kinds).toEqual(['malformed-snapshot']);
      expect(starts(rig)).toEqual(['t']);
    },
  );

  it('[TL-R15] reads flags only as true', async () => {
    const rig = live();
    rig.tracker.push({ messages: [message(part('{}'))], isRunning: 1 as never, isLoading: 'yes' as never });
    await macrotask();
    expect(starts(rig)).toEqual(['t']);
  });
});

describe('how the next snapshot is read', () => {
  const READ: Readonly<Record<string, (messages: unknown[]) => object>> = {
    snapshot: (messages) => ({ messages, isRunning: true }),
    loading: (messages) => ({ messages, isRunning: true, isLoading: true }),
    broken: () => ({ messages: ['broken'], isRunning: true }),
    'broken loading': () => ({ messages: ['broken'], isRunning: true, isLoading: true }),
    malformed: () => ({ messages: null }),
  };
  const push = (rig: Rig, what: string, messages: unknown[] = []): void =>
    rig.tracker.push(READ[what]?.(messages) as never);
  const ACTS: Readonly<Record<string, (rig: Rig) => unknown>> = {
    abort: (rig) => rig.tracker.abort(),
    discard: (rig) => rig.tracker.abort({ discardPending: true }),
    reset: (rig) => rig.tracker.reset(),
    failure: (rig) => rig.tracker.fail(new Error('driver')),
  };

  it.each([
    ['pendingRestore', 'snapshot', 'live'],
    ['pendingRestore', 'loading', 'loading'],
    ['pendingRestore', 'broken', 'pendingRestore'],
    ['pendingRestore', 'broken loading', 'pendingRestore'],
    ['loading', 'snapshot', 'live'],
    ['loading', 'loading', 'loading'],
    ['loading', 'broken', 'loading'],
    ['loading', 'broken loading', 'pendingRestore'],
    ['live', 'snapshot', 'live'],
    ['live', 'loading', 'loading'],
    ['live', 'broken', 'live'],
    ['live', 'broken loading', 'pendingRestore'],
    ...['pendingRestore', 'loading', 'live'].flatMap((from) => [
      ...['malformed', 'abort', 'discard', 'failure'].map((what) => [from, what, from]),
      [from, 'reset', 'pendingRestore'],
    ]),
  ] as [string, string, string][])('[TL-R02, TL-R11, TL-R13, TL-R15, TL-R110] %s, %s: %s', (from, what, to) => {
    let reads = 0;
    const rig = new Rig({
      project: (messages) => {
        reads += 1;
        if (messages[0] === 'broken') throw new Error('broken');
        return [];
      },
    });
    const intake = () => rig.tracker.place.value['intake'];
    const before: unknown[] = [];
    if (from !== 'pendingRestore') push(rig, from === 'live' ? 'snapshot' : 'loading', before);
    expect(intake()).toBe(from);
    // The same again is no news.
    if (from !== 'pendingRestore') push(rig, from === 'live' ? 'snapshot' : 'loading', before);
    expect([intake(), reads]).toEqual([from, from === 'pendingRestore' ? 0 : 1]);
    if (what in ACTS) ACTS[what]?.(rig);
    else push(rig, what);
    expect(intake()).toBe(to);
    const said = {
      malformed: 'malformed-snapshot',
      failure: 'failed',
      broken: 'broke-off',
      'broken loading': 'broke-off',
    };
    expect(rig.kinds).toEqual([said[what as keyof typeof said] ?? []].flat());
  });

  it.each(['pendingRestore', 'loading', 'live'])(
    '[TL-R100, TL-R102, TL-R103, TL-R110] is %s when an abort comes, and a reset',
    async (from) => {
      for (const discardPending of [false, true]) {
        const rig = new Rig({
          execute: 'hang',
          project: (views) => {
            if (views[0] === 'broken') throw new Error('broken');
            return views as never;
          },
        });
        const view = (id: string, argsText: string) => ({ id, name: 'x', argsText });
        push(rig, 'snapshot');
        rig.tracker.push({ messages: [view('runs', '{}')], isRunning: false });
        await macrotask();
        push(rig, 'snapshot', [view('t', '{')]);
        if (from === 'loading') push(rig, 'loading');
        if (from === 'pendingRestore') push(rig, 'broken loading');
        expect(rig.tracker.place.value['intake']).toBe(from);
        const aborted = rig.tracker.abort({ discardPending });
        expect(rig.started[0]?.signal.aborted).toBe(true);
        expect(rig.record()?.phase).toBe(discardPending ? 'discarded' : 'streaming');
        await aborted;
        expect(rig.results).toHaveLength(1);
        rig.tracker.reset();
        expect([rig.kept.records, rig.tracker.place.context.boundary]).toEqual([0, 2]);
        expect(rig.tracker.place.value['intake']).toBe('pendingRestore');
      }
    },
  );

  it.each(['pendingRestore', 'loading', 'live'])(
    '[TL-R130] is not read at all when the tracker is inert: %s',
    (from) => {
      const rig = new Rig({ execute: 'hang' });
      if (from === 'live') rig.push('s');
      if (from === 'loading') rig.loading('s');
      for (let time = 0; time < 2; time += 1) {
        rig.tracker.fail(new Error('driver'));
        if (from === 'pendingRestore') rig.tracker.push({ messages: [], isRunning: false });
        else if (from === 'loading') rig.loading('s');
        else rig.push('s');
      }
      const { intake } = rig.tracker.place.value;
      rig.push('r', part('{'));
      expect([rig.record(), rig.tracker.place.value]).toEqual([undefined, { driver: 'inert', intake }]);
    },
  );
});

describe('walking', () => {
  it('[TL-R20] passes over everything that is no tool call of an assistant', async () => {
    const rig = live();
    const messages = [
      null,
      5,
      'text',
      { role: 'user', content: [part('{}', { id: 'user' })] },
      { role: 'assistant', content: 'text' },
      { role: 'assistant' },
      message(null, 4, { type: 'text' }, part('{}')),
    ];
    rig.tracker.push({ messages, isRunning: false });
    await macrotask();
    expect(starts(rig)).toEqual(['t']);
    expect(rig.kinds).toEqual([]);
  });

  it('[TL-R21, TL-R31] walks child runs behind their parent, also below history and below an answer', async () => {
    const rig = new Rig();
    const child = (text: string) =>
      part('{}', { id: 'parent', result: 1, messages: [message(part(text, { id: 'c' }))] });
    rig.push('r', part('{}', { id: 'parent', result: 1 }));
    rig.push('r', child('{'));
    rig.push('s', part('{}', { id: 'first' }), child('{}'));
    await macrotask();
    expect(starts(rig)).toEqual(['first', 'c']);
  });

  it('[TL-R22, TL-R23] skips a part that cannot be read, once with a notice, and reads those behind it', async () => {
    const rig = live();
    const throwing = {
      type: 'tool-call',
      get toolCallId(): string {
        throw new Error('no');
      },
    };
    const bad = [
      part(5, { id: 'n' }),
      part('{}', { id: 7 }),
      part('{}', { id: '' }),
      part(undefined, { id: 'u' }),
      throwing,
    ];
    rig.push('s', ...bad, part('{}'));
    rig.push('s', ...bad, part('{}'));
    await macrotask();
    expect(starts(rig)).toEqual(['t']);
    expect(rig.kinds).toEqual(Array(5).fill('malformed-part'));
    expect(rig.notices.map(([, { toolCallId }]) => toolCallId)).toEqual(['n', '(none)', '', 'u', undefined]);
    expect(rig.notices[4]?.[1]).toEqual({ error: new Error('no') });
  });

  it('[TL-R23] reads the messages behind one that throws', async () => {
    const rig = live();
    const throwing = {
      get role(): string {
        throw new Error('no');
      },
    };
    rig.tracker.push({ messages: [throwing, message(part('{}'))], isRunning: false });
    await macrotask();
    expect(starts(rig)).toEqual(['t']);
  });

  it('[TL-R24] ends at cycles, and 32 deep', async () => {
    const rig = live();
    const cycle: { role: string; content: unknown[] } = { role: 'assistant', content: [] };
    cycle.content.push(part('{}', { id: 'cyclic', messages: [cycle] }));
    const deep = (depth: number): unknown =>
      part('{}', { id: `d${depth}`, ...(depth < 40 ? { messages: [message(deep(depth + 1))] } : {}) });
    rig.tracker.push({ messages: [cycle, message(deep(0))], isRunning: false });
    await macrotask();
    expect(starts(rig)).toEqual(['cyclic', ...Array.from({ length: 33 }, (_, depth) => `d${depth}`)]);
    expect(rig.kinds).toEqual([]);
  });

  it('[TL-R24] survives ten thousand levels', async () => {
    const rig = live();
    let inner: unknown = part('{}', { id: 'inner' });
    for (let depth = 0; depth < 10_000; depth += 1) inner = part('{}', { id: `d${depth}`, messages: [message(inner)] });
    rig.push('s', inner, part('{}'));
    await macrotask();
    expect(starts(rig)).toContain('t');
  });

  it('[TL-R25] takes an id twice as one call; the first name counts', async () => {
    const rig = live();
    rig.push('s', part('{"a":', { id: 't' }), part('{"a":1}', { name: 'other' }));
    await macrotask();
    expect(starts(rig)).toEqual(['t']);
    rig.push('s', part('{"a":1}'), part('{"a":1}', { name: 'other' }));
    expect(rig.kinds).toEqual(['duplicate-id']);
    expect(rig.results[0]?.toolName).toBe('x');
  });

  it('reads the parts of the AI SDK: states, partial inputs, results', async () => {
    const rig = live();
    const ai = (state: string, rest: object) => ({ type: 'tool-x', toolCallId: 't', state, ...rest });
    const push = (isRunning: boolean, one: object) =>
      rig.tracker.push({ messages: [{ role: 'assistant', parts: [{ type: 'text' }, one] }], isRunning });
    push(true, ai('input-streaming', { input: undefined }));
    push(true, ai('input-streaming', { input: {} }));
    push(true, ai('input-streaming', { input: { city: 'Mü' } }));
    push(true, ai('input-streaming', { input: { city: 'München"}' } }));
    push(true, ai('input-streaming', { input: { city: 'München"}', days: [1] } }));
    push(true, ai('input-available', { input: { city: 'München"}', days: [1, 2] } }));
    await macrotask();
    expect(rig.log).toEqual([]);
    push(false, ai('input-available', { input: { city: 'München"}', days: [1, 2] } }));
    await macrotask();
    expect(rig.started.map(({ args }) => args)).toEqual([{ city: 'München"}', days: [1, 2] }]);
    expect(rig.kinds).toEqual([]);
  });

  it.each([
    ['output-available', { output: undefined }],
    ['output-error', { errorText: 'no' }],
    ['output-denied', {}],
    ['approval-requested', { approval: { id: '1' } }],
  ])('takes the state %s of the AI SDK as a result or a gate', async (state, rest) => {
    const rig = live();
    const one = { type: 'dynamic-tool', toolName: 'x', toolCallId: 't', state, input: {}, ...rest };
    rig.tracker.push({ messages: [{ role: 'assistant', parts: [one] }], isRunning: false });
    await macrotask();
    expect(rig.log).toEqual([]);
    const { answered, withheld } = rig.record()?.context ?? {};
    expect(answered === true || withheld === 'gate').toBe(true);
  });

  it('[TL-R140] takes options without a notice function, and writes to the console', () => {
    const tracker = createToolTracker({ tools: () => undefined, onResult: () => undefined });
    expect(() => tracker.push({ messages: [], isRunning: false })).not.toThrow();
  });
});
