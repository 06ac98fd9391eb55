/** How an approval ends without a decision, and what can be seen of those that are pending. */
import { describe, expect, it } from 'vitest';
import { breathe, KEY, Rig, SID } from './support.ts';

describe('other ways out', () => {
  it('[RQ-R91] a withdrawal is no denial', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    expect(rig.approvals.withdraw(KEY, 'a', 'not needed')).toBe(true);
    expect(rig.approvals.withdraw(KEY, 'a', 'again')).toBe(false);
    expect(rig.approvals.withdraw(KEY, 'never', 'x')).toBe(false);
    expect(await asking.promise).toMatchObject({ resolved: true, choice: null, cancelled: 'not needed' });
  });

  it.each(['clear', 'notifierGone'] as const)('[RQ-R92] %s wakes every entry of the key', async (way) => {
    const rig = new Rig();
    const [a, b, other] = [rig.ask('a'), rig.twin('b'), rig.ask('c', {}, 'other')];
    const follower = rig.twin('f');
    expect(rig.approvals[way](KEY, 'the turn ended')).toBe(2);
    await breathe();
    for (const { verdict } of [a, b, follower]) {
      expect(verdict).toMatchObject({ resolved: true, choice: null, cancelled: 'the turn ended' });
    }
    expect([other.ends, rig.approvals.count()]).toEqual([0, 1]);
  });

  it('[RQ-R92] the end of a session takes its decisions that have not started, and its session permissions', async () => {
    const rig = new Rig();
    const once = await decided(rig, 'a', 'once');
    const always = await decided(rig, 'b', 'always');
    const session = await decided(rig, 'c', 'session');
    expect(rig.approvals.standing(KEY).map(({ choice }) => choice)).toEqual(['always', 'session']);
    rig.approvals.clear(KEY, 'over');
    for (const verdict of [once, always, session]) {
      expect(rig.approvals.claim(verdict.approvalId, verdict.digest)).toEqual({ ok: false, why: 'not_granted' });
    }
    expect(rig.approvals.standing(KEY).map(({ choice }) => choice)).toEqual(['always']);
    expect((await rig.ask('b2', { command: 'run b' }).promise).choice).toBe('always');
    rig.ask('c2', { command: 'run c' });
    expect(rig.ids()).toEqual(['c2']);
  });

  it('[RQ-R90] an interrupt fails closed, with its cause from the signal and not from a text', async () => {
    const rig = new Rig();
    for (const [reason, cause] of [
      [undefined, 'interrupted'],
      ['shutdown', 'shutdown'],
      ['please approve', 'interrupted'],
      [new Error('shutdown'), 'interrupted'],
    ] as const) {
      const abort = new AbortController();
      const asking = rig.ask('a', { signal: abort.signal });
      abort.abort(reason);
      expect(await asking.promise).toMatchObject({ resolved: true, choice: 'deny', cancelled: cause });
      expect(asking.verdict?.superseded).toBeUndefined();
    }
    expect(rig.ids()).toEqual([]);
  });

  it('[RQ-R90] interrupted after the decision and before it was read: denied, and the decision is named', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    const asking = rig.ask('a', { signal: abort.signal });
    expect(rig.approvals.resolve(KEY, 'once')).toBe(1);
    abort.abort();
    const verdict = await asking.promise;
    expect(verdict).toMatchObject({ resolved: true, choice: 'deny', cancelled: 'interrupted', superseded: 'once' });
    expect(rig.card.shown[0]?.taken).toEqual(['resolved']);
    expect(rig.approvals.claim('a', verdict.digest)).toEqual({ ok: false, why: 'not_granted' });
    expect(rig.after).toMatchObject([{ outcome: 'interrupted' }]);
  });

  it('[RQ-R90] a signal that has been used already asks nobody', async () => {
    const rig = new Rig();
    const asking = rig.ask('a', { signal: AbortSignal.abort() });
    expect(await asking.promise).toMatchObject({ choice: 'deny', cancelled: 'interrupted' });
    expect([rig.card.shown, rig.ledger.commits]).toEqual([[], 0]);
  });

  it('[RQ-R90] of two calls that wait for the same approval only the interrupted one leaves', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    const [first, second] = [rig.ask('a', { signal: abort.signal }), rig.ask('a')];
    abort.abort();
    await breathe();
    expect([first.verdict?.choice, second.ends, rig.ids()]).toEqual(['deny', 0, ['a']]);
    rig.approvals.resolve(KEY, 'once');
    expect((await second.promise).choice).toBe('once');
    expect(rig.card.shown).toHaveLength(1);
    expect(rig.after).toHaveLength(1);
  });

  it('[RQ-R90] of two calls the one that is interrupted after the decision names it, and the other has it', async () => {
    for (const isFirst of [true, false]) {
      const rig = new Rig();
      const abort = new AbortController();
      const signals = isFirst ? [abort.signal, undefined] : [undefined, abort.signal];
      const asked = signals.map((signal) => rig.ask('a', { signal }));
      rig.approvals.resolve(KEY, 'once');
      abort.abort();
      await breathe();
      const [cut, whole] = isFirst ? asked : asked.reverse();
      expect(cut?.verdict).toMatchObject({ choice: 'deny', cancelled: 'interrupted', superseded: 'once' });
      expect(whole?.verdict).toMatchObject({ resolved: true, choice: 'once' });
      expect(rig.approvals.claim('a', whole?.verdict?.digest ?? '').ok).toBe(true);
    }
  });

  it('[I1] every waiter settles when the queue is shut down, and nothing is left behind', async () => {
    const rig = new Rig();
    const asked = [rig.ask('a'), rig.twin('b'), rig.twin('c')];
    rig.approvals.withdraw(KEY, 'a', 'cancelled');
    rig.approvals.shutdown();
    const late = rig.ask('late');
    await breathe();
    expect([...asked, late].map(({ verdict }) => verdict?.cancelled)).toEqual([
      'cancelled',
      'shutdown',
      'shutdown',
      'shutdown',
    ]);
    expect([...asked, late].map(({ verdict }) => verdict?.choice)).toEqual([null, null, null, null]);
    expect(rig.runtime.timers).toBe(0);
  });

  it('[E9] a surface is told after the verdict, and never "resolved" when nobody waited any more', async () => {
    const rig = new Rig();
    rig.ask('a', { timeoutMs: 10 });
    rig.runtime.advance(10);
    expect(rig.approvals.resolve(KEY, 'once', { requestId: 'a' })).toBe(0);
    expect(rig.card.shown[0]?.taken).toEqual(['timeout']);
    await breathe();
    const asking = rig.ask('b');
    const order: string[] = [];
    rig.ledger.onCommit = () => void order.push('committed');
    rig.approvals.attachHook(KEY, 'b', () => void order.push('edited'));
    rig.approvals.resolve(KEY, 'once', { requestId: 'b' });
    expect(order).toEqual(['committed', 'edited']);
    await asking.promise;
  });
});

describe('looking', () => {
  it('[RQ-R101] lists copies of what is pending, and a receipt settles nothing', () => {
    const rig = new Rig();
    rig.ask('a');
    const [seen] = rig.approvals.pending(KEY);
    expect(() => Object.assign(seen as object, { command: 'other' })).toThrow();
    expect(rig.approvals.received(KEY, 'a')).toBe(true);
    expect(rig.approvals.received(KEY, 'a')).toBe(true);
    expect(rig.approvals.received(KEY, 'never')).toBe(false);
    expect(rig.approvals.pending(KEY)).toMatchObject([{ approval_id: 'a', request_id: 'a', acknowledged: true }]);
    expect(() => rig.approvals.received(KEY, '')).toThrow(expect.objectContaining({ code: 4006 }));
  });

  it('[RQ-R103] counts entries of all queues, and no followers', () => {
    const rig = new Rig();
    rig.ask('a');
    rig.ask('b', {}, 'other');
    rig.twin('c');
    rig.twin('d');
    expect(rig.approvals.count()).toBe(3);
    rig.approvals.resolve(KEY, 'deny', { all: true });
    expect(rig.approvals.count()).toBe(1);
  });

  it('[RQ-R102] respond finds the session by its live id, by the request, or by its stored key', () => {
    const rig = new Rig();
    const respond = (params: object): unknown => rig.approvals.respond({ choice: 'once', ...params });
    rig.ask('a');
    expect(respond({ sid: SID })).toEqual({ resolved: 1 });
    rig.ask('b');
    expect(respond({ sid: 'stale', request_id: 'b' })).toEqual({ resolved: 1 });
    rig.ask('c');
    expect(respond({ sid: KEY })).toEqual({ resolved: 1 });
    expect(() => respond({ sid: 'stale' })).toThrow(expect.objectContaining({ code: 4001 }));
    expect(() => respond({ sid: 'stale', request_id: 'gone' })).toThrow(expect.objectContaining({ code: 4001 }));
    expect(() => respond({})).toThrow(expect.objectContaining({ code: 4006 }));
  });

  it('[RQ-R102] respond decides the card that is named, also where one window shows the cards of two keys', () => {
    const rig = new Rig();
    rig.ask('a', {}, 'before');
    rig.ask('b', {}, 'after');
    expect(rig.approvals.respond({ sid: SID, request_id: 'b', choice: 'once' })).toEqual({ resolved: 1 });
    expect([rig.ids('before'), rig.ids('after')]).toEqual([['a'], []]);
  });

  it.each(['false', 'no', 1, {}])('[RQ-R86] %j is not for all', (all) => {
    const rig = new Rig();
    for (const id of ['a', 'b']) rig.ask(id);
    expect(rig.approvals.respond({ sid: SID, request_id: 'a', choice: 'once', all: all as never })).toEqual({
      resolved: 1,
    });
    expect(rig.ids()).toEqual(['b']);
  });

  it('[RQ-R102] respond denies by default, knows the live sessions of the host, and refuses what was not offered', async () => {
    const rig = new Rig({ keyOf: (sid) => (sid === 'live-9' ? KEY : undefined) });
    expect(rig.approvals.respond({ sid: 'live-9' })).toEqual({ resolved: 0 });
    const asking = rig.ask('a', { smartDenied: true });
    for (const choice of ['always', 'sure']) {
      expect(() => rig.approvals.respond({ sid: 'live-9', choice })).toThrow(expect.objectContaining({ code: 4002 }));
    }
    expect(rig.ids()).toEqual(['a']);
    expect(rig.approvals.respond({ sid: 'live-9' })).toEqual({ resolved: 1 });
    expect((await asking.promise).choice).toBe('deny');
  });
});

async function decided(rig: Rig, id: string, choice: string) {
  const asking = rig.ask(id);
  rig.approvals.resolve(KEY, choice, { requestId: id });
  return asking.promise;
}
