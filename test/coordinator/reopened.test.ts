import { afterEach, describe, expect, it } from 'vitest';
import type { AskChange } from '../../src/api.ts';
import { answerOf } from '../../src/outcome.ts';
import { COLOUR, endRigs, HUMAN, KINDS, openRig, type Rig, TAB } from './rig.ts';

afterEach(endRigs);

const ANEW = { tabId: TAB, fingerprint: 'f', question: 'Which colour then?' };
const NONE = 'counts as the answer to no card';

/** An ask that was answered and whose call has ended, opened once more under its id. */
async function reopened(rig: Rig): Promise<string> {
  const { id, outcome } = await rig.ask();
  await rig.answer(id, 'g');
  await rig.done(outcome);
  await rig.hand.pass(50);
  await rig.done(rig.c.journal.openAsk(id, ANEW));
  await rig.proven(rig.c.journal.closeAsk(id));
  return id;
}

describe.each(KINDS)('an ask that was answered and is opened anew, over %s', (kind) => {
  it('[J-R042] [J-R044] is an open card again wherever cards are told of, and its earlier answer is ambiguous', async () => {
    const rig = await openRig(kind);
    const told: AskChange[] = [];
    rig.c.subscribe((change) => told.push(change));
    const id = await reopened(rig);
    for (const again of [false, true]) {
      if (again) await rig.restart();
      const ask = await rig.done(rig.c.show(id));
      expect(ask).toMatchObject({ state: 'open', question: ANEW.question, answers: [{ text: 'Green [g]' }] });
      expect(ask?.answers[0]?.why).toContain(NONE);
      expect(ask && answerOf(ask)).toBeUndefined();
      const lists = [await rig.done(rig.c.list()), await rig.done(rig.c.list({ what: 'recent' }))];
      expect(lists.map((list) => list.map(({ askId }) => askId))).toEqual([[id], []]);
      expect(await rig.done(rig.c.idle())).toMatchObject({ idle: false, reason: 'awaiting_human_input' });
    }
    expect(told.filter(({ cause }) => cause === 'opened').map(({ ask }) => ask.state)).toEqual(['open', 'open']);
  });

  it('[J-R042] also while the call that asked first has not ended', async () => {
    const rig = await openRig(kind);
    await rig.done(rig.c.journal.openAsk('pa-1', ANEW));
    await rig.done(rig.c.answer('pa-1', { text: 'green' }, HUMAN));
    expect(await rig.done(rig.c.show('pa-1'))).toMatchObject({ state: 'answered' });
    await rig.done(rig.c.journal.openAsk('pa-1', ANEW));
    expect(await rig.done(rig.c.show('pa-1'))).toMatchObject({ state: 'open', awaited: true });
  });

  it('[J-R052] [J-R058] a new answer closes the card; it is kept, and neither of the two counts as the one', async () => {
    const rig = await openRig(kind);
    const id = await reopened(rig);
    const verdict = await rig.done(rig.c.answer(id, { text: 'Blue' }, HUMAN));
    expect(verdict).toMatchObject({ verdict: 'undetermined', saved: true });
    const [ask, ...others] = await rig.done(rig.c.list({ what: 'recent' }));
    expect(others).toEqual([]);
    expect(ask).toMatchObject({ askId: id, state: 'answered', answers: [{ text: 'Green [g]' }, { text: 'Blue' }] });
    expect(ask?.answers[0]?.why).toContain(NONE);
    expect(ask?.answers[1]?.receipt).toBe('retired');
    expect(await rig.done(rig.c.list())).toEqual([]);
    expect(await rig.done(rig.c.withdraw(id, 'late', HUMAN))).toMatchObject({
      verdict: 'conflict',
      winner: { text: 'Blue' },
    });
    expect(await rig.done(rig.c.awaitAnswer(id))).toMatchObject({ outcome: 'superseded' });
  });

  it('[J-D-5] can be withdrawn and superseded, and ends as what it ended by', async () => {
    const rig = await openRig(kind);
    const [withdrawn, superseded] = [await reopened(rig), await reopened(rig)];
    expect(await rig.done(rig.c.withdraw(withdrawn, 'enough', HUMAN))).toMatchObject({
      verdict: 'withdrawn',
      ask: { state: 'withdrawn', why: 'enough' },
    });
    expect(await rig.done(rig.c.supersedeAsks(TAB, HUMAN))).toBe(1);
    const recent = await rig.done(rig.c.list({ what: 'recent' }));
    expect(new Map(recent.map(({ askId, state }) => [askId, state]))).toEqual(
      new Map([
        [withdrawn, 'withdrawn'],
        [superseded, 'superseded'],
      ]),
    );
    for (const id of [withdrawn, superseded]) {
      const late = await rig.done(rig.c.answer(id, { text: 'Blue' }, HUMAN));
      expect(late).toMatchObject({ verdict: id === withdrawn ? 'withdrawn' : 'superseded', saved: false });
    }
  });

  it.each([true, false])('[J-D-5] expires like any other, decided by its timer: %s', async (timer) => {
    const rig = await openRig(kind);
    const { id } = await rig.ask(COLOUR, { expiresInMs: 5_000 });
    await rig.done(rig.c.journal.openAsk(id, ANEW));
    await rig.answer(id, 'g');
    await rig.done(rig.c.journal.openAsk(id, ANEW));
    expect(await rig.done(rig.c.show(id))).toMatchObject({ state: 'open' });
    if (timer) await rig.hand.pass(5_000);
    else rig.hand.jump(5_000);
    expect(await rig.answer(id, 'b')).toMatchObject({ verdict: 'expired', saved: false, ask: { state: 'expired' } });
    expect(await rig.done(rig.c.show(id))).toMatchObject({ state: 'expired', answers: [{ text: 'Green [g]' }] });
  });

  it('[J-R042] is not ended by the deadline of the card that its id named before', async () => {
    const rig = await openRig(kind);
    const { id } = await rig.ask(COLOUR, { expiresInMs: 5_000 });
    await rig.answer(id, 'g');
    await rig.hand.pass(50);
    await rig.done(rig.c.journal.openAsk(id, ANEW));
    await rig.hand.pass(10_000);
    expect(await rig.done(rig.c.show(id))).toMatchObject({ state: 'open' });
  });
});
