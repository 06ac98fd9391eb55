/** Approvals that end with nobody there to be told that the commit of that failed. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ApprovalVerdict } from '../../src/approvals.ts';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import { endRigs, KINDS, openRig, type Rig } from './rig.ts';

const contracts = requestContracts(defaultPack);
const SID = 'session-1';

afterEach(endRigs);

function ask(rig: Rig, signal?: AbortSignal): { value?: ApprovalVerdict; error?: unknown } {
  const seen: { value?: ApprovalVerdict; error?: unknown } = {};
  rig.c.approvals.request(SID, { sid: SID, command: 'rm -r x', approvalId: 'a', timeoutMs: null, signal }).then(
    (value) => {
      seen.value = value;
    },
    (error: unknown) => {
      seen.error = error;
    },
  );
  return seen;
}

describe.each(KINDS)('an approval whose end cannot be committed at once, over %s', (kind) => {
  it('[RC-3] [RQ-R90] because its turn was interrupted is taken off once it can be, and the process is idle', async () => {
    const rig = await openRig(kind, { contracts });
    const leaving = new AbortController();
    const asked = ask(rig, leaving.signal);
    await rig.hand.settle();
    rig.store.plant({ on: 'commit', nth: 1, times: 2 });
    leaving.abort('interrupted');
    await rig.hand.settle();
    expect(asked.error).toMatchObject({ code: 'disk_full' });
    await rig.hand.pass(5_000, 500);
    expect([rig.c.approvals.count(), rig.c.requests.openRequestCount()]).toEqual([0, 0]);
    expect(await rig.done(rig.c.idle())).toMatchObject({ idle: true });
  });

  it('[RC-3] is taken from nobody who has asked for it again meanwhile', async () => {
    const rig = await openRig(kind, { contracts });
    const leaving = new AbortController();
    ask(rig, leaving.signal);
    await rig.hand.settle();
    rig.store.plant({ on: 'commit', nth: 1 });
    leaving.abort('interrupted');
    await rig.hand.settle();
    const again = ask(rig);
    await rig.hand.pass(5_000, 500);
    expect(rig.c.approvals.resolve(SID, 'once', { requestId: 'a' })).toBe(1);
    await rig.hand.settle();
    expect(again.value).toMatchObject({ choice: 'once' });
  });

  it('[RQ-R81] because no surface could show it leaves no caller waiting for a card that nobody sees', async () => {
    let isBroken = true;
    const notify = [
      () => {
        if (isBroken) throw new Error('no surface');
        return undefined;
      },
    ];
    const rig = await openRig(kind, { contracts, approvals: { notify, hooks: {} } });
    // The card of the registry cannot be filed either.
    rig.store.plant({ on: 'commit', nth: 2, times: 2 });
    const asked = ask(rig);
    await rig.hand.settle();
    expect(asked.error).toMatchObject({ code: 'disk_full' });
    isBroken = false;
    const again = ask(rig);
    await rig.hand.pass(5_000, 500);
    expect(again.value).toMatchObject({ resolved: false, choice: null });
    expect(rig.c.approvals.count()).toBe(0);
    const third = ask(rig);
    await rig.hand.settle();
    expect(rig.c.requests.openRequestCount()).toBe(1);
    rig.c.approvals.resolve(SID, 'once', { requestId: 'a' });
    await rig.hand.settle();
    expect(third.value).toMatchObject({ choice: 'once' });
  });
});
