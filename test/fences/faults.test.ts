/** A store that fails, or a process that ends, at each commit of one answer that follows its branch. */
import { afterEach, describe, expect, it } from 'vitest';
import { endRigs, KINDS, type Kind, openRig, type Rig } from '../coordinator/rig.ts';
import { OFF, STEPS, Story, TAB } from './story.ts';

afterEach(endRigs);

async function begin(kind: Kind): Promise<{ rig: Rig; story: Story }> {
  const story = new Story();
  const rig = await openRig(kind, story.options);
  story.c = rig.c;
  return { rig, story };
}

/** The process is gone, and its queue with it. */
async function restart(rig: Rig, story: Story): Promise<void> {
  story.c = undefined;
  story.queue.clear();
  await rig.restart();
  story.c = rig.c;
}

/** `hardy`: what was refused is done again. `mortal`: the first fault is the end of the process, and the next one goes on. */
async function live(rig: Rig, story: Story, how: 'hardy' | 'mortal'): Promise<void> {
  let isDead = false;
  for (const [i, step] of STEPS.entries()) {
    for (let tries = 0; tries < 3; tries += 1) {
      let error: unknown;
      const done = step(story).catch((why: unknown) => {
        error = why;
      });
      await rig.hand.pass(2_000, 500);
      await rig.done(done);
      if (error !== undefined) expect(error).toMatchObject({ code: 'disk_full' });
      if (how === 'mortal' && !isDead && rig.store.struck > 0) {
        isDead = true;
        await restart(rig, story);
      } else if (error === undefined) break;
    }
    if (i === OFF) expect([...story.queue], 'copies on another branch').toEqual([]);
  }
}

async function stand(rig: Rig, { id }: Story) {
  const view = await rig.done(rig.c.show(id));
  const rows = await rig.done(rig.c.rows());
  return {
    receipt: view?.answers[0]?.receipt,
    entries: (await rig.done(rig.c.journal.entriesFor(TAB))).map(({ answer, state }) => [answer, state]),
    fences: rows.flatMap(({ machine, states, askId }) => (machine === 'fence' && askId === id ? states : [])),
    outbox: rig.store.outbox(),
  };
}

describe.each(KINDS)('an answer that follows its branch, over %s', (kind) => {
  it.each([
    ['hardy', 'before'],
    ['mortal', 'before'],
    ['mortal', 'after'],
  ] as const)(
    '[SE-R90] [SE-R91] [F1] [F9] comes out the same whichever commit fails, and never on another branch (%s, %s)',
    async (how, when) => {
      const whole = await begin(kind);
      await live(whole.rig, whole.story, how);
      const commits = whole.rig.store.counts.commit;
      const right = await stand(whole.rig, whole.story);
      expect([commits > 14, right.receipt, whole.story.pushes.length]).toEqual([true, 'handed', 3]);
      for (let nth = 1; nth <= commits; nth += 1) {
        const { rig, story } = await begin(kind);
        rig.store.plant({ on: 'commit', nth, when, times: how === 'mortal' ? 1_000_000 : 1 });
        try {
          await live(rig, story, how);
          expect(await stand(rig, story)).toEqual(right);
          expect(story.pushes.map(({ isOn }) => isOn)).not.toContain(false);
          // The first copy, and the one after its delivery was rewound; whatever else comes says that it may be a repeat.
          expect(story.pushes.filter(({ isRepeat }) => !isRepeat).length).toBeLessThanOrEqual(2);
        } catch (cause) {
          throw new Error(`commit ${nth}`, { cause });
        }
        endRigs();
      }
    },
  );
});
