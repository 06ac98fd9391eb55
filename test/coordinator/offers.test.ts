/** What a host does inside an offer: it reads, records, ends conversations. The entry that is offered is still the one on file. */
import { afterEach, describe, expect, it } from 'vitest';
import { CACHED_ROWS } from '../../src/store/sqlite-rows.ts';
import { endRigs, KINDS, openRig, type Rig, TAB } from './rig.ts';

afterEach(endRigs);

async function owe(rig: Rig, id: string, tab = TAB): Promise<void> {
  const { journal } = rig.c;
  await rig.done(journal.openAsk(id, { tabId: tab, fingerprint: id, question: id }));
  await rig.proven(journal.closeAsk(id));
  await rig.done(journal.record(id, `answer to ${id}`, { tabId: tab }));
}

describe.each([true, false])('a queue that says %s', (takes) => {
  it('[J-R107] [J-R108] may read more than the store keeps in memory while it is offered an answer', async () => {
    const limits = { entriesPerTab: 5_000 };
    const revoked: string[] = [];
    const rig = await openRig('SQLite', { limits, revoker: (_key, token) => revoked.push(token) > 0 });
    const { journal } = rig.c;
    const many = Array.from({ length: 2 * CACHED_ROWS + 200 }, (_, at) => `pa-${at}`);
    await owe(rig, 'pa-first');
    await rig.done(
      Promise.all(
        many.flatMap((id) => [
          journal.openAsk(id, { tabId: 'other', fingerprint: id, question: id }),
          journal.record(id, 'x', { tabId: 'other' }).then(() => undefined),
        ]),
      ),
    );
    const offer = () =>
      journal.deliverPending(TAB, () => {
        void journal.allOutstanding();
        return takes;
      });
    const { delivered, blockedOn } = await rig.done(offer());
    expect([delivered, blockedOn?.attempts]).toEqual(takes ? [1, undefined] : [0, 1]);
    expect(await rig.entry('aa1')).toMatchObject({ attempts: 1, delivery: takes ? 'handed_off' : 'pending' });
    expect(revoked).toEqual([]);
    await rig.restart();
    const again: unknown[] = [];
    await rig.done(rig.c.journal.deliverPending(TAB, (payload) => again.push(payload) > 0));
    expect(again).toMatchObject([{ ask_answer: 'answer to pa-first', replayed: true }]);
  });

  it.each(KINDS)('[J-R108] [J-R114] may let a bound take the answer from under the offer, over %s', async (kind) => {
    const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
    const { journal } = rig.c;
    await owe(rig, 'pa-old');
    await rig.done(journal.openAsk('pa-new', { tabId: TAB, fingerprint: 'n', question: 'n' }));
    let recorded: Promise<unknown> | undefined;
    const delivering = journal.deliverPending(TAB, () => {
      recorded ??= journal.record('pa-new', 'newer', { tabId: TAB });
      return takes;
    });
    expect((await rig.done(delivering)).delivered).toBe(takes ? 1 : 0);
    await rig.done(recorded ?? Promise.reject(new Error('nothing was offered')));
    expect(await rig.done(journal.entriesFor(TAB))).toMatchObject([{ askId: 'pa-new' }]);
    expect(await rig.done(journal.droppedFor(TAB))).toBe(1);
  });
});

describe.each(KINDS)('a close in the middle of a delivery, over %s', (kind) => {
  it.each([0, 1, 2, 3])('[I1] says so once it is done: what was taken is on file (%i ticks later)', async (ticks) => {
    const rig = await openRig(kind);
    for (const id of ['pa-1', 'pa-2', 'pa-3']) await owe(rig, id);
    const taken: string[] = [];
    const delivering = rig.c.journal.deliverPending(TAB, (_payload, token) => taken.push(token) > 0);
    for (let tick = 0; tick < ticks; tick += 1) {
      rig.hand.tick();
      await rig.hand.breathe();
    }
    await rig.reopen();
    expect(await rig.done(delivering)).toMatchObject({ delivered: taken.length });
    const entries = await rig.done(rig.c.journal.entriesFor(TAB));
    expect(entries.filter((entry) => entry.attempts > 0).map(({ token }) => token)).toEqual(taken);
  });

  it('[I1] ends a delivery that would go on for ever', async () => {
    const rig = await openRig(kind);
    await owe(rig, 'pa-1');
    await owe(rig, 'pa-2');
    const delivering = rig.c.journal.deliverPending(TAB, () => {
      rig.hand.jump(60_000);
      return true;
    });
    delivering.catch(() => undefined);
    await rig.reopen();
    await expect(rig.done(delivering)).rejects.toMatchObject({ code: 'closed' });
    const again: unknown[] = [];
    await rig.done(rig.c.journal.deliverPending(TAB, (payload) => again.push(payload) > 0));
    expect(again).toMatchObject([{ possible_repeat: true }, {}]);
  });
});
