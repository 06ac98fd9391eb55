/** A conversation that is replaced while something of it is on its way: it is told nothing of the next, nor the next of it. */
import { afterEach, describe, expect, it } from 'vitest';
import { COLOUR, endRigs, FREE, KINDS, openRig, type Rig, TAB } from './rig.ts';

afterEach(endRigs);
const attach = (): string => 'turn-1';

/** Replaces the conversation as soon as losses of it are being told; resolves once it is. */
const replacedWhileToldOf = (rig: Rig): Promise<void> =>
  new Promise((resolve, reject) => {
    rig.store.watch = ({ name, done }) => {
      if (name !== 'addWarning' || !done) return;
      rig.store.watch = undefined;
      Promise.resolve()
        .then(() => rig.c.journal.closeAsks(TAB))
        .then(resolve, reject);
    };
  });

describe.each(KINDS)('a conversation that is replaced, over %s', (kind) => {
  it('[J-R186] while its question waits for a page: nobody is asked, and nothing is on file', async () => {
    const rig = await openRig(kind, {}, { page: false });
    rig.c.attachSurface({ kind: 'page', id: 'w' })();
    const { outcome } = await rig.ask();
    await rig.done(rig.c.journal.closeAsks(TAB));
    rig.c.attachSurface({ kind: 'page', id: 'w' });
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'superseded', reason: expect.stringContaining('nobody') });
    expect(await rig.done(rig.c.list())).toEqual([]);
  });

  it('[J-R187] while losses are told with its answer: the answer is not shown to the next', async () => {
    const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
    await rig.late('one', FREE);
    await rig.late('two', FREE);
    const { id, outcome } = await rig.ask(COLOUR, { attach });
    const closing = replacedWhileToldOf(rig);
    await rig.answer(id, 'g');
    const told = await rig.done(outcome);
    await rig.done(closing);
    expect(told).toMatchObject({ outcome: 'superseded' });
    expect('dropped' in told && told.dropped).toBeFalsy();
  });

  it('[J-R187] while losses are told beside a question that is still open: it counts as replaced', async () => {
    const rig = await openRig(kind, { limits: { entriesPerTab: 1 } });
    await rig.late('one', FREE);
    await rig.late('two', FREE);
    const { outcome } = await rig.ask(COLOUR, { attach, timeoutMs: 1_000 });
    const closing = replacedWhileToldOf(rig);
    await rig.hand.pass(1_000);
    const told = await rig.done(outcome);
    await rig.done(closing);
    expect(told).toMatchObject({ outcome: 'superseded' });
    expect('others' in told).toBe(false);
  });
});
