import { describe, expect, it } from 'vitest';
import {
  type ChildLink,
  createMirror,
  type LockVerdict,
  type Mirror,
  type RelayVerdict,
} from '../../../src/requests/mirror.ts';
import { HandRuntime } from '../../../src/testing/hand-runtime.ts';
import { answer, FakePeer, failure, readFrame } from '../../../src/testing/requests/rig.ts';
import { RpcRefusal } from '../../../src/wire/errors.ts';
import type { JsonObject, RpcFrame } from '../../../src/wire/json.ts';
import { RequestRig } from '../support/rig.ts';

/** A child process by hand: it has a registry of its own, and the parent's link is its only client. */
class Child implements ChildLink {
  readonly rig: RequestRig;
  readonly pipe = new FakePeer('pipe', 'relay');
  readonly refused: JsonObject[] = [];
  /** How the pipe behaves. */
  trouble: unknown;
  /** Verdicts wait until the test lets them go. */
  held: (() => void)[] | undefined;
  dialogues = 0;

  constructor(mirror: Mirror, seed = 2) {
    this.rig = new RequestRig({}, new HandRuntime({ seed }));
    this.rig.requests.attach(this.pipe, '*');
    this.pipe.onFrame = ({ frame }) => void mirror.fromChild(this, frame);
  }

  send(frame: RpcFrame): boolean {
    this.refused.push(frame as unknown as JsonObject);
    return this.rig.requests.resolveResponse(frame as unknown as JsonObject, this.pipe);
  }

  async #trip<T>(verdict: () => T): Promise<T> {
    this.dialogues += 1;
    if (this.held !== undefined) await new Promise<void>((resolve) => this.held?.push(resolve));
    if (this.trouble !== undefined) throw this.trouble;
    return verdict();
  }

  respond(frame: JsonObject): Promise<RelayVerdict> {
    return this.#trip(() => {
      const isTaken = this.rig.requests.resolveResponse(frame, this.pipe);
      const isOpen = this.rig.requests.openRequests('s').some(({ id }) => id === frame['id']);
      return { status: isTaken ? 'ok' : 'expired', open: isOpen };
    });
  }

  lock({ request_id: id, question_id: qid, answer: locked }: JsonObject): Promise<LockVerdict> {
    return this.#trip(() => {
      const remaining = this.rig.requests.lockAnswer(String(id), String(qid), locked, this.pipe);
      return remaining === null ? { status: 'expired' } : { status: 'ok', remaining };
    });
  }

  letGo(): void {
    for (const resolve of this.held?.splice(0) ?? []) resolve();
  }
}

function family() {
  const parent = new RequestRig();
  const runtime = new HandRuntime();
  const mirror = createMirror({ requests: parent.requests, logger: parent.logger, runtime });
  const page = parent.peer('page');
  const other = parent.peer('other');
  return { parent, mirror, page, other, runtime, child: new Child(mirror) };
}

const breathe = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('the mirror of a child process', () => {
  it('[RQ-R107] shows what the child asks, as the child asked it', () => {
    const { mirror, page, other, child } = family();
    const asked = child.rig.ask('window.title');
    for (const peer of [page, other]) expect(peer.seen.map(({ frame }) => frame)).toEqual([child.pipe.seen[0]?.frame]);
    expect(mirror.openRequests('s')).toEqual(child.rig.requests.openRequests('s'));
    expect(mirror.has(asked.id)).toBe(true);
  });

  it('[RQ-R108][RQ-I30] any number of them, in the order of arrival, by session', () => {
    const { mirror, child } = family();
    const ids = [child.rig.ask().id, child.rig.ask().id, child.rig.batch(['q0']).id];
    child.rig.ask('window.title', {}, {}, 't');
    expect(mirror.openRequests('s').map(({ id }) => id)).toEqual(ids);
    expect(mirror.openRequests('t')).toHaveLength(1);
    child.rig.requests.cancel('s');
    expect(mirror.openRequests('s')).toEqual([]);
    expect(mirror.openRequests('t')).toHaveLength(1);
  });

  it('[RQ-R109] the lists are copies', () => {
    const { mirror, child } = family();
    child.rig.ask('bot.relay', { payload: { deep: [1] } });
    const shown = mirror.openRequests('s').map(({ params }) => params as unknown as { payload: { deep: number[] } });
    for (const { payload } of shown) payload.deep.push(2);
    expect(mirror.openRequests('s')).toMatchObject([{ params: { payload: { deep: [1] } } }]);
  });

  it('[RQ-R110][RQ-R114] the child takes it back: each window is told once, and nothing twice', () => {
    const { mirror, page, child } = family();
    const { id } = child.rig.ask();
    child.rig.requests.cancel('s', 'interrupted');
    expect(page.ofKind('cancel')).toMatchObject([{ id, reason: 'interrupted' }]);
    const again = child.pipe.ofKind('cancel')[0]?.frame ?? {};
    expect(mirror.fromChild(child, again)).toBe(true);
    expect(page.ofKind('cancel')).toHaveLength(1);
    expect(mirror.openRequestCount()).toBe(0);
  });

  it('[RQ-R111][RQ-I31] ok is the child’s word: it settled with that very answer', async () => {
    const { mirror, page, other, child } = family();
    const asked = child.rig.ask();
    expect(await mirror.answer(asked.id, { value: 'mine' }, page)).toBe(true);
    expect(await asked.outcome()).toEqual({ kind: 'answered', result: { value: 'mine' }, via: 'proxy' });
    expect(mirror.openRequests('s')).toEqual([]);
    expect(other.ofKind('settled')).toMatchObject([{ id: asked.id, by: 'response' }]);
    expect(page.ofKind('settled')).toEqual([]);
    expect(await mirror.answer(asked.id, { value: 'late' }, other)).toBe(false);
  });

  it('[RQ-R111] a child that was not reached: 5019, and the question is open as before', async () => {
    const { mirror, page, other, child } = family();
    const asked = child.rig.ask();
    for (const trouble of [new Error('EPIPE'), 'gone']) {
      child.trouble = trouble;
      await expect(mirror.answer(asked.id, { value: 'x' }, page)).rejects.toMatchObject({ code: 5019 });
      expect(mirror.openRequests('s')).toHaveLength(1);
    }
    expect(mirror.resolveResponse(answer(asked.id), page)).toBe(true);
    await breathe();
    expect(mirror.openRequests('s')).toHaveLength(1);
    expect(other.ofKind('settled')).toEqual([]);
    child.trouble = undefined;
    expect(await mirror.answer(asked.id, { value: 'x' }, page)).toBe(true);
  });

  it('[RQ-R111] what the child refuses is refused, and a child that talks nonsense was not reached', async () => {
    const { mirror, child } = family();
    const asked = child.rig.ask();
    child.trouble = new RpcRefusal('bad_answer', 'not like that');
    await expect(mirror.answer(asked.id, {})).rejects.toMatchObject({ code: 4002, message: 'not like that' });
    child.trouble = undefined;
    child.respond = () => Promise.resolve(undefined as never);
    await expect(mirror.answer(asked.id, {})).rejects.toMatchObject({ code: 5019 });
    child.lock = () => Promise.resolve({ status: 'ok' } as never);
    await expect(mirror.lock(asked.id, 'q0', 'x')).rejects.toMatchObject({ code: 5019 });
    await expect(mirror.answer(asked.id, null as never)).rejects.toMatchObject({ code: 4002 });
    expect(mirror.openRequests('s')).toHaveLength(1);
  });

  it('[RQ-R111] a child that says nothing in time was not reached: others may answer, and its late word counts', async () => {
    const { mirror, page, other, child, runtime } = family();
    const asked = child.rig.ask();
    child.held = [];
    const first = mirror.answer(asked.id, { value: 'first' }, page);
    const told = expect(first).rejects.toMatchObject({ code: 5019 });
    runtime.advance(10_000);
    await told;
    const second = mirror.answer(asked.id, { value: 'second' }, other);
    child.letGo();
    expect(await second).toBe(false);
    expect(await asked.outcome()).toMatchObject({ result: { value: 'first' } });
    for (const peer of [page, other]) expect(peer.ofKind('settled')).toMatchObject([{ by: 'response' }]);
    expect([mirror.has(asked.id), runtime.timers]).toEqual([false, 0]);
  });

  it('[RQ-R112] nor does a lock wait for ever; one that the child takes late is shown as taken', async () => {
    const { mirror, page, child, runtime } = family();
    const asked = child.rig.batch(['q0', 'q1']);
    child.held = [];
    const lock = async (qid: string): Promise<void> => {
      const told = expect(mirror.lock(asked.id, qid, 'x', page)).rejects.toMatchObject({ code: 5019 });
      runtime.advance(10_000);
      await told;
      child.letGo();
      await breathe();
    };
    await lock('q0');
    expect(mirror.openRequests('s')).toMatchObject([{ params: { answers: { q0: 'x' } } }]);
    await lock('q1');
    expect(page.ofKind('settled')).toMatchObject([{ by: 'lock' }]);
    expect(mirror.openRequestCount()).toBe(0);
    const late = child.rig.batch(['q0']);
    const told = expect(mirror.lock(late.id, 'q0', 'x')).rejects.toMatchObject({ code: 5019 });
    runtime.advance(10_000);
    await told;
    child.lock = () => Promise.resolve({ status: 'expired' });
    child.rig.requests.cancel('s');
    child.letGo();
    await breathe();
    expect([mirror.has(late.id), page.ofKind('cancel').length]).toEqual([false, 1]);
  });

  it('[RQ-R111] while one answer is under way another one is expired, and not relayed', async () => {
    const { mirror, page, other, child } = family();
    const asked = child.rig.ask();
    child.held = [];
    const first = mirror.answer(asked.id, { value: 'first' }, page);
    expect(await mirror.answer(asked.id, { value: 'second' }, other)).toBe(false);
    expect(mirror.resolveResponse(answer(asked.id, { value: 'third' }), other)).toBe(false);
    child.letGo();
    expect(await first).toBe(true);
    expect(child.dialogues).toBe(1);
    expect(await asked.outcome()).toMatchObject({ result: { value: 'first' } });
  });

  it('[RQ-R111] the child took it back while the answer was under way: expired, and one cancel', async () => {
    const { mirror, page, child } = family();
    const asked = child.rig.ask();
    child.held = [];
    const late = mirror.answer(asked.id, { value: 'late' }, page);
    child.rig.requests.cancel('s');
    child.letGo();
    expect(await late).toBe(false);
    expect(page.seen.map(({ kind }) => kind)).toEqual(['request', 'cancel']);
  });

  it('[RQ-R111][RQ-R73] the decline of a bystander does not stand in the way of the owner', async () => {
    const { mirror, page, other, child } = family();
    const asked = child.rig.ask('terminal.read');
    child.held = [];
    expect(mirror.resolveResponse(failure(asked.id, -32004), other)).toBe(true);
    const own = mirror.answer(asked.id, { value: 'text' }, page);
    child.letGo();
    await breathe();
    child.letGo();
    expect(await own).toBe(true);
    expect(await asked.outcome()).toMatchObject({ result: { value: 'text' } });
  });

  it('[RQ-R111] an error response is relayed and ends it', async () => {
    const { mirror, page, other, child } = family();
    const asked = child.rig.ask();
    expect(mirror.resolveResponse(failure(asked.id, -32601), page)).toBe(true);
    await breathe();
    expect(await asked.outcome()).toMatchObject({ kind: 'failed', error: { code: -32601 } });
    expect(other.ofKind('settled')).toMatchObject([{ by: 'error' }]);
  });

  it('[RQ-R111] a child that took note and goes on: open again', async () => {
    const { mirror, page, child } = family();
    const asked = child.rig.ask();
    child.respond = () => Promise.resolve({ status: 'ok', open: true });
    await mirror.answer(asked.id, { value: 'x' }, page);
    expect(mirror.openRequests('s')).toHaveLength(1);
    child.respond = () => Promise.resolve({ status: 'expired' });
    expect(await mirror.answer(asked.id, { value: 'x' }, page)).toBe(false);
    expect(mirror.openRequests('s')).toEqual([]);
    expect(page.ofKind('cancel')).toMatchObject([{ reason: 'session_closed' }]);
  });

  it('[RQ-R112] locks go through the child, and show in the list once it has confirmed them', async () => {
    const { mirror, page, other, child } = family();
    const asked = child.rig.batch(['q0', 'q1']);
    expect(await mirror.lock(asked.id, 'q0', null, page)).toEqual(['q1']);
    expect(mirror.openRequests('s')).toMatchObject([{ params: { answers: { q0: null } } }]);
    expect(mirror.openRequests('s')).toEqual(child.rig.requests.openRequests('s'));
    await expect(mirror.lock(asked.id, 'q9', 'x', page)).rejects.toMatchObject({ code: 4002 });
    child.trouble = new Error('EPIPE');
    await expect(mirror.lock(asked.id, 'q1', 'x', page)).rejects.toMatchObject({ code: 5019 });
    child.trouble = undefined;
    expect(mirror.openRequests('s')).toMatchObject([{ params: { answers: { q0: null } } }]);
    expect(await mirror.lock(asked.id, 'q1', 'b', page)).toEqual([]);
    expect(await asked.outcome()).toMatchObject({ result: { answers: { q0: null, q1: 'b' } }, via: 'lock' });
    expect(mirror.openRequests('s')).toEqual([]);
    expect(other.ofKind('settled')).toMatchObject([{ by: 'lock' }]);
    expect(await mirror.lock(asked.id, 'q0', 'x', page)).toBeNull();
  });

  it('[RQ-R110] a lock that the child calls expired ends it here', async () => {
    const { mirror, page, child } = family();
    const asked = child.rig.batch(['q0', 'q1']);
    child.lock = () => Promise.resolve({ status: 'expired' });
    expect(await mirror.lock(asked.id, 'q0', 'x', page)).toBeNull();
    expect(mirror.has(asked.id)).toBe(false);
    expect(page.ofKind('cancel')).toHaveLength(1);
  });

  it('[RQ-R110] the child settled it another way: the windows learn it', () => {
    const { mirror, page, child } = family();
    const asked = child.rig.ask();
    child.rig.requests.resolveResponse(answer(asked.id));
    expect(page.ofKind('settled')).toMatchObject([{ id: asked.id, by: 'response' }]);
    expect(mirror.openRequests('s')).toEqual([]);
  });

  it('[RQ-R113] an exit takes each of its cards away, once; those of others stay', async () => {
    const { mirror, page, child } = family();
    const second = new Child(mirror, 3);
    const own = [child.rig.ask(), child.rig.ask('window.title', {}, {}, 't')];
    const kept = second.rig.ask();
    child.held = [];
    const under = mirror.answer(own[0]?.id ?? '', { value: 'x' }, page);
    child.trouble = new Error('killed');
    expect(mirror.childExited(child)).toBe(2);
    expect(mirror.childExited(child)).toBe(0);
    child.letGo();
    await expect(under).rejects.toMatchObject({ code: 5019 });
    expect(page.ofKind('cancel')).toMatchObject([{ id: own[0]?.id, reason: 'session_closed' }]);
    expect(mirror.openRequests('s').map(({ id }) => id)).toEqual([kept.id]);
    expect(mirror.turnEnded('s')).toBe(1);
    expect(page.ofKind('cancel')).toHaveLength(2);
  });

  it('[RQ-R115] what is mirrored counts as open', () => {
    const { mirror, child } = family();
    expect(mirror.openRequestCount()).toBe(0);
    child.rig.ask();
    child.rig.ask('window.title', {}, {}, 't');
    expect(mirror.openRequestCount()).toBe(2);
    child.rig.requests.shutdown();
    expect(mirror.openRequestCount()).toBe(0);
  });

  it('[RQ-R71] nobody can answer: the child is told so, and nothing is mirrored', async () => {
    const parent = new RequestRig({ graceMs: 0 });
    const mirror = createMirror({ requests: parent.requests, logger: parent.logger });
    const old = parent.peer('old', ['s'], 'websocket', false);
    const child = new Child(mirror);
    const asked = child.rig.ask();
    expect(await asked.outcome()).toMatchObject({ kind: 'failed', error: { code: -32601 } });
    expect(child.refused).toMatchObject([{ error: { code: -32601 } }]);
    expect(old.seen).toEqual([]);
    expect(mirror.openRequestCount()).toBe(0);
  });

  it('[RQ-R39] whoever may not answer is not relayed', async () => {
    const parent = new RequestRig();
    const good = new FakePeer('good');
    const mirror = createMirror({
      requests: parent.requests,
      logger: parent.logger,
      mayAccess: (_sid, peer) => peer === good,
    });
    const child = new Child(mirror);
    const asked = child.rig.ask();
    expect(mirror.resolveResponse(answer(asked.id), new FakePeer('bad'))).toBe(false);
    expect(await mirror.answer(asked.id, { value: 'x' })).toBe(false);
    expect(await mirror.lock(asked.id, 'q0', 'x')).toBeNull();
    expect(child.dialogues).toBe(0);
    expect(await mirror.answer(asked.id, { value: 'x' }, good)).toBe(true);
  });

  it('two children that ask under one id: the second fails at once, and the first is not touched', async () => {
    const { mirror, page, child } = family();
    const twin = new Child(mirror);
    const first = child.rig.ask();
    const second = twin.rig.ask();
    expect(twin.pipe.asked).toEqual([first.id]);
    expect(await second.outcome()).toMatchObject({ kind: 'failed', error: { code: -32603 } });
    expect(page.asked).toEqual([first.id]);
    expect(await mirror.answer(first.id, { value: 'x' }, page)).toBe(true);
  });

  it('takes only what is about questions, and nothing of a child that is about those of another', () => {
    const { mirror, page, child } = family();
    const stranger = new Child(mirror);
    const { id } = child.rig.ask();
    for (const frame of [
      null,
      {},
      { method: 'event' },
      { method: 'x', params: {} },
      { id: 7, method: 'x', params: { session_id: 's' } },
    ]) {
      expect(mirror.fromChild(child, frame as never)).toBe(false);
    }
    expect(mirror.fromChild(child, { method: 'event', params: { type: 'message.delta', session_id: 's' } })).toBe(
      false,
    );
    const payload = { id, method: 'window.title', reason: 'timeout' };
    mirror.fromChild(stranger, { method: 'event', params: { type: 'request.cancel', session_id: 's', payload } });
    mirror.fromChild(stranger, { id, method: 'tour', params: { session_id: 's' } });
    expect(page.seen).toHaveLength(1);
    expect(mirror.openRequests('s')).toMatchObject([{ id, method: 'window.title' }]);
    expect(readFrame(page.seen[0]?.frame as never).kind).toBe('request');
  });
});
