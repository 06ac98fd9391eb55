import { describe, expect, it } from 'vitest';
import type { Settlement } from '../../../src/requests/api.ts';
import { callerValue } from '../../../src/requests/outcomes.ts';
import { answer, failure } from '../../../src/testing/requests/rig.ts';
import { RequestRig } from '../support/rig.ts';

describe('send', () => {
  it('[RQ-R18][RQ-R24] resolves once with what was committed, and nothing is left', async () => {
    const rig = new RequestRig();
    rig.peer('a');
    const { signal } = new AbortController();
    const asked = rig.ask('window.title', {}, { timeoutMs: 1_000, signal });
    expect(rig.requests.resolveResponse(answer(asked.id))).toBe(true);
    expect(rig.runtime.timers).toBe(0);
    expect(await asked.outcome()).toEqual({ kind: 'answered', result: { value: 'yes' }, via: 'response' });
    rig.runtime.advance(5_000);
    await asked.outcome();
    expect(asked.settledTimes).toBe(1);
    expect(rig.requests.openRequestCount()).toBe(0);
    expect(rig.requests.openRequests('s')).toEqual([]);
  });

  it('[RQ-R19] the deadline takes it back once, with what was locked', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const asked = rig.batch(['q0', 'q1'], { timeoutMs: 1_000 });
    rig.requests.lockAnswer(asked.id, 'q1', 'green');
    rig.runtime.advance(999);
    expect(peer.ofKind('cancel')).toEqual([]);
    rig.runtime.advance(1);
    expect(await asked.outcome()).toEqual({ kind: 'timed_out', locked: { q1: 'green' } });
    expect(peer.ofKind('cancel')).toMatchObject([{ id: asked.id, method: 'clarify', reason: 'timeout' }]);
    expect(rig.requests.resolveResponse(answer(asked.id, { answers: {} }), peer)).toBe(false);
    expect(peer.ofKind('settled')).toEqual([]);
  });

  it('[RQ-R19][RQ-R05][A3] an answer that is processed first wins over a deadline that has passed already', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    // The other timer of the same instant answers first.
    let accepted: boolean | undefined;
    rig.runtime.after(1_000, () => {
      accepted = rig.requests.resolveResponse(answer(asked.id), peer);
    });
    const asked = rig.ask('window.title', {}, { timeoutMs: 1_000 });
    rig.runtime.advance(1_000);
    expect(accepted).toBe(true);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered' });
    expect(peer.ofKind('cancel')).toEqual([]);
  });

  it('[RQ-R20] what legacy callers see', () => {
    const timedOut: Settlement = { kind: 'timed_out', locked: { q0: null } };
    expect(callerValue(timedOut, true)).toEqual({ answers: { q0: null }, timed_out: true });
    expect(callerValue({ kind: 'timed_out', locked: {} }, true)).toEqual({ answers: {}, timed_out: true });
    expect(callerValue(timedOut, false)).toBeNull();
    expect(callerValue({ kind: 'answered', result: { a: 1 }, via: 'response' }, true)).toEqual({ a: 1 });
    for (const other of [
      { kind: 'unanswerable' },
      { kind: 'failed', error: {} },
      { kind: 'cancelled', reason: 'interrupted' },
    ] as const) {
      expect(callerValue(other, true)).toBeNull();
    }
  });

  it('[RQ-R21] an interrupt takes it back and rejects with its reason', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const controller = new AbortController();
    const asked = rig.ask('window.title', {}, { timeoutMs: 1_000, signal: controller.signal });
    const why = new Error('the turn was interrupted');
    controller.abort(why);
    await asked.done;
    expect(asked.error).toBe(why);
    expect(peer.ofKind('cancel')).toMatchObject([{ reason: 'interrupted' }]);
    expect(rig.runtime.timers).toBe(0);
    expect(rig.requests.openRequestCount()).toBe(0);
  });

  it('[RQ-R21] a later interrupt does not throw an accepted answer away', async () => {
    const rig = new RequestRig();
    const controller = new AbortController();
    const asked = rig.ask('window.title', {}, { signal: controller.signal });
    rig.requests.resolveResponse(answer(asked.id));
    controller.abort();
    expect(await asked.outcome()).toMatchObject({ kind: 'answered' });
    expect(asked.error).toBeUndefined();
  });

  it('[RQ-R21] an interrupt from inside the write', async () => {
    const rig = new RequestRig();
    const controller = new AbortController();
    const first = rig.peer('first');
    const second = rig.peer('second');
    first.onFrame = () => controller.abort('stop');
    const asked = rig.ask('window.title', {}, { signal: controller.signal });
    await asked.done;
    expect(asked.error).toBe('stop');
    expect(first.seen.map(({ kind }) => kind)).toEqual(['request', 'cancel']);
    expect(second.seen).toEqual([]);
  });

  it.each([1, 2])(
    '[RQ-R12] others that join under its key from inside a write that throws are told once (%i peers)',
    (peers) => {
      const rig = new RequestRig();
      const told: Record<string, unknown[]> = { first: [], second: [] };
      const ask = (who: 'first' | 'second') =>
        rig.requests.sendAsync('window.title', 's', {}, (...said) => told[who]?.push(said), { key: 'one' });
      if (peers === 2) rig.peer('whole');
      const broken = rig.peer('broken');
      broken.send = (frame) => {
        if ('method' in frame && frame.method !== 'window.title') return true;
        ask('second');
        throw new Error('EPIPE');
      };
      expect(() => ask('first')).toThrow('EPIPE');
      expect(told).toEqual({ first: [], second: [[null, { kind: 'cancelled', reason: 'session_closed' }]] });
      expect(rig.requests.openRequestCount()).toBe(0);
      broken.send = () => true;
      ask('first');
      expect(rig.requests.openRequestCount()).toBe(1);
    },
  );

  it('[RQ-R22] an interrupt that came before rejects, and nothing is asked', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const asked = rig.ask('no.contract', {}, { signal: AbortSignal.abort('gone') });
    await asked.done;
    expect(asked.error).toBe('gone');
    expect(peer.seen).toEqual([]);
  });

  it('[RQ-R23] an error response ends it at once', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const asked = rig.ask('window.title', {}, { timeoutMs: 60_000 });
    expect(rig.requests.resolveResponse(failure(asked.id, -32601, 'unknown'), peer)).toBe(true);
    expect(await asked.outcome()).toEqual({ kind: 'failed', error: { code: -32601, message: 'unknown' } });
  });

  it('[RQ-R24] the signal is let go of on every path', async () => {
    const rig = new RequestRig();
    rig.peer('a');
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const ways = [
      (id: string) => rig.requests.resolveResponse(answer(id)),
      (id: string) => rig.requests.resolveResponse(failure(id, 1)),
      () => rig.requests.cancel('s'),
      () => rig.runtime.advance(1_000),
    ];
    for (const way of ways) {
      const asked = rig.ask('window.title', {}, { timeoutMs: 1_000, signal });
      expect(listeners).toBe(1);
      way(asked.id);
      await asked.done;
      expect(listeners).toBe(0);
      expect(rig.runtime.timers).toBe(0);
    }
  });

  it('without a deadline it waits, and is given up only where that was asked for (F-40)', async () => {
    const rig = new RequestRig();
    rig.ask();
    rig.runtime.advance(1e9);
    expect(rig.requests.openRequestCount()).toBe(1);
    const bounded = new RequestRig({ maxUnattendedMs: 5_000 });
    const lonely = bounded.ask();
    bounded.runtime.advance(4_000);
    const watched = bounded.ask('window.title', {}, {}, 't');
    const peer = bounded.peer('a', ['t']);
    bounded.runtime.advance(60_000);
    expect(await lonely.outcome()).toEqual({ kind: 'cancelled', reason: 'session_closed' });
    expect(await watched.outcome()).toBeUndefined();
    bounded.requests.forget(peer);
    bounded.runtime.advance(60_000);
    expect(bounded.requests.openRequestCount()).toBe(1);
  });
});
