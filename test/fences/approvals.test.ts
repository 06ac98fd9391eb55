/** A permission is stricter than information: with a break below it, it is asked again. */
import { afterEach, describe, expect, it } from 'vitest';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import { endRigs, KINDS, openRig, TAB } from '../coordinator/rig.ts';
import { HandLog } from './log.ts';

afterEach(endRigs);

describe.each(KINDS)('an approval with a log, on %s', (kind) => {
  async function approved({ isLogged = true } = {}) {
    const log = new HandLog();
    log.add('a');
    const rig = await openRig(kind, {
      contracts: requestContracts(defaultPack),
      conversationLog: (tab) => (tab === TAB ? log.log : undefined),
    });
    const request = { sid: TAB, approvalId: 'one', command: 'rm -rf build', timeoutMs: null };
    void rig.c.approvals.request(TAB, request).catch(() => undefined);
    await rig.hand.settle();
    log.add('q');
    if (isLogged) expect(await rig.done(rig.c.approvalLogged(TAB, 'one', 'q'))).toBe(true);
    const digest = rig.c.approvals.pending(TAB)[0]?.digest as string;
    rig.c.approvals.resolve(TAB, 'once');
    await rig.hand.settle();
    const claim = () => rig.c.approvals.claim('one', digest);
    return { rig, log, claim };
  }

  it('[SE-R96] is spent on a plain continuation, once', async () => {
    const { rig, log, claim } = await approved();
    log.add();
    await rig.done(rig.c.leafChanged(TAB));
    expect(claim()).toMatchObject({ ok: true });
    expect(claim()).toEqual({ ok: false, why: 'spent' });
  });

  it('[SE-R96] is asked again after a compaction, and not spent', async () => {
    const { rig, log, claim } = await approved();
    log.compact();
    await rig.done(rig.c.leafChanged(TAB));
    expect(claim()).toEqual({ ok: false, why: 'ask_again' });
    expect(rig.c.approvals.grants(TAB)).toMatchObject([{ approvalId: 'one', state: 'not_started' }]);
    // Back on the branch that still shows it, it counts.
    log.at = 'q';
    await rig.done(rig.c.leafChanged(TAB));
    expect(claim()).toMatchObject({ ok: true });
  });

  it('[SE-R96] is not spent off its branch, nor while nothing is proven, nor right after a restart', async () => {
    const { rig, log, claim } = await approved();
    log.at = 'a';
    log.add('other');
    await rig.done(rig.c.leafChanged(TAB));
    expect(claim()).toEqual({ ok: false, why: 'off_branch' });
    log.add();
    log.isDown = true;
    await rig.done(rig.c.leafChanged(TAB));
    expect(claim()).toEqual({ ok: false, why: 'unproven' });
  });

  it('[SE-R96] is not spent while nobody has said where it was asked, and then it is', async () => {
    const { rig, claim } = await approved({ isLogged: false });
    expect(claim()).toEqual({ ok: false, why: 'unproven' });
    expect(await rig.done(rig.c.approvalLogged(TAB, 'one', 'q'))).toBe(true);
    // Said again for want of a reply; it has its place, and gets no other.
    expect(await rig.done(rig.c.approvalLogged(TAB, 'one', 'q'))).toBe(true);
    expect(await rig.done(rig.c.approvalLogged(TAB, 'one', 'a'))).toBe(false);
    expect(claim()).toMatchObject({ ok: true });
  });

  it('[SE-R96] is not spent while its leaf cannot be read, nor where the log has no such entry', async () => {
    const { rig, log, claim } = await approved({ isLogged: false });
    log.isDown = true;
    await rig.done(rig.c.approvalLogged(TAB, 'one', 'nowhere'));
    expect(claim()).toEqual({ ok: false, why: 'unproven' });
    log.isDown = false;
    await rig.done(rig.c.leafChanged(TAB));
    expect(claim()).toEqual({ ok: false, why: 'off_branch' });
  });

  it('[SE-R96] is spent as ever on a tab without a log', async () => {
    const rig = await openRig(kind, {
      contracts: requestContracts(defaultPack),
      conversationLog: () => undefined,
    });
    void rig.c.approvals
      .request(TAB, { sid: TAB, approvalId: 'one', command: 'ls', timeoutMs: null })
      .catch(() => undefined);
    await rig.hand.settle();
    const digest = rig.c.approvals.pending(TAB)[0]?.digest as string;
    rig.c.approvals.resolve(TAB, 'once');
    await rig.hand.settle();
    expect(rig.c.approvals.claim('one', digest)).toMatchObject({ ok: true });
  });

  it('leaves no fence behind for ever, though each is on a tab of its own', async () => {
    const log = new HandLog();
    log.add('q');
    const rig = await openRig(kind, {
      contracts: requestContracts(defaultPack),
      conversationLog: () => log.log,
      limits: { tickets: 1, entriesTotal: 1 },
    });
    for (let n = 0; n < 8; n += 1) {
      const request = { sid: `tab-${n}`, approvalId: `one-${n}`, command: 'rm -rf build', timeoutMs: null };
      void rig.c.approvals.request(request.sid, request).catch(() => undefined);
      await rig.hand.settle();
      expect(await rig.done(rig.c.approvalLogged(request.sid, request.approvalId, 'q'))).toBe(true);
      rig.c.approvals.resolve(request.sid, 'deny');
      await rig.hand.settle();
    }
    expect(rig.store.kept('fence').length).toBeLessThanOrEqual(3);
  });
});
