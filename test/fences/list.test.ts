/** Logs out of whose middle entries are taken, as people delete messages of a chat. */
import { afterEach, describe, expect, it } from 'vitest';
import { aiSdkLog } from '../../src/seats.ts';
import { endRigs, openRig, TAB } from '../coordinator/rig.ts';

afterEach(endRigs);

describe('an answer to a question in a list of messages', () => {
  async function answered() {
    const messages = ['a', 'q', 'x', 'y'].map((id) => ({ id, role: 'user', isSummary: false }));
    const log = aiSdkLog({ messages: () => messages, isSummary: ({ isSummary }) => isSummary });
    const rig = await openRig('memory', { conversationLog: (tab) => (tab === TAB ? log : undefined) });
    const id = await rig.unattended();
    await rig.done(rig.c.questionLogged(id, 'q'));
    await rig.answer(id, 'g');
    await rig.hand.settle();
    const push = async (): Promise<number> => {
      let given = 0;
      await rig.done(
        rig.c.journal.deliverPending(TAB, () => {
          given += 1;
          return { carrier: 'turn' };
        }),
      );
      return given;
    };
    return { messages, rig, id, push };
  }

  it('[SE-R90] [SE-R72] is retired when the question is deleted out of the middle, and the leaf stays', async () => {
    const { messages, rig, id, push } = await answered();
    const [question] = messages.splice(1, 1);
    expect(await push()).toBe(0);
    expect((await rig.show(id))?.answers[0]?.receipt).toBe('retired');
    messages.splice(1, 0, question as (typeof messages)[number]);
    expect(await push()).toBe(1);
  });

  it('[SE-R90] [SE-R95] is retired so also when the list has grown meanwhile', async () => {
    const { messages, push } = await answered();
    messages.splice(1, 1);
    messages.push({ id: 'z', role: 'user', isSummary: false });
    expect(await push()).toBe(0);
  });
});
