/** Client tools over a coordinator: what a call did survives the process, and so does what a person said to it. */
import { afterEach, describe, expect, it } from 'vitest';
import { part } from '../../src/testing/tools/rig.ts';
import { NoAnswer, UNKNOWN } from '../../src/tools/durable.ts';
import { endRigs, HUMAN, KINDS, openRig, type Rig, TAB } from './rig.ts';
import { asksFirst, type Chat, call, card, observeAgain, open, rowOf, stateOf } from './tool-chat.ts';

afterEach(endRigs);

const answer = (rig: Rig, askId: string, text: string) => rig.done(rig.c.answer(askId, { text }, HUMAN));
const receipt = async (rig: Rig, askId: string) => (await rig.show(askId))?.answers[0]?.receipt;

describe.each(KINDS)('a call on file, over %s', (kind) => {
  it('[B3, B5, TL-H01, TL-H02] runs once, whatever happens to the process afterwards', async () => {
    const rig = await openRig(kind);
    const first = await call(
      rig,
      open(rig, () => () => ({ sent: true })),
    );
    expect([first.said, stateOf(rig)]).toEqual([[[{ sent: true }, false]], 'done']);
    await rig.restart();
    const second = await observeAgain(
      rig,
      open(rig, () => () => 'again'),
    );
    expect([second.runs, second.said]).toEqual([0, first.said]);
    const other = await call(
      rig,
      open(rig, () => () => 'its own', { boundary: 'chat-1#1' }),
    );
    expect([other.runs, other.said]).toEqual([1, [['its own', false]]]);
  });

  it('[B6, TL-H03] is unknown after a crash, in every boundary at once', async () => {
    const rig = await openRig(kind);
    await call(
      rig,
      open(rig, () => () => new Promise(() => undefined)),
    );
    expect(stateOf(rig)).toBe('claimed');
    await rig.restart();
    expect(stateOf(rig)).toBe('unknown');
    const second = await observeAgain(
      rig,
      open(rig, () => () => 'again', { onUnknown: undefined }),
    );
    expect([second.runs, second.said]).toEqual([0, [[UNKNOWN, true]]]);
  });

  it('[TL-H09] is not heard of any more once another execution of it has begun', async () => {
    const rig = await openRig(kind);
    let end: (value: string) => void = () => undefined;
    const first = await call(
      rig,
      open(rig, () => () => new Promise((resolve) => (end = resolve))),
    );
    first.view.tracker.reset();
    let hold: (value: string) => void = () => undefined;
    const second = await observeAgain(
      rig,
      open(rig, () => () => new Promise((resolve) => (hold = resolve))),
    );
    expect(second.unknown).toMatchObject([{ waited: false }]);
    end('late');
    await rig.hand.settle();
    expect(stateOf(rig)).toBe('claimed');
    hold('its own');
    await rig.hand.settle();
    expect([second.said, rowOf(rig)?.['outcome']]).toEqual([
      [['its own', false]],
      { result: 'its own', isError: false },
    ]);
  });

  it('[TL-H09] is not idle while it runs, and none begins where the process retires', async () => {
    const rig = await openRig(kind);
    let end: () => void = () => undefined;
    await call(
      rig,
      open(rig, () => () => new Promise<void>((resolve) => (end = resolve))),
    );
    const detail = { ledger: 'calls', count: 1, owners: ['t'] };
    expect(await rig.done(rig.c.idle())).toEqual({ idle: false, reason: 'turn_in_flight', detail });
    expect(await rig.done(rig.c.prepareRetirement().commit())).toBe(false);
    end();
    await rig.hand.pass(100);
    expect(await rig.done(rig.c.idle())).toMatchObject({ idle: true });
    const retirement = rig.c.prepareRetirement();
    expect(await rig.done(retirement.commit())).toBe(true);
    const late = await call(
      rig,
      open(rig, () => () => 'late', { boundary: 'other' }),
    );
    expect([late.runs, late.said[0]?.[1]]).toEqual([0, true]);
    expect(rig.store.kept('call')).toHaveLength(1);
  });

  it('waits for a person as an input that is awaited, with a card of the journal or without', async () => {
    const rig = await openRig(kind);
    await call(rig, open(rig, asksFirst, { question: () => undefined }));
    expect([stateOf(rig), rig.c.tools.running, rig.c.tools.asking]).toEqual(['asking', [], ['t']]);
    const detail = { ledger: 'calls asking', count: 1, owners: ['t'] };
    expect(await rig.done(rig.c.idle())).toEqual({ idle: false, reason: 'awaiting_human_input', detail });
  });
});

describe.each(KINDS)('a call that waits for a person, over %s', (kind) => {
  it('[TL-H04, TL-H05, TL-H07] gets the answer that was given after the process had ended', async () => {
    const rig = await openRig(kind);
    const first = await call(rig, open(rig, asksFirst));
    expect([first.view.status(), stateOf(rig)]).toEqual(['interrupt', 'asking']);
    const askId = await card(rig);
    await rig.restart();
    expect(stateOf(rig)).toBe('adjourned');
    await answer(rig, askId, 'yes');
    expect(await receipt(rig, askId)).toBe('saved');
    const second = await observeAgain(rig, open(rig, asksFirst));
    expect(second.unknown).toEqual([{ toolCallId: 't', toolName: 'x', waited: true, asks: [askId] }]);
    expect([second.runs, second.said]).toEqual([1, [['sent: yes', false]]]);
    await rig.hand.pass(100);
    expect([await receipt(rig, askId), await rig.done(rig.c.list())]).toEqual(['read_back', []]);
  });

  it('[TL-H07] parks the answer that nobody takes, when the host says what came of the call', async () => {
    const rig = await openRig(kind);
    await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    await rig.restart();
    await answer(rig, askId, 'yes');
    const second = await observeAgain(rig, open(rig, asksFirst, { onUnknown: () => ({ result: 'done by hand' }) }));
    expect([second.runs, second.said]).toEqual([0, [['done by hand', false]]]);
    await rig.hand.pass(100);
    expect((await rig.show(askId))?.answers).toMatchObject([
      { receipt: 'parked', why: expect.stringContaining('did not use this answer') },
    ]);
    await rig.restart();
    expect(await receipt(rig, askId)).toBe('parked');
  });

  it('[TL-H04] goes on waiting for the card that is open, and puts no second one', async () => {
    const rig = await openRig(kind);
    await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    await rig.restart();
    const second = await observeAgain(rig, open(rig, asksFirst));
    expect([await card(rig), second.view.status()]).toEqual([askId, 'interrupt']);
    await answer(rig, askId, 'yes');
    expect([second.said, stateOf(rig)]).toEqual([[['sent: yes', false]], 'done']);
  });

  it('[TL-H04] never gets the answer to another question that stood in its place', async () => {
    const rig = await openRig(kind);
    await call(
      rig,
      open(rig, (chat) => asksFirst(chat, 'Send it?')),
    );
    const old = await card(rig);
    await rig.restart();
    const second = await observeAgain(
      rig,
      open(rig, (chat) => asksFirst(chat, 'Delete it?')),
    );
    const askId = await card(rig);
    expect([askId === old, (await rig.show(old))?.state]).toEqual([false, 'superseded']);
    expect((await answer(rig, old, 'yes')).verdict).toBe('superseded');
    expect([second.got, second.said]).toEqual([[], []]);
    await answer(rig, askId, 'no');
    expect(second.said).toEqual([['sent: no', false]]);
  });

  it('[TL-H04] nor an answer that was given to that other question before it asked', async () => {
    const rig = await openRig(kind);
    await call(
      rig,
      open(rig, (chat) => asksFirst(chat, 'Send it?')),
    );
    const old = await card(rig);
    await rig.restart();
    await answer(rig, old, 'yes');
    const second = await observeAgain(
      rig,
      open(rig, (chat) => asksFirst(chat, 'Delete it?')),
    );
    expect([second.got, (await card(rig)) === old, await receipt(rig, old)]).toEqual([[], false, 'saved']);
  });

  it('[TL-H04] nor that of an equal question of another call, or of another boundary', async () => {
    const rig = await openRig(kind);
    await call(rig, open(rig, asksFirst), 't');
    await answer(rig, await card(rig), 'yes');
    const another = await call(rig, open(rig, asksFirst), 'u');
    const later = await call(rig, open(rig, asksFirst, { boundary: 'chat-1#1' }), 't');
    expect([another.view.status('u'), later.view.status('t')]).toEqual(['interrupt', 'interrupt']);
    expect([another.got, later.got, (await rig.done(rig.c.list())).length]).toEqual([[], [], 2]);
  });

  it.each([['t', 'u'] as const, ['u', 't'] as const])(
    '[C3, C4, TL-H04] two calls of one tool ask the same, and after a reload each gets its own answer: %s, then %s',
    async (early, late) => {
      const rig = await openRig(kind);
      await call(rig, open(rig, asksFirst), 't', 'u');
      const [first, second] = await rig.done(rig.c.list());
      const cards = { t: first?.askId ?? '', u: second?.askId ?? '' };
      await rig.restart();
      await answer(rig, cards[early], `yes, ${early}`);
      const chat = open(rig, asksFirst);
      chat.view.push('s', part('{}', { id: 't' }), part('{}', { id: 'u' }));
      for (const id of ['t', 'u']) expect(chat.view.tracker.adopt(id)).toBe(true);
      await rig.hand.settle();
      const told = () => chat.view.results.map(({ toolCallId, result }) => [toolCallId, result]);
      expect(told()).toEqual([[early, `sent: yes, ${early}`]]);
      expect([chat.view.status(late), (await rig.show(cards[late]))?.state]).toEqual(['interrupt', 'open']);
      await answer(rig, cards[late], `yes, ${late}`);
      expect(told()[1]).toEqual([late, `sent: yes, ${late}`]);
    },
  );

  it('[TL-H04] keeps the questions of its parts apart: the newer one does not get the answer to the older', async () => {
    const rig = await openRig(kind);
    const got: unknown[] = [];
    const streamCall = (_reader: unknown, { human }: { human: (payload: unknown) => Promise<unknown> }) =>
      human('From the callback?').then(
        (value) => got.push(value),
        () => got.push('rejected'),
      );
    const chat = open(rig, (own) => (args, context) => asksFirst(own)(args, context), { streamCall });
    chat.view.push('s');
    chat.view.push('r', part('{}'));
    await rig.hand.settle();
    const older = await card(rig);
    chat.view.push('s', part('{}'));
    void rig.c.answer(older, { text: 'for the callback' }, HUMAN);
    await rig.hand.settle();
    expect([chat.got, got]).toEqual([[], [expect.anything()]]);
    await answer(rig, await card(rig), 'for the executor');
    expect(chat.said).toEqual([['sent: for the executor', false]]);
  });

  it('[TL-H07] leaves no card behind when it ends without an answer', async () => {
    const rig = await openRig(kind);
    const impatient =
      () =>
      async (_args: never, { human }: { human: (payload: unknown) => Promise<unknown> }) => {
        void human('Still there?');
        return 'did not wait';
      };
    const chat = await call(rig, open(rig, impatient));
    await rig.hand.pass(100);
    expect([chat.said, await rig.done(rig.c.list())]).toEqual([[['did not wait', false]], []]);
    const [{ asks = [] } = {}] = [rowOf(rig) as { asks?: { askId: string }[] }];
    expect((await rig.show(asks[0]?.askId ?? ''))?.state).toBe('withdrawn');
  });

  it('[TL-H05] is no longer one that waited once it has its answer', async () => {
    const rig = await openRig(kind);
    const goesOn =
      (own: () => Chat) =>
      async (_args: never, { human }: { human: (p: unknown) => Promise<unknown> }) => {
        own().got.push(await human('Send it?'));
        return new Promise(() => undefined);
      };
    const first = await call(rig, open(rig, goesOn));
    await answer(rig, await card(rig), 'yes');
    expect([first.got.length, stateOf(rig)]).toEqual([1, 'claimed']);
    await rig.restart();
    const second = await observeAgain(rig, open(rig, asksFirst));
    expect(second.unknown).toMatchObject([{ waited: false }]);
    // What was handed over and not used by an outcome on file is there for the second run.
    expect(second.said).toEqual([['sent: yes', false]]);
  });

  it('[TL-H05] does not go on while it cannot be written that it does', async () => {
    const rig = await openRig(kind);
    const chat = await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    await answerOnly(rig, askId);
    expect([chat.got, chat.said[0]?.[1]]).toEqual([[], true]);
    expect((await rig.show(askId))?.answers[0]?.text).toBe('yes');
  });
});

/** The answer is committed; nothing after it is. */
async function answerOnly(rig: Rig, askId: string): Promise<void> {
  let isAnswered = false;
  rig.store.watch = ({ kind, done }) => {
    if (kind !== 'commit' || !done || isAnswered) return;
    isAnswered = true;
    rig.store.plant({ on: 'commit', nth: 1, times: 1_000 });
  };
  await answer(rig, askId, 'yes');
  rig.store.heal();
}

const SEND = { question: { question: 'Send it?' } };

describe.each(KINDS)('[G8] [TL-H06] only what a person says reaches a call, over %s', (kind) => {
  const ENDS: readonly [string, (rig: Rig, askId: string) => Promise<unknown>, string][] = [
    ['declined', (rig, askId) => rig.done(rig.c.answer(askId, { declined: true }, HUMAN)), 'declined'],
    ['withdrawn', (rig, askId) => rig.done(rig.c.withdraw(askId, 'changed my mind', HUMAN)), 'cancelled'],
    ['superseded', (rig) => rig.done(rig.c.supersedeAsks(TAB, HUMAN)), 'superseded'],
    ['expired', (rig) => rig.hand.pass(60_000, 1_000), 'expired'],
    ['of a conversation that was replaced', (rig) => rig.done(rig.c.journal.closeAsks(TAB)), 'superseded'],
  ];

  it.each(ENDS)('a question that is %s is an error where the tool waits, and no value', async (_what, end, word) => {
    const rig = await openRig(kind);
    const question = (payload: unknown) => ({
      question: { question: String(payload) },
      options: { tab: TAB, expiresInMs: 60_000 },
    });
    const thrown: unknown[] = [];
    const asks = (own: () => Chat) => async (args: never, context: never) => {
      try {
        return await asksFirst(own)(args, context);
      } catch (error) {
        thrown.push(error);
        throw error;
      }
    };
    const chat = await call(rig, open(rig, asks, { question }));
    await end(rig, await card(rig));
    await rig.hand.settle();
    expect(chat.got).toEqual([]);
    expect(thrown).toEqual([expect.any(NoAnswer)]);
    expect(thrown[0]).toMatchObject({ outcome: { outcome: word } });
    expect(chat.said).toEqual([[(thrown[0] as Error).message, true]]);
    expect(stateOf(rig)).toBe('failed');
  });

  it('nobody there to be asked: it stays parked, and the host may bring an answer', async () => {
    const rig = await openRig(kind, {}, { page: false });
    const chat = await call(rig, open(rig, asksFirst));
    expect([chat.view.status(), chat.said]).toEqual(['interrupt', []]);
    expect(chat.view.tracker.resume('t', { outcome: 'answered', text: 'by the host' })).toBe(true);
    await rig.hand.settle();
    expect(chat.said).toEqual([['sent: by the host', false]]);
  });

  it('a process that closes: it stays parked, and the answer comes in the next', async () => {
    const rig = await openRig(kind);
    const chat = await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    await rig.reopen();
    expect([chat.got, chat.said, stateOf(rig)]).toEqual([[], [], 'adjourned']);
    await answer(rig, askId, 'yes');
    const second = await observeAgain(rig, open(rig, asksFirst));
    expect(second.said).toEqual([['sent: yes', false]]);
  });

  it.each(['before', 'while'] as const)(
    'a process that closes %s it asks: it stays parked, without a card',
    async (when) => {
      const rig = await openRig(kind);
      let go: () => void = () => undefined;
      const later = (own: () => Chat) => async (args: never, context: never) => {
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        return asksFirst(own)(args, context);
      };
      const chat = await call(rig, open(rig, later));
      if (when === 'before') await rig.done(rig.c.close());
      go();
      if (when === 'while') await Promise.resolve().then(() => rig.done(rig.c.close()));
      await rig.hand.settle();
      expect([chat.view.status(), chat.got, chat.said]).toEqual(['interrupt', [], []]);
    },
  );

  it('a card that cannot be read or put is an error where the tool waits', async () => {
    const rig = await openRig(kind);
    const question = () => ({ question: { question: '' }, options: { tab: TAB } });
    const chat = await call(rig, open(rig, asksFirst, { question }));
    expect([chat.got, chat.said]).toEqual([[], [[expect.stringContaining('question'), true]]]);
    const other = await call(rig, open(rig, asksFirst, { question: () => ({ ...SEND, options: { tab: '' } }) }), 'u');
    expect([other.got, other.said]).toEqual([[], [[expect.stringContaining('tab'), true]]]);
  });

  it('a call that is aborted: it gets nothing, and its card stays open for the next time', async () => {
    const rig = await openRig(kind);
    const chat = await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    void chat.view.tracker.abort({ discardPending: true });
    await rig.hand.settle();
    expect([chat.got, stateOf(rig), await card(rig)]).toEqual([[], 'adjourned', askId]);
    await answer(rig, askId, 'yes');
    const second = await observeAgain(rig, open(rig, asksFirst));
    expect([chat.got, second.said]).toEqual([[], [['sent: yes', false]]]);
  });

  it('an answer that another one has overtaken: the one of the host counts, and the other stays unread', async () => {
    const rig = await openRig(kind);
    const chat = await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    const answering = rig.c.answer(askId, { text: 'from the page' }, HUMAN);
    expect(chat.view.tracker.resume('t', { text: 'from the host' })).toBe(true);
    await rig.done(answering);
    await rig.hand.pass(100);
    expect([chat.said, await receipt(rig, askId)]).toEqual([[['sent: from the host', false]], 'saved']);
  });
});
