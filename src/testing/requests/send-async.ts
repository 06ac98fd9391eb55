import type { CancelReason, Settlement } from '../../requests/api.ts';
import type { JsonObject } from '../../wire/json.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, failure, RequestRig } from './rig.ts';

export const sendAsyncRules = new Chapter();
const { describe, test: it } = sendAsyncRules;

class Owner {
  readonly calls: [JsonObject | null, Settlement][] = [];
  readonly onResult = (result: JsonObject | null, settlement: Settlement): void =>
    void this.calls.push([result, settlement]);
}

function asked(rig: RequestRig, owner = new Owner()) {
  const withdraw = rig.requests.sendAsync('approval', 's', { command: 'ls' }, owner.onResult);
  return { owner, withdraw, id: rig.lastId() };
}

describe('sendAsync', () => {
  it('[RQ-R27] returns at once, and no clock ends it', () => {
    const rig = new RequestRig();
    rig.peer('a');
    const { owner } = asked(rig);
    expect(rig.runtime.timers).toBe(0);
    rig.runtime.advance(1e10);
    expect(owner.calls).toEqual([]);
    expect(rig.requests.openRequestCount()).toBe(1);
  });

  it('[RQ-R28] calls its owner once: the result of an answer, null for everything else', () => {
    const rig = new RequestRig();
    rig.peer('a');
    const [yes, no, taken] = [asked(rig), asked(rig), asked(rig)];
    rig.requests.resolveResponse(answer(yes.id, { choice: 'once' }));
    rig.requests.resolveResponse(failure(no.id, -1));
    expect(rig.requests.cancel('s')).toBe(1);
    rig.requests.resolveResponse(answer(yes.id, { choice: 'deny' }));
    expect(yes.owner.calls).toMatchObject([[{ choice: 'once' }, { kind: 'answered' }]]);
    expect(no.owner.calls).toMatchObject([[null, { kind: 'failed' }]]);
    expect(taken.owner.calls).toMatchObject([[null, { kind: 'cancelled', reason: 'interrupted' }]]);
  });

  it.each(['interrupted', 'shutdown', 'session_closed', 'resolved', 'timeout'] as CancelReason[])(
    '[RQ-R29][RQ-R57] its owner can tell why: %s',
    (reason) => {
      const rig = new RequestRig();
      const { owner } = asked(rig);
      rig.requests.cancel('s', reason);
      expect(owner.calls).toEqual([[null, { kind: 'cancelled', reason }]]);
    },
  );

  it('[RQ-R30] withdraw takes it back once, tells the clients and not the owner', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const { owner, withdraw, id } = asked(rig);
    expect(withdraw('resolved')).toBe(true);
    expect(withdraw('resolved')).toBe(false);
    expect(peer.ofKind('cancel')).toMatchObject([{ id, reason: 'resolved' }]);
    expect(owner.calls).toEqual([]);
    const other = asked(rig);
    rig.requests.resolveResponse(answer(other.id, { choice: 'deny' }));
    expect(other.withdraw('resolved')).toBe(false);
    expect(peer.ofKind('cancel')).toHaveLength(1);
    expect(() => asked(rig).withdraw('because' as CancelReason)).toThrow(/reason/);
  });

  it('[RQ-R31] its owner runs on the stack of the answer, before the next frame', () => {
    const rig = new RequestRig();
    const order: string[] = [];
    rig.requests.sendAsync('approval', 's', { command: 'ls' }, () => order.push('owner'));
    const id = rig.lastId();
    rig.requests.resolveResponse(answer(id, { choice: 'once' }));
    order.push('next frame');
    expect(order).toEqual(['owner', 'next frame']);
  });

  it('[RQ-R07][RQ-I11] unanswerable: told once, at once; nothing was written, nothing is open', async () => {
    const rig = new RequestRig({ graceMs: 0 });
    const peer = rig.peer('old', ['s'], 'websocket', false);
    const { owner, withdraw } = asked(rig);
    expect(owner.calls).toEqual([[null, { kind: 'unanswerable' }]]);
    expect(withdraw('resolved')).toBe(false);
    const plain = rig.ask('approval', { command: 'rm -rf secret-dir' });
    expect(await plain.outcome()).toEqual({ kind: 'unanswerable' });
    expect(peer.seen).toEqual([]);
    expect(rig.requests.openRequestCount()).toBe(0);
    const told = rig.lines.filter((line) => line.startsWith('info'));
    expect(told).toHaveLength(2);
    expect(told.join()).toContain('approval for session "s"');
    expect(told.join()).not.toContain('secret-dir');
  });

  it('[RQ-R04] an owner that throws, or rejects later, stops nothing', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const other = rig.peer('b');
    rig.requests.sendAsync('approval', 's', { command: 'ls' }, () => {
      throw new Error('broken owner');
    });
    const id = rig.lastId();
    expect(rig.requests.resolveResponse(answer(id, { choice: 'once' }), peer)).toBe(true);
    expect(other.ofKind('settled')).toHaveLength(1);
    const rejecting = (() => Promise.reject(new Error('later'))) as unknown as () => void;
    rig.requests.sendAsync('approval', 's', { command: 'ls' }, rejecting);
    expect(rig.requests.cancel('s')).toBe(1);
    await rig.runtime.breathe();
    expect(rig.lines.filter((line) => line.includes('the owner of'))).toHaveLength(2);
    expect(() => rig.requests.sendAsync('approval', 's', {}, 7 as never)).toThrow(/onResult/);
  });

  it('[RQ-R04] an owner may ask, cancel and withdraw from inside its call', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const again = new Owner();
    const withdraw = rig.requests.sendAsync('approval', 's', { command: 'ls' }, () => {
      expect(withdraw('resolved')).toBe(false);
      rig.requests.sendAsync('approval', 's', { command: 'again' }, again.onResult);
      expect(rig.requests.cancel('t')).toBe(1);
    });
    const owner = new Owner();
    rig.requests.sendAsync('approval', 't', { command: 'other' }, owner.onResult);
    rig.requests.resolveResponse(answer(peer.asked[0] ?? '', { choice: 'once' }), peer);
    expect(owner.calls).toHaveLength(1);
    expect(again.calls).toEqual([]);
    expect(rig.requests.openRequests('s')).toHaveLength(1);
  });
});
