import type { ToolSpec } from '../../tools/types.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { live, macrotask, microtasks, part, Rig } from './rig.ts';

export const runningRules = new Chapter();
const { describe, test: it } = runningRules;

/** What it resolves with, or the words of its error. */
const heard = (promise: Promise<unknown> | undefined): Promise<unknown> =>
  (promise ?? Promise.resolve()).catch((error: Error) => error.message);
const ABORTED = 'Tool execution aborted';

describe('what starts and what is withheld', () => {
  it.each(['result', 'gate', 'discard', 'reset'])(
    '[TL-R53, TL-T01, TL-T02] does not start when a %s comes before it',
    async (what) => {
      const rig = live();
      rig.push('s', part('{}'));
      expect(rig.started).toEqual([]);
      if (what === 'result') rig.push('s', part('{}', { result: 1 }));
      if (what === 'gate') rig.push('s', part('{}', { approval: {} }));
      if (what === 'discard') await rig.tracker.abort({ discardPending: true });
      if (what === 'reset') rig.tracker.reset();
      await macrotask();
      expect(rig.log).toEqual([]);
    },
  );

  it('[TL-R53] never starts after the promise of a discarding abort has resolved, at any distance', async () => {
    for (let distance = 0; distance <= 20; distance += 1) {
      const rig = live({ execute: 'hang' });
      rig.push('s', part('{}'));
      await microtasks(distance);
      const before = rig.started.length;
      await rig.tracker.abort({ discardPending: true });
      await macrotask();
      expect(rig.started.length).toBe(before);
      expect(rig.started.every(({ signal }) => signal.aborted)).toBe(true);
    }
  });

  it('[TL-R55, TL-T18] takes a promise of the client at its word', async () => {
    const rig = live({ owner: () => 'client' });
    rig.push('r', part('{}'));
    await macrotask();
    rig.push('r', part('{"late":1}'));
    await macrotask();
    expect(rig.started.map(({ args }) => args)).toEqual([{}]);
  });

  it('[TL-R61] keeps a gate that went away, drops a running outcome, and is too late after the report', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('r', part('{}', { id: 'early', approval: { approved: true } }), part('{}'), part('{}', { id: 'late' }));
    rig.push('s', part('{}', { id: 'early' }), part('{}'), part('{}', { id: 'late' }));
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['t', 'late']);
    rig.started[1]?.resolve('reported');
    await macrotask();
    rig.push('s', part('{}', { approval: null }), part('{}', { id: 'late', approval: null }));
    expect(rig.status()).toBe('executing');
    rig.started[0]?.resolve('dropped');
    await macrotask();
    expect(rig.results.map(({ toolCallId }) => toolCallId)).toEqual(['late']);
    expect(rig.tracker.statuses().size).toBe(0);
  });

  it('[TL-R62] asks the owner once for each creation, and notes a tool that will not run', async () => {
    const asked: string[] = [];
    const rig = live({
      execute: 'hang',
      owner: ({ id }) => {
        asked.push(id);
        return asked.length === 1 ? 'client' : 'provider';
      },
    });
    rig.push('r', part('{}'));
    await macrotask();
    rig.push('r', part('{} '), part('{}', { id: 'p' }), part('{}', { id: 'q', name: 'none' }));
    rig.push('s', part('{} '), part('{}', { id: 'p' }), part('{}', { id: 'q', name: 'none' }));
    await macrotask();
    expect(asked).toEqual(['t', 'p', 'q']);
    expect(rig.started.map(({ id }) => id)).toEqual(['t']);
    expect(rig.notices.map(([kind, { toolCallId }]) => [kind, toolCallId])).toEqual([['provider-owned', 'p']]);
  });

  it('[TL-R71, TL-R89] goes callback, executor, status, no status, result, the last two in one task', async () => {
    const tool: ToolSpec = {
      streamCall: (_reader, { toolCallId }) => void rig.log.push(`call ${toolCallId}`),
      execute: (args: unknown, context) => rig.execute(args, context, 'hang'),
    };
    const rig: Rig = live({ tool });
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.log).toEqual(['call t', 'run t', 'status t=executing']);
    rig.started[0]?.resolve(1);
    await microtasks(3);
    expect(rig.log.slice(3)).toEqual(['status', 'result t']);
  });

  it('[TL-R76] runs 32 at a time, those at a person not counted, the rest in order', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', ...Array.from({ length: 40 }, (_, i) => part('{}', { id: `c${i}` })));
    await macrotask();
    expect(rig.started).toHaveLength(32);
    rig.started[0]?.resolve(1);
    await macrotask();
    expect(rig.started.map(({ id }) => id).slice(32)).toEqual(['c32']);
    void rig.started[1]?.human('?');
    await macrotask();
    expect(rig.started.map(({ id }) => id).slice(33)).toEqual(['c33']);
    await rig.tracker.abort({ discardPending: true });
    await macrotask();
    expect(rig.started).toHaveLength(34);
  });
});

describe('questions to a person, and the end of a boundary', () => {
  it('[TL-R80, TL-R88, TL-R120, TL-R121] parks a question, shows it, and is resumed once', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    const asked = rig.started[0]?.human({ sure: true });
    expect(rig.tracker.statuses().get('t')).toEqual({ type: 'interrupt', payload: { sure: true } });
    expect(rig.tracker.resume('t', 'yes')).toBe(true);
    expect(rig.status()).toBe('executing');
    expect(rig.tracker.resume('t', 'again')).toBe(false);
    expect(await asked).toBe('yes');
    for (const id of ['unknown', '', null, {}]) expect(rig.tracker.resume(id as never, 1)).toBe(false);
    rig.started[0]?.resolve(1);
    await macrotask();
    expect(rig.results).toHaveLength(1);
  });

  it('[TL-R81] rejects the question before for the newest', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    const [first, second] = [rig.started[0]?.human(1), rig.started[0]?.human(2)];
    expect(rig.tracker.statuses().get('t')).toEqual({ type: 'interrupt', payload: 2 });
    expect(rig.tracker.resume('t', 'to the second')).toBe(true);
    expect(rig.status()).toBe('executing');
    expect(await heard(first)).toContain('uperseded');
    expect(await second).toBe('to the second');
  });

  it('[TL-R82, TL-R111] refuses a question of an execution that is over, or of another boundary', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    rig.tracker.reset();
    rig.push('s');
    rig.push('s', part('{}'));
    await macrotask();
    expect(await heard(rig.started[0]?.human('old'))).toBe(ABORTED);
    expect(rig.status()).toBe('executing');
    rig.started[1]?.resolve(1);
    await macrotask();
    expect(await heard(rig.started[1]?.human('over'))).toBe(ABORTED);
    expect(rig.tracker.statuses().size).toBe(0);
  });

  it.each(['abort', 'reset'])('[TL-R83, TL-R100] rejects a parked question at an %s', async (what) => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    const asked = rig.started[0]?.human('?');
    if (what === 'abort') void rig.tracker.abort();
    if (what === 'reset') rig.tracker.reset();
    expect(rig.tracker.resume('t', 1)).toBe(false);
    expect(await heard(asked)).toBe(ABORTED);
    await macrotask();
    expect(rig.tracker.statuses().size).toBe(0);
  });

  it('[TL-R75, TL-R101, TL-T24] gives two microtasks, then reports a cancelled outcome, then resolves', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'), part('{}', { id: 'heeds' }));
    await macrotask();
    const [never, heeds] = rig.started;
    heeds?.signal.addEventListener('abort', () => queueMicrotask(() => heeds.resolve('partial')));
    await rig.tracker.abort();
    expect(never?.signal.aborted).toBe(true);
    expect(rig.results.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ['heeds', false],
      ['t', true],
    ]);
    expect(String(rig.results[1]?.result)).toContain('aborted');
    never?.resolve('too late');
    await macrotask();
    expect(rig.results).toHaveLength(2);
    rig.tracker.reset();
  });

  it('[TL-R100] gives later executions a fresh signal', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    await rig.tracker.abort();
    rig.push('s', part('{}', { id: 'u' }));
    await macrotask();
    expect(rig.started.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  it('[TL-R102] leaves waiting calls untouched', async () => {
    const rig = live();
    rig.push('r', part('{}'), part('{', { id: 'streams' }));
    await rig.tracker.abort({ discardPending: false });
    rig.push('s', part('{}'), part('{}', { id: 'streams' }));
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['t', 'streams']);
  });

  it('[TL-R103, TL-R104, TL-R105] discards what streams, waits, is handed over or restored; what runs reports', async () => {
    const rig = new Rig({ execute: 'hang' });
    rig.push('r', part('{', { id: 'restored' }));
    rig.push('s', part('{', { id: 'restored' }), part('{}', { id: 'runs' }));
    await macrotask();
    rig.push('r', part('{', { id: 'restored' }), part('{', { id: 'streams' }), part('{}', { id: 'waits' }));
    rig.push('s', part('{}', { id: 'given' }));
    await rig.tracker.abort({ discardPending: true });
    rig.push('s', ...['restored', 'streams', 'waits', 'given', 'runs', 'fresh'].map((id) => part('{}', { id })));
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['runs', 'fresh']);
    expect(rig.results.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([['runs', true]]);
  });

  it('[TL-R111, TL-R75] drops what an old execution does later', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    rig.tracker.reset();
    rig.push('s');
    rig.push('s', part('{"new":1}'));
    await macrotask();
    rig.started[0]?.resolve('old');
    await macrotask();
    expect(rig.results).toEqual([]);
    expect(rig.status()).toBe('executing');
    rig.started[1]?.resolve('new');
    await macrotask();
    expect(rig.results.map(({ result }) => result)).toEqual(['new']);
  });

  it('[TL-R112] drops a callback that has not started', async () => {
    const called: string[] = [];
    const rig = live({ tool: { streamCall: (_reader, { toolCallId }) => void called.push(toolCallId) } });
    rig.push('r', part('{'));
    rig.tracker.reset();
    await macrotask();
    expect(called).toEqual([]);
  });
});
