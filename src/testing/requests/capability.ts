import type { Peer } from '../../requests/api.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { PACK } from './pack.ts';
import { answer, FakePeer, RequestRig } from './rig.ts';

export const capabilityRules = new Chapter();
const { describe, test: it } = capabilityRules;

const old = (rig: RequestRig, name = 'old') => rig.peer(name, ['s'], 'websocket', false);
const unanswerable = { kind: 'unanswerable' };
const deaf = { kind: 'cancelled', reason: 'session_closed', cause: 'no_capable_client' };

describe('capability', () => {
  it('[RQ-R64] a connection is marked and unmarked, any number of times, and told the sorted names', () => {
    const rig = new RequestRig();
    const peer = old(rig);
    expect(rig.requests.answersRequests(peer)).toBe(false);
    expect(rig.requests.advertise(peer, true)).toEqual([...PACK.requestNames].sort());
    rig.requests.advertise(peer, true);
    expect(rig.requests.answersRequests(peer)).toBe(true);
    rig.requests.advertise(peer, false);
    rig.requests.advertise(peer, false);
    expect(rig.requests.answersRequests(peer)).toBe(false);
  });

  it('[RQ-R65] the next connection must advertise again: the object counts, not what it looks like', async () => {
    const rig = new RequestRig({ graceMs: 0 });
    const first = rig.peer('same');
    rig.requests.forget(first);
    expect(rig.requests.answersRequests(first)).toBe(false);
    const second = old(rig, 'same');
    expect(rig.requests.answersRequests(second)).toBe(false);
    expect(await rig.ask().outcome()).toEqual(unanswerable);
  });

  it('[RQ-R66] nobody attached: it waits; one of several able: it is sent; none able: it is not', async () => {
    const rig = new RequestRig({ graceMs: 0 });
    expect(rig.requests.answerable('s')).toBe(true);
    const waiting = rig.ask();
    expect(await waiting.outcome()).toBeUndefined();
    old(rig);
    expect(rig.requests.answerable('s')).toBe(false);
    // It was asked before and goes on waiting for somebody who can (R-66 is about admission).
    expect(await waiting.outcome()).toBeUndefined();
    expect(await rig.ask().outcome()).toEqual(unanswerable);
    rig.peer('able');
    expect(rig.requests.answerable('s')).toBe(true);
    expect(await rig.ask().outcome()).toBeUndefined();
  });

  it.each(['stdio', 'relay', 'parked', 'sink'] as Peer['kind'][])('[RQ-R67] a %s peer is never counted', (kind) => {
    const rig = new RequestRig({ graceMs: 0 });
    rig.peer('uncounted', ['s'], kind);
    expect(rig.requests.answerable('s')).toBe(true);
    const peer = old(rig);
    expect(rig.requests.answerable('s')).toBe(false);
    peer.closed = true;
    expect(rig.requests.answerable('s')).toBe(true);
  });

  it('[RQ-R68] the app itself and unknown sessions are answerable', () => {
    const rig = new RequestRig({ graceMs: 0 });
    rig.peer('old', '*', 'websocket', false);
    expect(rig.requests.answerable('')).toBe(true);
    expect(rig.ask('sudo', {}, {}, '').id).not.toBe('');
    expect(new RequestRig().requests.answerable('never heard of')).toBe(true);
  });

  it('[RQ-R69] a peer that has said nothing yet may still turn out to be able', async () => {
    const rig = new RequestRig();
    const peer = old(rig);
    const asked = rig.ask();
    expect(peer.asked).toEqual([asked.id]);
    rig.runtime.advance(1_999);
    rig.requests.advertise(peer, true);
    rig.runtime.advance(60_000);
    expect(await asked.outcome()).toBeUndefined();
    expect(rig.requests.resolveResponse(answer(asked.id), peer)).toBe(true);
  });

  it('[RQ-R69] when the grace ends without a word, it is taken back once', async () => {
    const rig = new RequestRig();
    const peer = old(rig);
    const asked = rig.ask();
    rig.runtime.advance(1_999);
    expect(await asked.outcome()).toBeUndefined();
    rig.runtime.advance(1);
    expect(await asked.outcome()).toEqual(deaf);
    expect(peer.ofKind('cancel')).toMatchObject([{ reason: 'session_closed' }]);
    expect(await rig.ask().outcome()).toEqual(unanswerable);
    expect(rig.runtime.timers).toBe(0);
  });

  it('[RQ-R69] some other request of it, or a "no", ends its grace at once', async () => {
    for (const speak of [
      (rig: RequestRig, peer: Peer) => rig.requests.heard(peer),
      (rig: RequestRig, peer: Peer) => rig.requests.advertise(peer, false),
    ]) {
      const rig = new RequestRig();
      const peer = old(rig);
      const asked = rig.ask();
      speak(rig, peer);
      expect(await asked.outcome()).toEqual(deaf);
      expect(rig.runtime.timers).toBe(0);
    }
  });

  it('[RQ-R69] it goes on while another one may still speak, and when one that can has come', async () => {
    const rig = new RequestRig();
    old(rig, 'first');
    const asked = rig.ask();
    rig.runtime.advance(1_500);
    const second = old(rig, 'second');
    rig.requests.advertise(second, true);
    rig.runtime.advance(60_000);
    expect(await asked.outcome()).toBeUndefined();
    const late = new RequestRig();
    const one = old(late, 'one');
    const two = old(late, 'two');
    const other = late.ask();
    late.requests.heard(one);
    // One is known to be deaf and the other says nothing: nobody can answer.
    expect(await other.outcome()).toEqual(deaf);
    expect(two.ofKind('cancel')).toHaveLength(1);
  });

  it('[RQ-R69] one known to be deaf beside one that is silent: refused', async () => {
    const rig = new RequestRig();
    rig.requests.heard(old(rig, 'deaf'));
    old(rig, 'silent');
    expect(await rig.ask().outcome()).toEqual(unanswerable);
  });

  it('[RQ-R69] everybody gone before the grace ended: it waits for a replay', async () => {
    const rig = new RequestRig();
    const peer = old(rig);
    const asked = rig.ask();
    rig.requests.forget(peer);
    rig.runtime.advance(60_000);
    expect(await asked.outcome()).toBeUndefined();
  });

  it.each([true, false])(
    '[RQ-R69][RQ-R66] afterwards it waits like any other, for somebody who can (able: %s)',
    async (able) => {
      const rig = new RequestRig();
      const peer = old(rig);
      const asked = rig.ask();
      if (able) rig.requests.advertise(peer, true);
      rig.requests.forget(peer);
      rig.requests.heard(old(rig, 'deaf'));
      expect(await asked.outcome()).toBeUndefined();
      expect(rig.requests.resolveResponse(answer(asked.id), rig.peer('back'))).toBe(true);
    },
  );

  it('[RQ-R70] the able one leaves and a deaf one stays: nobody can answer', async () => {
    const ways: ((rig: RequestRig, peer: FakePeer) => void)[] = [
      (rig, peer) => rig.requests.forget(peer),
      (rig, peer) => void rig.requests.advertise(peer, false),
    ];
    for (const leave of ways) {
      const rig = new RequestRig();
      const able = rig.peer('able');
      const other = old(rig);
      rig.requests.heard(other);
      const asked = [rig.ask(), rig.ask()];
      const elsewhere = rig.ask('window.title', {}, {}, 't');
      leave(rig, able);
      for (const one of asked) expect(await one.outcome()).toEqual(deaf);
      expect(other.ofKind('cancel')).toHaveLength(2);
      expect(await elsewhere.outcome()).toBeUndefined();
    }
  });

  it('[RQ-R70] the able one leaves and a silent one stays: its grace decides', async () => {
    const rig = new RequestRig();
    const able = rig.peer('able');
    const asked = rig.ask();
    old(rig, 'silent');
    rig.requests.forget(able);
    expect(await asked.outcome()).toBeUndefined();
    rig.runtime.advance(2_000);
    expect(await asked.outcome()).toEqual(deaf);
  });

  it('[RQ-R70] the last one leaves: it stays open, and whoever leaves without being able changes nothing', async () => {
    const rig = new RequestRig();
    const able = rig.peer('able');
    const asked = rig.ask();
    rig.requests.forget(able);
    expect(await asked.outcome()).toBeUndefined();
    const one = old(rig, 'one');
    const two = old(rig, 'two');
    for (const peer of [one, two]) rig.requests.heard(peer);
    rig.requests.forget(one);
    expect(await asked.outcome()).toBeUndefined();
    expect(rig.requests.replayTo(rig.peer('back'), 's')).toHaveLength(1);
  });

  it('the function that attach returns is forget', () => {
    const rig = new RequestRig();
    const peer = new FakePeer('a');
    const leave = rig.requests.attach(peer, ['s', 't']);
    rig.requests.advertise(peer, true);
    leave();
    leave();
    rig.ask();
    expect(peer.seen).toEqual([]);
    expect(rig.requests.answersRequests(peer)).toBe(false);
  });
});
