/** What the record of a call says of it: how far it has come, and why it does not run. */
import { describe, expect, it } from 'vitest';
import { macrotask, part, type RigOptions } from '../../src/testing/tools/rig.ts';
import type { Call } from '../../src/tools/record.ts';
import type { ToolContext, ToolReader, ToolSpec } from '../../src/tools/types.ts';
import { live, Rig } from './rig.ts';

describe('why a call does not run', () => {
  it.each<[string, string, RigOptions, (rig: Rig) => unknown]>([
    ['R61', 'gate', {}, (rig) => rig.push('r', part('{', { approval: 1 }))],
    ['R61', 'gate', {}, (rig) => [rig.push('r', part('{')), rig.push('r', part('{', { approval: 1 }))]],
    ['R62', 'provider', { owner: () => 'provider' }, (rig) => rig.push('r', part('{'))],
    ['R46', 'size', { limits: { textLength: 4 } }, (rig) => rig.push('r', part('{"a":1}'))],
    ['R103', 'discarded', {}, (rig) => [rig.push('r', part('{')), rig.tracker.abort({ discardPending: true })]],
  ])('[TL-%s] %s', (_rule, reason, options, make) => {
    const rig = live(options);
    make(rig);
    expect(rig.record()?.context.withheld).toBe(reason);
    // The first reason stays.
    rig.push('r', part('{', { approval: 1 }));
    expect(rig.record()?.context.withheld).toBe(reason);
  });

  it('[TL-R35, TL-R104] is remembered of history, and goes with the call that it becomes', async () => {
    const rig = new Rig();
    rig.push('r', part('{', { approval: 1 }), part('{', { id: 'd' }), part('{', { id: 'a', result: 1 }));
    await rig.tracker.abort({ discardPending: true });
    const reasons = () => ['t', 'd', 'a'].map((id) => rig.record(id)?.context.withheld);
    expect(reasons()).toEqual(['gate', 'discarded', null]);
    rig.push('r', ...['t', 'd', 'a'].map((id) => part('{}', { id })));
    expect(reasons()).toEqual(['gate', 'discarded', 'answered']);
  });
});

describe('who answers a call', () => {
  it.each([
    ['client', 'client'],
    ['provider', 'provider'],
    ['unknown', 'unknown'],
    ['server', 'unknown'],
    [undefined, 'unknown'],
    [{ secret: 1 }, 'unknown'],
  ])('[TL-R62] %j: %s', (given, owner) => {
    const rig = live({ owner: () => given as never });
    rig.push('r', part('{'));
    expect(rig.record()?.context.owner).toBe(owner);
  });
});

type Step = (rig: Rig) => unknown;
const seen =
  (run: 'r' | 's', text: string, options = {}): Step =>
  (rig) =>
    rig.push(run, part(text, options));
const result: Step = (rig) => rig.push('r', part('{}', { result: 1 }));
const gate: Step = (rig) => rig.push('s', part('{}', { approval: 1 }));
const asks: Step = (rig) => rig.started[0]?.human('?');
const ends: Step = (rig) => rig.started[0]?.resolve(1);
const discards: Step = (rig) => rig.tracker.abort({ discardPending: true });
const runs = [seen('s', '{}'), macrotask];
const toolless = seen('s', '{}', { name: 'none' });

/** What leads to a phase. Facts: its arguments are closed, it was answered, its start was decided on; its life. */
const WAYS: readonly (readonly [phase: string, steps: readonly Step[], facts: string, note?: string])[] = [
  ['streaming', [seen('r', '{')], '--- live'],
  ['streaming', [seen('r', '12'), seen('r', '12e')], '--- live', 'a whole text was a beginning'],
  ['streaming', [seen('s', '')], '--- live', 'its run closed without arguments'],
  ['waitingForRun', [seen('r', '{}')], '--- live'],
  ['handedOver', [seen('s', '{}')], 'c-- live'],
  ['handedOver', [seen('r', '{}'), seen('s', '{}')], 'c-- live', 'it waited'],
  ['executing', runs, 'c-s live'],
  ['executing', [...runs, gate], 'c-s live', 'a gate came'],
  ['executing', [...runs, result], 'cas live', 'a result came'],
  ['executing', [...runs, asks], 'c-s live', 'it asks'],
  ['executing', [...runs, asks, result], 'cas live', 'it asks, and a result came'],
  ['idle', [toolless, macrotask], 'c-s live'],
  ['skipped', [seen('s', '{}', { approval: 1 })], 'c-- live', 'a gate was there'],
  ['skipped', [seen('r', '{}'), gate], 'c-- live', 'a gate came while it waited'],
  ['skipped', [seen('s', '{}'), gate, macrotask], 'c-- live', 'a gate came before the start'],
  ['skipped', [...runs, gate, ends, macrotask], 'c-s over', 'a gate came while it ran'],
  ['skipped', [...runs, asks, gate, ends, macrotask], 'c-s over', 'a gate came while it asked'],
  ['discarded', [seen('r', '{'), discards], '--- over'],
  ['discarded', [seen('r', '{}'), discards], '--- over', 'it waited'],
  ['discarded', [seen('s', '{}'), discards], 'c-- over', 'it was handed over'],
  ['discarded', [seen('r', '{'), discards, seen('s', '{}')], 'c-- over', 'its text went on'],
  ['settledByProvider', [result], 'ca- over'],
  ['settledByProvider', [seen('r', '{}'), result], 'ca- over', 'it waited'],
  ['settledByProvider', [seen('s', '{}'), result], 'ca- over', 'it was handed over'],
  ['settledByProvider', [...runs, result, ends, macrotask], 'cas over', 'it ran'],
  ['settledByProvider', [...runs, asks, result, ends, macrotask], 'cas over', 'it asked'],
  ['settledByProvider', [toolless, macrotask, result], 'cas over', 'it was idle'],
  ['settledByProvider', [seen('r', '{}', { approval: 1 }), seen('s', '{}'), result], 'ca- over', 'it was skipped'],
  ['settledByProvider', [seen('r', '{'), discards, result], 'ca- over', 'it was discarded'],
  ['settledByClient', [...runs, ends, macrotask], 'c-s over'],
  ['settledByClient', [...runs, asks, ends, macrotask], 'c-s over', 'it asked'],
  ['settledByClient', [seen('s', '{"__proto__":1}'), macrotask], 'c-s over', 'its arguments were refused'],
];

/** As the facts of a way are written. */
function factsOf(record: Call | undefined): string {
  const { closed = false, answered = false, started = false, life } = record?.context ?? {};
  return `${closed ? 'c' : '-'}${answered ? 'a' : '-'}${started ? 's' : '-'} ${life}`;
}

describe('the phases of a call', () => {
  const ways = WAYS.map(([phase, steps, facts, note = '']) => {
    const question = phase === 'executing' && steps.includes(asks) ? 'asked' : 'none';
    const status = question === 'asked' ? 'interrupt' : 'executing';
    return { phase, steps, facts, note, question, status: phase === 'executing' ? status : undefined };
  });
  it.each(ways)(
    '[TL-R50, TL-R52, TL-R60, TL-R61, TL-R88, TL-R92, TL-R103, TL-R110] $phase $note',
    async ({ phase, steps, facts, question, status }) => {
      let reader: ToolReader | undefined;
      const tool: ToolSpec = {
        streamCall: (given) => {
          reader = given;
        },
        execute: (args: unknown, context) => rig.execute(args, context, 'hang'),
      };
      const rig: Rig = live({ tool });
      // Its callback has started, if its tool has one.
      for (const step of steps[0] === toolless ? steps : [seen('r', ''), macrotask, ...steps]) {
        const made = step(rig);
        if (step === macrotask) await made;
      }
      const record = rig.record();
      expect(record?.place.value).toMatchObject({ phase, question, text: 'read' });
      expect([factsOf(record), record?.context.asker]).toEqual([facts, question === 'asked' ? 'executor' : null]);
      expect(rig.status()).toBe(status);
      expect(rig.results).toHaveLength(phase === 'settledByClient' ? 1 : 0);
      rig.tracker.reset();
      expect(record?.place.value).toMatchObject({ phase: 'retired', question: 'none' });
      expect(record?.feed).toBe(undefined);
      await rig.started[0]?.human('late').catch(() => undefined);
      expect(record?.place.value['question']).toBe('none');
      expect([record?.context.life, record?.context.asker]).toEqual(['over', null]);
      const heard = await reader?.response.get().then(
        () => 'a result',
        () => 'nothing',
      );
      const isSettled = facts[1] === 'a' || phase === 'settledByClient';
      if (steps[0] !== toolless) expect(heard).toBe(isSettled ? 'a result' : 'nothing');
    },
  );

  it('[TL-R12, TL-R32, TL-R92] of history are restored, until another record takes its place', () => {
    for (const end of ['changes', 'is adopted', 'is dropped']) {
      const rig = new Rig();
      rig.push('r', part('{'));
      const record = rig.record();
      expect(record?.place.value).toMatchObject({ phase: 'restored', text: 'unread' });
      rig.push('r', part('{'));
      expect([record?.phase, record?.context.life]).toEqual(['restored', 'history']);
      if (end === 'changes') rig.push('r', part('{}'));
      if (end === 'is adopted') rig.tracker.adopt('t');
      if (end === 'is dropped') rig.tracker.reset();
      expect([record?.phase, record?.context.life]).toEqual(['retired', 'over']);
    }
  });
});

describe('the question of a call', () => {
  it.each(['resume', 'result', 'abort', 'refusal', 'reset'])(
    '[TL-R83, TL-R85, TL-R120] is none after a %s',
    async (end) => {
      let human: ToolContext['human'] | undefined;
      const rig: Rig = live({
        tool: {
          streamCall: (_reader, context) => {
            human = context.human;
          },
          execute: () => undefined,
        },
      });
      const text = end === 'refusal' ? '{"__proto__":1}' : '{}';
      rig.push('r', part(text));
      await macrotask();
      void human?.('?');
      const record = rig.record();
      const now = () => [record?.place.value['question'], record?.context.asker];
      expect(now()).toEqual(['asked', 'callback']);
      if (end === 'resume') rig.tracker.resume('t');
      if (end === 'result') rig.push('r', part(text, { result: 1 }));
      if (end === 'abort') void rig.tracker.abort();
      if (end === 'refusal') rig.push('s', part(text));
      if (end === 'reset') rig.tracker.reset();
      await macrotask();
      expect(now()).toEqual(['none', null]);
    },
  );

  it('[TL-R82] is refused to a callback that asks once more while it is discarded', async () => {
    const heard: unknown[] = [];
    const rig = live({
      tool: {
        streamCall: (_reader, { human, abortSignal }) => {
          const ask = () => void human('?').catch((error: Error) => heard.push(error.message));
          abortSignal.addEventListener('abort', ask);
          ask();
        },
      },
    });
    rig.push('r', part('{'));
    await macrotask();
    await rig.tracker.abort({ discardPending: true });
    await macrotask();
    expect(heard).toEqual(Array(2).fill('Tool execution aborted'));
  });
});

describe('how far a call has come', () => {
  it('[TL-R80, TL-R84, TL-R88] is interrupted while a question is parked, also one from before it started', async () => {
    const contexts: ToolContext[] = [];
    const rig: Rig = live({
      tool: {
        streamCall: (_reader, context) => void contexts.push(context),
        execute: (args: unknown, context) => rig.execute(args, context, 'hang'),
      },
    });
    const ids = ['t', 'resumed', 'never'];
    rig.push('r', ...ids.map((id) => part('{}', { id })));
    await macrotask();
    for (const context of contexts.slice(0, 2)) void context.human('?');
    rig.tracker.resume('resumed', 1);
    rig.push('s', ...ids.map((id) => part('{}', { id })));
    await macrotask();
    const phases = () => ids.map((id) => rig.record(id)?.phase);
    const shown = () => ids.map((id) => rig.status(id));
    expect(phases()).toEqual(Array(3).fill('executing'));
    expect(shown()).toEqual(['interrupt', 'executing', 'executing']);
    rig.tracker.resume('t', 1);
    void rig.started[2]?.human('?');
    expect(shown()).toEqual(['executing', 'executing', 'interrupt']);
    void rig.tracker.abort();
    expect(shown()).toEqual(Array(3).fill('executing'));
    await macrotask();
    expect(phases()).toEqual(Array(3).fill('settledByClient'));
    expect(rig.record()?.context.life).toBe('over');
  });

  it('[TL-R131] counts boundaries up', () => {
    const rig = live();
    const boundary = () => rig.tracker.place.context.boundary;
    expect(boundary()).toBe(1);
    rig.tracker.fail(new Error('driver'));
    rig.push('s');
    expect(boundary()).toBe(2);
    rig.tracker.reset();
    expect(boundary()).toBe(3);
  });
});
