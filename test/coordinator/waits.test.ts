/** What the audit says of calls that wait for an ask that is on file already. */
import { afterEach, describe, expect, it } from 'vitest';
import { TIMES } from '../../src/limits.ts';
import { endRigs, HUMAN, KINDS, openRig, type Rig, TAB } from './rig.ts';

afterEach(endRigs);

const eventsOf = async (rig: Rig, askId: string) => (await rig.done(rig.c.audit({ askId }))).map(({ event }) => event);

async function asked(rig: Rig): Promise<string> {
  const { askId } = await rig.done(rig.c.ask({ question: 'Ship?' }, { tab: TAB, timeoutMs: 0 }));
  return askId;
}

describe.each(KINDS)('the audit of a wait, over %s', (kind) => {
  it('[I4] says that an ask is waited for again, once for calls that wait in slices, and when nobody does any more', async () => {
    const rig = await openRig(kind);
    const askId = await asked(rig);
    for (let slice = 0; slice < 3; slice += 1) {
      const wait = rig.c.awaitAnswer(askId, { timeoutMs: 5_000 });
      await rig.hand.settle();
      await rig.hand.pass(5_000);
      expect(await rig.done(wait)).toMatchObject({ outcome: 'pending' });
      await rig.hand.pass(TIMES.waitGap / 2);
    }
    expect(await eventsOf(rig, askId)).toEqual(['opened', 'closed', 'awaited']);
    await rig.hand.pass(TIMES.waitGap);
    expect(await eventsOf(rig, askId)).toEqual(['opened', 'closed', 'awaited', 'unattended']);
    void rig.c.awaitAnswer(askId, { timeoutMs: 5_000 });
    await rig.hand.pass(100);
    expect(await eventsOf(rig, askId)).toEqual(['opened', 'closed', 'awaited', 'unattended', 'awaited']);
  });

  it('[I4] says nothing of an end that came with the answer', async () => {
    const rig = await openRig(kind);
    const askId = await asked(rig);
    const wait = rig.c.awaitAnswer(askId, { timeoutMs: 5_000 });
    await rig.hand.pass(100);
    await rig.done(rig.c.answer(askId, { text: 'yes' }, HUMAN));
    expect(await rig.done(wait)).toMatchObject({ outcome: 'answered' });
    await rig.hand.pass(2 * TIMES.waitGap);
    const events = await eventsOf(rig, askId);
    expect(events.slice(0, 4)).toEqual(['opened', 'closed', 'awaited', 'answered']);
    expect(events).not.toContain('unattended');
  });
});
