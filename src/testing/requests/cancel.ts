import type { CancelReason } from '../../requests/api.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, RequestRig } from './rig.ts';

export const cancelRules = new Chapter();
const { describe, test: it } = cancelRules;

describe('taking back', () => {
  it('[RQ-R50][RQ-I09][E11] one session, and nothing of any other', async () => {
    const rig = new RequestRig();
    const [here, there] = [rig.peer('here', ['s']), rig.peer('there', ['t'])];
    const own = [rig.ask(), rig.ask()];
    const other = rig.ask('window.title', {}, {}, 't');
    expect(rig.requests.cancel('s')).toBe(2);
    for (const asked of own) expect(await asked.outcome()).toEqual({ kind: 'cancelled', reason: 'interrupted' });
    expect(await other.outcome()).toBeUndefined();
    expect(here.ofKind('cancel')).toHaveLength(2);
    expect(there.ofKind('cancel')).toEqual([]);
    expect(rig.requests.resolveResponse(answer(other.id), there)).toBe(true);
  });

  it('[RQ-R51][RQ-R02] all are committed before the first effect, and effects come in creation order', () => {
    const rig = new RequestRig();
    const counts: number[] = [];
    const order: string[] = [];
    const peer = rig.peer('a', '*');
    for (const sid of ['s', 't', 's']) {
      rig.requests.sendAsync('approval', sid, { command: 'ls' }, () => counts.push(rig.requests.openRequestCount()));
    }
    const ids = peer.asked;
    peer.onFrame = ({ kind, id }) => kind === 'cancel' && order.push(id);
    expect(rig.requests.cancel(null, 'session_closed')).toBe(3);
    expect(counts).toEqual([0, 0, 0]);
    expect(order).toEqual(ids);
  });

  it('[RQ-R03] per request: its owner, then its waiter, then its clients', async () => {
    const rig = new RequestRig();
    const order: string[] = [];
    const peer = rig.peer('a');
    peer.onFrame = ({ kind }) => kind === 'cancel' && order.push('cancel');
    rig.requests.sendAsync('approval', 's', { command: 'ls' }, () => order.push('owner'));
    rig.requests.cancel('s');
    expect(order).toEqual(['owner', 'cancel']);
  });

  it('[RQ-R52] plain waits get the settlement, queue-backed ones null', async () => {
    const rig = new RequestRig();
    const asked = rig.ask();
    const results: unknown[] = [];
    rig.requests.sendAsync('approval', 's', { command: 'ls' }, (result) => results.push(result));
    rig.requests.cancel('s', 'session_closed');
    expect(await asked.outcome()).toEqual({ kind: 'cancelled', reason: 'session_closed' });
    expect(results).toEqual([null]);
  });

  it('[RQ-R53][RQ-R54][RQ-R56] one cancel each, with its reason; what has ended counts for nothing', () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const answered = rig.ask();
    rig.requests.resolveResponse(answer(answered.id), peer);
    const reasons: CancelReason[] = ['interrupted', 'session_closed', 'shutdown', 'resolved', 'timeout'];
    for (const reason of reasons) {
      const asked = rig.ask();
      expect(rig.requests.cancel('s', reason)).toBe(1);
      expect(rig.requests.cancel('s', reason)).toBe(0);
      expect(peer.ofKind('cancel', asked.id)).toMatchObject([{ method: 'window.title', reason }]);
    }
    expect(peer.ofKind('cancel')).toHaveLength(reasons.length);
    expect(peer.ofKind('settled')).toEqual([]);
    expect(() => rig.requests.cancel('s', 'bored' as CancelReason)).toThrow(/reason/);
  });

  it('[RQ-R55][A7] a batch that was taken back lists what was locked, and hands none of it out', async () => {
    const rig = new RequestRig();
    const asked = rig.batch(['q0', 'q1']);
    rig.requests.lockAnswer(asked.id, 'q0', 'a');
    rig.requests.cancel('s');
    expect(await asked.outcome()).toEqual({ kind: 'cancelled', reason: 'interrupted', locked: { q0: 'a' } });
  });

  it('[RQ-R04][RQ-I14] sinks and owners that throw keep nothing from anybody', async () => {
    const rig = new RequestRig();
    const broken = rig.peer('broken');
    const whole = rig.peer('whole');
    const waits = [rig.ask(), rig.ask()];
    rig.requests.sendAsync('approval', 's', { command: 'ls' }, () => {
      throw new Error('owner');
    });
    const last = rig.ask();
    broken.failsWith = new Error('sink');
    expect(rig.requests.cancel('s')).toBe(4);
    for (const asked of [...waits, last]) expect(await asked.outcome()).toMatchObject({ kind: 'cancelled' });
    expect(whole.ofKind('cancel')).toHaveLength(4);
  });

  it('[RQ-R04] a logger that throws changes nothing', async () => {
    const angry = () => {
      throw new Error('log full');
    };
    const rig = new RequestRig({ logger: { debug: angry, info: angry, warn: angry, error: angry } });
    const peer = rig.peer('a');
    peer.onFrame = ({ kind }) => {
      if (kind !== 'request') throw new Error('sink');
    };
    const asked = rig.ask();
    expect(rig.requests.resolveResponse(answer('srq-unknown'))).toBe(false);
    expect(rig.requests.cancel('s')).toBe(1);
    expect(await asked.outcome()).toMatchObject({ kind: 'cancelled' });
  });

  it('[RQ-R58][RQ-R17][RQ-I10] after the shutdown nobody is asked any more, not even by an owner that was just told', async () => {
    const rig = new RequestRig();
    const peer = rig.peer('a');
    const asked = rig.ask();
    const late: unknown[] = [];
    rig.requests.sendAsync('approval', 's', { command: 'ls' }, () => {
      rig.requests.sendAsync('approval', 's', { command: 'again' }, (_result, settlement) => late.push(settlement));
    });
    rig.requests.shutdown();
    expect(await asked.outcome()).toEqual({ kind: 'cancelled', reason: 'shutdown' });
    expect(late).toEqual([{ kind: 'unanswerable' }]);
    expect(peer.ofKind('cancel')).toMatchObject([{ reason: 'shutdown' }, { reason: 'shutdown' }]);
    expect(rig.requests.openRequestCount()).toBe(0);
    expect(await rig.ask().outcome()).toEqual({ kind: 'unanswerable' });
    rig.requests.shutdown();
    expect(peer.ofKind('cancel')).toHaveLength(2);
    expect(rig.runtime.timers).toBe(0);
  });
});

describe('queries', () => {
  it('[RQ-R59][RQ-I07] open requests of a session, in creation order, with locks and the quorum mark', () => {
    const rig = new RequestRig();
    const plain = rig.ask('window.title');
    const batch = rig.ask('clarify', { questions: [{ qid: 'q0' }, { qid: 'q1' }] }, { qids: ['q0', 'q1'] });
    const owned = rig.ask('terminal.read', { start: 1 });
    rig.ask('window.title', {}, {}, 't');
    rig.requests.lockAnswer(batch.id, 'q1', null);
    expect(rig.requests.openRequests('s')).toEqual([
      { id: plain.id, method: 'window.title', params: { session_id: 's' } },
      {
        id: batch.id,
        method: 'clarify',
        params: { session_id: 's', questions: [{ qid: 'q0' }, { qid: 'q1' }], answers: { q1: null } },
      },
      { id: owned.id, method: 'terminal.read', params: { session_id: 's', start: 1 }, owner_quorum: true },
    ]);
    expect(rig.requests.openRequests('nobody')).toEqual([]);
  });

  it('[RQ-R60] a list is a copy, and changing it changes nothing', () => {
    const rig = new RequestRig();
    const asked = rig.ask('bot.relay', { payload: { list: [1] } });
    const shown = rig.requests
      .openRequests('s')
      .map(({ params }) => params as unknown as { payload: { list: number[] } });
    for (const { payload } of shown) payload.list.push(2);
    rig.requests.resolveResponse(answer(asked.id));
    expect(shown).toMatchObject([{ payload: { list: [1, 2] } }]);
    const again = rig.ask('bot.relay', { payload: { list: [1] } });
    expect(rig.requests.openRequests('s')[0]).toMatchObject({ id: again.id, params: { payload: { list: [1] } } });
  });

  it('[RQ-R61][RQ-I08] the kind of the oldest, and the number of all', () => {
    const rig = new RequestRig();
    expect(rig.requests.pendingKind('s')).toBe('');
    const first = rig.ask('tour');
    rig.ask('clarify');
    rig.ask('sudo', {}, {}, 't');
    expect(rig.requests.pendingKind('s')).toBe('tour');
    expect(rig.requests.openRequestCount()).toBe(3);
    rig.requests.resolveResponse(answer(first.id));
    expect(rig.requests.pendingKind('s')).toBe('clarify');
    expect(rig.requests.pendingKind('t')).toBe('sudo');
    expect(rig.requests.openRequestCount()).toBe(2);
  });

  it('[RQ-R63] nothing open is an empty list, not a missing one', () => {
    const rig = new RequestRig();
    expect(rig.requests.openRequests('s')).toEqual([]);
    expect(rig.requests.replayTo(rig.peer('a'), 's')).toEqual([]);
  });
});
