import { afterEach, describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { TIMES } from '../../src/limits.ts';
import { FOLD_AT_ONCE } from '../../src/recover.ts';
import { COLOUR, endRigs, FREE, HUMAN, KINDS, openRig, TAB } from './rig.ts';

afterEach(endRigs);
const turn = (name: string) => (): string => name;

/** The next process on the same files, as soon as it has opened. */
async function openedAgain(rig: Awaited<ReturnType<typeof openRig>>): Promise<Coordinator> {
  let c: Coordinator | undefined;
  void openCoordinator({ store: rig.openStore().store, runtime: rig.hand, logger: rig.log }).then((opened) => {
    c = opened;
  });
  for (let tick = 0; c === undefined && tick < 10; tick++) {
    rig.hand.tick();
    await rig.hand.breathe();
  }
  if (c === undefined) throw new Error('it did not open');
  return c;
}

describe.each(KINDS)('closing, over %s', (kind) => {
  it('[I1] [F1] settles every call that waits as pending, whatever it waits for, and is done in bounded time', async () => {
    const rig = await openRig(kind);
    const asks = [await rig.ask(), await rig.ask(FREE), await rig.ask(FREE, { tab: 'another', expiresInMs: 5_000 })];
    const waiting = [...asks.map((one) => one.outcome), rig.c.awaitAnswer(asks[0]?.id ?? '')];
    await rig.hand.settle();
    await rig.done(rig.c.close());
    for (const one of waiting) expect(await rig.done(one)).toMatchObject({ outcome: 'pending' });
    expect([rig.hand.timers, rig.c.waiting]).toEqual([0, 0]);
    expect(rig.log.lines.filter((line) => line.level !== 'debug')).toEqual([]);
    await rig.restart();
    expect((await rig.done(rig.c.list())).map((ask) => [ask.askId, ask.state, ask.awaited])).toEqual(
      asks.map(({ id }) => [id, 'open', false]),
    );
  });

  it('[F1] an ask that waits while it closes is pending, though the same question was answered before', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('g');
    const { outcome } = await rig.ask(COLOUR);
    await rig.done(rig.c.close());
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'pending', others: [], withheld: 0 });
    await rig.restart();
    expect(await rig.entry(token)).toMatchObject({ state: 'pending', returned: false });
  });

  it('[I1] settles what waits for a page, in the tick it is closed', async () => {
    const rig = await openRig(kind, { openSurface: () => new Promise<boolean>(() => undefined) }, { page: false });
    const { outcome } = await rig.ask();
    await rig.done(rig.c.close());
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'undeliverable' });
    expect(rig.hand.timers).toBe(0);
  });

  it('[F1] an ask and a close in one tick: the ask is pending and on file, or undeliverable and not', async () => {
    const rig = await openRig(kind);
    const asking = rig.c.ask(COLOUR, { tab: TAB });
    const closing = rig.c.close();
    const end = await rig.done(asking);
    await rig.done(closing);
    await rig.restart();
    expect([end.outcome, (await rig.done(rig.c.list())).length]).toEqual(
      end.outcome === 'pending' ? ['pending', 1] : ['undeliverable', 0],
    );
  });

  it('an answer and a close in one tick: what was said to be accepted is there afterwards', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const answering = rig.c.answer(id, { selected: ['g'] }, HUMAN);
    await rig.done(rig.c.close());
    const verdict = await rig.done(answering);
    expect(verdict).toMatchObject({ verdict: 'accepted', saved: true });
    const told = (await rig.done(outcome)).outcome;
    expect(['answered', 'pending']).toContain(told);
    await rig.restart();
    const end = await rig.done(rig.c.awaitAnswer(id));
    expect(end).toMatchObject({ outcome: 'answered', token: verdict.token, possibleRepeat: told === 'answered' });
  });

  it('commits the receipts that waited for company', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { attach: turn('t') });
    const { token = '' } = await rig.answer(id, 'g');
    await rig.done(outcome);
    const acked = rig.c.ack([token], 't');
    await rig.done(rig.c.close());
    expect(await rig.done(acked)).toEqual([{ token, accepted: true }]);
    await rig.restart();
    expect((await rig.show(id))?.answers[0]?.receipt).toBe('read_back');
  });

  it('is the same promise twice, and every method says closed afterwards', async () => {
    const rig = await openRig(kind);
    const { id } = await rig.ask();
    expect(rig.c.close()).toBe(rig.c.close());
    await rig.done(rig.c.close());
    const { c } = rig;
    const calls = [
      () => c.ask(COLOUR, { tab: TAB }),
      () => c.awaitAnswer(id),
      () => c.answer(id, { selected: ['g'] }, HUMAN),
      () => c.withdraw(id, 'x', HUMAN),
      () => c.ack(['aa1'], 't'),
      () => c.handBack('aa1', 't'),
      () => c.handOver('aa1', turn('t')),
      () => c.park('aa1', 'x'),
      () => c.unread(TAB),
      () => c.list(),
      () => c.show(id),
      () => c.audit(),
      () => c.journal.record(id, 'x', { tabId: TAB }),
      () => c.journal.hasOutstanding(),
    ];
    for (const call of calls) {
      await expect(rig.done<unknown>(call()), String(call)).rejects.toMatchObject({ code: 'closed', retry: false });
    }
  });
});

describe.each(KINDS)('a restart, over %s', (kind) => {
  it('[F10] [F2] an open question is there again, unattended; its answer is kept for whoever asks next', async () => {
    const rig = await openRig(kind);
    const { id } = await rig.ask(COLOUR, { from: 'a model' });
    const before = await rig.show(id);
    expect(before).toMatchObject({ state: 'open', awaited: true });
    await rig.restart();
    expect(await rig.show(id)).toEqual({ ...before, awaited: false });
    const first = await rig.answer(id, 'g');
    expect(first).toMatchObject({ verdict: 'late_accepted', saved: true });
    for (let i = 0; i < 3; i++)
      expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'duplicate', token: first.token });
    expect(await rig.done(rig.c.awaitAnswer(id))).toMatchObject({ outcome: 'answered', possibleRepeat: false });
  });

  it('[F4] an answer that met a restart is one final event, and is shown', async () => {
    const rig = await openRig(kind);
    const { id } = await rig.ask();
    const { token } = await rig.answer(id, 'g');
    await rig.restart();
    expect(await rig.show(id)).toMatchObject({ state: 'answered', answers: [{ token, receipt: 'saved' }] });
    expect(await rig.done(rig.c.list())).toEqual([]);
    expect(await rig.answer(id, 'b')).toMatchObject({ verdict: 'conflict', winner: { token } });
  });

  it('what was handed off is handed back and labelled; what was proven stays proven', async () => {
    const rig = await openRig(kind);
    const queued = await rig.late('one', FREE);
    const proven = await rig.late('two', FREE);
    await rig.done(rig.c.journal.deliverPending(TAB, () => true));
    await rig.proven(rig.c.journal.ack(proven.token));
    const riding = await rig.late('three', FREE);
    await rig.done(rig.c.handOver(riding.token, turn('t'), riding.id));
    await rig.restart();
    for (const { token } of [queued, riding]) {
      expect(await rig.entry(token)).toMatchObject({
        state: 'pending',
        channel: 'none',
        replayHint: true,
        carriedReleases: 0,
      });
    }
    expect(await rig.entry(proven.token)).toMatchObject({ state: 'acked' });
    const unread = await rig.done(rig.c.unread(TAB));
    expect(unread.map((one) => [one.token, one.possibleRepeat])).toEqual([
      [queued.token, true],
      [riding.token, true],
    ]);
    // Its turn may have ended properly while the process was down: the receipt still counts.
    await rig.proven(rig.c.ack([riding.token], 't'));
    expect(await rig.entry(riding.token)).toMatchObject({ state: 'acked' });
  });

  it('an answer that its handler was about to return is owed, and labelled, for it may have spoken', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const { token = '' } = await rig.answer(id, 'g');
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered' });
    await rig.restart();
    expect(await rig.entry(token)).toMatchObject({ state: 'pending', replayHint: true });
    expect(await rig.done(rig.c.awaitAnswer(id))).toMatchObject({ outcome: 'answered', token, possibleRepeat: true });
  });

  it('an offer whose end is not known comes again with its label, however it is read then', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('g');
    const offered = rig.c.journal.deliverPending(TAB, () => {
      // The agent has it; the process dies before that is on file.
      rig.store.plant({ on: 'commit', nth: 1, times: 99 });
      return true;
    });
    await expect(rig.done(offered)).rejects.toMatchObject({ code: 'disk_full' });
    await rig.restart();
    expect(await rig.entry(token)).toMatchObject({ state: 'pending', attempts: 1, replayHint: true });
    expect(await rig.done(rig.c.unread(TAB))).toMatchObject([{ token, possibleRepeat: true }]);
    const payloads: unknown[] = [];
    await rig.done(rig.c.journal.deliverPending(TAB, (payload) => payloads.push(payload) > 0));
    expect(payloads).toMatchObject([{ replayed: true, possible_repeat: true }]);
    expect(rig.store.outbox()).toEqual([]);
  });

  it('[J-R139] a copy that a boundary could not recall died with its queue: no receipt for it counts any more', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('one', FREE);
    await rig.done(rig.c.journal.deliverPending(TAB, () => true));
    await rig.done(rig.c.journal.closeAsks(TAB));
    expect(await rig.entry(token)).toMatchObject({ state: 'retired', copyOut: true });
    await rig.restart();
    expect(await rig.entry(token)).toMatchObject({ state: 'retired', copyOut: false, acked: false });
    await rig.proven(rig.c.journal.ack(token));
    expect(await rig.entry(token)).toMatchObject({ state: 'retired', acked: false });
    expect(await rig.done(rig.c.journal.pending(TAB))).toEqual([]);
  });

  it('epochs, occupants gone and losses are as they were: a restart is no boundary', async () => {
    const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
    const open = await rig.unattended();
    await rig.late('one', FREE);
    await rig.late('two', FREE);
    await rig.done(rig.c.journal.closeAsks('elsewhere'));
    await rig.done(rig.c.journal.retireDebt('elsewhere', 'somebody'));
    await rig.restart();
    expect(await rig.show(open)).toMatchObject({ state: 'open' });
    expect(await rig.done(rig.c.journal.askBelongsToLiveConversation(open))).toBe(true);
    expect(await rig.done(rig.c.journal.droppedFor(TAB))).toBe(1);
    expect(rig.store.tabs()).toMatchObject([{ tab: 'elsewhere', epoch: 1, gone: ['somebody'] }]);
    await rig.done(rig.c.journal.closeAsks(TAB));
    await rig.restart();
    expect(await rig.show(open)).toMatchObject({ state: 'retired' });
    expect(await rig.done(rig.c.journal.hasOutstanding())).toBe(false);
  });

  it('deadlines go on, and one that passed meanwhile ends the question at once', async () => {
    const rig = await openRig(kind);
    const soon = await rig.unattended(COLOUR, { expiresInMs: 1_000 });
    const later = await rig.unattended(COLOUR, { expiresInMs: 60_000 });
    rig.hand.jump(2_000);
    await rig.restart();
    await rig.hand.pass(1);
    expect((await rig.show(soon))?.state).toBe('expired');
    expect((await rig.show(later))?.state).toBe('open');
    await rig.hand.pass(60_000);
    expect((await rig.show(later))?.state).toBe('expired');
  });

  it('a recall that was decided is made again, and the agent is told of nothing twice without its label', async () => {
    const revoked: string[] = [];
    let dead = true;
    const revoker = (_: string, token: string): boolean => {
      if (dead) throw new Error('the host is gone');
      return revoked.push(token) > 0;
    };
    const rig = await openRig(kind, { revoker });
    const { id, token } = await rig.late('g');
    await rig.done(rig.c.journal.deliverPending(TAB, () => true));
    const commits = rig.store.counts.commit;
    rig.store.plant({ on: 'commit', nth: 2, times: 99 });
    await expect(rig.done(rig.c.journal.record(id, 'blue after all', { tabId: TAB }))).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(rig.store.counts.commit).toBeGreaterThan(commits + 1);
    expect(rig.store.outbox()).toMatchObject([{ kind: 'recall', token, because: 'blur' }]);
    dead = false;
    await rig.restart();
    expect(revoked).toEqual([token]);
    expect(rig.store.outbox()).toEqual([]);
    expect(await rig.entry(token)).toMatchObject({ state: 'pending', replayHint: true, ambiguousId: true });
  });

  it('folds before the doors open, flushes after, and folds however many calls the last process had', async () => {
    const rig = await openRig(kind);
    const many = 600;
    await rig.done(
      Promise.all(
        Array.from({ length: many }, (_, i) =>
          rig.c.journal.openAsk(`pa-${i}`, { tabId: TAB, fingerprint: 'f', question: 'q' }),
        ),
      ),
    );
    await rig.late('x', FREE);
    const calls: string[] = [];
    rig.crash();
    rig.options.flusher = (tab) => void calls.push(`flush ${tab}`);
    await rig.open({
      prepare: (store) => (store.watch = ({ kind, done }) => void (kind === 'commit' && done && calls.push('commit'))),
    });
    expect(calls.indexOf('commit')).toBeLessThan(calls.indexOf(`flush ${TAB}`));
    await rig.hand.settle();
    expect(rig.store.book.awaitedTickets(rig.store.book.latestSeq, many)).toEqual([]);
    expect(await rig.answer(`pa-${many - 1}`, 'y')).toMatchObject({ verdict: 'late_accepted' });
  });

  it('an answer that arrives before its call is folded is not lost: it is owed, and labelled', async () => {
    const rig = await openRig(kind);
    await rig.done(
      Promise.all(
        Array.from({ length: 300 }, (_, i) =>
          rig.c.journal.openAsk(`pa-${i}`, { tabId: TAB, fingerprint: 'f', question: 'q' }),
        ),
      ),
    );
    rig.crash();
    const c = await openedAgain(rig);
    expect(rig.store.book.awaitedTickets(rig.store.book.latestSeq, 300)).toHaveLength(300 - FOLD_AT_ONCE);
    const verdict = await rig.done(c.answer('pa-299', { text: 'early' }, HUMAN));
    expect(verdict.saved).toBe(true);
    await rig.hand.settle();
    expect(await rig.done(c.journal.pending(TAB))).toMatchObject([{ token: verdict.token }]);
  });

  it('[J-R132] an answer that is given out before its dead call is folded is not taken back from who has it now', async () => {
    const rig = await openRig(kind);
    const ids = Array.from({ length: 300 }, (_, i) => `pa-${i}`);
    const open = (id: string) => rig.c.journal.openAsk(id, { tabId: TAB, fingerprint: id, question: id });
    await rig.done(Promise.all(ids.map(open)));
    const { token = '' } = await rig.answer('pa-299', 'x');
    rig.crash();
    const c = await openedAgain(rig);
    expect(await rig.done(c.handOver(token, () => 'turn-1'))).toBe(true);
    await rig.hand.settle();
    expect(await rig.done(c.journal.entriesFor(TAB))).toMatchObject([{ state: 'handed_off', rides: ['turn-1'] }]);
    expect(await rig.done(c.journal.pending(TAB))).toEqual([]);
  });

  it('a start whose first commit fails is refused with the reason, and succeeds when there is room again', async () => {
    const rig = await openRig(kind);
    await rig.ask();
    rig.crash();
    const start = rig.open({ prepare: (store) => store.plant({ on: 'commit', nth: 1 }) });
    await expect(start).rejects.toMatchObject({ code: 'disk_full' });
    expect(rig.hand.timers).toBe(0);
    await rig.restart();
    expect(await rig.done(rig.c.list())).toMatchObject([{ awaited: false }]);
  });

  it('[F7] a question asked anew after a rewind is a new one: both answers count, each for its own', async () => {
    const rig = await openRig(kind);
    const no = await rig.ask();
    await rig.answer(no.id, 'g');
    await rig.done(rig.c.journal.closeAsks(TAB));
    const yes = await rig.ask();
    expect(yes.id).not.toBe(no.id);
    expect(await rig.answer(no.id, 'b')).toMatchObject({ verdict: 'conflict' });
    expect(await rig.answer(yes.id, 'b')).toMatchObject({ verdict: 'accepted' });
    expect(await rig.done(yes.outcome)).toMatchObject({ outcome: 'answered', reply: { selected: ['b'] } });
  });

  it('tidies when nothing has happened for a while, and changes nothing by it', async () => {
    const rig = await openRig(kind);
    const { id } = await rig.late('g');
    const before = await rig.visible();
    await rig.hand.pass(10 * TIMES.idle, TIMES.idle);
    expect(await rig.visible()).toEqual(before);
    await rig.restart();
    expect((await rig.show(id))?.state).toBe('answered');
  });
});
