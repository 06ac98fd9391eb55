/** A store that fails for a while around a tool that asks a person, in a process that goes on. */
import { afterEach, describe, expect, it } from 'vitest';
import { endRigs, HUMAN, KINDS, openRig, type Rig, TAB } from './rig.ts';
import { asksFirst, type Chat, call, card, observeAgain, open, stateOf } from './tool-chat.ts';

afterEach(endRigs);

async function answer(rig: Rig, askId: string): Promise<void> {
  await rig.done(rig.c.answer(askId, { text: 'yes' }, HUMAN));
}

async function pushed(rig: Rig): Promise<string[]> {
  const given: string[] = [];
  await rig.done(rig.c.journal.deliverPending(TAB, ({ ask_answer: text }) => given.push(text) > 0));
  return given;
}

describe.each(KINDS)('a disk that is full for a while, over %s', (kind) => {
  it('[TL-H03] [TL-H05] an answer is not read back while what came of it is not on file', async () => {
    const rig = await openRig(kind);
    const effects: string[] = [];
    const chat = await call(
      rig,
      open(rig, (own) => async (args, context) => {
        const said = await asksFirst(own)(args, context);
        rig.store.plant({ on: 'commit', nth: 1 });
        effects.push(String(said));
        return said;
      }),
    );
    const askId = await card(rig);
    await answer(rig, askId);
    await rig.hand.pass(3_000, 250);
    expect([rig.store.struck, effects, chat.said]).toEqual([1, ['sent: yes'], [['sent: yes', false]]]);
    expect((await rig.show(askId))?.answers[0]?.receipt).not.toBe('read_back');
    await rig.restart();
    const next: Chat = await observeAgain(rig, open(rig, asksFirst));
    // The host is asked, and has it done again: the answer is still there for that.
    expect([next.unknown.length, next.got.length, stateOf(rig)]).toEqual([1, 1, 'done']);
    await rig.hand.pass(100);
    expect((await rig.show(askId))?.answers[0]?.receipt).toBe('read_back');
  });

  it('[TL-H02] [TL-H05] at whichever commit it begins, an answer was used by a call that is done, or is owed', async () => {
    for (let nth = 1; nth < 40; nth += 1) {
      const rig = await openRig(kind);
      const effects: string[] = [];
      const chat = (): Chat =>
        open(rig, (own) => async (args, context) => effects.push(String(await asksFirst(own)(args, context))));
      await call(rig, chat());
      const askId = await card(rig);
      await rig.restart();
      await answer(rig, askId);
      rig.store.plant({ on: 'commit', nth, times: 3 });
      const again = await observeAgain(rig, chat());
      await rig.hand.pass(3_000, 250);
      const isOver = rig.store.struck === 0;
      rig.store.heal();
      expect([effects.length < 2, again.said.length], `commit ${nth}`).toEqual([true, 1]);
      const isDone = stateOf(rig) === 'done';
      const [entry] = await rig.done(rig.c.journal.entriesFor(TAB));
      // What had its effect, and could not be filed, is the host's to find out about.
      if (isDone) expect([entry?.state, effects.length], `commit ${nth}`).toEqual(['acked', 1]);
      else if (effects.length === 0) expect(await pushed(rig), `commit ${nth}: ${entry?.state}`).toEqual(['yes']);
      else expect(entry?.acked, `commit ${nth}`).toBe(false);
      endRigs();
      if (isOver) return;
    }
    expect.fail('it had no end');
  });
});
