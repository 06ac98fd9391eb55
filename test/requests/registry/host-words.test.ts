/** Words of a host and of clients that are of the wrong kind: promises where a word is due now, params without end. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMirror } from '../../../src/requests.ts';
import { answer, DISK, FakeLedger } from '../../../src/testing/requests/rig.ts';
import { defaultPack } from '../../../src/wire/contracts/default-pack.ts';
import { createDispatcher } from '../../../src/wire/dispatch.ts';
import type { JsonObject, RpcFrame } from '../../../src/wire/json.ts';
import { breathe, KEY, Rig } from '../approvals/support.ts';
import { RequestRig } from '../support/rig.ts';

const rejects = (): never => Promise.reject(new Error('it is gone')) as never;
const late = (): never => Promise.resolve(true) as never;
const nested = (depth: number): JsonObject =>
  JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`) as JsonObject;

const unheard: string[] = [];
const note = (error: unknown): void => void unheard.push(String(error));
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await breathe();
  await breathe();
  process.off('unhandledRejection', note);
  expect(unheard.splice(0)).toEqual([]);
});

describe('a promise where a word is due now', () => {
  it.each([rejects, late])('[RQ-F40] of a peer: the frame has not left, and no process ends', async (send) => {
    const rig = new RequestRig({ maxUnattendedMs: 1_000 });
    rig.requests.attach({ kind: 'stdio', closed: false, send }, ['s']);
    const asked = rig.ask();
    expect(rig.requests.tell('s', { jsonrpc: '2.0', method: 'event', params: { type: 't', session_id: 's' } })).toBe(
      false,
    );
    rig.runtime.advance(1_000);
    expect(await asked.outcome()).toMatchObject({ kind: 'cancelled', reason: 'session_closed' });
    expect(rig.lines.join(' ')).toContain('gave a promise');
  });

  it('[RQ-R106] of a peer that is replied to: no process ends', async () => {
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const dispatcher = createDispatcher({ pack: defaultPack, handlers: {}, logger });
    await dispatcher.receive({ kind: 'websocket', closed: false, send: rejects }, { id: 1, method: 'x' });
  });

  it('[RQ-R39] of whether a peer may answer: it may not', async () => {
    for (const mayAccess of [rejects, late]) {
      const rig = new RequestRig({ mayAccess });
      const peer = rig.peer('a');
      expect(rig.requests.resolveResponse(answer(rig.ask().id), peer)).toBe(false);
    }
  });

  it.each([rejects, late])('[RQ-R148] of whether anything new is let in: nothing is', async (admit) => {
    const rig = new RequestRig({ admit });
    rig.peer('a');
    const asked = rig.ask();
    await asked.done;
    expect(asked.error).toMatchObject({ code: 'invalid_input' });
    expect(() => rig.requests.sendAsync('window.title', 's', {}, () => undefined)).toThrow('promise');
    expect(rig.requests.openRequestCount()).toBe(0);
    await expect(new Rig({ admit }).ask('a').promise).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('[RQ-R81] of a surface: it is no hook, and its failure is told', async () => {
    const rig = new Rig({ notify: [rejects] });
    const asking = rig.ask('a');
    await breathe();
    expect(rig.lines.join(' ')).toContain('it is gone');
    expect(rig.approvals.resolve(KEY, 'deny')).toBe(1);
    expect((await asking.promise).choice).toBe('deny');
    expect(rig.lines.join(' ')).not.toContain('settle hook');
  });

  it('[RQ-R100] of the hook before, the redaction and the names of sessions: refused, hidden, unknown', async () => {
    await expect(new Rig({ hooks: { prepare: rejects } }).ask('a').promise).rejects.toThrow('promise');
    const rig = new Rig({ redact: rejects, keyOf: rejects });
    rig.ask('a');
    expect(rig.approvals.pending(KEY)).toMatchObject([{ command: '[redacted]' }]);
    expect(() => rig.approvals.respond({ sid: 'nobody' })).toThrow();
  });
});

describe('what nests without end', () => {
  it.each([{}, { key: 'k' }])(
    '[RQ-R13] is not asked, so that all that is asked can be shown again: %j',
    async (more) => {
      const rig = new RequestRig();
      const peer = rig.peer('a');
      for (const depth of [600, 150, 20_000]) {
        const asked = rig.ask('bot.relay', { payload: nested(depth) }, more);
        await asked.done;
        expect(asked.error).toMatchObject({ code: 'invalid_input' });
      }
      const asked = rig.ask('bot.relay', { payload: nested(100) }, more);
      expect(rig.requests.replayTo(peer, 's')).toHaveLength(1);
      expect(rig.requests.answer(asked.id, { value: 'yes' })).toBe(true);
      expect(await asked.outcome()).toMatchObject({ kind: 'answered' });
    },
  );

  it('[RQ-R109] is not mirrored: the child is told, and what else is open is shown', () => {
    const rig = new RequestRig();
    rig.peer('a');
    const told: RpcFrame[] = [];
    const child = { send: (frame: RpcFrame) => told.push(frame) > 0, respond: rejects, lock: rejects };
    const mirror = createMirror({ requests: rig.requests, logger: rig.logger });
    for (const depth of [1, 600, 20_000]) {
      const params = { session_id: 's', ...nested(depth) };
      expect(mirror.fromChild(child, { jsonrpc: '2.0', id: `srq-${depth}`, method: 'bot.relay', params })).toBe(true);
    }
    expect(mirror.openRequests('s')).toMatchObject([{ id: 'srq-1' }]);
    expect(told).toMatchObject([
      { id: 'srq-600', error: { code: -32602 } },
      { id: 'srq-20000', error: { code: -32602 } },
    ]);
  });

  it('[RQ-R37] is dropped with the question that was not asked, and has no receipt', async () => {
    const rig = new RequestRig();
    rig.peer('a');
    const asked = rig.batch(['q0']);
    const result = { answers: { q0: 'blue', odd: nested(20_000) } };
    expect(rig.requests.answer(asked.id, result)).toBe(true);
    expect(await asked.outcome()).toMatchObject({ kind: 'answered', result: { answers: { q0: 'blue' } } });
    expect(rig.requests.answer(asked.id, result)).toBe(false);
  });
});

describe('a write that failed and could not be filed', () => {
  it('[RQ-R12] nobody waits for it: the same call is made anew, or hears why it cannot be', async () => {
    const ledger = new FakeLedger();
    const rig = new RequestRig({ ledger });
    const peer = rig.peer('a');
    const heard: string[] = [];
    const ask = (): unknown =>
      rig.requests.sendAsync('window.title', 's', {}, (_result, { kind }) => void heard.push(kind), { key: 'k' });
    peer.onFrame = () => {
      ledger.failsWith = DISK;
      throw new Error('broken pipe');
    };
    expect(ask).toThrow('broken pipe');
    peer.onFrame = undefined;
    expect(ask).toThrow('disk full');
    ledger.failsWith = undefined;
    ask();
    expect(peer.asked).toHaveLength(2);
    rig.runtime.advance(10_000);
    expect(rig.requests.openRequestCount()).toBe(1);
    expect(rig.requests.resolveResponse(answer(rig.lastId()), peer)).toBe(true);
    expect(heard).toEqual(['answered']);
  });
});
