/** Words of a host that are of the wrong kind: promises where a word is due now, numbers for names, half a character. */
import { afterEach, describe, expect, it } from 'vitest';
import { endRigs, KINDS, openRig, TAB } from './rig.ts';

afterEach(endRigs);
const rejects = (): never => Promise.reject(new Error('it is gone')) as never;

describe.each(KINDS)('a host that is not typed, over %s', (kind) => {
  it('[J-R108] an inject that gives a promise has refused: the answer is owed, and comes again with its label', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('g');
    const { journal } = rig.c;
    for (const inject of [() => Promise.resolve(true) as never, rejects]) {
      expect(await rig.done(journal.deliverPending(TAB, inject))).toMatchObject({ delivered: 0, blockedOn: { token } });
    }
    const offered: unknown[] = [];
    await rig.done(journal.deliverPending(TAB, (payload) => offered.push(payload) > 0));
    expect(offered).toMatchObject([{ replayed: true }]);
    expect(rig.log.at('warn').join(' ')).toContain('inject gave a promise');
    expect(rig.log.at('warn').join(' ')).toContain('it is gone');
  });

  it('[J-R008] a revoker whose promise is broken has recalled nothing, and ends no process', async () => {
    const rig = await openRig(kind, { revoker: rejects });
    const { token } = await rig.late('g');
    await rig.done(rig.c.journal.deliverPending(TAB, () => true));
    await rig.done(rig.c.journal.closeAsks(TAB));
    expect(await rig.entry(token)).toMatchObject({ retired: true, copyOut: true });
    expect(rig.log.at('warn').join(' ')).toContain('it is gone');
  });

  it.each([[7], [rejects]])(
    '[J-R008] [J-R036] a resolver that gives no text names nobody, before a restart and after',
    async (word) => {
      const rig = await openRig(kind, { resolver: (typeof word === 'number' ? () => word : word) as never });
      await rig.late('g');
      expect(await rig.done(rig.c.journal.pending(TAB))).toEqual([]);
      expect(rig.log.at('warn').join(' ')).toContain('where text is its name');
      await rig.restart();
      expect(await rig.done(rig.c.journal.pending(TAB))).toEqual([]);
    },
  );

  it.each(['x\ud800', 7, undefined, ''])(
    '[J-R173] [J-R002] what is no name is refused, and costs nobody else their commit: %j',
    async (bad) => {
      const rig = await openRig(kind);
      const { id, token } = await rig.late('g');
      const { journal } = rig.c;
      const junk = bad as string;
      const open = { tabId: TAB, fingerprint: 'f', question: 'q' };
      const refused = [
        () => journal.closeAsks(junk),
        () => journal.forget(junk),
        () => journal.moveKey(TAB, junk),
        () => journal.moveKey(junk, TAB),
        () => journal.retireDebt(junk, 'window-1'),
        () => journal.openAsk(junk, open),
      ];
      for (const op of refused) {
        const other = rig.c.journal.openAsk(`pa-${refused.indexOf(op)}`, open);
        await expect(rig.done(op())).rejects.toMatchObject({ code: 'invalid_input' });
        await rig.done(other);
      }
      const passed = [
        () => journal.ack(junk),
        () => journal.release(junk),
        () => journal.redeliver(junk),
        () => journal.markReturned(junk),
        () => journal.markSurfaced(junk),
        () => journal.closeAsk(junk),
        () => journal.pending(junk),
        () => journal.entriesFor(junk),
        () => journal.droppedFor(junk),
        () => journal.reportDropped(junk),
        () => journal.recover(junk, 'f'),
        () => journal.deliverPending(junk, () => true),
        () => rig.c.ack([junk], 'turn'),
      ];
      for (const op of passed) {
        const other = rig.c.journal.openAsk(`pa-passed-${passed.indexOf(op)}`, open);
        await rig.proven<unknown>(op());
        await rig.done(other);
      }
      expect(await rig.entry(token)).toMatchObject({ askId: id, state: 'pending', attempts: 0 });
    },
  );

  it.each(['fingerprint', 'question'])('an opening without its %s is refused by name', async (field) => {
    const rig = await openRig(kind);
    const open = { tabId: TAB, fingerprint: 'f', question: 'q', [field]: undefined as never };
    const other = rig.c.journal.openAsk('pa-other', { tabId: TAB, fingerprint: 'f', question: 'q' });
    await expect(rig.done(rig.c.journal.openAsk('pa-1', open))).rejects.toMatchObject({ code: 'invalid_input', field });
    await rig.done(other);
  });
});
