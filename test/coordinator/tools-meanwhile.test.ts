/** Client tools over a coordinator: what happens while a host, a store or a person is waited for. */
import { afterEach, describe, expect, it } from 'vitest';
import { part } from '../../src/testing/tools/rig.ts';
import type { ToolContext } from '../../src/tools/types.ts';
import { endRigs, FREE, HUMAN, KINDS, openRig, type Rig, TAB } from './rig.ts';
import { asksFirst, type Chat, call, card, observeAgain, open, rowOf, stateOf } from './tool-chat.ts';

afterEach(endRigs);

const answer = (rig: Rig, askId: string, text: string) => rig.done(rig.c.answer(askId, { text }, HUMAN));
const receipt = async (rig: Rig, askId: string) => (await rig.show(askId))?.answers[0]?.receipt;
const asksOf = (rig: Rig) => (rowOf(rig)?.['asks'] ?? []) as { askId: string; by: string }[];
const leaves = () => async (_args: never, context: ToolContext) => {
  void context.human('Still there?');
  return 'did not wait';
};

describe.each(KINDS)('meanwhile, over %s', (kind) => {
  it('[TL-H04, TL-H07] what a callback asks while the host decides stays a question of the call', async () => {
    const rig = await openRig(kind);
    await call(
      rig,
      open(rig, () => () => new Promise(() => undefined)),
    );
    await rig.restart();
    let decide: (decision: { again: true }) => void = () => undefined;
    let begin: () => void = () => undefined;
    const streamCall = async (_reader: unknown, { human }: ToolContext) => {
      await new Promise<void>((resolve) => (begin = resolve));
      await human('From the callback?').catch(() => undefined);
    };
    const onUnknown = () => new Promise<{ again: true }>((resolve) => (decide = resolve));
    const second = await observeAgain(
      rig,
      open(rig, () => () => 'ran', { streamCall, onUnknown }),
    );
    begin();
    await rig.hand.settle();
    const askId = await card(rig);
    expect(asksOf(rig)).toMatchObject([{ by: 'callback', askId }]);
    decide({ again: true });
    await rig.hand.pass(100);
    expect(second.said).toEqual([['ran', false]]);
    expect(asksOf(rig)).toMatchObject([{ by: 'callback', askId }]);
    expect((await rig.show(askId))?.state).toBe('withdrawn');
  });

  it('[TL-H07] a card that opens only after its call has ended is taken away', async () => {
    const rig = await openRig(kind, { expectSurface: true }, { page: false });
    const chat = await call(rig, open(rig, leaves));
    expect(chat.said).toEqual([['did not wait', false]]);
    rig.c.attachSurface({ kind: 'page', id: 'window-1' });
    await rig.hand.pass(100);
    expect((await rig.show(asksOf(rig)[0]?.askId ?? ''))?.state).toBe('withdrawn');
    expect(await rig.done(rig.c.list())).toEqual([]);
  });

  it('[TL-H04] a card that never was on file is not put for a call that has ended', async () => {
    const rig = await openRig(kind, { expectSurface: true }, { page: false });
    await call(rig, open(rig, asksFirst));
    const asked = asksOf(rig);
    await rig.restart();
    const second = await observeAgain(
      rig,
      open(rig, () => async (_args: never, context: ToolContext) => {
        void context.human('Send it?');
        return 'did not wait';
      }),
    );
    await rig.hand.pass(100);
    expect([second.said, stateOf(rig)]).toEqual([[['did not wait', false]], 'done']);
    expect([asksOf(rig), await rig.done(rig.c.list())]).toEqual([asked, []]);
  });

  it('[TL-H06] a host that does not say whether it resumed gives the tool no value that nobody said', async () => {
    for (const resume of ['promise', 'throw'] as const) {
      const rig = await openRig(kind);
      const chat: Chat = open(rig, asksFirst, {
        resume: (id, payload) => {
          const taken = chat.view.tracker.resume(id, payload);
          if (resume === 'throw') throw new Error('said too late');
          return Promise.resolve(taken) as never;
        },
      });
      await call(rig, chat);
      await rig.done(rig.c.withdraw(await card(rig), 'changed my mind', HUMAN));
      await rig.hand.settle();
      expect([chat.got, chat.said]).toEqual([[], [[expect.stringContaining('No answer'), true]]]);
    }
  });

  it('a question hook that gives a promise is told so where the tool waits', async () => {
    const rig = await openRig(kind);
    const question = () => Promise.reject(new Error('later')) as never;
    const chat = await call(rig, open(rig, asksFirst, { question }));
    expect(chat.said).toEqual([[expect.stringContaining('gave a promise'), true]]);
  });

  it('[TL-H08] a callback of a call whose name is too long asks nothing', async () => {
    const rig = await openRig(kind);
    const thrown: unknown[] = [];
    const streamCall = (_reader: unknown, { human }: ToolContext) =>
      human('From the callback?').catch((error: unknown) => thrown.push(error));
    const id = 'x'.repeat(5_000);
    const chat = open(rig, () => () => 'ran', { streamCall });
    chat.view.push('s');
    chat.view.push('r', part('{}', { id }));
    await rig.hand.settle();
    expect(thrown).toMatchObject([{ code: 'invalid_input' }]);
    expect(rig.store.kept('call')).toEqual([]);
  });

  it('[TL-H05, TL-H07] an answer that the tool was not let on with is not used by its failure', async () => {
    const rig = await openRig(kind);
    const chat = await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    let isAnswered = false;
    rig.store.watch = ({ kind: what, done }) => {
      if (what !== 'commit' || !done || isAnswered) return;
      isAnswered = true;
      rig.store.plant({ on: 'commit', nth: 1 });
    };
    await answer(rig, askId, 'yes');
    await rig.hand.pass(100);
    expect([rig.store.struck, chat.got, chat.said[0]?.[1]]).toEqual([1, [], true]);
    expect(await receipt(rig, askId)).not.toBe('read_back');
  });

  it.each(['taken over', 'aborted'] as const)(
    '[TL-H07] an answer that only an execution got which was %s is parked once its call has ended without it',
    async (how) => {
      const rig = await openRig(kind);
      const holds =
        (own: () => Chat) =>
        async (_args: never, { human }: ToolContext) => {
          own().got.push(await human('Send it?'));
          return new Promise(() => undefined);
        };
      const first = await call(rig, open(rig, holds));
      const askId = await card(rig);
      await answer(rig, askId, 'yes');
      expect([first.got.length, await receipt(rig, askId)]).toEqual([1, 'handed']);
      if (how === 'aborted') await rig.done(first.view.tracker.abort({ discardPending: true }));
      const onUnknown = () => (how === 'aborted' ? { result: 'by hand' } : { again: true as const });
      const second = await observeAgain(
        rig,
        open(rig, () => () => 'without asking', { onUnknown }),
      );
      await rig.hand.pass(100);
      expect([second.said[0]?.[0], stateOf(rig)]).toEqual([how === 'aborted' ? 'by hand' : 'without asking', 'done']);
      expect(await receipt(rig, askId)).toBe('parked');
    },
  );

  it('[TL-H07, TL-H09] an answer for which an execution that was taken over waits as well is used by the newer one', async () => {
    const rig = await openRig(kind);
    const first = await call(rig, open(rig, asksFirst));
    const askId = await card(rig);
    // The host shows the conversation anew, and lets nothing of its old view go.
    const second = await observeAgain(rig, open(rig, asksFirst));
    await answer(rig, askId, 'yes');
    await rig.hand.pass(100);
    expect([first.got, second.said, stateOf(rig)]).toEqual([[], [['sent: yes', false]], 'done']);
    expect([await receipt(rig, askId), await rig.done(rig.c.unread(TAB))]).toEqual(['read_back', []]);
  });

  it('[J-R142] leaves no warning of losses open, for a tool has no receipt for one', async () => {
    const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
    await rig.late('one', FREE);
    await rig.late('two', FREE);
    const chat = await call(rig, open(rig, asksFirst));
    const askId = (await rig.done(rig.c.list({ tab: TAB })))[0]?.askId ?? '';
    await answer(rig, askId, 'yes');
    await rig.hand.pass(100);
    expect(chat.said).toEqual([['sent: yes', false]]);
    expect(rig.store.book.warnings()).toEqual([]);
  });
});
