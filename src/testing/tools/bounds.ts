import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { live, macrotask, part } from './rig.ts';

export const boundsRules = new Chapter();
const { describe, test: it } = boundsRules;

describe('what remains', () => {
  it('[TL-T23] starts what is complete when the run flag flickers', async () => {
    const rig = live();
    rig.push('r', part('{}'));
    rig.push('s', part('{}'));
    await macrotask();
    rig.push('r', part('{}', { approval: {} }));
    expect(rig.started).toHaveLength(1);
  });

  it('[TL-T25] starts nothing of a broken run that is discarded before it is called closed', async () => {
    const rig = live();
    rig.push('r', part('{}'));
    await rig.tracker.abort({ discardPending: true });
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.log).toEqual([]);
  });
});
