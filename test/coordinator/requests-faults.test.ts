/** What breaks around questions to windows: processes that end between two commits, callbacks that call back, junk. */
import { afterEach, describe, expect, it } from 'vitest';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import type { Peer } from '../../src/requests/api.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';
import { endRigs, KINDS, type Kind, openRig, type Rig } from './rig.ts';

const contracts = requestContracts(defaultPack);
const SID = 'session-1';
const TWO = {
  questions: ['pa-q1', 'pa-q2'].map((qid) => ({ qid, question: `${qid}?`, choices: null, multi_select: false })),
};
const QIDS = ['pa-q1', 'pa-q2'];

type Options = Parameters<typeof openRig>[1];

class Window implements Peer {
  readonly kind = 'websocket';
  readonly frames: JsonObject[] = [];
  readonly author: NonNullable<Peer['author']>;
  closed = false;
  onFrame: (frame: JsonObject) => void = () => undefined;

  constructor(author: NonNullable<Peer['author']> = { surface: 'page', who: 'window-1' }) {
    this.author = author;
  }

  send(frame: RpcFrame): boolean {
    this.frames.push(frame as unknown as JsonObject);
    this.onFrame(frame as unknown as JsonObject);
    return true;
  }

  /** Ids of the requests it was sent, of a method or of all. */
  asked(method?: string): string[] {
    const asked = this.frames.filter((frame) => 'id' in frame && (method === undefined || frame['method'] === method));
    return asked.map(({ id }) => String(id));
  }

  /** Ids of the requests that were taken back. */
  get cancelled(): string[] {
    return this.frames.flatMap(({ params }) => {
      const { type, payload } = (params ?? {}) as { type?: string; payload?: { id: string } };
      return type === 'request.cancel' && payload !== undefined ? [payload.id] : [];
    });
  }
}

function attach(rig: Rig, window = new Window()): Window {
  rig.c.requests.attach(window, '*');
  rig.c.requests.advertise(window, true);
  return window;
}

async function open(kind: Kind, options: Options = {}): Promise<[Rig, Window]> {
  const rig = await openRig(kind, { contracts, ...options });
  return [rig, attach(rig)];
}

/** What a promise has come to by now. */
function seen<T>(promise: Promise<T>): { value?: T; error?: unknown } {
  const box: { value?: T; error?: unknown } = {};
  promise.then(
    (value) => {
      box.value = value;
    },
    (error: unknown) => {
      box.error = error;
    },
  );
  return box;
}

const ask = (rig: Rig, more: object = {}) =>
  seen(rig.c.approvals.request(SID, { sid: SID, command: 'rm -rf build', approvalId: 'a', timeoutMs: null, ...more }));

afterEach(endRigs);

describe('the card of an approval that was decided elsewhere', () => {
  it('[RQ-R98] [RC-6] is taken back in the next process, when this one ended before it could', async () => {
    const [rig, window] = await open('SQLite');
    ask(rig);
    const [id] = window.asked('approval');
    rig.store.plant({ on: 'commit', nth: 2, times: 1_000 });
    expect(rig.c.approvals.resolve(SID, 'once', { requestId: 'a' })).toBe(1);
    expect(window.cancelled).toEqual([]);
    await rig.restart();
    const back = attach(rig);
    expect(rig.c.approvals.grants(SID)).toMatchObject([{ approvalId: 'a', state: 'not_started' }]);
    expect(rig.c.requests.openRequests(SID).map((one) => one.id)).not.toContain(id);
    expect(rig.c.requests.answer(String(id), { choice: 'deny' }, back)).toBe(false);
    expect(await rig.done(rig.c.idle())).toMatchObject({ idle: true });
  });

  it.each(KINDS)(
    '[RQ-R98] is taken back a little later, when that could not be committed at once (%s)',
    async (kind) => {
      const [rig, window] = await open(kind);
      ask(rig);
      const ids = window.asked('approval');
      rig.store.plant({ on: 'commit', nth: 2, times: 2 });
      expect(rig.c.approvals.resolve(SID, 'once', { requestId: 'a' })).toBe(1);
      await rig.hand.pass(3_000, 500);
      expect(rig.c.requests.openRequestCount()).toBe(0);
      expect(window.cancelled).toEqual(ids);
    },
  );
});

describe('what is kept of ended requests', () => {
  it.each(KINDS)('is bounded on file too, when many end in one commit (%s)', async (kind) => {
    const [rig] = await open(kind);
    for (let i = 0; i < 1_100; i++) {
      const key = `k${i}`;
      rig.c.requests.send('vault.code', `s${i % 3}`, {}, { timeoutMs: null, key }).catch(() => undefined);
    }
    rig.c.requests.cancel(null, 'session_closed');
    expect(rig.store.kept('request')).toHaveLength(1_024);
    await rig.restart();
    expect(rig.store.kept('request')).toHaveLength(1_024);
    const last = rig.c.requests.send('vault.code', 's1', {}, { timeoutMs: null, key: 'k1099' });
    expect(await rig.done(last)).toMatchObject({ kind: 'cancelled', reason: 'session_closed' });
  });
});

describe('an answer', () => {
  it('[RC-10] to the older form of one question is journaled for no other ticket', async () => {
    const [rig, window] = await open('SQLite');
    await rig.done(rig.c.journal.openAsk('pa-victim', { tabId: 't', fingerprint: 'f', question: 'Delete all?' }));
    void rig.c.requests.send('clarify', SID, { question: 'Tea?', choices: null }, { timeoutMs: null });
    const [id] = window.asked('clarify');
    rig.c.requests.answer(String(id), { answers: { 'pa-victim': 'yes' } }, window);
    await rig.hand.settle();
    expect(await rig.done(rig.c.journal.entriesFor('t'))).toEqual([]);
  });

  it.each(KINDS)('of a window whose author is junk is taken, and costs nobody else a commit (%s)', async (kind) => {
    const [rig] = await open(kind);
    const junk = { surface: { toString: 1 }, who: ['x'.repeat(100_000), '\ud800'] };
    const window = attach(rig, new Window(junk as never));
    await rig.done(rig.c.journal.openAsk('pa-q1', { tabId: 't', fingerprint: 'f', question: 'pa-q1?' }));
    const sent = seen(rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS }));
    const other = seen(rig.c.journal.openAsk('pa-x', { tabId: 't', fingerprint: 'f', question: 'q' }));
    const [id] = window.asked('clarify');
    expect(rig.c.requests.answer(String(id), { answers: { 'pa-q1': 'a', 'pa-q2': 'b' } }, window)).toBe(true);
    expect(rig.c.approvals.resolve(SID, 'once', { requestId: 'none', author: junk as never })).toBe(0);
    await rig.hand.settle();
    expect([sent.value?.kind, other]).toEqual(['answered', { value: undefined }]);
    const rows = await rig.done(rig.c.audit({ limit: 1_000 }));
    for (const { who, surface } of rows) expect([who ?? '', surface ?? ''].join('').length).toBeLessThan(1_000);
  });

  it.each(['x'.repeat(300_000), 'half \ud800'])(
    'to a ticket that the journal cannot keep is refused, not half taken (%#)',
    async (text) => {
      const [rig, window] = await open('SQLite');
      await rig.done(rig.c.journal.openAsk('pa-q1', { tabId: 't', fingerprint: 'f', question: 'pa-q1?' }));
      const sent = seen(rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS }));
      const other = seen(rig.c.journal.openAsk('pa-x', { tabId: 't', fingerprint: 'f', question: 'q' }));
      const [id] = window.asked('clarify');
      expect(() => rig.c.requests.answer(String(id), { answers: { 'pa-q1': text } }, window)).toThrow(
        expect.objectContaining({ code: 4002 }),
      );
      await rig.hand.settle();
      expect([sent, other]).toEqual([{}, { value: undefined }]);
      expect(rig.c.requests.answer(String(id), { answers: { 'pa-q1': '', 'pa-q2': text } }, window)).toBe(true);
      await rig.hand.settle();
      expect(sent.value).toMatchObject({ kind: 'answered' });
      expect(await rig.done(rig.c.journal.entriesFor('t'))).toMatchObject([{ askId: 'pa-q1' }]);
    },
  );

  it('that nests without end is refused, or ends the question as nonsense, and never overflows', async () => {
    const [rig, window] = await open('memory');
    let deep: JsonObject = {};
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    const sent = seen(rig.c.requests.send('vault.code', SID, {}, { timeoutMs: null }));
    const [id] = window.asked();
    expect(() => rig.c.requests.answer(String(id), { value: deep }, window)).toThrow(
      expect.objectContaining({ code: 4002 }),
    );
    expect(rig.c.requests.resolveResponse({ id: String(id), result: { value: deep } }, window)).toBe(true);
    await rig.hand.settle();
    expect(sent.value).toMatchObject({ kind: 'failed', error: { code: -32602 } });
  });

  it('of open JSON that nests without end, or in a circle, is refused', async () => {
    const [rig, window] = await open('memory');
    let deep: JsonObject = {};
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    const circle: Record<string, never> = {};
    circle['circle'] = circle as never;
    void rig.c.requests.send('bot.relay', SID, { payload: {} }, { timeoutMs: null });
    const [id] = window.asked();
    for (const result of [deep, circle]) {
      expect(() => rig.c.requests.answer(String(id), { result }, window)).toThrow(
        expect.objectContaining({ code: 4002 }),
      );
    }
    expect(rig.c.requests.answer(String(id), { result: { ok: true } }, window)).toBe(true);
  });

  it('[I12] that hides a secret in a name of a member is told nowhere', async () => {
    const CANARY = 'canary-5c11';
    const [rig, window] = await open('SQLite');
    const sent = seen(rig.c.requests.send('sudo', SID, {}, { timeoutMs: null }));
    const [id] = window.asked();
    const result = { value: 'x', [CANARY]: 1 };
    expect(() => rig.c.requests.answer(String(id), result, window)).toThrow(expect.not.stringContaining(CANARY));
    rig.c.requests.resolveResponse({ id: String(id), result }, window);
    await rig.hand.settle();
    expect(JSON.stringify([rig.log, await rig.done(rig.c.audit({ limit: 100 })), sent, window.frames])).not.toContain(
      CANARY,
    );
  });

  it.each(KINDS)(
    '[RQ-R40] [RC-17] in a bare frame that could not be committed brings its question again (%s)',
    async (kind) => {
      const [rig, window] = await open(kind);
      const sent = seen(rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS }));
      const [id = ''] = window.asked('clarify');
      rig.c.requests.lockAnswer(id, 'pa-q1', 'early', window);
      const answer = { id, result: { answers: { 'pa-q2': 'b' } } };
      rig.store.plant({ on: 'commit', nth: 1, times: 2 });
      for (let tries = 1; tries <= 2; tries += 1) {
        expect(() => rig.c.requests.resolveResponse(answer, window)).toThrow(
          expect.objectContaining({ code: 'disk_full' }),
        );
        await rig.hand.settle();
        expect([sent, window.asked('clarify').length]).toEqual([{}, tries]);
        await rig.hand.pass(1_000);
        expect(window.asked('clarify')).toEqual(Array(tries + 1).fill(id));
      }
      expect(window.frames.at(-1)).toMatchObject({ id, params: { answers: { 'pa-q1': 'early' } } });
      expect(rig.c.requests.resolveResponse(answer, window)).toBe(true);
      await rig.hand.pass(5_000, 500);
      expect([sent.value?.kind, window.asked('clarify').length]).toEqual(['answered', 3]);
    },
  );

  it('[RQ-R40] [RQ-R38] in a bare frame that the journal refuses brings its question again, once for each such answer', async () => {
    const [rig, window] = await open('SQLite');
    await rig.done(rig.c.journal.openAsk('pa-q1', { tabId: 't', fingerprint: 'f', question: 'pa-q1?' }));
    const sent = seen(rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS }));
    const [id = ''] = window.asked('clarify');
    const answer = (text: string) => () =>
      rig.c.requests.resolveResponse({ id, result: { answers: { 'pa-q1': text, 'pa-q2': 'b' } } }, window);
    const refused = expect.objectContaining({ code: 4002 });
    for (const [text, shown] of [
      ['x'.repeat(300_000), 2],
      ['x'.repeat(300_000), 2],
      ['half \ud800', 3],
      ['half \ud800', 3],
    ] as const) {
      expect(answer(text)).toThrow(refused);
      await rig.hand.pass(3_000, 500);
      expect([sent, window.asked('clarify')]).toEqual([{}, Array(shown).fill(id)]);
    }
    expect(answer('short')()).toBe(true);
    await rig.hand.pass(3_000, 500);
    expect([sent.value?.kind, window.asked('clarify').length]).toEqual(['answered', 3]);
  });

  it('[RQ-R40] that the journal refuses of one window brings its question again to another that gives the same', async () => {
    const [rig, window] = await open('SQLite');
    const other = attach(rig);
    await rig.done(rig.c.journal.openAsk('pa-q1', { tabId: 't', fingerprint: 'f', question: 'pa-q1?' }));
    void rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS });
    const [id = ''] = window.asked('clarify');
    const frame = { id, result: { answers: { 'pa-q1': 'half \ud800', 'pa-q2': 'b' } } };
    for (const shown of [2, 2]) {
      for (const one of [window, other]) {
        expect(() => rig.c.requests.resolveResponse(frame, one)).toThrow(expect.objectContaining({ code: 4002 }));
        await rig.hand.pass(3_000, 500);
        expect(one.asked('clarify')).toEqual(Array(shown).fill(id));
      }
    }
  });

  it('[RQ-R40] in a bare frame that could not be committed brings back no question that has ended since', async () => {
    const [rig, window] = await open('memory');
    void rig.c.requests.send('sudo', SID, {}, { timeoutMs: null });
    const [id = ''] = window.asked('sudo');
    rig.store.plant({ on: 'commit', nth: 1 });
    expect(() => rig.c.requests.resolveResponse({ id, result: { value: 'x' } }, window)).toThrow();
    expect(rig.c.requests.answer(id, { value: 'x' }, window)).toBe(true);
    await rig.hand.pass(5_000, 500);
    expect(window.asked('sudo')).toEqual([id]);
  });

  it('locked early, and so long that no window could be shown the card again, is refused', async () => {
    const [rig, window] = await open('memory');
    void rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS });
    const [id] = window.asked();
    const long = 'ü'.repeat(600_000);
    expect(() => rig.c.requests.lockAnswer(String(id), 'pa-q1', long, window)).toThrow(
      expect.objectContaining({ code: 4002 }),
    );
    expect(rig.c.requests.lockAnswer(String(id), 'pa-q1', 'short', window)).toEqual(['pa-q2']);
  });
});

describe('a callback of the host that is asked for a fact inside a decision', () => {
  /** Calls back from inside the nth question for an occupant from now on. */
  async function asked(kind: Kind, nth: number, work: (rig: Rig) => void): Promise<[Rig, Window]> {
    let rig: Rig | undefined;
    let left = 0;
    const resolver = (): string | null => {
      left -= 1;
      if (left === 0 && rig !== undefined) work(rig);
      // Unknown at first, so that it is asked for again when an answer comes.
      return rig === undefined ? null : 'occupant';
    };
    const [opened, window] = await open(kind, { resolver });
    await opened.done(opened.c.journal.openAsk('pa-q1', { tabId: 't', fingerprint: 'f', question: 'pa-q1?' }));
    rig = opened;
    left = nth;
    return [opened, window];
  }
  const both = [{ question: 'One?' }, { question: 'Two?' }];

  it.each(KINDS)('cannot commit a half of it (%s)', async (kind) => {
    const inner: { value?: unknown; error?: unknown }[] = [];
    const [rig] = await asked(kind, 2, ({ c }) => {
      inner.push(seen(c.requests.send('vault.code', SID, {}, { timeoutMs: null })));
    });
    const before = rig.store.counts.commit;
    const outer = seen(rig.c.askAll(both, { tab: 't' }));
    await rig.hand.settle();
    expect([outer, rig.store.counts.commit - before]).toEqual([{}, 1]);
    expect(inner).toMatchObject([{ error: { code: 'commit_failed' } }]);
    expect(await rig.done(rig.c.list({ tab: 't' }))).toHaveLength(3);
    expect(rig.c.requests.openRequestCount()).toBe(0);
  });

  it.each(KINDS)('and fails takes what was staged with it, and the caller is told so (%s)', async (kind) => {
    const [rig] = await asked(kind, 2, ({ c, store }) => {
      store.plant({ on: 'write', nth: 1 });
      c.journal.openAsk('pa-z', { tabId: 'z', fingerprint: 'z', question: 'z' }).catch(() => undefined);
    });
    const outer = seen(rig.c.askAll(both, { tab: 't' }));
    await rig.hand.settle();
    expect(rig.store.struck).toBe(1);
    expect(outer.error).toMatchObject({ code: 'commit_failed', retry: true });
    expect(await rig.done(rig.c.list({ tab: 't' }))).toMatchObject([{ askId: 'pa-q1' }]);
  });

  it.each(KINDS)('while an answer is journaled costs nobody that answer (%s)', async (kind) => {
    const thrown: unknown[] = [];
    const [rig, window] = await asked(kind, 1, ({ c }) => {
      try {
        c.approvals.resolve(SID, 'once', { requestId: 'a' });
      } catch (error) {
        thrown.push(error);
      }
    });
    ask(rig);
    const sent = seen(rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS }));
    const [id] = window.asked('clarify');
    expect(rig.c.requests.answer(String(id), { answers: { 'pa-q1': 'yes' } }, window)).toBe(true);
    await rig.hand.settle();
    expect(sent.value).toMatchObject({ kind: 'answered' });
    expect([thrown.length, rig.c.approvals.count()]).toEqual([1, 1]);
    expect(await rig.done(rig.c.journal.entriesFor('t'))).toMatchObject([{ askId: 'pa-q1', answer: 'yes' }]);
  });
});

describe('after a restart', () => {
  it('[RQ-R27] a question that no client can ever see is still given up, where that was asked for', async () => {
    const [rig] = await open('SQLite', { requests: { maxUnattendedMs: 1_000 } });
    void rig.c.requests.send('vault.code', SID, {}, { timeoutMs: null });
    await rig.restart();
    await rig.hand.pass(1_000);
    expect(rig.c.requests.openRequestCount()).toBe(0);
  });
});

describe('after the end', () => {
  it.each(KINDS)('nothing is decided any more (%s)', async (kind) => {
    const [rig] = await open(kind);
    ask(rig);
    rig.c.approvals.resolve(SID, 'once', { requestId: 'a' });
    const digest = rig.c.approvals.grants(SID)[0]?.digest ?? '';
    ask(rig, { approvalId: 'b', command: 'other' });
    const { approvals } = rig.c;
    await rig.done(rig.c.close());
    const closed = expect.objectContaining({ code: 'closed' });
    expect(() => approvals.resolve(SID, 'once', { requestId: 'b' })).toThrow(closed);
    expect(() => approvals.claim('a', digest)).toThrow(closed);
    expect(() => approvals.clear(SID, 'over')).toThrow(closed);
  });
});

describe('names', () => {
  it('[RQ-I20] half a character in the id of an approval is refused: on disk it would be another id', async () => {
    const [rig] = await open('SQLite');
    for (const approvalId of ['\ud800', 'a\udc00']) {
      await expect(rig.done(rig.c.approvals.request(SID, { sid: SID, command: 'x', approvalId }))).rejects.toThrow(
        /approvalId/,
      );
    }
  });

  it('that are no texts name nothing', async () => {
    const [rig, window] = await open('memory');
    void rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS });
    const [id] = window.asked();
    ask(rig);
    for (const junk of [7, {}, [], null, Object.create(null), Symbol('x'), '__proto__', 'constructor'] as never[]) {
      expect(rig.c.approvals.resolve(SID, 'once', { requestId: junk })).toBe(0);
      expect(rig.c.approvals.resolve(junk, 'once', {})).toBe(0);
      expect(rig.c.approvals.done(junk)).toBe(false);
      expect(rig.c.approvals.withdraw(SID, junk, 'x')).toBe(false);
      expect(rig.c.requests.resolveResponse({ id: junk, result: {} }, window)).toBe(false);
      expect(rig.c.requests.lockAnswer(junk, 'pa-q1', 'x', window)).toBeNull();
      expect(() => rig.c.requests.lockAnswer(String(id), junk, 'x', window)).toThrow(
        expect.objectContaining({ code: 4002 }),
      );
    }
    expect(rig.c.approvals.count()).toBe(1);
  });
});

describe('a turn that is interrupted while its commit fails', () => {
  it('[RQ-R21] takes the question from nobody who has joined it meanwhile', async () => {
    const [rig, window] = await open('memory');
    const put = (signal?: AbortSignal) =>
      seen(rig.c.requests.send('vault.code', SID, {}, { timeoutMs: null, key: 'k', signal }));
    const gone = new AbortController();
    put(gone.signal);
    rig.store.plant({ on: 'commit', nth: 1 });
    gone.abort();
    const other = put();
    await rig.hand.pass(2_000, 500);
    const [id] = window.asked();
    expect(rig.c.requests.answer(String(id), { value: '1' }, window)).toBe(true);
    await rig.hand.settle();
    expect(other.value).toMatchObject({ kind: 'answered' });
  });
});

describe('a client that cannot even be looked at', () => {
  it('[RQ-R04] keeps no other from its frames, and no waiter from its answer', async () => {
    const [rig, window] = await open('memory');
    let isBroken = false;
    const broken = new Window();
    Object.defineProperty(broken, 'closed', {
      get: () => {
        if (isBroken) throw new Error('no');
        return false;
      },
    });
    attach(rig, broken);
    const first = seen(rig.c.requests.send('vault.code', SID, {}, { timeoutMs: null }));
    const second = seen(rig.c.requests.send('vault.code', SID, {}, { timeoutMs: null }));
    isBroken = true;
    rig.c.requests.cancel(SID, 'interrupted');
    await rig.hand.settle();
    expect([first.value?.kind, second.value?.kind]).toEqual(['cancelled', 'cancelled']);
    expect(window.cancelled).toHaveLength(2);
  });
});
