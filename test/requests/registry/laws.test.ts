import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakePeer } from '../../../src/testing/requests/rig.ts';
import { isResponseFrame } from '../../../src/wire/jsonrpc.ts';
import { RequestRig } from '../support/rig.ts';

const QIDS = ['q0', 'q1', 'q2'];

describe('laws of the registry', () => {
  it('[RQ-I12][C10][C11] locks commute per question, the last write wins, and a timeout drops none', () => {
    const lock = fc.record({ qid: fc.constantFrom(...QIDS), answer: fc.option(fc.string(), { nil: null }) });
    fc.assert(
      fc.asyncProperty(fc.array(lock, { maxLength: 12 }), async (locks) => {
        const rig = new RequestRig();
        const asked = rig.batch(QIDS, { timeoutMs: 100 });
        const expected = new Map<string, string | null>();
        for (const { qid, answer: given } of locks) {
          const isOver = expected.size === QIDS.length;
          const remaining = rig.requests.lockAnswer(asked.id, qid, given);
          if (!isOver) expected.set(qid, given);
          expect(remaining).toEqual(isOver ? null : QIDS.filter((one) => !expected.has(one)));
        }
        rig.runtime.advance(100);
        const answers = Object.fromEntries(
          QIDS.filter((qid) => expected.has(qid)).map((qid) => [qid, expected.get(qid)]),
        );
        const isWhole = expected.size === QIDS.length;
        expect(await asked.outcome()).toEqual(
          isWhole ? { kind: 'answered', result: { answers }, via: 'lock' } : { kind: 'timed_out', locked: answers },
        );
      }),
      { numRuns: 200 },
    );
  });

  it('[RQ-I15] advertising never makes a session unanswerable', () => {
    const ways: Record<string, (rig: RequestRig, peer: FakePeer) => void> = {
      attach: ({ requests }, peer) => void requests.attach(peer, ['s']),
      attachAll: ({ requests }, peer) => void requests.attach(peer, '*'),
      advertise: ({ requests }, peer) => {
        const before = requests.answerable('s');
        requests.advertise(peer, true);
        expect(!before || requests.answerable('s')).toBe(true);
      },
      unadvertise: ({ requests }, peer) => void requests.advertise(peer, false),
      heard: ({ requests }, peer) => requests.heard(peer),
      forget: ({ requests }, peer) => requests.forget(peer),
      close: (_rig, peer) => {
        peer.closed = true;
      },
      wait: ({ runtime }) => runtime.advance(20),
    };
    const step = fc.record({ peer: fc.nat(3), what: fc.constantFrom(...Object.keys(ways)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const rig = new RequestRig({ graceMs: 50 });
        const peers = Array.from({ length: 4 }, (_, i) => new FakePeer(String(i)));
        for (const { peer, what } of steps) ways[what]?.(rig, peers[peer] as FakePeer);
        for (const peer of peers) rig.requests.forget(peer);
        expect(rig.requests.answerable('s')).toBe(true);
        expect(rig.runtime.timers).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

it('[RQ-R62] what a response frame is', () => {
  for (const frame of [
    { id: 'a', result: {} },
    { id: 0, result: 7 },
    { id: null, error: { code: 1 } },
  ]) {
    expect(isResponseFrame(frame)).toBe(true);
  }
  for (const frame of [
    null,
    7,
    'x',
    [],
    [{ id: 1, result: {} }],
    { id: 1 },
    { result: {} },
    { id: 1, method: 'm', result: {} },
  ]) {
    expect(isResponseFrame(frame)).toBe(false);
  }
});
