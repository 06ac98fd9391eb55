import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { answer, FakeLedger, failure, RequestRig } from './rig.ts';

export const secretsRules = new Chapter();
const { describe, test: it } = secretsRules;

const CANARY = 'hunter2-canary';

describe('[I12] secrets', () => {
  it('the answer reaches its waiter, and neither row nor audit, line nor error holds it', async () => {
    const ledger = new FakeLedger();
    const rig = new RequestRig({ ledger });
    const peer = rig.peer('a');
    const asked = rig.ask('sudo', { command: 'apt' }, { key: 'k' });
    rig.requests.resolveResponse(answer(asked.id, { value: CANARY }), peer);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', result: { value: CANARY } });
    const failed = rig.ask('sudo', {}, { key: 'k2' });
    rig.requests.resolveResponse(failure(failed.id, -1, `not ${CANARY}`), peer);
    const odd = rig.ask('sudo');
    rig.requests.resolveResponse(answer(odd.id, { value: 7, note: CANARY }), peer);
    const refused = rig.ask('sudo');
    let thrown = '';
    try {
      rig.requests.answer(refused.id, { value: [CANARY] } as never, peer);
    } catch (error) {
      thrown = `${String(error)} ${JSON.stringify(error)}`;
    }
    expect(thrown).toContain('does not conform');
    rig.requests.sendAsync('sudo', 's', {}, (result) => {
      throw new Error(`wrong password ${JSON.stringify(result)}`);
    });
    rig.requests.resolveResponse(answer(rig.lastId(), { value: CANARY }), peer);
    const frames = JSON.stringify(peer.seen);
    for (const text of [ledger.everything, rig.lines.join('\n'), thrown, frames]) expect(text).not.toContain(CANARY);
    expect(rig.lines.join()).toContain('the owner of');
    expect(ledger.commits.flatMap(({ settled }) => settled)).toEqual([]);
  });

  it('a second call under its key asks again: the answer was kept nowhere', async () => {
    const rig = new RequestRig({ ledger: new FakeLedger() });
    const first = rig.ask('sudo', {}, { key: 'k' });
    rig.requests.resolveResponse(answer(first.id, { value: CANARY }));
    const second = rig.ask('sudo', {}, { key: 'k' });
    expect(second.id).not.toBe(first.id);
    expect(await second.outcome()).toBeUndefined();
  });

  it('after a restart it takes no answer until whoever waits is back', async () => {
    const ledger = new FakeLedger();
    const before = new RequestRig({ ledger });
    const { id } = before.ask('sudo', {}, { key: 'k' });
    before.requests.shutdown();
    const rig = new RequestRig({ ledger });
    const peer = rig.peer('a');
    const other = rig.peer('b');
    expect(rig.requests.resolveResponse(answer(id, { value: CANARY }), peer)).toBe(false);
    expect(() => rig.requests.answer(id, { value: CANARY }, peer)).toThrow(expect.objectContaining({ code: 4009 }));
    expect(rig.requests.openRequests('s')).toHaveLength(1);
    expect(other.seen).toEqual([]);
    expect(ledger.everything).not.toContain(CANARY);
    const back = rig.ask('sudo', {}, { key: 'k' });
    expect(rig.requests.answer(id, { value: CANARY }, peer)).toBe(true);
    expect(await back.outcome()).toMatchObject({ result: { value: CANARY } });
  });

  it('it can still be taken back, declined or run out of time meanwhile', () => {
    const ledger = new FakeLedger();
    const before = new RequestRig({ ledger });
    const { id } = before.ask('sudo', {}, { key: 'k' });
    before.ask('sudo', {}, { timeoutMs: 50 });
    before.ask('sudo');
    before.requests.shutdown();
    const rig = new RequestRig({ ledger }, before.runtime);
    expect(rig.requests.resolveResponse(failure(id, -1))).toBe(true);
    rig.runtime.advance(50);
    expect(rig.requests.openRequestCount()).toBe(1);
    expect(rig.requests.cancel('s')).toBe(1);
  });

  it('a secret is asked alone', async () => {
    const rig = new RequestRig();
    const asked = rig.ask('sudo', {}, { qids: ['q0'] });
    await asked.done;
    expect(asked.error).toMatchObject({ code: 'invalid_input', field: 'qids' });
  });
});
