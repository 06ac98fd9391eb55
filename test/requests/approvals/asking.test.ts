/** Asking: who is asked, in which order, and what a card offers. */
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../../src/runtime.ts';
import { HandRuntime } from '../../../src/testing/hand-runtime.ts';
import { RpcRefusal } from '../../../src/wire/errors.ts';
import { breathe, KEY, Rig, surface } from './support.ts';

describe('asking', () => {
  it('[RQ-R79] queues first in, first out, for each key by itself', async () => {
    const rig = new Rig();
    const [a, b, other] = [rig.ask('a'), rig.ask('b'), rig.ask('c', {}, 'other')];
    expect(rig.ids()).toEqual(['a', 'b']);
    expect(rig.ids('other')).toEqual(['c']);
    expect(rig.approvals.resolve(KEY, 'once')).toBe(1);
    await breathe();
    expect([a.verdict?.choice, b.verdict, other.verdict]).toEqual(['once', undefined, undefined]);
  });

  it('[RQ-R79] gives each its own deadline, fixed when it enters, and never one in the past', async () => {
    const rig = new Rig();
    const late = rig.ask('late', { timeoutMs: 50 });
    const now = rig.ask('now', { timeoutMs: -5 });
    rig.runtime.advance(10);
    const later = rig.ask('later', { timeoutMs: 50 });
    await breathe();
    expect(now.verdict).toMatchObject({ resolved: false, choice: null });
    rig.runtime.advance(45);
    await breathe();
    expect([late.ends, later.ends]).toEqual([1, 0]);
    rig.runtime.advance(5);
    await breathe();
    expect(later.ends).toBe(1);
  });

  it('[RQ-R80] tells how long it still waits, and no clock value', () => {
    const rig = new Rig();
    rig.ask('a', { timeoutMs: 1_000 });
    rig.ask('b', { timeoutMs: null });
    rig.runtime.advance(400);
    const [a, b] = rig.approvals.pending(KEY);
    expect([a?.expires_in_ms, b?.expires_in_ms]).toEqual([600, null]);
    const now = String(rig.runtime.now()).slice(0, 6);
    expect(JSON.stringify([rig.card.shown, rig.approvals.pending(KEY)])).not.toContain(now);
  });

  it('[RQ-R79] waits longer than a timer of the platform can', async () => {
    const runtime = new HandRuntime();
    const platform: Runtime = {
      now: () => runtime.now(),
      id: () => runtime.id(),
      soon: (callback) => runtime.soon(callback),
      after: (ms, callback) => runtime.after(ms > 2 ** 31 - 1 ? 1 : ms, callback),
    };
    const rig = new Rig({ runtime: platform, onHeartbeat: undefined });
    const asking = rig.ask('a', { timeoutMs: 2 ** 32 });
    runtime.advance(2 ** 32 - 1);
    await breathe();
    expect(asking.ends).toBe(0);
    runtime.advance(1);
    await breathe();
    expect(asking.verdict?.resolved).toBe(false);
  });

  it('[RQ-R81] goes through the hook before, the surfaces, the wait, and the hook after', async () => {
    const order: string[] = [];
    const rig = new Rig({
      hooks: { before: () => void order.push('before'), after: () => void order.push('after') },
      notify: [() => void order.push('shown') as undefined],
    });
    const asking = rig.ask('a');
    expect(order).toEqual(['before', 'shown']);
    rig.approvals.attachHook(KEY, 'a', () => void order.push('taken away'));
    rig.approvals.resolve(KEY, 'once');
    expect(rig.ids()).toEqual([]);
    await asking.promise;
    expect(order).toEqual(['before', 'shown', 'taken away', 'after']);
  });

  it('[RQ-R81] ends as notify_failed when no surface could be told, and only then', async () => {
    const failing = () => {
      throw new Error('no screen');
    };
    const none = new Rig({ notify: [failing, failing] });
    const lost = none.ask('a');
    await breathe();
    expect(lost.verdict).toMatchObject({ resolved: false, choice: null, notify_failed: true });
    expect(none.after).toMatchObject([{ outcome: 'notify_failed' }]);
    expect([none.ids(), none.approvals.count()]).toEqual([[], 0]);
    const some = new Rig({ notify: [failing, surface()] });
    some.ask('a');
    expect(some.ids()).toEqual(['a']);
  });

  it('[RQ-R81] a surface whose turn comes after the end is not told at all', async () => {
    const rig: Rig = new Rig({
      notify: [() => void rig.approvals.resolve(KEY, 'deny') as undefined, (card) => later(card)],
    });
    const later = surface();
    const asking = rig.ask('a');
    expect((await asking.promise).choice).toBe('deny');
    expect(later.shown).toEqual([]);
  });

  it('[RQ-R82] tells that a person is waited for every ten seconds, once a key, and not afterwards', async () => {
    const rig = new Rig();
    rig.ask('a');
    rig.twin('b');
    rig.twin('c');
    rig.runtime.advance(9_999);
    expect(rig.beats).toEqual([]);
    rig.runtime.advance(10_001);
    expect(rig.beats).toEqual([KEY, KEY]);
    rig.approvals.resolve(KEY, 'deny', { all: true });
    await breathe();
    rig.runtime.advance(60_000);
    expect(rig.beats).toHaveLength(2);
    expect(rig.runtime.timers).toBe(0);
  });

  it('[RQ-R100] offers what may be chosen', () => {
    const rig = new Rig();
    rig.ask('plain');
    rig.ask('smart', { smartDenied: true });
    rig.ask('passing', { allowPermanent: false });
    rig.ask('own', { choices: ['deny', 'session'] });
    expect(rig.approvals.pending(KEY).map(({ choices }) => choices)).toEqual([
      ['once', 'session', 'always', 'deny'],
      ['once', 'deny'],
      ['once', 'session', 'deny'],
      ['session', 'deny'],
    ]);
  });

  it.each([
    ['choices', { choices: ['once'] }],
    ['choices', { choices: ['maybe', 'deny'] }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['command', { command: 5 }],
    ['approvalId', { approvalId: '' }],
    ['args', { args: { at: Number.NaN } }],
  ])('[RQ-R79] refuses a bad %s and asks nobody', async (field, bad) => {
    const rig = new Rig();
    const asking = rig.ask('a', bad as object);
    await breathe();
    expect(asking.error).toMatchObject({ code: 'invalid_input', field });
    expect([rig.card.shown, rig.ledger.commits]).toEqual([[], 0]);
  });

  it('[RQ-R79] refuses a flood aloud, and harms nothing that is pending', async () => {
    const rig = new Rig({ limits: { perKey: 3 } });
    for (const id of ['a', 'b', 'c']) rig.ask(id);
    const more = rig.ask('d');
    const twin = rig.ask('e', { command: 'run a' });
    await breathe();
    expect(more.error).toBeInstanceOf(RpcRefusal);
    expect(more.error).toMatchObject({ code: 5004 });
    expect(rig.ids()).toEqual(['a', 'b', 'c']);
    expect(twin.ends).toBe(0);
  });
});
