/** What the record of a call says of it: how far it has come, and why it does not run. */
import { describe, expect, it } from 'vitest';
import { macrotask, part, type RigOptions } from '../../src/testing/tools/rig.ts';
import type { ToolContext } from '../../src/tools/types.ts';
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
    expect(phases()).toEqual(['interrupted', 'executing', 'executing']);
    rig.tracker.resume('t', 1);
    void rig.started[2]?.human('?');
    expect(phases()).toEqual(['executing', 'executing', 'interrupted']);
    void rig.tracker.abort();
    expect(phases()).toEqual(Array(3).fill('executing'));
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
