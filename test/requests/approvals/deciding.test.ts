/** Deciding: what a person's word does, and to whom. */
import { describe, expect, it } from 'vitest';
import { breathe, KEY, Rig, releases } from './support.ts';

describe('deciding', () => {
  it('[RQ-R83, RQ-I17] reads the choice in the step that removes the entry, so a later deadline finds nothing', async () => {
    const rig = new Rig();
    const asking = rig.ask('a', { timeoutMs: 100 });
    rig.approvals.attachHook(KEY, 'a', () => rig.runtime.advance(1_000));
    expect(rig.approvals.resolve(KEY, 'once', { reason: 'looks fine' })).toBe(1);
    expect(await asking.promise).toEqual({
      approvalId: 'a',
      digest: expect.any(String),
      resolved: true,
      choice: 'once',
      reason: 'looks fine',
    });
  });

  it('[A3] [RQ-I18] answer and deadline in the same tick: one of them wins, and both sides are told the same', async () => {
    for (const isFirst of [true, false]) {
      const rig = new Rig();
      const asking = rig.ask('a', { timeoutMs: 120_000 });
      let count = -1;
      if (isFirst) count = rig.approvals.resolve(KEY, 'once');
      rig.runtime.advance(120_000);
      if (!isFirst) count = rig.approvals.resolve(KEY, 'once');
      await breathe();
      expect(asking.ends).toBe(1);
      expect(count).toBe(isFirst ? 1 : 0);
      expect(releases(asking.verdict)).toBe(isFirst);
      expect(rig.approvals.claim('a', asking.verdict?.digest ?? '').ok).toBe(isFirst);
    }
  });

  it('[B1] two decisions at once: one counts, the other is told that nothing happened', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    expect([
      rig.approvals.resolve(KEY, 'once', { requestId: 'a', author: { surface: 'page' } }),
      rig.approvals.resolve(KEY, 'deny', { requestId: 'a', author: { surface: 'terminal' } }),
    ]).toEqual([1, 0]);
    await breathe();
    expect(asking.verdict?.choice).toBe('once');
    expect(rig.ledger.events.filter((event) => event === 'approval_decided')).toHaveLength(1);
  });

  it('[RQ-R84] runs every hook once, after the commit, with the reason; one that throws changes nothing', async () => {
    const seen: string[] = [];
    const rig = new Rig();
    const hook = (name: string) => (reason: string) => {
      seen.push(`${name} ${reason} ${rig.ids().length}`);
      if (name === 'x') throw new Error('hook');
    };
    for (const [id, reason] of [
      ['a', 'resolved'],
      ['b', 'session_closed'],
      ['c', 'timeout'],
      ['d', 'interrupted'],
    ] as const) {
      const abort = new AbortController();
      const asking = rig.ask(id, { timeoutMs: 1_000, signal: abort.signal });
      rig.approvals.attachHook(KEY, id, hook('x'));
      rig.approvals.attachHook(KEY, id, hook('y'));
      if (reason === 'resolved') rig.approvals.resolve(KEY, 'once');
      if (reason === 'session_closed') rig.approvals.withdraw(KEY, id, 'gone');
      if (reason === 'timeout') rig.runtime.advance(1_000);
      if (reason === 'interrupted') abort.abort();
      await breathe();
      expect(asking.ends).toBe(1);
      expect(seen.splice(0)).toEqual([`x ${reason} 0`, `y ${reason} 0`]);
    }
    expect(rig.card.shown.map(({ taken }) => taken)).toEqual([
      ['resolved'],
      ['session_closed'],
      ['timeout'],
      ['interrupted'],
    ]);
  });

  it('[RQ-R84, RQ-I19] a hook that comes too late is refused and never runs', () => {
    const rig = new Rig();
    rig.ask('a');
    rig.approvals.resolve(KEY, 'deny');
    let ran = 0;
    expect(rig.approvals.attachHook(KEY, 'a', () => void ran++)).toBe(false);
    expect(rig.approvals.attachHook(KEY, 'never', () => void ran++)).toBe(false);
    expect(ran).toBe(0);
  });

  it('[RQ-R85] counts exactly the waiters that report the choice', async () => {
    const rig = new Rig();
    const all = ['a', 'b', 'c'].map((id) => rig.ask(id));
    expect(rig.approvals.resolve(KEY, 'session', { all: true, reason: 'go' })).toBe(3);
    await breathe();
    expect(all.map(({ verdict }) => [verdict?.choice, verdict?.reason])).toEqual(all.map(() => ['session', 'go']));
  });

  it('[C5] [RQ-R86] decides the one that is named, not the oldest', async () => {
    const rig = new Rig();
    const [a, b] = [rig.ask('a'), rig.ask('b')];
    rig.approvals.resolve(KEY, 'once', { requestId: 'b' });
    await breathe();
    expect([a.ends, b.verdict?.choice]).toEqual([0, 'once']);
  });

  it('[C4] two calls of the same tool are decided in either order', async () => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const rig = new Rig();
      const asked = { a: rig.ask('a', { tool: 't', args: 1 }), b: rig.ask('b', { tool: 't', args: 2 }) };
      for (const id of order) expect(rig.approvals.resolve(KEY, 'once', { requestId: id })).toBe(1);
      await breathe();
      expect([asked.a.verdict?.choice, asked.b.verdict?.choice]).toEqual(['once', 'once']);
    }
  });

  it('[H4] a second approval in the same run is put and answered like the first', async () => {
    const rig = new Rig();
    for (const id of ['first', 'second']) {
      const asking = rig.ask(id);
      expect(rig.approvals.resolve(KEY, 'once', { requestId: id })).toBe(1);
      expect((await asking.promise).choice).toBe('once');
    }
    expect(rig.card.shown.map(({ view }) => view.request_id)).toEqual(['first', 'second']);
  });

  it('[RQ-R86, RQ-I23] all with a pending id decides all of the key; with a stale id nothing', async () => {
    const rig = new Rig();
    rig.ask('a');
    rig.ask('b');
    rig.ask('c', {}, 'other');
    expect(rig.approvals.resolve(KEY, 'once', { all: true, requestId: 'gone' })).toBe(0);
    expect(rig.ids()).toEqual(['a', 'b']);
    expect(rig.approvals.resolve(KEY, 'once', { all: true, requestId: 'b' })).toBe(2);
    expect([rig.ids(), rig.ids('other')]).toEqual([[], ['c']]);
  });

  it('[C13] [RQ-R87] with nothing pending a word decides nothing: it is an ordinary message', () => {
    const rig = new Rig();
    expect(rig.approvals.resolve(KEY, 'once')).toBe(0);
    expect(rig.approvals.resolve(KEY, 'yes')).toBe(0);
    expect([rig.ledger.commits, rig.ledger.files.size, rig.lines]).toEqual([0, 0, []]);
  });

  it('[D4] [RQ-R87] an answer to what was never asked changes nothing, and is on record', () => {
    const rig = new Rig();
    rig.ask('a');
    const before = new Map(rig.ledger.files);
    expect(rig.approvals.resolve(KEY, 'once', { requestId: 'forged', author: { surface: 'page', who: 'w1' } })).toBe(0);
    expect(rig.ledger.files).toEqual(before);
    expect(rig.ledger.notes.at(-1)).toMatchObject({ event: 'approval_unknown_answer', author: { who: 'w1' } });
    expect(rig.approvals.claim('forged', 'd')).toEqual({ ok: false, why: 'unknown' });
    rig.ledger.broken = new Error('full');
    expect(rig.approvals.resolve(KEY, 'once', { requestId: 'forged' })).toBe(0);
  });

  it('[RQ-R88] a choice that was not offered is never stored', async () => {
    const rig = new Rig();
    const asking = rig.ask('a', { smartDenied: true });
    for (const choice of ['always', 'session', 'allow', '', '__proto__']) {
      expect(rig.approvals.resolve(KEY, choice, { requestId: 'a' })).toBe(0);
    }
    expect(rig.ids()).toEqual(['a']);
    await breathe();
    expect(asking.ends).toBe(0);
  });

  it('[RQ-R88] under all, those that do not offer the choice are skipped and stay', async () => {
    const rig = new Rig();
    const [a, b] = [rig.ask('a', { smartDenied: true }), rig.ask('b')];
    expect(rig.approvals.resolve(KEY, 'always', { all: true, requestId: 'a' })).toBe(1);
    await breathe();
    expect([a.ends, b.verdict?.choice, rig.ids()]).toEqual([0, 'always', ['a']]);
  });

  it('[RQ-R89] a deadline without a choice is an expiry, said as such', async () => {
    const rig = new Rig();
    const asking = rig.ask('a', { timeoutMs: 10 });
    rig.runtime.advance(10);
    expect(await asking.promise).toEqual({
      approvalId: 'a',
      digest: expect.any(String),
      resolved: false,
      choice: null,
    });
    expect(rig.ledger.events.at(-1)).toBe('approval_expired');
    expect(rig.after).toMatchObject([{ outcome: 'expired' }]);
  });

  it('[G8] only a person makes a choice: no other ending has one that releases', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    const asked = [
      rig.ask('timeout', { timeoutMs: 1 }),
      rig.ask('interrupt', { signal: abort.signal }),
      rig.ask('withdraw'),
    ];
    rig.runtime.advance(1);
    abort.abort();
    rig.approvals.withdraw(KEY, 'withdraw', 'gone');
    const cleared = rig.ask('clear');
    rig.approvals.clear(KEY, 'over');
    await breathe();
    for (const { verdict, ends } of [...asked, cleared]) {
      expect(ends).toBe(1);
      expect(releases(verdict)).toBe(false);
      expect(rig.approvals.claim(verdict?.approvalId ?? '', verdict?.digest ?? '').ok).toBe(false);
    }
  });
});
