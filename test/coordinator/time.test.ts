import { afterEach, describe, expect, it } from 'vitest';
import { TIMES } from '../../src/limits.ts';
import { COLOUR, endRigs, FREE, HUMAN, KINDS, openRig, TAB } from './rig.ts';

afterEach(endRigs);

describe.each(KINDS)('an answer and a deadline in the same tick, over %s', (kind) => {
  it.each([0, 1])('[A3] the person and the agent are told the same, whichever came first (%i)', async (first) => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { expiresInMs: 1_000 });
    const answer = () => rig.c.answer(id, { selected: ['g'] }, HUMAN);
    if (first === 0) {
      rig.hand.advance(999);
      const answering = answer();
      rig.hand.advance(1);
      const verdict = await rig.done(answering);
      expect(verdict).toMatchObject({ verdict: 'accepted', saved: true });
      expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered', token: verdict.token });
      expect((await rig.show(id))?.state).toBe('answered');
    } else {
      rig.hand.advance(1_000);
      const answering = answer();
      expect(await rig.done(answering)).toMatchObject({ verdict: 'expired', saved: false });
      expect(await rig.done(outcome)).toMatchObject({ outcome: 'expired' });
      expect((await rig.show(id))?.state).toBe('expired');
    }
    expect((await rig.events()).filter((event) => event === 'answered' || event === 'expired')).toHaveLength(1);
  });

  it('[A3] the deadline is what the clock says, not when its timer happens to run', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { expiresInMs: 1_000 });
    rig.hand.jump(1_000);
    expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'expired' });
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'expired' });
  });

  it.each([0, 1])(
    '[A3] the end of the call and the answer in one tick: told as answered, or given later (%i)',
    async (first) => {
      const rig = await openRig(kind);
      const { id, outcome } = await rig.ask(COLOUR, { timeoutMs: 1_000 });
      if (first === 1) rig.hand.advance(1_000);
      const answering = rig.c.answer(id, { selected: ['g'] }, HUMAN);
      if (first === 0) rig.hand.advance(1_000);
      const verdict = await rig.done(answering);
      const end = await rig.done(outcome);
      expect(verdict.saved).toBe(true);
      expect(end).toMatchObject({ outcome: 'answered', token: verdict.token });
    },
  );

  it('[A3] what is not committed is told to no agent: a call that ends in the tick of a failing commit is pending', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { timeoutMs: 1_000 });
    rig.store.plant({ on: 'commit', nth: 1 });
    const answering = rig.c.answer(id, { selected: ['g'] }, HUMAN);
    rig.hand.advance(1_000);
    const early = rig.c.awaitAnswer(id, { timeoutMs: 0 });
    await expect(rig.done(answering)).rejects.toMatchObject({ code: 'disk_full', retry: true });
    for (const one of [outcome, early]) expect(await rig.done(one)).toMatchObject({ outcome: 'pending' });
    expect(await rig.done(rig.c.journal.entriesFor(TAB))).toEqual([]);
    expect(await rig.answer(id, 'g')).toMatchObject({ saved: true });
  });
});

describe.each(KINDS)('time, over %s', (kind) => {
  it('a clock that is set back gives a call no more time, though its card is touched meanwhile', async () => {
    const rig = await openRig(kind);
    const { id, outcome, now } = await rig.ask(COLOUR, { timeoutMs: 10_000 });
    await rig.hand.pass(5_000);
    rig.hand.jump(-3_600_000);
    const other = rig.c.awaitAnswer(id, { timeoutMs: 0 });
    await rig.done(other);
    await rig.done(rig.c.answer(id, {}, HUMAN));
    await rig.done(rig.c.journal.openAsk('pa-other', { tabId: TAB, fingerprint: 'f', question: 'q' }));
    await rig.hand.pass(4_999);
    expect(now()).toBeUndefined();
    await rig.hand.pass(1);
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'pending' });
  });

  it('a clock that is set forward takes no time from a call', async () => {
    const rig = await openRig(kind);
    const { id, now } = await rig.ask(COLOUR, { timeoutMs: 10_000 });
    rig.hand.jump(3_600_000);
    await rig.done(rig.c.withdraw('pa-nobody', 'x', HUMAN));
    await rig.hand.pass(9_999);
    expect(now()).toBeUndefined();
    expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'accepted' });
  });

  it('a clock that is set back loses nothing, reorders nothing, and keeps an answer from growing younger', async () => {
    const rig = await openRig(kind);
    const one = await rig.late('g');
    await rig.hand.pass(500_000);
    rig.hand.jump(-86_400_000);
    const two = await rig.late('x', FREE);
    expect((await rig.done(rig.c.journal.pending(TAB))).map((entry) => entry.token)).toEqual([one.token, two.token]);
    await rig.restart();
    expect((await rig.done(rig.c.journal.pending(TAB))).map((entry) => entry.token)).toEqual([one.token, two.token]);
    expect(await rig.answer(one.id, 'g')).toMatchObject({ verdict: 'duplicate', token: one.token });
  });

  it('the question of a call that has ended expires at its own time, and not before', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended(COLOUR, { expiresInMs: 300_000 });
    await rig.hand.pass(299_000, 10_000);
    expect((await rig.show(id))?.state).toBe('open');
    await rig.hand.pass(1_000);
    expect((await rig.show(id))?.state).toBe('expired');
  });

  it('a clock that jumps is noticed by the deadline of a question within a minute', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended(COLOUR, { expiresInMs: 3_600_000 });
    rig.hand.jump(3_600_000);
    await rig.hand.pass(60_000, 10_000);
    expect((await rig.show(id))?.state).toBe('expired');
  });

  it('an expiry that cannot be committed leaves the question open, and comes again', async () => {
    const rig = await openRig(kind);
    const { id, outcome, now } = await rig.ask(COLOUR, { expiresInMs: 1_000 });
    rig.store.plant({ on: 'commit', nth: 1, times: 2 });
    await rig.hand.pass(1_000);
    expect(now()).toBeUndefined();
    expect((await rig.show(id))?.state).toBe('open');
    await rig.hand.pass(4 * TIMES.idle, TIMES.idle);
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'expired' });
  });

  it('lists the cards that can be answered, however many of replaced conversations are older', async () => {
    const rig = await openRig(kind);
    for (let i = 0; i < 12; i++) await rig.unattended(FREE, { tab: 'gone' });
    await rig.done(rig.c.journal.closeAsks('gone'));
    const id = await rig.unattended();
    expect((await rig.done(rig.c.list({ limit: 1 }))).map((ask) => ask.askId)).toEqual([id]);
    expect(await rig.done(rig.c.list({ tab: 'gone' }))).toEqual([]);
    const answered = await rig.late('x', FREE);
    for (let i = 0; i < 3; i++) {
      const other = await rig.unattended(FREE, { tab: 'other' });
      await rig.answer(other, 'y');
    }
    const recent = await rig.done(rig.c.list({ what: 'recent', tab: TAB, limit: 2 }));
    expect(recent.map((ask) => ask.askId)).toEqual([answered.id]);
    expect(await rig.done(rig.c.list({ what: 'recent', limit: 2 }))).toHaveLength(2);
  });
});

describe('the end of a wait', () => {
  it.each(KINDS)('is told with the next commit while something is staged, never before it (%s)', async (kind) => {
    const rig = await openRig(kind);
    const { token } = await rig.late();
    await rig.proven(rig.c.handOver(token, () => 'turn-1'));
    const id = await rig.unattended({ question: 'Another?' });
    const order: string[] = [];
    rig.c.subscribe(({ ask, cause }) => void order.push(`${cause} ${ask.awaited}`));
    const waiting = rig.c.awaitAnswer(id, { timeoutMs: 20 });
    await rig.hand.settle();
    await rig.hand.pass(10);
    rig.store.watch = ({ kind: what, done }) => void (what === 'commit' && done && order.push('commit'));
    // A receipt may share the next commit, so it is only staged when the wait ends.
    const acked = rig.c.ack([token], 'turn-1');
    await rig.hand.pass(10);
    await rig.done(waiting);
    expect(order).toEqual(['awaited true']);
    await rig.proven(acked);
    expect(order.slice(0, 3)).toContain('commit');
    expect(order.indexOf('unattended false')).toBeGreaterThan(order.indexOf('commit'));
  });
});
