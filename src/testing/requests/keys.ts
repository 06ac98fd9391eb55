/** Idempotency keys of requests: one question each, and the answer to it for whoever asks again. */
import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, durable, type RequestRig, restarted } from './rig.ts';

export const keyRules = new Chapter();
const { describe, test: it } = keyRules;

describe('keys', () => {
  it('a second call under one key joins, and is no second card', async () => {
    const { rig, peer } = durable();
    const first = rig.ask('window.title', {}, { key: 'k' });
    const second = rig.ask('window.title', {}, { key: 'k', timeoutMs: 5 });
    const results: unknown[] = [];
    rig.requests.sendAsync('window.title', 's', {}, (result) => results.push(result), { key: 'k' });
    expect(peer.asked).toEqual([first.id]);
    rig.runtime.advance(1_000);
    rig.requests.resolveResponse(answer(first.id));
    expect(await first.outcome()).toEqual(await second.outcome());
    expect(results).toEqual([{ value: 'yes' }]);
  });

  it('afterwards it gets how it ended, in this process and in the next', async () => {
    const { ledger, rig, peer } = durable();
    const first = rig.ask('window.title', {}, { key: 'k' });
    rig.requests.resolveResponse(answer(first.id, { value: 'once' }), peer);
    expect(await rig.ask('window.title', {}, { key: 'k' }).outcome()).toMatchObject({ result: { value: 'once' } });
    const next = restarted(ledger, rig);
    expect(next.requests.openRequestCount()).toBe(0);
    expect(await next.ask('window.title', {}, { key: 'k' }).outcome()).toMatchObject({ result: { value: 'once' } });
    const results: unknown[] = [];
    next.requests.sendAsync('window.title', 's', {}, (result) => results.push(result), { key: 'k' })('resolved');
    expect(results).toEqual([{ value: 'once' }]);
    expect(peer.asked).toHaveLength(1);
  });

  it('[F2] an answer that comes before its waiter is back is kept for the key', async () => {
    const { ledger, rig } = durable();
    const asked = rig.ask('window.title', {}, { key: 'k' });
    const next = restarted(ledger, rig);
    expect(next.requests.resolveResponse(answer(asked.id, { value: 'early' }))).toBe(true);
    const third = restarted(ledger, next);
    expect(await third.ask('window.title', {}, { key: 'k' }).outcome()).toEqual({
      kind: 'answered',
      result: { value: 'early' },
      via: 'response',
    });
  });

  it('a key of another request is refused; a bad key too', async () => {
    const { rig } = durable();
    rig.ask('window.title', {}, { key: 'k' });
    for (const [method, sid, key] of [
      ['tour', 's', 'k'],
      ['window.title', 't', 'k'],
      ['window.title', 's', ''],
      ['window.title', 's', 7],
      ['window.title', 's', 'x'.repeat(513)],
    ]) {
      const sent = rig.requests.send(method as string, sid as string, {}, { timeoutMs: null, key: key as string });
      await expect(sent).rejects.toMatchObject({ code: 'invalid_input', field: 'key' });
    }
  });

  it('a key stands for one question, open or ended, in this process and in the next, and its answer goes to no other', async () => {
    const { ledger, rig, peer } = durable();
    const put = (at: RequestRig, question: string) =>
      at.requests.send('clarify', 's', { question }, { timeoutMs: null, key: 'k' });
    const refused = { code: 'invalid_input', field: 'key', message: expect.stringContaining('another question') };
    const first = put(rig, 'To staging?');
    await expect(put(rig, 'To production?')).rejects.toMatchObject(refused);
    rig.requests.resolveResponse(answer(rig.lastId(), { answer: 'yes' }), peer);
    expect(await first).toMatchObject({ kind: 'answered' });
    await expect(put(rig, 'To production?')).rejects.toMatchObject(refused);
    const next = restarted(ledger, rig);
    await expect(put(next, 'To production?')).rejects.toMatchObject(refused);
    expect(await put(next, 'To staging?')).toMatchObject({ kind: 'answered', result: { answer: 'yes' } });
    expect(peer.asked).toHaveLength(1);
  });

  it('of two that wait one may be interrupted; only the last one takes the question back', async () => {
    const { rig, peer } = durable();
    const [one, other] = [new AbortController(), new AbortController()];
    const first = rig.ask('window.title', {}, { key: 'k', signal: one.signal });
    const second = rig.ask('window.title', {}, { key: 'k', signal: other.signal });
    one.abort('first');
    await first.done;
    expect(first.error).toBe('first');
    expect(await second.outcome()).toBeUndefined();
    expect(peer.ofKind('cancel')).toEqual([]);
    other.abort('second');
    await second.done;
    expect(second.error).toBe('second');
    expect(peer.ofKind('cancel')).toHaveLength(1);
  });

  it('of two owners one may withdraw: the other is told', () => {
    const { rig } = durable();
    const calls: string[] = [];
    const withdraw = rig.requests.sendAsync('window.title', 's', {}, () => calls.push('first'), { key: 'k' });
    rig.requests.sendAsync('window.title', 's', {}, () => calls.push('second'), { key: 'k' });
    expect(withdraw('resolved')).toBe(true);
    expect(calls).toEqual(['second']);
  });

  it('ended ones are bounded; the oldest goes, on file too, with one line', () => {
    const { ledger, rig } = durable();
    for (let i = 0; i <= 1_024; i++) {
      const asked = rig.ask('window.title', {}, { key: `k${i}` });
      rig.requests.resolveResponse(answer(asked.id, { value: String(i) }));
    }
    expect(ledger.requests).toHaveLength(1_024);
    expect(rig.lines.filter((line) => line.includes('the bound of 1024'))).toHaveLength(1);
    rig.ask('window.title', {}, { key: 'k0' });
    expect(rig.requests.openRequestCount()).toBe(1);
  });

  it('[RQ-R12] a request whose write failed is not kept: the same call may be made again', async () => {
    const { ledger, rig, peer } = durable();
    peer.failsWith = new Error('EPIPE');
    const failed = rig.ask('window.title', {}, { key: 'k' });
    await failed.done;
    expect(failed.error).toBe(peer.failsWith);
    expect(ledger.requests).toEqual([]);
    peer.failsWith = undefined;
    const again = rig.ask('window.title', {}, { key: 'k' });
    expect(peer.asked).toEqual([again.id]);
  });
});
