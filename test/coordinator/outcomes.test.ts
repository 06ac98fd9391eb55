import { afterEach, describe, expect, it } from 'vitest';
import type { AskOptions, Outcome, Question } from '../../src/api.ts';
import { SIZES, TIMES } from '../../src/limits.ts';
import { COLOUR, endRigs, FREE, HUMAN, KINDS, openRig, TAB } from './rig.ts';

afterEach(endRigs);
const turn = (name: string) => (): string => name;

describe.each(KINDS)('an ask ends as exactly one outcome, over %s', (kind) => {
  it('[J-H02] [J-H03] answered: with the reply, the question, when, and the turn that carries it', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { attach: turn('turn-1') });
    expect(id).toMatch(/^pa-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    const at = rig.hand.now();
    const { token = '' } = await rig.answer(id, 'b');
    expect(await rig.done(outcome)).toEqual({
      outcome: 'answered',
      askId: id,
      reply: { selected: ['b'] },
      text: 'Blue [b]',
      token,
      question: COLOUR.question,
      answeredAt: at,
      possibleRepeat: false,
      readBack: false,
    });
    await rig.hand.pass(50);
    expect(await rig.entry(token)).toMatchObject({ returned: true, rides: ['turn-1'], state: 'none' });
    expect(await rig.done(rig.c.journal.ticketFor(id))).toBeUndefined();
    expect(await rig.proven(rig.c.ack([token], 'turn-1'))).toEqual([{ token, accepted: true }]);
    expect((await rig.show(id))?.answers[0]).toMatchObject({ receipt: 'read_back' });
  });

  it('declined: the person looked and chose not to answer', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    await rig.done(rig.c.answer(id, { declined: true, text: 'ask my wife' }, HUMAN));
    const end = await rig.done(outcome);
    expect(end).toMatchObject({ outcome: 'declined', text: '(declined to answer) ask my wife', possibleRepeat: false });
  });

  it('[J-H01] [J-H05] recovered: the identical question of this conversation was answered earlier', async () => {
    const rig = await openRig(kind);
    const { id, token } = await rig.late('g');
    const again = await rig.ask(COLOUR, { timeoutMs: 1_000, attach: turn('turn-2') });
    await rig.hand.pass(1_000);
    expect(await rig.done(again.outcome)).toMatchObject({
      outcome: 'recovered',
      askId: again.id,
      fromAskId: id,
      token,
      question: COLOUR.question,
      possibleRepeat: false,
    });
    expect(await rig.entry(token)).toMatchObject({ rides: ['turn-2'], state: 'handed_off', replayHint: true });
    const third = await rig.ask(COLOUR, { timeoutMs: 0 });
    expect(await rig.done(third.outcome)).toMatchObject({ outcome: 'recovered', token, possibleRepeat: true });
  });

  it('[J-H05] [G1] declined, from the earlier ask, when that is how the identical question was dealt with', async () => {
    const rig = await openRig(kind);
    const first = await rig.unattended();
    await rig.done(rig.c.answer(first, { declined: true }, HUMAN));
    const again = await rig.ask(COLOUR, { timeoutMs: 1_000, attach: turn('turn-2') });
    await rig.hand.pass(1_000);
    const end = await rig.done(again.outcome);
    expect(end).toMatchObject({ outcome: 'declined', askId: again.id, fromAskId: first });
    expect(await rig.done(rig.c.awaitAnswer(first, { timeoutMs: 0 }))).not.toHaveProperty('fromAskId');
  });

  it.each([
    { word: 'answered', reply: { selected: ['g'] } },
    { word: 'declined', reply: { declined: true } },
  ])(
    '[J-H05] [E5] no card stays open for what was $word before: it goes when that reply is given',
    async ({ reply }) => {
      const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
      await rig.late('lost', FREE);
      const first = await rig.unattended();
      await rig.done(rig.c.answer(first, reply, HUMAN));
      const alone = await rig.ask(COLOUR, { timeoutMs: 0 });
      // Its conversation is live all the same: what was lost is told with the reply (H-07).
      expect(await rig.proven(alone.outcome)).toMatchObject({ fromAskId: first, dropped: { count: 1 } });
      const ids: string[] = [];
      await rig.proven(
        rig.c.askAll([FREE, COLOUR], { tab: TAB, timeoutMs: 0, onOpen: (all) => void ids.push(...all) }),
      );
      expect((await rig.done(rig.c.list())).map(({ askId }) => askId)).toEqual([ids[0]]);
      for (const id of [alone.id, ids[1] ?? '']) {
        expect(await rig.show(id)).toMatchObject({ state: 'withdrawn', awaited: false });
        const reason = expect.stringContaining(first);
        expect(await rig.done(rig.c.awaitAnswer(id))).toMatchObject({ outcome: 'cancelled', reason });
      }
    },
  );

  it('recovers nothing for another question, another tab, a replaced conversation, or after ten minutes', async () => {
    const rig = await openRig(kind);
    await rig.late('g');
    const pending = async (question: Question, options: Partial<AskOptions>): Promise<unknown> => {
      const { outcome } = await rig.ask(question, { timeoutMs: 0, ...options });
      return (await rig.done(outcome)).outcome;
    };
    const relabelled = {
      ...COLOUR,
      options: [
        { id: 'x', label: 'Green' },
        { id: 'b', label: 'Blue', description: 'like the sea' },
      ],
    };
    expect(await pending(FREE, {})).toBe('pending');
    expect(await pending(relabelled, {})).toBe('pending');
    expect(await pending(COLOUR, { tab: 'another' })).toBe('pending');
    await rig.hand.pass(600_000);
    expect(await pending(COLOUR, {})).toBe('recovered');
    await rig.hand.pass(1);
    expect(await pending(COLOUR, {})).toBe('pending');
    await rig.late('b');
    await rig.done(rig.c.journal.closeAsks(TAB));
    expect(await pending(COLOUR, {})).toBe('pending');
  });

  it('[J-H06] [I2] pending: the call is over and the question is not; others are quoted, or only counted', async () => {
    const rig = await openRig(kind);
    await rig.late('Fido', FREE);
    await rig.done(rig.c.journal.record('pa-stranger', 'whose?', { tabId: TAB }));
    const { id, outcome } = await rig.ask(COLOUR, { timeoutMs: 5_000 });
    const openedAt = rig.hand.now();
    await rig.hand.pass(4_999);
    expect(rig.c.waiting).toBe(1);
    await rig.hand.pass(1);
    expect(await rig.done(outcome)).toMatchObject({
      outcome: 'pending',
      askId: id,
      openedAt,
      others: [{ question: FREE.question, answer: 'Fido' }],
      withheld: 1,
    });
    expect(rig.c.waiting).toBe(0);
    expect(rig.hand.timers).toBeLessThanOrEqual(2);
    expect(await rig.show(id)).toMatchObject({ state: 'open' });
    await rig.hand.pass(50);
    expect(await rig.show(id)).toMatchObject({ state: 'open', awaited: false });
  });

  it('[A4] the wait of a call without a limit is fifty seconds, whatever else is waited for', async () => {
    const rig = await openRig(kind);
    const { outcome, now } = await rig.ask();
    await rig.hand.pass(TIMES.hold - 1, 5_000);
    expect(now()).toBeUndefined();
    await rig.hand.pass(1);
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'pending' });
  });

  it('[G4] expired: the time of the question is over; nobody said no, and every waiting call is told', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { expiresInMs: 10_000 });
    const other = rig.c.awaitAnswer(id);
    expect(await rig.show(id)).toMatchObject({ expiresAt: rig.hand.now() + 10_000 });
    await rig.hand.pass(10_000);
    for (const one of [outcome, other]) {
      const end = await rig.done(one);
      expect(end).toMatchObject({ outcome: 'expired', askId: id });
      expect('reason' in end && end.reason).toContain('nobody answered');
    }
    expect(await rig.show(id)).toMatchObject({ state: 'expired', awaited: false });
  });

  it('cancelled when it was withdrawn, with the reason; the card is off and says so', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    expect(await rig.done(rig.c.withdraw(id, 'changed my mind', HUMAN))).toMatchObject({
      verdict: 'withdrawn',
      askId: id,
    });
    const end = await rig.done(outcome);
    expect(end).toMatchObject({ outcome: 'cancelled', reason: expect.stringContaining('changed my mind') });
    expect(await rig.done(rig.c.withdraw(id, 'again', HUMAN))).toMatchObject({
      verdict: 'withdrawn',
      ask: { why: 'changed my mind' },
    });
  });

  it('a withdrawal that comes too late says who answered, and takes nothing back', async () => {
    const rig = await openRig(kind);
    const { id, token } = await rig.late('g');
    expect(await rig.done(rig.c.withdraw(id, 'late', HUMAN))).toMatchObject({ verdict: 'conflict', winner: { token } });
    expect(await rig.done(rig.c.withdraw('pa-nobody', 'x', HUMAN))).toMatchObject({ verdict: 'unknown' });
    expect(await rig.entry(token)).toMatchObject({ state: 'pending' });
  });

  it('superseded: another ask of the same tab took its place', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    await rig.ask(FREE, { supersedes: id });
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'superseded', askId: id });
    expect(await rig.show(id)).toMatchObject({ state: 'superseded' });
  });

  it('[I11] an id of no ask, or of an ask of another tab, takes no place: refused, and nothing is put', async () => {
    const rig = await openRig(kind);
    const { id, now } = await rig.ask();
    const bad: readonly [Partial<AskOptions>, string][] = [
      [{ supersedes: 'pa-typo' }, 'supersedes: is the id of no ask; name an open ask of this tab'],
      [{ tab: 'another', supersedes: id }, 'supersedes: is an ask of another tab; name an open ask of this tab'],
    ];
    for (const [options, reason] of bad) {
      const refused = rig.done(rig.c.ask(FREE, { tab: TAB, ...options }));
      const message = expect.stringContaining(reason);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_input', field: 'supersedes', message });
    }
    expect((await rig.done(rig.c.list())).map(({ askId }) => askId)).toEqual([id]);
    expect(now()).toBeUndefined();
  });

  it('an ask that has ended meanwhile is passed over: the new one is put all the same', async () => {
    const rig = await openRig(kind, { limits: { tickets: 1 } });
    const answered = await rig.late('g');
    const withdrawn = await rig.unattended({ question: 'Withdrawn?' });
    await rig.done(rig.c.withdraw(withdrawn, 'done', HUMAN));
    const evicted = await rig.unattended({ question: 'Evicted?' });
    await rig.unattended({ question: 'Taking its place?' });
    for (const supersedes of [answered.id, withdrawn, evicted]) {
      const { id } = await rig.ask({ question: `In place of ${supersedes}?` }, { supersedes });
      expect(await rig.show(id)).toMatchObject({ state: 'open' });
    }
  });

  it('superseded, at once, when the conversation that asked is replaced while it waits', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const heard: string[] = [];
    rig.c.subscribe(({ ask }) => heard.push(`${ask.askId} ${ask.state}`));
    await rig.done(rig.c.journal.closeAsks(TAB));
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'superseded' });
    expect(heard).toContain(`${id} retired`);
  });

  it('unknown for an id that was never asked', async () => {
    const rig = await openRig(kind);
    for (const id of ['pa-nobody', '', '__proto__', '\ud800']) {
      expect(await rig.done(rig.c.awaitAnswer(id))).toMatchObject({ outcome: 'unknown', askId: id });
    }
  });
});

describe.each(KINDS)('an ask that cannot be put, over %s', (kind) => {
  it('[G1] [G3] [I13] is undeliverable at once where nothing can show it, and is not on file', async () => {
    const rig = await openRig(kind, {}, { page: false });
    const { id, outcome } = await rig.ask();
    const end = await rig.done(outcome);
    expect(end).toMatchObject({ outcome: 'undeliverable', reason: expect.stringContaining('nobody was asked') });
    expect([id, await rig.done(rig.c.list()), await rig.done(rig.c.audit())]).toEqual(['', [], []]);
    expect(rig.c.hasSurface()).toBe(false);
  });

  it('waits out the reload of a page, and no longer', async () => {
    const rig = await openRig(kind, {}, { page: false });
    rig.c.attachSurface({ kind: 'page', id: 'w' })();
    const reloading = await rig.ask();
    await rig.hand.pass(TIMES.surfaceGrace - 1);
    expect(reloading.now()).toBeUndefined();
    const leave = rig.c.attachSurface({ kind: 'page', id: 'w' });
    await rig.hand.settle();
    expect(reloading.id).toBe('');
    expect(await rig.done(rig.c.list())).toHaveLength(1);
    leave();
    leave();
    const gone = await rig.ask();
    await rig.hand.pass(TIMES.surfaceGrace);
    expect(await rig.done(gone.outcome)).toMatchObject({ outcome: 'undeliverable' });
  });

  it.each([
    ['says no', async () => false],
    ['throws', () => Promise.reject(new Error('no browser'))],
    ['says yes and nothing appears', async () => true],
    ['never answers', () => new Promise<boolean>(() => undefined)],
  ])('is undeliverable, in bounded time, when the host that opens pages %s', async (_, openSurface) => {
    const rig = await openRig(kind, { openSurface }, { page: false });
    const { outcome } = await rig.ask();
    await rig.hand.pass(TIMES.surfaceOpen);
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'undeliverable' });
    expect(rig.hand.timers).toBe(0);
  });

  it('is put once the page that the host opened is there', async () => {
    const rig = await openRig(kind, { openSurface: async () => true }, { page: false });
    await rig.ask();
    rig.c.attachSurface({ kind: 'page', id: 'opened' });
    await rig.hand.settle();
    expect(await rig.done(rig.c.list())).toHaveLength(1);
  });

  it('[I11] is refused with the field and the reason when it is not well formed; a long header is none of that', async () => {
    const rig = await openRig(kind);
    const bad: readonly [unknown, Partial<AskOptions>, string][] = [
      [null, {}, 'question'],
      [{}, {}, 'question'],
      [{ question: ' ' }, {}, 'question'],
      [{ question: 'half \ud800' }, {}, 'question'],
      [{ question: 'x'.repeat(SIZES.question + 1) }, {}, 'question'],
      [{ question: 'q', header: 'x'.repeat(SIZES.header + 1) }, {}, 'header'],
      [{ question: 'q', options: 'ab' }, {}, 'options'],
      [{ question: 'q', options: [{ id: 'a' }] }, {}, 'options[0].label'],
      [
        {
          question: 'q',
          options: [
            { id: 'a', label: 'A' },
            { id: 'a', label: 'B' },
          ],
        },
        {},
        'options[1].id',
      ],
      [{ question: 'q', freeText: false }, {}, 'freeText'],
      [FREE, { tab: '' }, 'tab'],
      [FREE, { tab: 'half \ud800' }, 'tab'],
      [FREE, { timeoutMs: Number.NaN }, 'timeoutMs'],
      [FREE, { timeoutMs: -1 }, 'timeoutMs'],
      [FREE, { expiresInMs: Number.NaN }, 'expiresInMs'],
    ];
    for (const [question, options, field] of bad) {
      const asking = rig.c.ask(question as Question, { tab: TAB, ...options });
      await expect(rig.done(asking), field).rejects.toMatchObject({ code: 'invalid_input', field });
    }
    expect(await rig.done(rig.c.audit())).toEqual([]);
    const { id } = await rig.ask({ ...FREE, header: 'far more than twelve characters' });
    expect(await rig.show(id)).toMatchObject({ header: 'far more than twelve characters' });
  });
});

describe.each(KINDS)('the call and the question are two things, over %s', (kind) => {
  it('a signal ends the call as cancelled; the question stays open and is answered later', async () => {
    const rig = await openRig(kind);
    const stop = new AbortController();
    const { id, outcome } = await rig.ask(COLOUR, { signal: stop.signal });
    stop.abort();
    expect(await rig.done(outcome)).toMatchObject({
      outcome: 'cancelled',
      reason: expect.stringContaining('stays open'),
    });
    expect(rig.c.waiting).toBe(0);
    await rig.hand.pass(50);
    expect(await rig.show(id)).toMatchObject({ state: 'open', awaited: false });
    expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'late_accepted' });
    expect(await rig.done(rig.c.awaitAnswer(id))).toMatchObject({ outcome: 'answered', possibleRepeat: false });
  });

  it('a signal that had gone off already, or goes off in the tick of the answer, hands nothing over', async () => {
    const rig = await openRig(kind);
    const early = await rig.ask(COLOUR, { signal: AbortSignal.abort() });
    expect(await rig.done(early.outcome)).toMatchObject({ outcome: 'cancelled' });
    const stop = new AbortController();
    const { id, outcome } = await rig.ask(FREE, { signal: stop.signal });
    const answered = rig.c.answer(id, { text: 'Fido' }, HUMAN);
    stop.abort();
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'cancelled' });
    const { token = '' } = await rig.done(answered);
    await rig.hand.pass(50);
    expect(await rig.entry(token)).toMatchObject({ state: 'pending', returned: false, replayHint: false });
  });

  it('[A8] [A5] an answer after the call has ended is given to whoever asks for it by the id, however often', async () => {
    const rig = await openRig(kind);
    const { id, token } = await rig.late('g');
    for (const possibleRepeat of [false, true, true]) {
      const end = await rig.done(rig.c.awaitAnswer(id, { attach: turn('t') }));
      expect(end).toMatchObject({ outcome: 'answered', token, possibleRepeat });
    }
    expect(await rig.entry(token)).toMatchObject({ rides: ['t'], state: 'handed_off' });
  });

  it('several calls may wait for one question, and all are told', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const others = [rig.c.awaitAnswer(id), rig.c.awaitAnswer(id)];
    await rig.hand.settle();
    const { token } = await rig.answer(id, 'g');
    for (const one of [outcome, ...others]) expect(await rig.done(one)).toMatchObject({ outcome: 'answered', token });
  });

  it('[J-R092] of several calls that wait, the one that is told without a label is told first', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const told: boolean[] = [];
    const hear = (end: Outcome): void => void told.push('possibleRepeat' in end && end.possibleRepeat);
    const heard = [outcome, rig.c.awaitAnswer(id), rig.c.awaitAnswer(id)].map((one) => one.then(hear));
    await rig.hand.settle();
    await rig.answer(id, 'g');
    await rig.done(Promise.all(heard));
    expect(told).toEqual([false, true, true]);
  });

  it('[J-H07] losses are counted in the result of a live conversation, and in no other', async () => {
    const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
    await rig.late('one', FREE);
    await rig.late('two', FREE);
    const { id, outcome } = await rig.ask(COLOUR, { timeoutMs: 1_000, attach: turn('turn-1') });
    await rig.hand.pass(1_000);
    expect(await rig.proven(outcome)).toMatchObject({ outcome: 'pending', dropped: { count: 1 } });
    const warned = (await rig.done(rig.c.audit())).find((row) => row.event === 'warned');
    expect(warned).toMatchObject({ who: 'turn-1', tab: TAB, token: expect.stringMatching(/^aad\d+$/) });
    const token = warned?.token ?? '';
    expect(await rig.proven(rig.c.ack([token], 'another turn'))).toEqual([{ token, accepted: false }]);
    expect(await rig.done(rig.c.journal.droppedFor(TAB))).toBe(1);
    expect(await rig.proven(rig.c.ack([token], 'turn-1'))).toEqual([{ token, accepted: true }]);
    expect(await rig.done(rig.c.journal.droppedFor(TAB))).toBe(0);
    await rig.done(rig.c.journal.closeAsks(TAB));
    const replaced = await rig.done(rig.c.awaitAnswer(id));
    expect(replaced).toMatchObject({ outcome: 'superseded' });
    expect('dropped' in replaced && replaced.dropped).toBeFalsy();
  });

  it('[J-H07] an answer that was given out is the outcome, though its losses could not be told', async () => {
    const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
    await rig.late('one', FREE);
    await rig.late('two', FREE);
    const { id, outcome } = await rig.ask(COLOUR, { attach: turn('turn-1') });
    rig.store.watch = ({ name, done }) => {
      if (name !== 'addWarning' || !done) return;
      rig.store.watch = undefined;
      rig.store.plant({ on: 'commit', nth: 1 });
    };
    const { token } = await rig.answer(id, 'g');
    expect(await rig.proven(outcome)).toMatchObject({ outcome: 'answered', token });
    expect(rig.store.struck).toBe(1);
    expect(await rig.proven(rig.c.ack([token as string], 'turn-1'))).toEqual([{ token, accepted: true }]);
    expect(await rig.done(rig.c.journal.droppedFor(TAB))).toBeGreaterThan(0);
  });
});
