/** The end of a process is not a decision: what was pending is pending, and what was decided stands. */
import { describe, expect, it } from 'vitest';
import { BridgeRig } from './bridge-support.ts';
import { breathe, KEY, Rig, SID } from './support.ts';

describe('pending', () => {
  it('[F1] [RQ-R101] is pending in the next process, and its caller joins it under its id', async () => {
    const rig = new Rig();
    const first = rig.ask('a', { timeoutMs: 5_000, tool: 'shell', description: 'why', patternKeys: ['p'] });
    rig.ask('b');
    const before = rig.approvals.pending(KEY);
    const next = rig.restart();
    expect(await first.promise).toMatchObject({ choice: null, cancelled: 'shutdown' });
    expect(next.approvals.pending(KEY)).toEqual(before);
    expect(next.card.shown.map(({ view }) => view.request_id)).toEqual(['a', 'b']);
    const again = next.ask('a', { timeoutMs: 5_000, tool: 'shell', description: 'why', patternKeys: ['p'] });
    expect(next.card.shown).toHaveLength(2);
    expect(next.approvals.resolve(KEY, 'once', { requestId: 'a' })).toBe(1);
    expect(await again.promise).toMatchObject({ resolved: true, choice: 'once' });
  });

  it('[F1] is shown again as the same request, and nobody is told that it was cancelled', async () => {
    const rig = new BridgeRig();
    rig.queue.ask('a');
    const [id] = rig.open;
    const next = rig.restart();
    expect(rig.window.cancelled).toEqual([]);
    expect(next.open).toEqual([id]);
    const again = next.queue.ask('a');
    expect(next.open).toEqual([id]);
    next.answer(id, { choice: 'once' });
    expect((await again.promise).choice).toBe('once');
  });

  it('[RQ-R99] an answer that was on file when the process ended is the decision in the next one', async () => {
    const rig = new BridgeRig();
    rig.queue.ask('a');
    rig.ledger.onCommit = (changes) => {
      if (changes.some(({ kind }) => kind === 'grant')) throw new Error('crash');
    };
    rig.answer(rig.open[0], { choice: 'once' });
    rig.ledger.onCommit = undefined;
    const next = new BridgeRig(rig);
    expect(next.open).toEqual([]);
    expect(next.queue.approvals.grants(KEY)).toMatchObject([{ approvalId: 'a', state: 'not_started' }]);
    expect((await next.queue.ask('a').promise).choice).toBe('once');
  });

  it('[RQ-R79] keeps its deadline; one that passed meanwhile is an expiry, and can be asked for again', async () => {
    const rig = new BridgeRig();
    rig.queue.ask('a', { timeoutMs: 100 });
    rig.queue.ask('b', { timeoutMs: 100_000 });
    const old = rig.open[0];
    rig.queue.approvals.shutdown();
    rig.requests.shutdown();
    rig.runtime.jump(1_000);
    const next = new BridgeRig(rig);
    next.runtime.advance(0);
    expect(next.queue.ids()).toEqual(['b']);
    expect(next.queue.after).toMatchObject([{ id: 'a', outcome: 'expired' }]);
    const again = next.queue.ask('a', { timeoutMs: 100 });
    expect(next.queue.ids()).toEqual(['b', 'a']);
    expect(next.open).not.toContain(old);
    next.answer(next.open.at(-1), { choice: 'deny' });
    expect((await again.promise).choice).toBe('deny');
  });

  it('[H1] twins follow one that is older than the process', async () => {
    const rig = new Rig();
    rig.twin('a');
    const next = rig.restart();
    const [leader, follower] = [next.twin('a'), next.twin('b')];
    expect(next.ids()).toEqual(['a']);
    next.approvals.resolve(KEY, 'session');
    await breathe();
    expect([leader.verdict?.choice, follower.verdict?.choice]).toEqual(['session', 'session']);
  });

  it('[RQ-R81] a surface that is not there yet at the start ends nothing', () => {
    const rig = new Rig();
    rig.ask('a');
    const next = rig.restart({
      notify: [
        () => {
          throw new Error('no window yet');
        },
      ],
    });
    expect(next.ids()).toEqual(['a']);
  });

  it('[RQ-R99] without a file a shutdown of the registry frees whoever waits', async () => {
    const rig = new BridgeRig(undefined, { ledger: undefined });
    const asking = rig.queue.ask('a');
    rig.requests.shutdown();
    expect(await asking.promise).toMatchObject({ choice: null, cancelled: 'shutdown' });
    expect(rig.queue.approvals.count()).toBe(0);
  });
});

describe('decided', () => {
  it('[B7] a decision that nobody has begun is not started, visible, and can be spent once', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    rig.approvals.resolve(KEY, 'once', { reason: 'fine' });
    const { digest } = await asking.promise;
    const next = rig.restart();
    expect(next.approvals.grants(KEY)).toMatchObject([{ approvalId: 'a', state: 'not_started', choice: 'once' }]);
    expect(await next.ask('a').promise).toMatchObject({ choice: 'once', reason: 'fine', receipt: 'not_started' });
    expect(next.card.shown).toEqual([]);
    expect([next.approvals.claim('a', digest).ok, next.approvals.claim('a', digest).ok]).toEqual([true, false]);
  });

  it('[B7] a decision that came while nobody waited is kept for the caller that comes back', async () => {
    const rig = new Rig();
    rig.ask('a');
    rig.ask('b');
    const next = rig.restart();
    expect(next.approvals.resolve(KEY, 'once', { requestId: 'a' })).toBe(1);
    expect(next.approvals.resolve(KEY, 'deny', { requestId: 'b' })).toBe(1);
    expect(next.after.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'resolved'],
      ['b', 'resolved'],
    ]);
    const last = next.restart();
    expect((await last.ask('a').promise).choice).toBe('once');
    expect((await last.ask('b').promise).choice).toBe('deny');
    expect(last.card.shown).toEqual([]);
  });

  it('[B6] after a crash while it ran the outcome is unknown, and nothing runs again by itself', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    rig.approvals.resolve(KEY, 'always');
    const { digest } = await asking.promise;
    expect(rig.approvals.claim('a', digest).ok).toBe(true);
    const next = rig.restart();
    expect(next.approvals.grants(KEY)).toMatchObject([{ approvalId: 'a', state: 'unknown' }]);
    expect(next.lines.join()).toContain('unknown');
    expect(next.approvals.claim('a', digest)).toEqual({ ok: false, why: 'unknown_outcome' });
    expect(await next.ask('a').promise).toMatchObject({ choice: null, cancelled: 'unknown', receipt: 'unknown' });
    const still = next.restart();
    expect(still.approvals.grants(KEY)).toMatchObject([{ state: 'unknown' }]);
    expect(still.approvals.claim('a', digest)).toEqual({ ok: false, why: 'unknown_outcome' });
  });

  it('[B6] only the host asks again, and then the person decides anew, even where a permission stands', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    rig.approvals.resolve(KEY, 'always');
    const { digest } = await asking.promise;
    rig.approvals.claim('a', digest);
    const next = rig.restart();
    const again = next.ask('a', { again: true });
    await breathe();
    expect([again.ends, next.ids()]).toEqual([0, ['a']]);
    expect(next.approvals.claim('a', digest).ok).toBe(false);
    next.approvals.resolve(KEY, 'once', { requestId: 'a' });
    expect((await again.promise).choice).toBe('once');
    expect([next.approvals.claim('a', digest).ok, next.approvals.claim('a', digest).ok]).toEqual([true, false]);
  });

  it.each([
    ['done', 'done'],
    ['failed', 'failed'],
  ] as const)('[B6] a host that finds out says %s', async (word, receipt) => {
    const rig = new Rig();
    const asking = rig.ask('a');
    rig.approvals.resolve(KEY, 'once');
    const { digest } = await asking.promise;
    rig.approvals.claim('a', digest);
    const next = rig.restart();
    expect(next.approvals[word]('a')).toBe(true);
    expect(await next.ask('a', { again: true }).promise).toMatchObject({ receipt, choice: null });
    expect(next.approvals.claim('a', digest)).toEqual({ ok: false, why: 'spent' });
  });

  it('[D6] standing permissions survive, each with exactly its scope', async () => {
    const rig = new Rig();
    rig.twin('a', { args: 1 });
    rig.approvals.resolve(KEY, 'session');
    const next = rig.restart();
    expect((await next.twin('b', { args: 1 }).promise).choice).toBe('session');
    next.twin('c', { args: 2 });
    expect(next.ids()).toEqual(['c']);
  });

  it('[B3] a decision that was spent before the restart is refused after it', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    rig.approvals.resolve(KEY, 'once');
    const { digest } = await asking.promise;
    rig.approvals.claim('a', digest);
    rig.approvals.done('a');
    const next = rig.restart();
    expect(next.approvals.claim('a', digest)).toEqual({ ok: false, why: 'spent' });
  });

  it('[RQ-R101] a row that cannot be read stops the start, and says what is wrong with it', () => {
    const rig = new Rig();
    rig.ask('a');
    const [[name, text]] = [...rig.ledger.files] as [[string, string]];
    rig.ledger.files.set(name, text.replace('"scope"', '"scape"'));
    expect(() => rig.restart()).toThrow(expect.objectContaining({ code: 'store_unreadable' }));
    expect(() => rig.restart()).toThrow('scope');
  });
});

it('[RQ-R102] a stored key stands for a session after its live id has changed', () => {
  const rig = new Rig();
  rig.ask('a');
  const next = rig.restart({ keyOf: () => undefined });
  expect(next.approvals.respond({ sid: 'stale', request_id: 'a', choice: 'deny' })).toEqual({ resolved: 1 });
  next.ask('b', { sid: `${SID}-new` });
  expect(next.approvals.respond({ sid: KEY, choice: 'deny' })).toEqual({ resolved: 1 });
});
