/** What a chart shows of an open request that no row was ever written for: who has it on screen, and a write that failed. */
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../machines/requests/request-facts.ts';
import { answer, DISK, FakeLedger, FakePeer } from '../../../src/testing/requests/rig.ts';
import { RequestRig } from '../support/rig.ts';

/** A registry over this disk, with the steps that an inspector is told. */
function watched(ledger: FakeLedger, runtime?: RequestRig['runtime']) {
  const steps: (readonly [event: string, at: RequestContext])[] = [];
  const tell = (_chart: string, _id: string, _before: unknown, event: { type: string }, { snapshot }: never): void =>
    void steps.push([event.type, (snapshot as { context: RequestContext }).context]);
  const options = { ledger, maxUnattendedMs: 1_000, watch: { tell: tell as never } };
  return { rig: new RequestRig(options, runtime), steps };
}

const BATCH = { qids: ['q0', 'q1'], key: 'k' };

describe('an open request', () => {
  it('[RQ-F40] is seen from the first client on that gets it, and the inspector is told so once', () => {
    const { rig, steps } = watched(new FakeLedger());
    rig.ask();
    rig.peer('a');
    rig.peer('b');
    expect(steps.filter(([event]) => event === 'SHOWN')).toMatchObject([['SHOWN', { seen: true }]]);
    rig.runtime.advance(1_000);
    expect(rig.requests.openRequestCount()).toBe(1);
  });

  it('[RQ-F40] is unseen again after a restart, whatever its row says', () => {
    const ledger = new FakeLedger();
    const { rig } = watched(ledger);
    const peer = rig.peer('a');
    rig.batch(BATCH.qids);
    rig.requests.lockAnswer(rig.lastId(), 'q0', 'yes', peer);
    expect(ledger.requests).toMatchObject([{ context: { seen: true } }]);
    const after = watched(ledger, rig.runtime);
    expect(after.steps).toMatchObject([['RESTART', { seen: false }]]);
    rig.runtime.advance(1_000);
    expect(after.rig.requests.openRequestCount()).toBe(0);
    expect(after.steps.at(-1)).toMatchObject(['UNSEEN', { reason: 'session_closed' }]);
  });
});

describe('a write that failed', () => {
  it('[RQ-R12] is in the chart until its end is on file; a restart forgets it with whoever was told', async () => {
    const ledger = new FakeLedger();
    const { rig, steps } = watched(ledger);
    const peer = rig.peer('a');
    const broken = new FakePeer('broken', 'stdio');
    rig.requests.attach(broken, ['s']);
    broken.onFrame = () => {
      ledger.failsWith = DISK;
      throw new Error('EPIPE');
    };
    const asked = rig.batch(BATCH.qids, { key: BATCH.key });
    await asked.done;
    expect(asked.error).toMatchObject({ message: 'EPIPE' });
    expect(steps.at(-1)).toMatchObject(['WRITE_FAILED', { unwritten: true }]);
    ledger.failsWith = undefined;
    // Somebody who got it answers a part before its end is filed.
    rig.requests.lockAnswer(String(peer.asked[0]), 'q0', 'yes', peer);
    expect(ledger.requests).toMatchObject([{ context: { unwritten: true } }]);
    const after = watched(ledger, rig.runtime);
    expect(after.steps).toMatchObject([['RESTART', { unwritten: false }]]);
    const again = after.rig.batch(BATCH.qids, { key: BATCH.key });
    expect(after.rig.requests.openRequestCount()).toBe(1);
    expect(after.rig.requests.resolveResponse(answer(again.id, { answers: { q1: 'no' } }))).toBe(true);
    expect(await again.outcome()).toMatchObject({ result: { answers: { q0: 'yes', q1: 'no' } } });
  });
});
