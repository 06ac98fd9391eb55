import type { JsonObject } from '../../wire/json.ts';
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, DISK, durable, FakeLedger, failure, RequestRig, restarted } from './rig.ts';

export const ledgerRules = new Chapter();
const { describe, test: it } = ledgerRules;

describe('with a store', () => {
  it('the row is on file before the frame leaves, and before the answer is told', () => {
    const { ledger, rig, peer } = durable();
    const onFile: number[] = [];
    peer.onFrame = () => onFile.push(ledger.requests.length);
    const other = rig.peer('b');
    other.onFrame = () => onFile.push(ledger.requests.length);
    const asked = rig.ask();
    rig.requests.resolveResponse(answer(asked.id), peer);
    expect(onFile).toEqual([1, 1, 0]);
    expect(ledger.commits.map(({ changes }) => changes.map(({ note }) => note))).toEqual([
      [{ event: 'request.opened', detail: 'window.title' }],
      [{ event: 'request.answered', author: { surface: 'page', who: 'a' }, detail: 'response' }],
    ]);
  });

  it('an opening that cannot be filed has not happened', async () => {
    const { ledger, rig, peer } = durable();
    ledger.failsWith = DISK;
    const asked = rig.ask('window.title', {}, { timeoutMs: 1_000, key: 'k' });
    await asked.done;
    expect(asked.error).toBe(DISK);
    expect(() => rig.requests.sendAsync('window.title', 's', {}, () => undefined)).toThrow(DISK);
    expect(peer.seen).toEqual([]);
    expect(rig.requests.openRequestCount()).toBe(0);
    expect(rig.requests.pendingKind('s')).toBe('');
    expect(rig.runtime.timers).toBe(0);
    ledger.failsWith = undefined;
    expect(rig.ask('window.title', {}, { key: 'k' }).id).not.toBe('');
  });

  it('an answer, an error, a lock, a withdrawal that cannot be filed has not happened', async () => {
    const { ledger, rig, peer } = durable();
    const asked = rig.batch(['q0', 'q1'], { timeoutMs: 60_000 });
    const calls: unknown[] = [];
    const withdraw = rig.requests.sendAsync('approval', 's', { command: 'ls' }, (result) => calls.push(result));
    rig.requests.lockAnswer(asked.id, 'q0', 'kept');
    ledger.failsWith = DISK;
    const attempts = [
      () => rig.requests.answer(asked.id, { answers: {} }, peer),
      () => rig.requests.lockAnswer(asked.id, 'q0', 'changed'),
      () => rig.requests.lockAnswer(asked.id, 'q1', 'last'),
      () => rig.requests.cancel('s'),
      () => rig.requests.cancel(null),
      () => withdraw('resolved'),
    ];
    for (const attempt of attempts) expect(attempt).toThrow(DISK);
    expect(rig.runtime.timers).toBe(1);
    // Of these nobody hears that they failed: the question may come again, later.
    const bare = [answer(asked.id, { answers: {} }), failure(asked.id, 1)];
    for (const frame of bare) expect(() => rig.requests.resolveResponse(frame, peer)).toThrow(DISK);
    expect(peer.seen.map(({ kind }) => kind)).toEqual(['request', 'request']);
    expect(await asked.outcome()).toBeUndefined();
    expect(calls).toEqual([]);
    expect(rig.requests.openRequests('s')[0]?.params['answers']).toEqual({ q0: 'kept' });
    expect(rig.requests.openRequestCount()).toBe(2);
    ledger.failsWith = undefined;
    expect(rig.requests.cancel('s')).toBe(2);
    expect(rig.runtime.timers).toBe(0);
    expect(calls).toEqual([null]);
  });

  it('what nobody called for is tried again: deadline, interrupt, lost gate, a candidate that left', async () => {
    const { ledger, rig, peer } = durable();
    const controller = new AbortController();
    const deadline = rig.ask('window.title', {}, { timeoutMs: 100 });
    const interrupted = rig.ask('window.title', {}, { signal: controller.signal });
    const owned = rig.ask('terminal.read');
    const second = rig.peer('b');
    rig.requests.replayTo(second, 's');
    rig.requests.resolveResponse(failure(owned.id, -32004), peer);
    ledger.failsWith = DISK;
    rig.runtime.advance(100);
    controller.abort('stop');
    rig.requests.forget(second);
    rig.runtime.advance(2_500);
    expect(rig.requests.openRequestCount()).toBe(3);
    expect(peer.ofKind('cancel')).toEqual([]);
    ledger.failsWith = undefined;
    rig.runtime.advance(1_000);
    expect(await deadline.outcome()).toMatchObject({ kind: 'timed_out' });
    await interrupted.done;
    expect(interrupted.error).toBe('stop');
    expect(await owned.outcome()).toMatchObject({ via: 'quorum' });
    expect(rig.runtime.timers).toBe(0);
    expect(ledger.requests).toEqual([]);
  });

  it('[RQ-R12] a failed write that cannot be filed either goes to its caller, and is taken back later', async () => {
    const { ledger, rig, peer } = durable();
    const other = rig.peer('b');
    peer.onFrame = () => {
      ledger.failsWith = DISK;
    };
    other.failsWith = new Error('EPIPE');
    const asked = rig.ask();
    await asked.done;
    expect(asked.error).toBe(other.failsWith);
    expect(rig.requests.openRequestCount()).toBe(1);
    ledger.failsWith = undefined;
    rig.runtime.advance(1_000);
    expect(rig.requests.openRequestCount()).toBe(0);
    expect(peer.ofKind('cancel')).toHaveLength(1);
    expect(ledger.requests).toEqual([]);
  });

  it('a lost gate is lost only if it still is when the disk is back', async () => {
    const ledger = new FakeLedger();
    const rig = new RequestRig({ ledger });
    const peer = rig.peer('slow', ['s'], 'websocket', false);
    const asked = rig.ask();
    ledger.failsWith = DISK;
    rig.runtime.advance(2_500);
    rig.requests.advertise(peer, true);
    ledger.failsWith = undefined;
    rig.runtime.advance(10_000);
    expect(await asked.outcome()).toBeUndefined();
  });

  it('a ledger that calls back into the registry is refused, and nothing has happened', async () => {
    const { ledger, rig } = durable();
    const asked = rig.ask();
    ledger.onCommit = () => void rig.requests.cancel('s');
    expect(() => rig.requests.resolveResponse(answer(asked.id))).toThrow(/inside a commit/);
    ledger.onCommit = undefined;
    expect(await asked.outcome()).toBeUndefined();
    expect(rig.requests.resolveResponse(answer(asked.id))).toBe(true);
  });

  it('what ends with answers in it is handed to the ledger in the commit that files it', () => {
    const { ledger, rig, peer } = durable();
    const asked = rig.batch(['q0', 'q1']);
    rig.requests.lockAnswer(asked.id, 'q1', 'early', peer);
    rig.requests.resolveResponse(answer(asked.id, { answers: { q0: 'late' } }), peer);
    const timed = rig.batch(['q0', 'q1'], { timeoutMs: 10 });
    rig.requests.lockAnswer(timed.id, 'q0', 'locked', peer);
    rig.runtime.advance(10);
    const owned = rig.ask('terminal.read');
    rig.requests.resolveResponse(failure(owned.id, -32004), peer);
    rig.ask();
    rig.requests.cancel('s');
    expect(ledger.commits.flatMap(({ settled }) => settled)).toMatchObject([
      {
        request: { id: asked.id, method: 'clarify' },
        settlement: { kind: 'answered', result: { answers: { q0: 'late', q1: 'early' } } },
        from: { who: 'a' },
      },
      { request: { id: timed.id }, settlement: { kind: 'timed_out', locked: { q0: 'locked' } } },
    ]);
  });

  it('[F1][F10][E12] a restart is no cancellation: open as before, under the same id, with its locks', async () => {
    const { ledger, rig, peer } = durable();
    const asked = rig.batch(['q0', 'q1'], { timeoutMs: 60_000, key: 'k' });
    const plain = rig.ask('window.title');
    rig.requests.lockAnswer(asked.id, 'q0', 'early');
    const open = rig.requests.openRequests('s');
    const next = restarted(ledger, rig);
    // Whoever waits in the process that ends is told so; the clients are not, for nothing has ended.
    expect(await asked.outcome()).toEqual({ kind: 'cancelled', reason: 'shutdown' });
    expect(peer.ofKind('cancel')).toEqual([]);
    expect(rig.requests.openRequestCount()).toBe(0);
    expect(next.requests.openRequests('s')).toEqual(open);
    expect(next.requests.pendingKind('s')).toBe('clarify');
    const back = next.peer('a');
    expect(next.requests.lockAnswer(asked.id, 'q1', 'late', back)).toEqual([]);
    expect(next.requests.resolveResponse(answer(plain.id), back)).toBe(true);
    expect(next.ask().id).not.toBe('');
  });

  it('a deadline goes on over a restart, by the clock on the wall', async () => {
    const { ledger, rig } = durable();
    rig.ask('window.title', {}, { timeoutMs: 60_000, key: 'k' });
    rig.runtime.advance(20_000);
    const next = restarted(ledger, rig);
    const adopted = next.ask('window.title', {}, { timeoutMs: 999_999, key: 'k' });
    next.runtime.advance(39_999);
    expect(await adopted.outcome()).toBeUndefined();
    next.runtime.advance(1);
    expect(await adopted.outcome()).toEqual({ kind: 'timed_out', locked: {} });
  });

  it('new requests come after the old ones, and ids of the last process are not given twice', () => {
    const { ledger, rig } = durable();
    const ids = [rig.ask().id, rig.ask().id];
    const next = restarted(ledger, rig);
    const third = next.ask().id;
    expect(next.requests.openRequests('s').map(({ id }) => id)).toEqual([...ids, third]);
  });

  it('candidates of the last process are forgotten', async () => {
    const { ledger, rig, peer } = durable();
    rig.peer('second');
    const asked = rig.ask('terminal.read');
    rig.requests.resolveResponse(failure(asked.id, -32004), peer);
    expect(JSON.stringify(ledger.requests)).not.toContain('peer-');
    const next = restarted(ledger, rig);
    const back = next.peer('b');
    next.requests.replayTo(back, 's');
    expect(next.requests.resolveResponse(failure(asked.id, -32004), back)).toBe(true);
    expect(next.requests.openRequestCount()).toBe(0);
  });

  it('a row of a method without contract is left on file, with a line; a row that cannot be read refuses to open', () => {
    const ledger = new FakeLedger();
    const rig = new RequestRig({ ledger });
    rig.ask();
    const [row] = ledger.requests;
    ledger.files.set('request x', JSON.stringify({ ...row, id: 'x', method: 'gone' }));
    const next = new RequestRig({ ledger });
    expect(next.requests.openRequestCount()).toBe(1);
    expect(next.lines.join()).toContain('no contract');
    const deep = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as JsonObject;
    ledger.files.set('request x', JSON.stringify({ ...row, id: 'x', params: deep }));
    const third = new RequestRig({ ledger });
    expect(third.requests.openRequestCount()).toBe(1);
    expect(third.lines.join()).toContain('cannot be shown');
    ledger.files.set('request x', JSON.stringify({ ...row, id: 'x', state: 'dancing' }));
    expect(() => new RequestRig({ ledger })).toThrow(expect.objectContaining({ code: 'store_unreadable' }));
  });
});
