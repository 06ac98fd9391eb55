import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, type FakePeer, failure, RequestRig } from './rig.ts';

export const windowOwnedRules = new Chapter();
const { describe, test: it } = windowOwnedRules;

const NOT_MINE = -32004;
const decline = (rig: RequestRig, id: string, peer: FakePeer | undefined, code = NOT_MINE) =>
  rig.requests.resolveResponse(failure(id, code), peer);

function owned(count: number, options = {}) {
  const rig = new RequestRig(options);
  const peers = Array.from({ length: count }, (_, i) => rig.peer(`w${i}`));
  const asked = rig.ask('terminal.read', {}, { timeoutMs: 45_000 });
  return { rig, peers: peers as [FakePeer, FakePeer, FakePeer], asked };
}

describe('window-owned requests', () => {
  it('[RQ-R72] the frame says so where somebody may decline, and only there', () => {
    const { peers } = owned(2);
    for (const peer of peers) expect(peer.seen[0]?.frame).toHaveProperty('owner_quorum', true);
    const rig = new RequestRig();
    const stdio = rig.peer('tui', ['s'], 'stdio');
    rig.ask('terminal.read');
    expect(stdio.seen[0]?.frame).not.toHaveProperty('owner_quorum');
    const able = rig.peer('able');
    rig.ask('window.title');
    expect(able.seen.at(-1)?.frame).not.toHaveProperty('owner_quorum');
  });

  it.each([NOT_MINE, 4404])('[RQ-R73][RQ-I16] %i of a candidate is a decline and no answer', async (code) => {
    const { rig, peers, asked } = owned(2);
    expect(decline(rig, asked.id, peers[0], code)).toBe(true);
    expect(decline(rig, asked.id, peers[0], code)).toBe(true);
    expect(await asked.outcome()).toBeUndefined();
    expect(rig.requests.resolveResponse(answer(asked.id, { value: 'text' }), peers[1])).toBe(true);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', result: { value: 'text' }, via: 'response' });
  });

  it('[RQ-R74] when all have declined, the answer is that no window shows it', async () => {
    const { rig, peers, asked } = owned(3);
    for (const peer of peers) expect(decline(rig, asked.id, peer)).toBe(true);
    const settlement = await asked.outcome();
    expect(settlement).toMatchObject({ kind: 'answered', via: 'quorum' });
    const value = settlement?.kind === 'answered' ? settlement.result['value'] : undefined;
    expect(JSON.parse(String(value))).toMatchObject({ success: false, error: expect.stringContaining('any window') });
    expect(peers.map((peer) => peer.ofKind('settled').length)).toEqual([1, 1, 0]);
    expect(peers[0].ofKind('settled')).toMatchObject([{ by: 'quorum' }]);
    expect(peers.flatMap((peer) => peer.ofKind('cancel'))).toEqual([]);
  });

  it('[RQ-R75] the decline of a stranger is heard and means nothing', async () => {
    const { rig, peers, asked } = owned(1);
    const late = rig.peer('late');
    expect(decline(rig, asked.id, late)).toBe(true);
    expect(decline(rig, asked.id, undefined)).toBe(true);
    expect(await asked.outcome()).toBeUndefined();
    expect(decline(rig, asked.id, peers[0])).toBe(true);
    expect(await asked.outcome()).toMatchObject({ via: 'quorum' });
  });

  it('[RQ-R75] a candidate that leaves can no longer hold the others up', async () => {
    const { rig, peers, asked } = owned(3);
    decline(rig, asked.id, peers[0]);
    rig.requests.forget(peers[1]);
    expect(await asked.outcome()).toBeUndefined();
    rig.requests.forget(peers[2]);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', via: 'quorum' });
  });

  it('[RQ-R75] with every candidate gone it waits for whoever gets it by replay', async () => {
    const { rig, peers, asked } = owned(1);
    decline(rig, asked.id, rig.peer('bystander'));
    rig.requests.forget(peers[0]);
    expect(await asked.outcome()).toBeUndefined();
    const back = rig.peer('back');
    expect(rig.requests.replayTo(back, 's')).toMatchObject([{ id: asked.id, owner_quorum: true }]);
    rig.requests.replayTo(back, 's');
    expect(decline(rig, asked.id, back)).toBe(true);
    expect(await asked.outcome()).toMatchObject({ via: 'quorum' });
  });

  it('[RQ-R75] a peer that declined and left does not count as one that declined when it comes back', async () => {
    const { rig, peers, asked } = owned(2);
    decline(rig, asked.id, peers[0]);
    rig.requests.forget(peers[0]);
    rig.requests.attach(peers[0], ['s']);
    rig.requests.advertise(peers[0], true);
    rig.requests.replayTo(peers[0], 's');
    decline(rig, asked.id, peers[1]);
    expect(await asked.outcome()).toBeUndefined();
    decline(rig, asked.id, peers[0]);
    expect(await asked.outcome()).toMatchObject({ via: 'quorum' });
  });

  it('[RQ-R75][RQ-R69] a silent peer that was asked and says later that it can may decline', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('silent', ['s'], 'websocket', false);
    const asked = rig.ask('terminal.read');
    rig.requests.advertise(peer, true);
    const late = rig.peer('late');
    decline(rig, asked.id, late);
    expect(await asked.outcome()).toBeUndefined();
    decline(rig, asked.id, peer);
    expect(await asked.outcome()).toMatchObject({ via: 'quorum' });
  });

  it.each([
    ['attached', (rig: RequestRig) => rig.peer('barred')],
    ['attached before it said that it can', (rig: RequestRig) => rig.peer('barred', ['s'], 'websocket', false)],
    ['replay', (rig: RequestRig) => rig.peer('barred', [])],
  ])('[RQ-R75][RQ-R39] nobody waits for the decline of a peer that may not answer (%s)', async (_how, join) => {
    const rig = new RequestRig({ mayAccess: (_sid, peer) => peer?.author?.who !== 'barred' });
    const able = rig.peer('able');
    const barred = join(rig);
    const asked = rig.ask('terminal.read');
    rig.requests.advertise(barred, true);
    rig.requests.replayTo(barred, 's');
    expect(decline(rig, asked.id, barred)).toBe(false);
    expect(await asked.outcome()).toBeUndefined();
    expect(decline(rig, asked.id, able)).toBe(true);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', via: 'quorum' });
  });

  it('[RQ-R39] the answer of a candidate whose access was taken away meanwhile is refused, in every form', async () => {
    let isAllowed = true;
    const rig = new RequestRig({ mayAccess: (_sid, peer) => isAllowed || peer?.author?.who !== 'barred' });
    const barred = rig.peer('barred');
    const able = rig.peer('able');
    const asked = rig.ask('terminal.read');
    isAllowed = false;
    expect(rig.requests.resolveResponse(answer(asked.id, { value: 'mine' }), barred)).toBe(false);
    expect(rig.requests.answer(asked.id, { value: 'mine' }, barred)).toBe(false);
    expect(rig.requests.lockAnswer(asked.id, 'q0', 'mine', barred)).toBeNull();
    expect(decline(rig, asked.id, barred, -32603)).toBe(false);
    expect(await asked.outcome()).toBeUndefined();
    expect(rig.requests.answer(asked.id, { value: 'ours' }, able)).toBe(true);
    expect(await asked.outcome()).toMatchObject({ result: { value: 'ours' } });
    // Nor is the answer of another one told again to who may not have given it.
    expect(rig.requests.answer(asked.id, { value: 'ours' }, barred)).toBe(false);
  });

  it.each([
    ['declines last', ['able', 'barred']],
    ['declines first', ['barred', 'able']],
    ['says nothing', ['able']],
  ])(
    '[RQ-R39][RQ-R75] nobody waits for the decline of a candidate whose access was taken away (%s)',
    async (_how, order) => {
      let isAllowed = true;
      const rig = new RequestRig({ mayAccess: (_sid, peer) => isAllowed || peer?.author?.who !== 'barred' });
      const peers = new Map([
        ['able', rig.peer('able')],
        ['barred', rig.peer('barred')],
      ]);
      // One that got it by replay is a candidate as well, and shows no session.
      const viewer = rig.peer('barred', []);
      const asked = rig.ask('terminal.read');
      rig.requests.replayTo(viewer, 's');
      isAllowed = order[0] === 'able' && order.length > 1;
      for (const name of order) {
        expect(await asked.outcome()).toBeUndefined();
        expect(decline(rig, asked.id, peers.get(name))).toBe(name === 'able');
        isAllowed = false;
      }
      expect(await asked.outcome()).toMatchObject({ kind: 'answered', via: 'quorum' });
    },
  );

  it('[RQ-R76] any result or other error ends it, whoever sent it', async () => {
    const first = owned(2);
    const stranger = first.rig.peer('stranger');
    expect(first.rig.requests.resolveResponse(answer(first.asked.id, { value: 'mine' }), stranger)).toBe(true);
    expect(await first.asked.outcome()).toMatchObject({ result: { value: 'mine' } });
    const second = owned(2);
    decline(second.rig, second.asked.id, second.peers[0]);
    expect(decline(second.rig, second.asked.id, second.rig.peer('stranger'), -32603)).toBe(true);
    expect(await second.asked.outcome()).toMatchObject({ kind: 'failed', error: { code: -32603 } });
  });

  it('[RQ-R77] a bystander that declines at once never takes the slow answer of the owner away', async () => {
    const { rig, peers, asked } = owned(2);
    decline(rig, asked.id, peers[0]);
    rig.runtime.advance(44_999);
    expect(rig.requests.resolveResponse(answer(asked.id, { value: 'page' }), peers[1])).toBe(true);
    expect(await asked.outcome()).toMatchObject({ result: { value: 'page' } });
  });

  it('[RQ-R75] of a question that is not window-owned a decline is never a failure', async () => {
    const rig = new RequestRig();
    const [one, other] = [rig.peer('one'), rig.peer('other')];
    const asked = rig.ask('window.title');
    for (const peer of [one, other]) expect(decline(rig, asked.id, peer)).toBe(true);
    expect(await asked.outcome()).toBeUndefined();
  });
});

describe('errorQuorum (F-39)', () => {
  const UNKNOWN = -32601;

  it('by default the first "unknown method" ends it', async () => {
    const rig = new RequestRig();
    const [small] = [rig.peer('small'), rig.peer('desktop')];
    const asked = rig.ask();
    decline(rig, asked.id, small, UNKNOWN);
    expect(await asked.outcome()).toMatchObject({ kind: 'failed', error: { code: UNKNOWN } });
  });

  it('with it, one of several able peers does not speak for the others', async () => {
    const rig = new RequestRig({ errorQuorum: true });
    const [small, desktop] = [rig.peer('small'), rig.peer('desktop')];
    const first = rig.ask();
    expect(decline(rig, first.id, small, UNKNOWN)).toBe(true);
    expect(rig.requests.resolveResponse(answer(first.id), desktop)).toBe(true);
    expect(await first.outcome()).toMatchObject({ kind: 'answered', via: 'response' });
    const second = rig.ask();
    for (const peer of [small, desktop]) decline(rig, second.id, peer, UNKNOWN);
    expect(await second.outcome()).toMatchObject({ kind: 'failed', error: { code: UNKNOWN } });
    const third = rig.ask();
    decline(rig, third.id, small, UNKNOWN);
    rig.requests.forget(desktop);
    expect(await third.outcome()).toMatchObject({ kind: 'failed', error: { code: UNKNOWN } });
  });

  it('with one able peer, or for a peer that is no candidate, it is an error as ever', async () => {
    const rig = new RequestRig({ errorQuorum: true });
    const only = rig.peer('only');
    const first = rig.ask();
    decline(rig, first.id, only, UNKNOWN);
    expect(await first.outcome()).toMatchObject({ kind: 'failed' });
    const tui = rig.peer('tui', ['s'], 'stdio');
    const second = rig.ask();
    decline(rig, second.id, tui, UNKNOWN);
    expect(await second.outcome()).toMatchObject({ kind: 'failed' });
  });
});
