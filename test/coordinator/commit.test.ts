import { afterEach, describe, expect, it } from 'vitest';
import type { Outcome, Verdict } from '../../src/api.ts';
import { ReadbackError } from '../../src/errors.ts';
import { TIMES } from '../../src/limits.ts';
import { CACHED_ROWS } from '../../src/store/sqlite-rows.ts';
import type { Fault } from '../../src/testing/index.ts';
import { COLOUR, endRigs, FREE, HUMAN, KINDS, openRig, type Rig, TAB } from './rig.ts';

afterEach(endRigs);
const turn = (name: string) => (): string => name;

describe.each(KINDS)('what shares a commit, over %s', (kind) => {
  it('everything that one tick has decided is one commit', async () => {
    const rig = await openRig(kind);
    const before = rig.store.counts.commit;
    const asks = await Promise.all(Array.from({ length: 20 }, () => rig.ask(FREE)));
    expect(rig.store.counts.commit - before).toBe(1);
    await rig.done(Promise.all(asks.map(({ id }) => rig.c.answer(id, { text: 'Fido' }, HUMAN))));
    expect(rig.store.counts.commit - before).toBe(2);
    for (const { now } of asks) expect(now()).toMatchObject({ outcome: 'answered' });
  });

  it('a whole cycle takes two: the opening and the answer; its proofs share the next', async () => {
    const rig = await openRig(kind);
    const before = rig.store.counts.commit;
    for (let i = 0; i < 5; i++) {
      const { id, outcome } = await rig.ask(FREE, { attach: turn('t') });
      const { token = '' } = await rig.answer(id, `name ${i}`);
      await rig.done(outcome);
      rig.c.ack([token], 't').catch(() => undefined);
      await rig.hand.settle();
    }
    expect(rig.store.counts.commit - before).toBe(10);
    await rig.hand.pass(TIMES.lazyCommit);
    expect(rig.store.counts.commit - before).toBe(11);
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
  });

  it('a receipt waits for company, and fifty milliseconds at the most', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('g');
    await rig.done(rig.c.handOver(token, turn('t')));
    let acked = false;
    void rig.c.ack([token], 't').then(() => {
      acked = true;
    });
    await rig.hand.settle();
    await rig.hand.pass(TIMES.lazyCommit - 1);
    expect(acked).toBe(false);
    await rig.hand.pass(1);
    expect(acked).toBe(true);
  });

  it('a read waits for the commit of what it would see, and commits nothing of its own', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended();
    const before = rig.store.counts.commit;
    await rig.visible([TAB, 'nobody was ever here']);
    expect(rig.store.counts.commit).toBe(before);
    const answering = rig.c.answer(id, { selected: ['g'] }, HUMAN);
    const shown = rig.c.show(id);
    rig.store.plant({ on: 'commit', nth: 1 });
    const refused = { status: 'rejected', reason: { code: 'disk_full' } };
    expect(await rig.done(Promise.allSettled([answering, shown]))).toMatchObject([refused, refused]);
    expect((await rig.show(id))?.state).toBe('open');
  });
});

describe.each(KINDS)('nobody speaks before the commit, over %s', (kind) => {
  it('no listener, no callback, no queue and no promise', async () => {
    const spoken: string[] = [];
    const rigged: { rig?: Rig } = {};
    /** What is said while something is staged may turn out not to have happened. */
    const say = (what: string): void => void spoken.push(rigged.rig?.store.dirty === true ? `${what} too early` : what);
    const rig = await openRig(kind, {
      flusher: () => say('flusher'),
      revoker: () => {
        say('revoker');
        return true;
      },
    });
    rigged.rig = rig;
    const taken = (): boolean => {
      say('queue');
      return true;
    };
    rig.c.subscribe(({ cause }) => say(`listener ${cause}`));
    const id = await rig.unattended();
    const answering = rig.c.answer(id, { selected: ['g'] }, HUMAN);
    void answering.then(() => say('verdict'));
    const verdict = await rig.done(answering);
    await rig.done(rig.c.journal.deliverPending(TAB, taken));
    await rig.done(rig.c.handOver(verdict.token ?? '', turn('t')).then(() => say('handed over')));
    await rig.proven(rig.c.ack([verdict.token ?? ''], 't').then(() => say('acked')));
    const second = await rig.late('Fido', FREE);
    await rig.done(rig.c.journal.deliverPending(TAB, taken));
    await rig.done(rig.c.journal.closeAsks(TAB).then(() => say('closed')));
    expect(second.token).not.toBe('');
    expect(spoken.filter((what) => what.endsWith('too early'))).toEqual([]);
    expect(spoken).toEqual(
      expect.arrayContaining([
        'flusher',
        'revoker',
        'verdict',
        'queue',
        'handed over',
        'acked',
        'closed',
        'listener answered',
      ]),
    );
  });

  it('a failing commit is heard of by nobody but its callers, and what it was about is open as before', async () => {
    const heard: string[] = [];
    const rig = await openRig(kind, { flusher: () => void heard.push('flush') });
    const id = await rig.unattended();
    rig.c.subscribe(({ cause }) => heard.push(cause));
    const before = await rig.visible();
    rig.store.plant({ on: 'commit', nth: 1 });
    await expect(rig.answer(id, 'g')).rejects.toMatchObject({ code: 'disk_full', retry: true });
    expect(heard).toEqual([]);
    expect(await rig.visible()).toEqual(before);
    await rig.done(rig.c.journal.openAsk('pa-else', { tabId: 'else', fingerprint: 'f', question: 'q' }));
    expect(heard).toEqual(['opened']);
    expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'late_accepted' });
    expect(heard).toEqual(['opened', 'answered', 'flush']);
  });

  it('a failure in the middle of one operation is told to all whose work was in the same commit', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended();
    const before = await rig.visible();
    const one = rig.c.answer(id, { selected: ['g'] }, HUMAN);
    rig.store.plant({ on: 'write', nth: 2, error: new TypeError('a fault of the program') });
    const two = rig.c.journal.openAsk('pa-two', { tabId: TAB, fingerprint: 'f', question: 'q' });
    expect(await rig.done(Promise.allSettled([one, two]))).toMatchObject([
      { status: 'rejected', reason: { code: 'commit_failed', retry: true } },
      { status: 'rejected', reason: expect.any(TypeError) },
    ]);
    expect(await rig.visible()).toEqual(before);
  });

  it('a question that takes the place of another: both are so, or neither', async () => {
    for (const nth of [1, 2]) {
      const rig = await openRig(kind);
      const old = await rig.unattended();
      rig.store.plant({ on: 'commit', nth });
      const asking = rig.c.ask(FREE, { tab: TAB, supersedes: old, timeoutMs: 1_000 });
      const end = rig.done(asking.then(() => 'asked')).catch((error: unknown) => String(error));
      await rig.hand.settle();
      await rig.hand.pass(2_000, 500);
      const refused = (await end).includes('planted');
      expect((await rig.show(old))?.state, `commit ${nth}`).toBe(refused ? 'open' : 'superseded');
      expect(await rig.done(rig.c.list())).toHaveLength(1);
    }
  });

  it('a boundary that could not be committed is none: its cards can be answered, and it can be made again', async () => {
    const rig = await openRig(kind);
    const { id, token } = await rig.late('g');
    const open = await rig.unattended(FREE);
    const before = await rig.visible();
    for (let tries = 0; tries < 2; tries++) {
      rig.store.plant({ on: 'commit', nth: 1 });
      await expect(rig.done(rig.c.journal.closeAsks(TAB))).rejects.toMatchObject({ code: 'disk_full' });
    }
    expect(await rig.visible()).toEqual(before);
    expect(await rig.answer(open, 'Fido')).toMatchObject({ verdict: 'late_accepted' });
    expect(await rig.done(rig.c.journal.askBelongsToLiveConversation(id))).toBe(true);
    await rig.done(rig.c.journal.closeAsks(TAB));
    expect(await rig.entry(token)).toMatchObject({ state: 'retired' });
    expect(rig.store.tabs()).toMatchObject([{ tab: TAB, epoch: 1 }]);
  });

  it('a question whose opening failed and is on file all the same is taken off, for its asker was told otherwise', async () => {
    const rig = await openRig(kind);
    rig.store.plant({ on: 'commit', nth: 1, when: 'after' });
    await expect(rig.done(rig.c.ask(COLOUR, { tab: TAB }))).rejects.toMatchObject({ code: 'disk_full' });
    await rig.hand.settle();
    expect(await rig.done(rig.c.list())).toEqual([]);
  });

  it('the end of a call that could not be committed is tried again, so that a later answer is owed', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { timeoutMs: 1_000 });
    await rig.hand.pass(999);
    rig.store.plant({ on: 'commit', nth: 1, times: 2 });
    await rig.hand.pass(1);
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'pending' });
    await rig.hand.pass(2_000, 50);
    expect(await rig.show(id)).toMatchObject({ awaited: false });
    const { token } = await rig.answer(id, 'g');
    expect(await rig.done(rig.c.unread(TAB))).toMatchObject([{ token, possibleRepeat: false }]);
  });

  it('what was given out, and could not be noted, never comes again without its label', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { attach: turn('t') });
    const { token = '' } = await rig.answer(id, 'g');
    rig.store.plant({ on: 'commit', nth: 1, times: 3 });
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered', token });
    for (let i = 0; i < 40; i++) {
      await rig.hand.pass(50);
      for (const one of await rig.done(rig.c.unread(TAB)).catch(() => [])) expect(one.possibleRepeat).toBe(true);
      const entry = await rig.entry(token).catch(() => undefined);
      expect(entry?.state === 'pending' && !entry.replayHint && !entry.returned).toBe(false);
    }
    expect(await rig.entry(token)).toMatchObject({ returned: true, rides: ['t'], state: 'none' });
  });

  it('[J-R133] [D-4] what was handed back before its hand-over could be noted is in nobody’s hands, now and after a restart', async () => {
    for (const isFailing of [true, false]) {
      const rig = await openRig(kind);
      const { id, outcome } = await rig.ask(FREE, { attach: turn('t'), timeoutMs: 1_000 });
      await rig.answer(id, 'Fido');
      if (isFailing) rig.store.plant({ on: 'commit', nth: 1, times: 2 });
      const { token } = (await rig.done(outcome)) as Extract<Outcome, { outcome: 'answered' }>;
      await rig.hand.pass(3 * TIMES.lazyCommit, 10);
      expect(rig.store.struck).toBe(isFailing ? 2 : 0);
      await rig.proven(rig.c.handBack(token, 'a turn that was given nothing'));
      await rig.proven(rig.c.handBack(token, 't'));
      await rig.hand.pass(2 * TIMES.idle);
      for (const again of [false, true]) {
        if (again) await rig.restart();
        expect((await rig.show(id))?.answers).toMatchObject([{ token, receipt: 'saved' }]);
        expect((await rig.entry(token))?.rides).toEqual([]);
      }
      expect(await rig.done(rig.c.awaitAnswer(id, { attach: turn('u') }))).toMatchObject({ token, text: 'Fido' });
    }
  });

  it('an offer that was taken, and could not be noted, comes again with its label, and deliveries go on', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('g');
    const payloads: unknown[] = [];
    const inject = (payload: unknown): boolean => {
      if (payloads.length === 0) rig.store.plant({ on: 'commit', nth: 1 });
      return payloads.push(payload) > 0;
    };
    await expect(rig.done(rig.c.journal.deliverPending(TAB, inject))).rejects.toMatchObject({ code: 'disk_full' });
    expect(await rig.done(rig.c.unread(TAB))).toMatchObject([{ token, possibleRepeat: true }]);
    expect(await rig.done(rig.c.journal.deliverPending(TAB, inject))).toMatchObject({ delivered: 1, blockedOn: null });
    expect(payloads).toMatchObject([{}, { replayed: true, possible_repeat: true }]);
    expect(payloads[0]).not.toHaveProperty('replayed');
    expect(rig.store.outbox()).toEqual([]);
  });
});

/** Makes a call until it succeeds, as an honest caller does; fails when the error does not allow that. */
async function insist<T>(rig: Rig, call: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 5; tries++) {
    try {
      return await rig.proven(call());
    } catch (error) {
      if (!(error instanceof ReadbackError)) throw error;
      expect([error.code, error.retry]).toEqual(['disk_full', true]);
    }
  }
  throw new Error('it never succeeded');
}

/** Everything once: asked and read back, late, pushed, withdrawn, superseded, replaced. Returns what was promised. */
async function scenario(rig: Rig): Promise<Verdict[]> {
  const promised: Verdict[] = [];
  const answer = async (id: string, reply: { text: string }): Promise<Verdict> => {
    const verdict = await insist(rig, () => rig.c.answer(id, reply, HUMAN));
    if (verdict.saved) promised.push(verdict);
    return verdict;
  };
  const ask = async (timeoutMs: number, supersedes?: string): Promise<string> => {
    let id = '';
    const onOpen = (askId: string): void => {
      id = askId;
    };
    const asking = (): Promise<unknown> =>
      rig.c.ask(FREE, { tab: TAB, timeoutMs, supersedes, onOpen, attach: turn('t') });
    if (timeoutMs === 0) await insist(rig, asking);
    else {
      for (let tries = 0; id === '' && tries < 5; tries++) {
        asking().catch(() => undefined);
        await rig.hand.settle();
      }
    }
    return id;
  };
  const direct = await ask(60_000);
  const first = await answer(direct, { text: 'direct' });
  await insist(rig, () => rig.c.ack([first.token ?? ''], 't'));
  const late = await answer(await ask(0), { text: 'late' });
  await insist(rig, () => rig.c.journal.deliverPending(TAB, () => true));
  await insist(rig, () => rig.c.journal.ack(late.token ?? ''));
  const withdrawn = await ask(0);
  await insist(rig, () => rig.c.withdraw(withdrawn, 'no', HUMAN));
  await ask(0, await ask(0));
  await answer(await ask(0), { text: 'pushed, then replaced' });
  await insist(rig, () => rig.c.journal.deliverPending(TAB, () => true));
  await insist(rig, () => rig.c.journal.closeAsks(TAB));
  await answer(await ask(0), { text: 'the last' });
  return promised;
}

/** What people and agents see in the end, without the names that depend on how often something was tried. */
async function ending(rig: Rig): Promise<unknown> {
  await rig.hand.pass(2_000, 50);
  const entries = await rig.done(rig.c.journal.entriesFor(TAB));
  const open = await rig.done(rig.c.list());
  return {
    entries: entries.map(({ answer, state, retired, acked, copyOut }) => ({ answer, state, retired, acked, copyOut })),
    open: open.map(({ question, state, awaited }) => ({ question, state, awaited })),
    gate: await rig.done(rig.c.journal.hasOutstanding()),
    outbox: rig.store.outbox().length,
  };
}

describe.each(KINDS)('a commit that fails, over %s', (kind) => {
  it.each(['before', 'after'] as const)(
    '%s it took effect: at each commit in turn, nothing promised is lost',
    async (when) => {
      const untouched = await openRig(kind, { revoker: () => true });
      await scenario(untouched);
      const expected = await ending(untouched);
      const longest = 100;
      let failed = 0;
      for (let nth = 1; nth <= longest; nth++) {
        const rig = await openRig(kind, { revoker: () => true });
        const fault: Fault = { on: 'commit', nth, when };
        rig.store.plant(fault);
        const promised = await scenario(rig);
        const said = `the ${nth}. commit failed ${when}`;
        if (when === 'before') expect(await ending(rig), said).toEqual(expected);
        else await ending(rig);
        const struck = rig.store.struck > 0;
        await rig.restart();
        for (const { token = '', askId } of promised) {
          expect(
            (await rig.show(askId))?.answers.map((one) => one.token),
            said,
          ).toContain(token);
        }
        expect(rig.store.outbox(), said).toEqual([]);
        endRigs();
        if (!struck) break;
        failed = nth;
      }
      expect(failed).toBeGreaterThan(15);
      expect(failed).toBeLessThan(longest);
    },
  );
});

it('rows that were only read are not kept: who reads everything holds no more than who reads one', async () => {
  const limits = { tickets: 5_000, entriesPerTab: 5_000, entriesTotal: 5_000 };
  const rig = await openRig('SQLite', { limits });
  const ids = Array.from({ length: 1_500 }, (_, at) => `pa-${at}-read`);
  const { journal } = rig.c;
  await rig.done(
    Promise.all(
      ids.flatMap((id) => [
        journal.openAsk(id, { tabId: TAB, fingerprint: id, question: id }),
        journal.record(id, 'x', { tabId: TAB }).then(() => undefined),
      ]),
    ),
  );
  // A row that is still held is the very same object.
  const read = (): unknown[] => ids.map((_, at) => rig.store.book.entry(at + 1));
  const held = read();
  expect(read().filter((row, at) => row !== held[at])).toEqual([]);
  expect(await rig.done(journal.allOutstanding())).toHaveLength(1_500);
  expect(read().filter((row, at) => row === held[at]).length).toBeLessThanOrEqual(CACHED_ROWS);
});
