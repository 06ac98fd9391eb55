/** What comes between the hand-over of a call and its start, at every distance, for calls old and new. */
import { describe, expect, it } from 'vitest';
import { macrotask, part } from '../../src/testing/tools/rig.ts';
import { live, type Rig } from './rig.ts';

interface Setting {
  readonly distance: number;
  /** The tool has an argument callback. */
  readonly reads: boolean;
  /** The call was seen before its run closed. */
  readonly seen: boolean;
}
const SETTINGS: readonly Setting[] = Array.from({ length: 21 }, (_, distance) =>
  [false, true].flatMap((reads) => [false, true].map((seen) => ({ distance, reads, seen }))),
).flat();
const OLD = '{"v":"old"}';

/** A call that the next snapshot hands over. */
async function waiting({ reads, seen }: Setting): Promise<Rig> {
  const rig: Rig = live({
    tool: {
      execute: (args: unknown, context) => rig.execute(args, context, 'hang'),
      ...(reads ? { streamCall: () => undefined } : {}),
    },
  });
  if (seen) {
    rig.push('r', part(OLD));
    await macrotask();
  }
  return rig;
}

describe('between hand-over and start', () => {
  it('[TL-R53, TL-R104, TL-T01] a discarded call does not start, or was aborted', async () => {
    for (const setting of SETTINGS) {
      const rig = await waiting(setting);
      rig.push('s', part(OLD));
      // No distance is no await: the same task.
      for (let at = 0; at < setting.distance; at += 1) await Promise.resolve();
      const { length } = rig.started;
      if (setting.distance === 0) expect(length).toBe(0);
      await rig.tracker.abort({ discardPending: true });
      rig.push('s', part(OLD));
      await macrotask();
      expect(rig.started).toHaveLength(length);
      expect(rig.started.every(({ signal }) => signal.aborted)).toBe(true);
      expect(rig.results).toHaveLength(length);
    }
  });

  it.each(['result', 'gate'])(
    '[TL-R53, TL-R60, TL-R61, TL-T02] a call with a %s does not start, nor report',
    async (what) => {
      for (const setting of SETTINGS) {
        const rig = await waiting(setting);
        rig.push('s', part(OLD));
        // No distance is no await: the same task.
        for (let at = 0; at < setting.distance; at += 1) await Promise.resolve();
        const { length } = rig.started;
        if (setting.distance === 0) expect(length).toBe(0);
        rig.push('s', part(OLD, what === 'result' ? { result: 'theirs' } : { approval: null }));
        await macrotask();
        expect(rig.started).toHaveLength(length);
        rig.started[0]?.resolve('ours');
        await macrotask();
        expect(rig.results).toEqual([]);
        expect(rig.tracker.statuses().size).toBe(0);
      }
    },
  );

  it('[TL-R111, TL-R112, TL-T03] the id of a call that a reset dropped runs the new arguments, and them only', async () => {
    for (const setting of SETTINGS) {
      const rig = await waiting(setting);
      rig.push('s', part(OLD));
      // No distance is no await: the same task.
      for (let at = 0; at < setting.distance; at += 1) await Promise.resolve();
      const { length } = rig.started;
      rig.tracker.reset();
      rig.push('s');
      rig.push('s', part('{"v":"new"}'));
      await macrotask();
      expect(rig.started.slice(length).map(({ args }) => args)).toEqual([{ v: 'new' }]);
      for (const { args, resolve } of rig.started) resolve(args);
      await macrotask();
      expect(rig.results.map(({ result }) => result)).toEqual([{ v: 'new' }]);
      expect(rig.tracker.statuses().size).toBe(0);
    }
  });
});
