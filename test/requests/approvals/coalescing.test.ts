/** Coalescing: the same thing prompts once, and what is decided covers exactly the same thing. */
import { describe, expect, it } from 'vitest';
import { type Asking, breathe, KEY, Rig, releases } from './support.ts';

const choices = (asked: readonly Asking[]) => asked.map(({ verdict }) => verdict?.choice);

describe('following', () => {
  it('[H1] [RQ-R93, RQ-R97, RQ-I21] five at once: one card, five acknowledgements', async () => {
    const rig = new Rig();
    const asked = [1, 2, 3, 4, 5].map((at) => rig.twin(`t${at}`));
    expect(rig.card.shown).toHaveLength(1);
    expect(rig.ids()).toEqual(['t1']);
    expect(rig.approvals.resolve(KEY, 'session', { reason: 'fine' })).toBe(1);
    await breathe();
    expect(asked.map(({ verdict, ends }) => [verdict?.choice, verdict?.reason, ends])).toEqual(
      asked.map(() => ['session', 'fine', 1]),
    );
    expect(asked.map(({ verdict }) => verdict?.coalesced === true)).toEqual([false, true, true, true, true]);
    expect(rig.before.map(({ coalesced }) => coalesced)).toEqual([false, true, true, true, true]);
    expect(rig.after.map(({ coalesced }) => coalesced)).toEqual([false, true, true, true, true]);
  });

  it.each([
    ['another command', { command: 'rm -rf /' }],
    ['another pattern', { patternKeys: ['rm', 'recursive'] }],
    ['other arguments', { args: ['b'] }],
    ['another subject', { subject: 'script.sh@2' }],
  ])('[RQ-R93] does not follow %s', (_what, more) => {
    const rig = new Rig();
    const same = { args: ['a'], subject: 'script.sh@1' };
    rig.twin('a', same);
    rig.twin('b', { ...same, ...more });
    expect(rig.ids()).toEqual(['a', 'b']);
  });

  it('[RQ-R93] follows whatever the order of the pattern keys, and of the members of the arguments', () => {
    const rig = new Rig();
    rig.twin('a', { patternKeys: ['x', 'y'], args: { one: 1, two: 2 } });
    rig.twin('b', { patternKeys: ['y', 'x', 'y'], args: { two: 2, one: 1 } });
    expect(rig.ids()).toEqual(['a']);
  });

  it('[RQ-R93] two commands that differ in a secret only are two', () => {
    const rig = new Rig();
    rig.ask('a', { command: 'login --password one' });
    rig.ask('b', { command: 'login --password two' });
    expect(rig.approvals.pending(KEY).map(({ command }) => command)).toEqual([
      'login --password [redacted]',
      'login --password [redacted]',
    ]);
  });

  it.each(['session', 'always', 'deny'])('[RQ-R94] takes over %s', async (choice) => {
    const rig = new Rig();
    const asked = [rig.twin('a'), rig.twin('b')];
    rig.approvals.resolve(KEY, choice);
    await breathe();
    expect(choices(asked)).toEqual([choice, choice]);
    expect(rig.approvals.claim('b', asked[1]?.verdict?.digest ?? '').ok).toBe(choice !== 'deny');
  });

  it('[RQ-R94] shares the expiry and the withdrawal of its leader, with the cause', async () => {
    const rig = new Rig();
    const expired = [rig.twin('a', { timeoutMs: 10 }), rig.twin('b', { timeoutMs: 1_000 })];
    rig.runtime.advance(10);
    await breathe();
    expect(expired.map(({ verdict }) => verdict?.resolved)).toEqual([false, false]);
    const withdrawn = [rig.twin('c'), rig.twin('d')];
    rig.approvals.withdraw(KEY, 'c', 'the turn ended');
    await breathe();
    expect(withdrawn.map(({ verdict }) => verdict?.cancelled)).toEqual(['the turn ended', 'the turn ended']);
    const abort = new AbortController();
    const interrupted = [rig.twin('e', { signal: abort.signal }), rig.twin('f')];
    abort.abort();
    await breathe();
    expect(choices(interrupted)).toEqual(['deny', null]);
  });

  it('[RQ-R94] an interrupt of a follower denies only itself', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    const [leader, follower, other] = [rig.twin('a'), rig.twin('b', { signal: abort.signal }), rig.twin('c')];
    abort.abort();
    await breathe();
    expect(follower.verdict).toMatchObject({ choice: 'deny', cancelled: 'interrupted', coalesced: true });
    expect([leader.ends, other.ends]).toEqual([0, 0]);
    rig.approvals.resolve(KEY, 'session');
    await breathe();
    expect(choices([leader, other])).toEqual(['session', 'session']);
    expect(rig.approvals.claim('b', leader.verdict?.digest ?? '').ok).toBe(false);
  });

  it('[RQ-R90] a follower that is interrupted after the decision denies, and names it', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    rig.twin('a');
    const follower = rig.twin('b', { signal: abort.signal });
    rig.approvals.resolve(KEY, 'session');
    abort.abort();
    await breathe();
    expect(follower.verdict).toMatchObject({ choice: 'deny', superseded: 'session' });
    expect(rig.approvals.claim('b', follower.verdict?.digest ?? '')).toEqual({ ok: false, why: 'not_granted' });
  });

  it('[RQ-R95, RQ-I22] once covers the leader only: one of the others prompts, and the rest follow it', async () => {
    const rig = new Rig();
    const asked = ['a', 'b', 'c'].map((id) => rig.twin(id));
    for (const [at, id] of ['a', 'b', 'c'].entries()) {
      expect(rig.ids()).toEqual([id]);
      expect(rig.card.shown).toHaveLength(at + 1);
      expect(rig.approvals.resolve(KEY, 'once')).toBe(1);
      await breathe();
      expect(asked.filter(({ ends }) => ends === 1)).toHaveLength(at + 1);
    }
    expect(choices(asked)).toEqual(['once', 'once', 'once']);
  });

  it('[RQ-R95] who was interrupted while following the next one never prompts', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    for (const id of ['a', 'b', 'c', 'd']) rig.twin(id, id === 'c' ? { signal: abort.signal } : {});
    rig.approvals.resolve(KEY, 'once');
    await breathe();
    abort.abort();
    await breathe();
    rig.approvals.resolve(KEY, 'once');
    await breathe();
    expect(rig.ids()).toEqual(['d']);
    expect(rig.card.shown).toHaveLength(3);
  });

  it('[RQ-R95] whoever prompts after once has a deadline of its own, and keeps its callers', async () => {
    const rig = new Rig();
    rig.twin('a', { timeoutMs: 100 });
    const next = rig.twin('b', { timeoutMs: 50 });
    rig.runtime.advance(40);
    rig.approvals.resolve(KEY, 'once');
    rig.runtime.advance(40);
    await breathe();
    expect(next.ends).toBe(0);
    rig.runtime.advance(10);
    await breathe();
    expect(next.verdict).toMatchObject({ resolved: false, choice: null });
    expect(rig.approvals.count()).toBe(0);
  });

  it('[RQ-R96, RQ-I18] a follower whose deadline falls behind the decision has the decision', async () => {
    const rig = new Rig();
    rig.twin('a');
    const follower = rig.twin('b', { timeoutMs: 50 });
    rig.approvals.attachHook(KEY, 'a', () => rig.runtime.advance(100));
    rig.approvals.resolve(KEY, 'session');
    await breathe();
    expect(follower.verdict?.choice).toBe('session');
  });

  it('[RQ-R96] its own deadline ends it alone', async () => {
    const rig = new Rig();
    const [leader, follower] = [rig.twin('a'), rig.twin('b', { timeoutMs: 50 })];
    rig.runtime.advance(50);
    await breathe();
    expect(follower.verdict).toMatchObject({ resolved: false, choice: null, coalesced: true });
    expect(leader.ends).toBe(0);
    expect(rig.approvals.resolve(KEY, 'session')).toBe(1);
  });

  it('[RQ-R94] a follower that may not have the choice of its leader asks for itself', async () => {
    const rig = new Rig();
    const [leader, follower] = [rig.twin('a'), rig.twin('b', { smartDenied: true })];
    rig.approvals.resolve(KEY, 'always');
    await breathe();
    expect([leader.verdict?.choice, follower.ends, rig.ids()]).toEqual(['always', 0, ['b']]);
    expect(rig.approvals.pending(KEY)[0]?.choices).toEqual(['once', 'deny']);
  });
});

describe('standing permissions', () => {
  it('[H3] after always nothing that is queued is left over, and the same does not ask again', async () => {
    const rig = new Rig();
    const asked = ['a', 'b', 'c'].map((id) => rig.twin(id));
    rig.approvals.resolve(KEY, 'always', { requestId: 'a' });
    await breathe();
    expect(choices(asked)).toEqual(['always', 'always', 'always']);
    expect(rig.approvals.count()).toBe(0);
    const later = rig.twin('d');
    await breathe();
    expect([later.verdict?.choice, later.verdict?.coalesced, rig.card.shown.length]).toEqual(['always', true, 1]);
    for (const { verdict } of [...asked, later]) {
      expect(rig.approvals.claim(verdict?.approvalId ?? '', verdict?.digest ?? '').ok).toBe(true);
    }
  });

  it('[D6] a permission for the session does not cover other arguments', async () => {
    const rig = new Rig();
    rig.twin('a', { args: { path: 'build' } });
    rig.approvals.resolve(KEY, 'session');
    const other = rig.twin('b', { args: { path: '/' } });
    const elsewhere = rig.approvals.request('another-key', { sid: 's', command: 'rm -rf build', patternKeys: ['rm'] });
    await breathe();
    expect(other.ends).toBe(0);
    expect(rig.ids()).toEqual(['b']);
    expect(rig.ids('another-key')).toHaveLength(1);
    expect((await rig.twin('c', { args: { path: 'build' } }).promise).choice).toBe('session');
    rig.approvals.shutdown();
    await elsewhere;
  });

  it('[RQ-I22] once leaves no permission behind', async () => {
    const rig = new Rig();
    rig.twin('a');
    rig.approvals.resolve(KEY, 'once');
    await breathe();
    rig.twin('b');
    expect(rig.ids()).toEqual(['b']);
    expect(rig.approvals.standing(KEY)).toEqual([]);
  });

  it('[RQ-R100] a request that may not stand is asked for in spite of a permission', async () => {
    const rig = new Rig();
    rig.twin('a');
    rig.approvals.resolve(KEY, 'always');
    rig.twin('b', { smartDenied: true });
    expect(rig.ids()).toEqual(['b']);
  });

  it('[RQ-I20] a permission that was taken back covers nothing any more', async () => {
    const rig = new Rig();
    rig.twin('a');
    rig.approvals.resolve(KEY, 'always');
    const [one] = rig.approvals.standing(KEY);
    expect(one).toMatchObject({ choice: 'always', command: 'rm -rf build' });
    expect(rig.approvals.revokeStanding('another-key', one?.id ?? '')).toBe(false);
    expect(rig.approvals.revokeStanding(KEY, one?.id ?? '')).toBe(true);
    expect(rig.approvals.revokeStanding(KEY, one?.id ?? '')).toBe(false);
    const again = rig.twin('b');
    await breathe();
    expect([releases(again.verdict), rig.ids()]).toEqual([false, ['b']]);
  });
});
