/** Spending a decision: once, for what was shown, and never again by itself. */
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/approvals.ts';
import { breathe, KEY, Rig, releases } from './support.ts';

async function granted(rig: Rig, id = 'a', more: object = {}) {
  const asking = rig.ask(id, more);
  rig.approvals.resolve(KEY, 'once', { requestId: id });
  return (await asking.promise).digest;
}

describe('spending', () => {
  it('[B3] [RQ-I22] a decision that was spent is refused on any later turn', async () => {
    const rig = new Rig();
    const digest = await granted(rig);
    expect(rig.approvals.claim('a', digest)).toEqual({ ok: true, run: expect.any(String) });
    expect(rig.approvals.claim('a', digest)).toEqual({ ok: false, why: 'spent' });
    expect(rig.approvals.done('a')).toBe(true);
    expect(rig.approvals.claim('a', digest)).toEqual({ ok: false, why: 'spent' });
    const replayed = rig.ask('a');
    await breathe();
    expect(releases(replayed.verdict)).toBe(false);
    expect(replayed.verdict).toMatchObject({ receipt: 'done', cancelled: 'spent', choice: null });
    expect(rig.card.shown).toHaveLength(1);
  });

  it('[B2] a click that is counted twice has one effect', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    const click = (): number => rig.approvals.resolve(KEY, 'once', { requestId: 'a' });
    expect([click(), click()]).toEqual([1, 0]);
    const { digest } = await asking.promise;
    expect([rig.approvals.claim('a', digest).ok, rig.approvals.claim('a', digest).ok]).toEqual([true, false]);
  });

  it('[B4] the same request twice joins the one that waits, then sees its receipt', async () => {
    const rig = new Rig();
    const [one, two] = [rig.ask('a'), rig.ask('a')];
    rig.approvals.resolve(KEY, 'once');
    await breathe();
    expect([one.verdict?.choice, two.verdict?.choice, rig.card.shown.length]).toEqual(['once', 'once', 1]);
    const digest = one.verdict?.digest ?? '';
    expect((await rig.ask('a').promise).receipt).toBe('not_started');
    expect([rig.approvals.claim('a', digest).ok, rig.approvals.claim('a', digest).ok]).toEqual([true, false]);
    expect(await rig.ask('a').promise).toMatchObject({ receipt: 'claimed', choice: null, cancelled: 'spent' });
  });

  it('[B5] a state that is saved and resumed twice releases one execution', async () => {
    const rig = new Rig();
    const digest = await granted(rig);
    const resumed = [await rig.ask('a').promise, await rig.ask('a').promise];
    expect(resumed.map(({ receipt }) => receipt)).toEqual(['not_started', 'not_started']);
    expect(resumed.map(() => rig.approvals.claim('a', digest).ok)).toEqual([true, false]);
  });

  it('[B9] one decision wakes one continuation, however often it is asked for', async () => {
    const rig = new Rig();
    const asked = [rig.ask('a'), rig.ask('a'), rig.ask('a')];
    rig.approvals.resolve(KEY, 'once');
    await breathe();
    expect(asked.map(({ ends }) => ends)).toEqual([1, 1, 1]);
    expect(rig.after).toHaveLength(1);
    expect(rig.ledger.events.filter((event) => event === 'approval_decided')).toHaveLength(1);
  });

  it('[RQ-I20] nothing is released before a decision, after a denial, or for an id nobody knows', async () => {
    const rig = new Rig();
    const asking = rig.ask('a');
    const digest = rig.approvals.pending(KEY)[0]?.digest ?? '';
    expect(rig.approvals.claim('a', digest)).toEqual({ ok: false, why: 'not_granted' });
    rig.approvals.resolve(KEY, 'deny');
    expect(rig.approvals.claim('a', digest)).toEqual({ ok: false, why: 'not_granted' });
    expect(rig.approvals.claim('b', digest)).toEqual({ ok: false, why: 'unknown' });
    await asking.promise;
    expect(await rig.ask('a').promise).toMatchObject({ choice: 'deny', receipt: 'refused' });
  });

  it('[RQ-I22] an execution that failed has spent its decision', async () => {
    const rig = new Rig();
    const digest = await granted(rig);
    expect([rig.approvals.done('a'), rig.approvals.failed('a')]).toEqual([false, false]);
    rig.approvals.claim('a', digest, { surface: 'mcp', who: 'session 1' });
    expect(rig.approvals.grants(KEY)).toMatchObject([{ approvalId: 'a', state: 'claimed', who: 'mcp session 1' }]);
    expect(rig.approvals.failed('a', 'no such file')).toBe(true);
    expect([rig.approvals.done('a'), rig.approvals.failed('a')]).toEqual([false, false]);
    expect(rig.approvals.claim('a', digest)).toEqual({ ok: false, why: 'spent' });
    expect(rig.approvals.grants(KEY)).toEqual([]);
  });

  it('[RQ-I22] writes that it is spent before it says so', async () => {
    const rig = new Rig();
    const digest = await granted(rig);
    rig.ledger.broken = new Error('disk full');
    expect(() => rig.approvals.claim('a', digest)).toThrow('disk full');
    rig.ledger.broken = undefined;
    expect(rig.approvals.grants(KEY)).toMatchObject([{ state: 'not_started' }]);
    expect(rig.approvals.claim('a', digest).ok).toBe(true);
    expect(rig.ledger.rows('grant')).toMatchObject([{ state: 'claimed' }]);
  });

  it('[RQ-I22] forgets the oldest decisions at the bound, aloud, and never what may be running', async () => {
    const rig = new Rig({ limits: { kept: 3 } });
    const digest = await granted(rig, 'running');
    rig.approvals.claim('running', digest);
    await granted(rig, 'idle');
    const spent = await granted(rig, 'spent');
    rig.approvals.claim('spent', spent);
    rig.approvals.done('spent');
    await granted(rig, 'new');
    expect(rig.approvals.grants(KEY).map(({ approvalId }) => approvalId)).toEqual(['running', 'idle', 'new']);
    await granted(rig, 'newer');
    expect(rig.approvals.grants(KEY).map(({ approvalId }) => approvalId)).toEqual(['running', 'new', 'newer']);
    expect(rig.approvals.claim('spent', spent)).toEqual({ ok: false, why: 'unknown' });
    expect(rig.lines.filter((line) => line.includes('bound'))).toHaveLength(2);
    expect(rig.ledger.rows('grant')).toHaveLength(3);
  });
});

describe('what was shown', () => {
  it('[D1] refuses to run what has changed since it was shown', async () => {
    const rig = new Rig();
    const subject = { path: 'deploy.sh', sha256: 'aaa' };
    const digest = await granted(rig, 'a', { tool: 'shell', subject });
    const now = digestOf({ method: 'shell', subject: { ...subject, sha256: 'bbb' } });
    expect(rig.approvals.claim('a', now)).toEqual({ ok: false, why: 'drifted' });
    expect(rig.ledger.events.at(-1)).toBe('approval_drifted');
    expect(digest).toBe(digestOf({ method: 'shell', subject }));
    expect(rig.approvals.claim('a', digest).ok).toBe(true);
  });

  it('[D1] refuses a decision on a card that showed something else', async () => {
    const rig = new Rig();
    const asking = rig.ask('a', { args: 1 });
    const other = digestOf({ args: 2 });
    expect(rig.approvals.resolve(KEY, 'once', { requestId: 'a', digest: other })).toBe(0);
    expect(rig.approvals.resolve(KEY, 'once', { digest: other })).toBe(0);
    expect(() => rig.approvals.respond({ sid: KEY, choice: 'once', digest: other })).toThrow(
      expect.objectContaining({ code: 4002 }),
    );
    expect([rig.ids(), asking.ends]).toEqual([['a'], 0]);
    expect(rig.approvals.resolve(KEY, 'once', { requestId: 'a', digest: digestOf({ args: 1 }) })).toBe(1);
  });

  it('[D1] an id is bound to its subject: it cannot be used for another', async () => {
    const rig = new Rig();
    const waiting = rig.ask('a', { args: 1 });
    const drifted = rig.ask('a', { args: 2 });
    await breathe();
    expect(drifted.error).toMatchObject({ code: 'invalid_input', field: 'approvalId' });
    expect(waiting.ends).toBe(0);
    rig.approvals.resolve(KEY, 'once');
    await breathe();
    const after = rig.ask('a', { args: 2 });
    const elsewhere = rig.ask('a', { args: 1 }, 'other');
    await breathe();
    expect([after.error, elsewhere.error]).toMatchObject([{ code: 'invalid_input' }, { code: 'invalid_input' }]);
  });

  it('[D3] what a hook rewrites is what the person sees, and what the decision is bound to', async () => {
    const rig = new Rig({
      hooks: { prepare: (subject) => ({ ...subject, command: 'rm -rf build/tmp', args: ['build/tmp'] }) },
    });
    const asking = rig.ask('a', { tool: 'shell', command: 'rm -rf build', args: ['build'] });
    expect(rig.card.shown[0]?.view.command).toBe('rm -rf build/tmp');
    rig.approvals.resolve(KEY, 'once');
    const { digest } = await asking.promise;
    expect(digest).toBe(digestOf({ method: 'shell', args: ['build/tmp'] }));
    expect(rig.approvals.claim('a', digestOf({ method: 'shell', args: ['build'] }))).toMatchObject({ why: 'drifted' });
  });

  it('[D3] a hook that only watches cannot change what is shown', () => {
    const rig = new Rig({
      hooks: {
        before: (view) => {
          Object.assign(view, { command: 'harmless' });
        },
      },
    });
    rig.ask('a', { command: 'rm -rf /' });
    expect(rig.approvals.pending(KEY)[0]?.command).toBe('rm -rf /');
    expect(rig.card.shown[0]?.view.command).toBe('rm -rf /');
  });
});

describe('digests', () => {
  it('[D1] are equal for equal things, and for nothing else', () => {
    expect(digestOf({ method: 'a', args: { x: 1, y: [true, null] } })).toBe(
      digestOf({ args: { y: [true, null], x: 1 }, method: 'a' }),
    );
    const some = [
      digestOf({}),
      digestOf({ method: 'a' }),
      digestOf({ subject: 'a' }),
      digestOf({ args: 'a' }),
      digestOf({ args: ['a'] }),
      digestOf({ args: { a: 1 } }),
      digestOf({ args: { a: '1' } }),
      digestOf({ args: { a: [1] } }),
      digestOf({ args: { __proto__: null, a: 1, b: 1 } as never }),
    ];
    expect(new Set(some).size).toBe(some.length);
    expect(digestOf({ args: { a: undefined, b: 1 } as never })).toBe(digestOf({ args: { b: 1 } }));
  });

  it.each([
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['no number', Number.NaN],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['undefined in a list', [undefined]],
  ])('[D1] refuse %s, which would look like something else', (_what, args) => {
    expect(() => digestOf({ args: args as never })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

describe('a host that is asked while a decision is spent', () => {
  it('[RQ-I22] spends nothing twice, whatever the host does when it is asked about the lineage', async () => {
    const inner: unknown[] = [];
    let act = (): unknown => undefined;
    const rig: Rig = new Rig({
      lineage: () => {
        const now = act;
        act = () => undefined;
        inner.push(now());
        return undefined;
      },
    });
    const [a, b] = [await granted(rig, 'a'), await granted(rig, 'b')];
    act = () => rig.approvals.claim('a', a);
    expect(rig.approvals.claim('a', a)).toEqual({ ok: false, why: 'spent' });
    expect(inner).toContainEqual(expect.objectContaining({ ok: true }));
    act = () => rig.approvals.clear(KEY, 'over');
    expect(rig.approvals.claim('b', b)).toEqual({ ok: false, why: 'not_granted' });
  });

  it('[RQ-I20] a lineage that gives a promise, or no word of its own, has proved nothing', async () => {
    const words = [Promise.reject(new Error('log is gone')), Promise.resolve(undefined), null, true];
    const rig = new Rig({ lineage: () => words.shift() as never });
    const digest = await granted(rig);
    for (let at = 0; at < 4; at += 1) {
      expect(rig.approvals.claim('a', digest)).toEqual({ ok: false, why: 'unproven' });
    }
    await breathe();
    expect(rig.lines.join(' ')).toContain('log is gone');
    expect(rig.approvals.grants(KEY)).toMatchObject([{ state: 'not_started' }]);
  });

  it('[RQ-I22] executions whose end is never reported do not use up what is decided after them', async () => {
    const rig = new Rig({ limits: { kept: 2 } });
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(rig.approvals.claim(id, await granted(rig, id))).toMatchObject({ ok: true });
    }
    expect(rig.approvals.grants(KEY)).toHaveLength(4);
    expect(rig.lines.filter((line) => line.includes('never reported'))).toHaveLength(1);
    for (const id of ['a', 'b', 'c', 'd']) rig.approvals.done(id);
    await granted(rig, 'e');
    expect(rig.ledger.rows('grant').map(({ id }) => id)).toEqual(['d', 'e']);
  });

  it('[D6] ends the oldest standing permissions at the bound, aloud, and asks again for what they covered', async () => {
    const rig = new Rig({ limits: { standing: 2 } });
    const stand = async (id: string, choice: string, more: object = {}): Promise<void> => {
      const asking = rig.ask(id, { command: `run ${id[0]}`, allowPermanent: true, ...more });
      rig.approvals.resolve(KEY, choice, { requestId: id });
      await asking.promise;
    };
    await stand('a1', 'always');
    await stand('b1', 'session');
    await stand('c1', 'always');
    expect(rig.approvals.standing(KEY).map(({ command }) => command)).toEqual(['run b', 'run c']);
    expect(rig.lines.filter((line) => line.includes('standing permissions ended at the bound'))).toHaveLength(1);
    expect(rig.ledger.notes).toContainEqual(
      expect.objectContaining({ event: 'approval_standing_ended', detail: 'bound' }),
    );
    const again = rig.ask('a2', { command: 'run a' });
    const covered = rig.ask('c2', { command: 'run c' });
    await breathe();
    expect([again.verdict, covered.verdict?.choice]).toEqual([undefined, 'always']);
    const next = rig.restart({ limits: { standing: 2 } });
    expect(next.approvals.standing(KEY).map(({ command }) => command)).toEqual(['run b', 'run c']);
  });
});
