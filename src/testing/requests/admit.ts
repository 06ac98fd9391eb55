import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { RequestRig } from './rig.ts';

export const admitRules = new Chapter();
const { describe, test: it } = admitRules;

describe('[RQ-R148] a host that lets nothing new in', () => {
  it('its error is the caller’s, and nothing was opened', async () => {
    const retiring = new Error('retiring');
    const rig = new RequestRig({
      admit: () => {
        throw retiring;
      },
    });
    const peer = rig.peer('a');
    const asked = rig.ask();
    await asked.done;
    expect(asked.error).toBe(retiring);
    expect(() => rig.requests.sendAsync('approval', 's', { command: 'ls' }, () => undefined)).toThrow(retiring);
    expect(peer.seen).toEqual([]);
    expect(rig.requests.openRequestCount()).toBe(0);
  });
});
