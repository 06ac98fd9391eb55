import { afterEach, describe, expect, it } from 'vitest';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import type { Peer, Settlement } from '../../src/requests/api.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';
import { KINDS, type Kind, Rig } from './rig.ts';

const contracts = requestContracts(defaultPack);
const SID = 'session-1';
const ASK = { questions: [{ qid: 'pa-q1', question: 'One?', choices: null, multi_select: false }] };
const TWO = {
  questions: ['pa-q1', 'pa-q2'].map((qid) => ({ qid, question: `${qid}?`, choices: null, multi_select: false })),
};
const QIDS = ['pa-q1', 'pa-q2'];

interface Window extends Peer {
  readonly frames: JsonObject[];
}

function page(who = 'window-1'): Window {
  const frames: JsonObject[] = [];
  return {
    kind: 'websocket',
    closed: false,
    author: { surface: 'page', who },
    frames,
    send: (frame: RpcFrame) => frames.push(frame as unknown as JsonObject) > 0,
  };
}

const rigs: Rig[] = [];
async function open(kind: Kind, options: ConstructorParameters<typeof Rig>[1] = {}): Promise<[Rig, Window]> {
  const rig = new Rig(kind, { contracts, ...options });
  rigs.push(rig);
  await rig.open();
  return [rig, attach(rig)];
}
function attach(rig: Rig): Window {
  const window = page();
  rig.c.requests.attach(window, '*');
  rig.c.requests.advertise(window, true);
  return window;
}
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.end();
});

const idOf = (window: Window): string => String(window.frames.at(-1)?.['id']);
const response = (id: string, result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id, result });
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

describe.each(KINDS)('questions to windows over %s', (kind) => {
  it('without contracts there are none, and the error says what to give', async () => {
    const rig = new Rig(kind);
    rigs.push(rig);
    await rig.open();
    expect(() => rig.c.requests).toThrow(/contracts.*requestContracts/);
    expect(() => rig.c.approvals).toThrow(/contracts/);
  });

  it('[RQ-R18] [RQ-R35] what resolveResponse takes is on file before the waiter and the other windows are told', async () => {
    const [rig, window] = await open(kind);
    const other = attach(rig);
    const commits: string[] = [];
    const sent = seen(rig.c.requests.send('vault.code', SID, {}, { timeoutMs: null }));
    rig.store.watch = ({ kind: what, done }) => {
      if (what === 'commit') commits.push(`${done ? 'after' : 'before'}:${other.frames.length}`);
    };
    expect(rig.c.requests.resolveResponse(response(idOf(window), { value: '1' }), window)).toBe(true);
    await rig.hand.settle();
    expect(commits.slice(0, 2)).toEqual(['before:1', 'after:1']);
    expect(other.frames).toHaveLength(2);
    expect(sent.value).toEqual({ kind: 'answered', result: { value: '1' }, via: 'response' });
  });

  it('a commit that fails changes nothing: the question is open, and the same answer can be given again', async () => {
    const [rig, window] = await open(kind);
    const sent = seen(rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS }));
    const id = idOf(window);
    rig.store.plant({ on: 'commit', nth: 1 });
    const answer = { answers: { 'pa-q1': 'a', 'pa-q2': 'b' } };
    expect(() => rig.c.requests.answer(id, answer, window)).toThrow(/Nothing was changed/);
    await rig.hand.settle();
    expect([rig.c.requests.openRequestCount(), sent, window.frames.length]).toEqual([1, {}, 1]);
    expect(rig.c.requests.answer(id, answer, window)).toBe(true);
    await rig.hand.settle();
    expect(sent.value).toMatchObject({ kind: 'answered', result: answer });
  });

  it('an opening that cannot be filed is refused, and no window hears of it', async () => {
    const [rig, window] = await open(kind);
    rig.store.plant({ on: 'commit', nth: 1 });
    const sent = seen(rig.c.requests.send('clarify', SID, ASK, { timeoutMs: null, qids: ['pa-q1'] }));
    await rig.hand.settle();
    expect(sent.error).toMatchObject({ code: 'disk_full' });
    expect([window.frames, rig.c.requests.openRequestCount()]).toEqual([[], 0]);
  });

  it('[RQ-I05] what shares a tick with a commit that succeeds is not told that it failed', async () => {
    const [rig, window] = await open(kind);
    const noted = seen(rig.c.journal.openAsk('pa-x', { tabId: 't', fingerprint: 'f', question: 'q' }));
    void rig.c.requests.send('clarify', SID, ASK, { timeoutMs: null, qids: ['pa-q1'] });
    rig.store.plant({ on: 'commit', nth: 1 });
    const later = seen(rig.c.journal.openAsk('pa-y', { tabId: 't', fingerprint: 'f', question: 'q' }));
    await rig.hand.settle();
    expect(noted).toEqual({ value: undefined });
    expect(later.error).toMatchObject({ code: 'disk_full' });
    expect(await rig.done(rig.c.journal.ticketFor('pa-x'))).not.toBeNull();
    expect(window.frames).toHaveLength(1);
  });
});

describe('questions to windows over a restart', () => {
  it('[F1] [E12] an open question and its locked answers come back under the same id, and nothing was cancelled', async () => {
    const [rig, window] = await open('SQLite');
    const { send } = rig.c.requests;
    const first = seen(send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS, key: 'k' }));
    const id = idOf(window);
    expect(rig.c.requests.lockAnswer(id, 'pa-q1', 'early', window)).toEqual(['pa-q2']);
    await rig.reopen();
    expect(first.value).toMatchObject({ kind: 'cancelled', reason: 'shutdown' });
    expect(window.frames.filter(({ method }) => method === 'event')).toEqual([]);
    expect(rig.c.requests.openRequests(SID)).toEqual([
      { id, method: 'clarify', params: { session_id: SID, ...TWO, answers: { 'pa-q1': 'early' } } },
    ]);
    const again = seen(rig.c.requests.send('clarify', SID, TWO, { timeoutMs: null, qids: QIDS, key: 'k' }));
    const back = attach(rig);
    expect(rig.c.requests.resolveResponse(response(id, { answers: { 'pa-q2': 'late' } }), back)).toBe(true);
    await rig.hand.settle();
    const result = { answers: { 'pa-q1': 'early', 'pa-q2': 'late' } };
    expect(again.value).toEqual({ kind: 'answered', result, via: 'response' } satisfies Settlement);
  });

  it('[F10] after a crash too; an answer that comes before its asker is kept for it', async () => {
    const [rig, window] = await open('SQLite');
    void rig.c.requests.send('clarify', SID, ASK, { timeoutMs: null, qids: ['pa-q1'], key: 'k' });
    const id = idOf(window);
    await rig.restart();
    const back = attach(rig);
    expect(rig.c.requests.answer(id, { answers: { 'pa-q1': 'kept' } }, back)).toBe(true);
    await rig.restart();
    attach(rig);
    const asked = rig.c.requests.send('clarify', SID, ASK, { timeoutMs: null, qids: ['pa-q1'], key: 'k' });
    expect(await rig.done(asked)).toMatchObject({ kind: 'answered', result: { answers: { 'pa-q1': 'kept' } } });
    expect(rig.c.requests.openRequestCount()).toBe(0);
  });

  it('a row of another chart is refused, naming both', async () => {
    const [rig, window] = await open('SQLite');
    void rig.c.requests.send('clarify', SID, ASK, { timeoutMs: null, qids: ['pa-q1'] });
    rig.store.keep('request', idOf(window), { chart: 'request 9 beef', body: '{}' });
    rig.store.commit();
    await expect(rig.restart()).rejects.toMatchObject({ code: 'store_newer' });
  });
});

describe('an answer to a question that the journal ticketed', () => {
  const ticket = { tabId: 'tab-1', fingerprint: 'f', question: 'pa-q1?' };
  async function ticketed(qids: readonly string[]): Promise<[Rig, Window, string]> {
    const [rig, window] = await open('SQLite');
    for (const qid of qids) await rig.done(rig.c.journal.openAsk(qid, { ...ticket, question: `${qid}?` }));
    void rig.c.requests.send('clarify', SID, TWO, { timeoutMs: 5_000, qids: QIDS }).catch(() => undefined);
    return [rig, window, idOf(window)];
  }
  const answersOf = async (rig: Rig): Promise<[string, string][]> =>
    (await rig.done(rig.c.journal.entriesFor('tab-1'))).map(({ askId, answer }) => [askId, answer]);

  it('is journaled in the same commit, so that it outlives its waiter', async () => {
    const [rig, window, id] = await ticketed(QIDS);
    const before = rig.store.counts.commit;
    rig.c.requests.answer(id, { answers: { 'pa-q1': 'one', 'pa-q2': null } }, window);
    expect(rig.store.counts.commit - before).toBe(1);
    await rig.restart();
    const entries = await rig.done(rig.c.journal.entriesFor('tab-1'));
    expect(entries.map(({ askId }) => askId)).toEqual(QIDS);
    expect(entries[0]).toMatchObject({ answer: 'one', correlation: { status: 'matched', askId: 'pa-q1' } });
  });

  it('is on file with its settlement or not at all', async () => {
    const [rig, window, id] = await ticketed(QIDS);
    rig.store.plant({ on: 'commit', nth: 1 });
    expect(() => rig.c.requests.answer(id, { answers: { 'pa-q1': 'one' } }, window)).toThrow();
    await rig.hand.settle();
    expect(await answersOf(rig)).toEqual([]);
    expect(rig.c.requests.openRequestCount()).toBe(1);
  });

  it('[A7] [RQ-R46] answers locked early are journaled when the time is over, and the other question stays open', async () => {
    const [rig, window, id] = await ticketed(QIDS);
    rig.c.requests.lockAnswer(id, 'pa-q1', 'draft', window);
    rig.c.requests.lockAnswer(id, 'pa-q1', 'final', window);
    expect(await answersOf(rig)).toEqual([]);
    await rig.hand.pass(5_000);
    expect(await answersOf(rig)).toEqual([['pa-q1', 'final']]);
    expect(await rig.done(rig.c.journal.ticketFor('pa-q2'))).toMatchObject({ awaiting: true });
  });

  it('[RQ-R55] also when the turn was interrupted, of all sessions at once', async () => {
    const [rig, window, id] = await ticketed(QIDS);
    void rig.c.requests.send('clarify', 'session-2', ASK, { timeoutMs: null, qids: ['pa-z'] }).catch(() => undefined);
    rig.c.requests.lockAnswer(id, 'pa-q1', 'early', window);
    expect(rig.c.requests.cancel(null, 'interrupted')).toBeGreaterThan(0);
    await rig.hand.settle();
    expect(await answersOf(rig)).toEqual([['pa-q1', 'early']]);
  });

  it('the id of an option chooses it, and a text that its card does not take is refused: the question stays open', async () => {
    const [rig, window] = await open('SQLite');
    const asked = await rig.unattended();
    const questions = [{ qid: asked, question: 'Which?', choices: ['g', 'b'], multi_select: false }];
    void rig.c.requests.send('clarify', SID, { questions }, { timeoutMs: null, qids: [asked] }).catch(() => undefined);
    const id = idOf(window);
    const words = { answers: { [asked]: 'the green one' } };
    expect(() => rig.c.requests.answer(id, words, window)).toThrow(/not taken by this card/);
    expect(rig.c.requests.openRequestCount()).toBe(1);
    expect(rig.c.requests.answer(id, { answers: { [asked]: 'g' } }, window)).toBe(true);
    await rig.hand.settle();
    expect((await rig.show(asked))?.answers).toMatchObject([{ reply: { selected: ['g'] }, surface: 'page' }]);
  });

  it('[E8] [RQ-R54] answered on another surface, its card is taken back as resolved, and its waiter is told', async () => {
    const [rig, window] = await open('SQLite');
    const asked = await rig.unattended();
    const put = (qid: string) => ({ qid, question: 'Which?', choices: ['g', 'b'], multi_select: false });
    const send = (qids: string[]) =>
      seen(rig.c.requests.send('clarify', SID, { questions: qids.map(put) }, { timeoutMs: null, qids }));
    const [alone, batch] = [send([asked]), send([asked, 'pa-other'])];
    // The answer is on file, and taking the card back fails at first.
    rig.store.plant({ on: 'commit', nth: 2 });
    expect(await rig.answer(asked, 'g', { surface: 'terminal' })).toMatchObject({ saved: true });
    expect(alone).toEqual({});
    await rig.hand.pass(1_000);
    expect(alone.value).toMatchObject({ kind: 'cancelled', reason: 'resolved' });
    expect(batch).toEqual({});
    expect(window.frames.filter(({ method }) => method === 'event')).toHaveLength(1);
    expect(await rig.events()).toContain('request.cancelled');
  });

  it('a question without a ticket is no business of the journal', async () => {
    const [rig, window, id] = await ticketed([]);
    rig.c.requests.answer(id, { answers: { 'pa-q1': 'one', 'pa-q2': 'two' } }, window);
    await rig.hand.settle();
    expect(await answersOf(rig)).toEqual([]);
    expect(await rig.events()).not.toContain('unknown_submission');
  });
});

describe('the idle proof of a coordinator', () => {
  it('[RQ-I29] [I4] is not idle while a card or a question is open, or an approval is queued', async () => {
    const [rig] = await open('memory');
    const idle = (): Promise<unknown> => rig.done(rig.c.idle());
    expect(await idle()).toEqual({ idle: true, reason: null });
    const asked = await rig.unattended();
    expect(await idle()).toMatchObject({ reason: 'awaiting_human_input', detail: { ledger: 'asks', owners: [asked] } });
    await rig.answer(asked, 'g');
    void rig.c.requests.send('clarify', SID, ASK, { timeoutMs: 1_000, qids: ['pa-q1'] });
    expect(await idle()).toMatchObject({ idle: false, detail: { ledger: 'requests' } });
    await rig.hand.pass(1_000);
    expect(await idle()).toEqual({ idle: true, reason: null });
    const approval = rig.c.approvals.request(SID, { sid: SID, command: 'ls', timeoutMs: null });
    approval.catch(() => undefined);
    expect(await idle()).toMatchObject({ idle: false, reason: 'awaiting_human_input' });
  });

  it('[RQ-R142] a host adds its own ledgers', async () => {
    let running = 1;
    const [rig] = await open('memory', { ledgers: [{ name: 'turns', probe: 'turn', read: () => running }] });
    expect(await rig.done(rig.c.idle())).toMatchObject({ idle: false, reason: 'turn_in_flight' });
    running = Number.NaN;
    expect(await rig.done(rig.c.idle())).toMatchObject({ idle: null, reason: 'turn_probe_unavailable' });
  });

  it('[RQ-R148] after a committed retirement nobody is let in; whoever came before it has cancelled it', async () => {
    const [rig] = await open('memory');
    const first = rig.c.prepareRetirement();
    const asked = await rig.unattended();
    await rig.answer(asked, 'g');
    expect(await rig.done(first.commit())).toBe(false);
    const second = rig.c.prepareRetirement();
    expect(await rig.done(second.commit())).toBe(true);
    await expect(rig.done(rig.c.ask({ question: 'q' }, { tab: 't' }))).rejects.toMatchObject({ code: 'retiring' });
    const sent = rig.c.requests.send('clarify', SID, ASK, { timeoutMs: null, qids: ['pa-q1'] });
    await expect(rig.done(sent)).rejects.toMatchObject({ code: 'retiring' });
    expect(() => rig.c.requests.sendAsync('clarify', SID, ASK, () => undefined)).toThrow(/retiring/);
    second.cancel();
    expect((await rig.ask()).id).not.toBe('');
  });
});

describe('one card for one question', () => {
  it('[E5] the same question put again under its key is the same card; another one in its place says so', async () => {
    const [rig, window] = await open('memory');
    const put = () => rig.c.requests.send('clarify', SID, ASK, { timeoutMs: null, qids: ['pa-q1'], key: 'k' });
    const both = [seen(put()), seen(put())];
    expect(window.frames).toHaveLength(1);
    rig.c.requests.answer(idOf(window), { answers: { 'pa-q1': 'a' } }, window);
    await rig.hand.settle();
    expect(both.map(({ value }) => value?.kind)).toEqual(['answered', 'answered']);
    const first = await rig.unattended();
    const second = await rig.unattended({ question: 'Put better: which colour?' }, { supersedes: first });
    expect(await rig.show(first)).toMatchObject({ state: 'superseded', why: expect.stringContaining('asked again') });
    expect(await rig.show(second)).toMatchObject({ state: 'open' });
  });

  it('[G9] a message sent instead of an answer ends the open cards of its conversation as superseded', async () => {
    const [rig] = await open('SQLite');
    const waiting = await rig.ask();
    const answered = await rig.unattended({ question: 'Another?' });
    await rig.answer(answered, 'yes');
    const elsewhere = await rig.unattended({ question: 'Elsewhere?' }, { tab: 'other' });
    expect(await rig.done(rig.c.supersedeAsks('session-1', { surface: 'chat', who: 'ada' }))).toBe(1);
    await rig.hand.settle();
    expect(waiting.now()).toMatchObject({ outcome: 'superseded', reason: expect.stringContaining('message') });
    const states = [waiting.id, answered, elsewhere].map(async (id) => (await rig.show(id))?.state);
    expect(await Promise.all(states)).toEqual(['superseded', 'answered', 'open']);
    const late = await rig.answer(waiting.id, 'g');
    expect(late).toMatchObject({ verdict: 'superseded', saved: false });
    expect(await rig.done(rig.c.supersedeAsks('session-1', { surface: 'chat' }))).toBe(0);
  });
});

describe('a secret', () => {
  it('[I12] goes from the window to its waiter and nowhere else', async () => {
    const CANARY = 'canary-7f3a9c';
    const [rig, window] = await open('SQLite');
    const sent = seen(rig.c.requests.send('sudo', SID, { command: 'apt install x' }, { timeoutMs: null, key: 's' }));
    rig.c.requests.answer(idOf(window), { value: CANARY }, window);
    await rig.hand.settle();
    expect(sent.value).toMatchObject({ kind: 'answered', result: { value: CANARY } });
    const rows = ['request', 'approval', 'grant'].map((what) => rig.store.kept(what));
    const told = JSON.stringify([rows, await rig.done(rig.c.audit({ limit: 1_000 })), window.frames, rig.log]);
    expect(told).not.toContain(CANARY);
    expect(await rig.events()).toContain('request.answered');
  });
});
