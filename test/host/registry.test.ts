import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApprovals, digestOf } from '../../src/approvals.ts';
import { hostPack } from '../../src/host/contracts.ts';
import type { ServerRequests, Settlement } from '../../src/requests/api.ts';
import { createServerRequests } from '../../src/requests.ts';
import { incompleteness } from '../../src/wire/contracts/complete.ts';
import { requestContracts } from '../../src/wire/contracts/request-contracts.ts';
import { RpcRefusal } from '../../src/wire/errors.ts';
import { type Bench, COLOURS, call, openAsk, requestId, startBench, TestSocket, until } from './support.ts';

const lines: string[] = [];
const note = (...args: unknown[]) => void lines.push(args.map((one) => JSON.stringify(one) ?? String(one)).join(' '));
const logger = { debug: note, info: note, warn: note, error: note };

let bench: Bench;
let requests: ServerRequests;

async function start(graceMs = 2_000): Promise<void> {
  requests = createServerRequests({ contracts: requestContracts(hostPack), logger, graceMs });
  bench = await startBench({ requests, logger });
}

beforeEach(async () => {
  lines.length = 0;
  await start();
});
afterEach(async () => {
  requests.shutdown();
  await bench.close();
});

const QUESTION = { questions: [{ qid: 'q1', question: 'Which?', choices: null, multi_select: false }] };
const BATCH = {
  questions: ['q1', 'q2'].map((qid) => ({ qid, question: `${qid}?`, choices: null, multi_select: false })),
};
const clarify = (sid = 's1') => requests.send('clarify', sid, QUESTION, { timeoutMs: null, qids: ['q1'] });
const open = (sid = 's1') => requests.openRequests(sid)[0]?.id ?? '';
const answers = { answers: { q1: 'this one' } };

describe('requests of the registry', () => {
  test('[RQ-R13] [RQ-R41] reach every page; one answers, and the others are told', async () => {
    const [one, two] = [await new TestSocket(bench.host).open('w1'), await new TestSocket(bench.host).open('w2')];
    const settlement = clarify();
    await until(() => one.asked.length === 1 && two.asked.length === 1);
    const { id } = one.asked[0] ?? { id: '' };
    expect((await one.request('request.answer', { id, result: answers })).result).toEqual({ status: 'ok' });
    expect(await settlement).toMatchObject({ kind: 'answered', result: answers });
    expect(await two.event('request.settled')).toEqual({ id, method: 'clarify', by: 'response' });
    expect(one.events('request.settled')).toEqual([]);
    const other = { answers: { q1: 'another one' } };
    expect((await two.request('request.answer', { id, result: other })).result).toEqual({ status: 'expired' });
    // The very same content has the receipt that it has already.
    expect((await two.request('request.answer', { id, result: answers })).result).toEqual({ status: 'ok' });
  });

  test('[RQ-R59] [RQ-R63] are listed first, of every session, before the asks', async () => {
    void clarify('s1');
    void clarify('s2');
    const { askId } = await openAsk(bench.rig, COLOURS);
    const page = await new TestSocket(bench.host).open();
    expect(page.listed.map(({ method, params }) => [method, params.session_id])).toEqual([
      ['clarify', 's1'],
      ['clarify', 's2'],
      ['ask', 'tab-1'],
    ]);
    expect(page.parts[0]?.open_total).toBe(3);
    expect((await page.answer(askId, { selected: ['b'] })).verdict).toBe('accepted');
    expect(requests.openRequestCount()).toBe(2);
  });

  test('[RQ-R40] [RQ-R35] a bare response frame settles one, with the window as its author', async () => {
    const settlement = clarify();
    const page = await new TestSocket(bench.host).open();
    page.send({ jsonrpc: '2.0', id: open(), result: answers });
    expect(await settlement).toMatchObject({ kind: 'answered', result: answers, via: 'response' });
  });

  test('a page that has not named its window answers nothing, by neither form', async () => {
    void clarify();
    const page = await new TestSocket(bench.host).greeted();
    await page.request('client.capabilities', { server_requests: true });
    page.send({ jsonrpc: '2.0', id: open(), result: answers });
    expect((await page.request('request.answer', { id: open(), result: answers })).error?.code).toBe(4006);
    expect(requests.openRequestCount()).toBe(1);
  });

  test('[RQ-R105] what does not conform is 4002, and the question stays open', async () => {
    void clarify();
    const page = await new TestSocket(bench.host).open();
    const reply = await page.request('request.answer', { id: open(), result: { answers: { q1: 5 } } });
    expect(reply.error?.code).toBe(4002);
    expect(requests.openRequestCount()).toBe(1);
  });

  test('for which nobody waits now is 4009, and stays on the page', async () => {
    await bench.close();
    const orphaned = () => {
      throw new RpcRefusal('orphan', 'whoever waits has not come back yet');
    };
    bench = await startBench({ requests: { ...requests, answer: orphaned }, logger });
    void clarify();
    const page = await new TestSocket(bench.host).open();
    expect((await page.request('request.answer', { id: open(), result: answers })).error?.code).toBe(4009);
    expect((await page.resume('w1'))[0]?.open_requests).toHaveLength(1);
  });

  test('[RQ-R43] [RQ-R44] [RQ-R45] locks: missing ones, an unknown one, and the last', async () => {
    const settlement = requests.send('clarify', 's1', BATCH, { timeoutMs: null, qids: ['q1', 'q2'] });
    const page = await new TestSocket(bench.host).open();
    const lock = (question_id: string, answer: unknown) =>
      page.request('clarify.lock', { request_id: open() || 'srq-gone', question_id, answer });
    expect((await lock('q2', 'b')).result).toEqual({ status: 'ok', remaining: ['q1'] });
    expect((await lock('q9', 'b')).error?.code).toBe(4002);
    const again = await new TestSocket(bench.host).open('w2');
    expect(again.listed[0]?.params).toMatchObject({ answers: { q2: 'b' } });
    expect((await lock('q1', null)).result).toEqual({ status: 'ok', remaining: [] });
    expect(await settlement).toMatchObject({ kind: 'answered', result: { answers: { q1: null, q2: 'b' } } });
    expect((await lock('q1', 'late')).result).toEqual({ status: 'expired' });
  });

  test('[RQ-R50] a withdrawal takes the card off every page, and only that one', async () => {
    void clarify('s1');
    void clarify('s2');
    const page = await new TestSocket(bench.host).open();
    const id = open('s1');
    expect(requests.cancel('s1')).toBe(1);
    expect(await page.event('request.cancel')).toEqual({ id, method: 'clarify', reason: 'interrupted' });
    await page.request('ping', {});
    expect(page.events('request.cancel')).toHaveLength(1);
  });
});

describe('an old client', () => {
  const send = (): Promise<Settlement> => clarify();

  test('[RQ-R66] that never advertises is no surface, and a request beside it alone is unanswerable', async () => {
    const old = await new TestSocket(bench.host).greeted();
    expect((await old.request('nope', {})).error?.code).toBe(-32601);
    expect(await send()).toEqual({ kind: 'unanswerable' });
    expect(old.asked).toEqual([]);
    const health = (await call(bench.host, '/api/health')).json<{ pages: number }>();
    expect(health.pages).toBe(0);
  });

  test('[RQ-R69] that says nothing at all holds a request up for the grace, and no longer', async () => {
    await bench.close();
    await start(60);
    const mute = await new TestSocket(bench.host).greeted();
    expect(await send()).toMatchObject({ kind: 'cancelled', cause: 'no_capable_client' });
    expect(await mute.event('request.cancel')).toMatchObject({ reason: 'session_closed' });
  });

  test('[RQ-R66] beside a page that answers changes nothing', async () => {
    const old = await new TestSocket(bench.host).greeted();
    await old.request('nope', {});
    const page = await new TestSocket(bench.host).open();
    const settlement = send();
    await page.request('request.answer', { id: open(), result: answers });
    expect(await settlement).toMatchObject({ kind: 'answered' });
  });

  test('[RQ-R70] left behind by the only page that answers: what is open is given up', async () => {
    const old = await new TestSocket(bench.host).greeted();
    await old.request('nope', {});
    const page = await new TestSocket(bench.host).open();
    const settlement = send();
    await page.close();
    expect(await settlement).toMatchObject({ kind: 'cancelled', cause: 'no_capable_client' });
  });

  test('[RQ-R65] [RQ-R66] with nobody there a request waits for the next page', async () => {
    const page = await new TestSocket(bench.host).open();
    const settlement = send();
    await page.close();
    await until(() => requests.openRequestCount() === 1);
    const back = await new TestSocket(bench.host).open();
    await back.request('request.answer', { id: back.listed[0]?.id, result: answers });
    expect(await settlement).toMatchObject({ kind: 'answered' });
  });

  test('gets no card of an agent, and an ask with nobody else is undeliverable', async () => {
    await bench.close();
    bench = await startBench({ seen: false, requests, logger });
    const old = await new TestSocket(bench.host).greeted();
    expect((await old.request('desk.resume', { window: 'w1' })).error).toBeUndefined();
    const outcome = await bench.rig.asking.ask(COLOURS, { tab: 't', timeoutMs: 100 });
    expect(outcome.outcome).toBe('undeliverable');
    expect(old.asked).toEqual([]);
  });
});

describe('approvals', () => {
  test('[RQ-R101] [RQ-R102] are listed, acknowledged and decided, once; and not at all without a queue', async () => {
    const page = await new TestSocket(bench.host).open();
    expect((await page.request('approval.pending', { session_id: 's1' })).error?.code).toBe(-32601);
    await bench.close();
    const approvals = createApprovals({ requests, logger });
    bench = await startBench({ requests, approvals, logger });
    const one = await new TestSocket(bench.host).open('w1');
    const verdict = approvals.request('s1', { sid: 's1', command: 'rm -r build', timeoutMs: null });
    await until(() => one.asked.length === 1);
    expect(one.asked[0]).toMatchObject({ method: 'approval', params: { session_id: 's1', command: 'rm -r build' } });
    const { result = {} } = await one.request('approval.pending', { session_id: 's1' });
    const [pending] = result['approvals'] as { request_id: string; acknowledged: boolean; digest: string }[];
    const request_id = pending?.request_id ?? '';
    const received = await one.request('approval.received', { session_id: 's1', request_id });
    expect([pending?.acknowledged, received.result]).toEqual([false, { acknowledged: true }]);
    const respond = (more: object) => one.request('approval.respond', { session_id: 's1', request_id, ...more });
    expect((await respond({ choice: 'maybe' })).error?.code).toBe(4002);
    expect((await respond({ choice: 'once', digest: digestOf({ method: 'other' }) })).error?.code).toBe(4002);
    expect((await respond({ choice: 'once', digest: pending?.digest })).result).toEqual({ resolved: 1 });
    expect(await verdict).toMatchObject({ resolved: true, choice: 'once' });
    expect((await one.request('approval.respond', { session_id: 'nobody', choice: 'once' })).error?.code).toBe(4001);
    expect((await one.request('approval.respond', { choice: 'once' })).error?.code).toBe(4006);
    expect((await one.request('approval.received', { session_id: 's1' })).error?.code).toBe(4006);
    approvals.shutdown();
  });
});

test('[RQ-R102] approvals that fit in no one frame are listed as they fit, the oldest first, each whole', async () => {
  await bench.close();
  const approvals = createApprovals({ requests, logger });
  bench = await startBench({ requests, approvals, logger });
  const page = await new TestSocket(bench.host).open('w1');
  const commands = Array.from({ length: 8 }, (_, n) => `echo ${n} ${'x'.repeat(200_000)}`);
  for (const command of commands) void approvals.request('s1', { sid: 's1', command, timeoutMs: null });
  const { result = {} } = await page.request('approval.pending', { session_id: 's1' });
  const listed = (result['approvals'] as { command: string }[]).map(({ command }) => command);
  expect(listed.length).toBeGreaterThan(1);
  expect(listed).toEqual(commands.slice(0, listed.length));
  approvals.shutdown();
});

describe('[I12] a secret', () => {
  const CANARY = 'canary-5f1d';
  const nested = `{"value":${'['.repeat(300)}"${CANARY}"${']'.repeat(300)}}`;

  test('goes from the socket to its waiter, and into no line, error, event, list, stream or audit', async () => {
    const [page, other] = [await new TestSocket(bench.host).open('w1'), await new TestSocket(bench.host).open('w2')];
    const secret = () => requests.send('sudo', 's1', { command: 'apt' }, { timeoutMs: null });
    const wrong = [
      { value: { [CANARY]: 1 } },
      { value: 5, [CANARY]: CANARY },
      { [CANARY]: CANARY },
      JSON.parse(nested),
    ];
    for (const result of wrong) {
      const pending = secret();
      const id = open();
      expect((await page.request('request.answer', { id, result })).error).toBeDefined();
      page.send({ jsonrpc: '2.0', id, result });
      expect(await pending).toMatchObject({ kind: 'failed' });
    }
    const failed = secret();
    page.send({ jsonrpc: '2.0', id: open(), error: { code: -32603, message: CANARY, data: CANARY } });
    await failed;
    const [first, second] = [secret(), secret()];
    const [a, b] = requests.openRequests('s1').map(({ id }) => id);
    await page.request('request.answer', { id: a, result: { value: CANARY } });
    page.send({ jsonrpc: '2.0', id: b, result: { value: CANARY } });
    expect(await first).toMatchObject({ kind: 'answered', result: { value: CANARY } });
    expect(await second).toMatchObject({ kind: 'answered', result: { value: CANARY } });
    // Late, to nobody, and as an answer to something that is no secret.
    await page.request('request.answer', { id: a, result: { value: CANARY } });
    page.send({ jsonrpc: '2.0', id: 'srq-000000000000', result: { value: CANARY } });
    const { askId } = await openAsk(bench.rig, COLOURS);
    await page.request('request.answer', { id: requestId(askId), result: { value: CANARY } });
    page.send({ jsonrpc: '2.0', id: requestId(askId), result: { value: CANARY } });
    const late = await new TestSocket(bench.host).open('w3');
    const shown = [page, other, late].map(({ messages }) => JSON.stringify(messages));
    const audit = (await call(bench.host, '/api/audit')).text;
    for (const text of [...shown, audit, lines.join('\n')]) expect(text).not.toContain(CANARY);
    expect(lines.length).toBeGreaterThan(0);
  });
});

test('[I12] the words of an answer to a card are in no line either, by whichever form they came', async () => {
  const words = 'words-of-mine-7c';
  const page = await new TestSocket(bench.host).open();
  for (const [tab, wrong] of [
    ['a', { text: 5, [words]: words }],
    ['b', { selected: [words] }],
  ] as const) {
    const { askId } = await openAsk(bench.rig, { question: 'What?' }, { tab });
    const id = requestId(askId);
    await page.request('request.answer', { id, result: wrong });
    page.send({ jsonrpc: '2.0', id, result: wrong });
    page.send({ jsonrpc: '2.0', id, result: { text: words } });
    await until(async () => (await bench.rig.asking.show(askId))?.state === 'answered');
    await page.answer(askId, { text: `${words} again` });
  }
  expect(lines.join('\n')).not.toContain(words);
  expect(lines.join('\n')).toContain('an answer without a reply was');
});

test('[RQ-R152] each method of the page socket has a contract and a handler, each event is sent, each request known', async () => {
  const approvals = createApprovals({ requests, logger });
  await bench.close();
  bench = await startBench({ requests, approvals, logger });
  const [page, other] = [await new TestSocket(bench.host).open('w1'), await new TestSocket(bench.host).open('w2')];
  const handlers: string[] = [];
  for (const method of hostPack.methods.keys()) {
    const { error } = await page.request(method, {});
    if (error?.code !== -32601) handlers.push(method);
  }
  const { askId } = await openAsk(bench.rig, COLOURS);
  await page.request('client.capabilities', { server_requests: true });
  other.send({ jsonrpc: '2.0', id: requestId(askId), result: {} });
  await until(() => other.events('request.refused').length > 0);
  await page.answer(askId, { selected: ['b'] });
  const withdrawn = await openAsk(bench.rig, COLOURS, { tab: 'tab-2' });
  await bench.rig.asking.withdraw(withdrawn.askId, 'no', { surface: 'test' });
  await until(() => other.events('request.cancel').length > 0);
  const emitted = other.messages.map(({ params }) => params?.type).filter((type) => type !== undefined);
  const capabilities = await page.request('client.capabilities', { server_requests: true });
  const sent = capabilities.result?.['server_requests'] as string[];
  expect(incompleteness(hostPack, { handlers, emitted, sent })).toEqual([]);
  approvals.shutdown();
});
