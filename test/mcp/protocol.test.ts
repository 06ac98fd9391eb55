import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { ReadbackError } from '../../src/errors.ts';
import { SIZES } from '../../src/limits.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { COORDINATORS, withPage } from './coordinators.ts';
import { FakeCoordinator } from './fake-coordinator.ts';
import { answer, Bare, card, free, handed, PATIENT, wire } from './rig.ts';

const nap = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(COORDINATORS)('the protocol over %s', (_name, make) => {
  let coordinator: Asking;
  let bare: Bare;

  beforeEach(async () => {
    ({ coordinator } = await withPage(make));
    bare = await Bare.open(coordinator);
  });

  afterEach(async () => {
    await bare.server.close();
    await coordinator.close();
  });

  it.each([0, '', 1, '1', -1, 'x'.repeat(300)])('request id %j gets its own result', async (id) => {
    await bare.tool(id, 'ask_user', { question: 'Id?', hold_seconds: 5 });
    await answer(coordinator, 'Id?', { text: 'here' });
    expect((await bare.result(id)).data.answer).toBe('here');
    expect(bare.responses(id)).toHaveLength(1);
  });

  it('ids 1 and "1" are two requests', async () => {
    await bare.tool(1, 'ask_user', { question: 'Number?', hold_seconds: 5 });
    await bare.tool('1', 'ask_user', { question: 'String?', hold_seconds: 5 });
    await card(coordinator, 'Number?');
    await bare.cancel('1');
    await answer(coordinator, 'Number?', { text: 'n' });
    expect((await bare.result(1)).data.answer).toBe('n');
    expect(bare.responses('1')).toEqual([]);
  });

  it.each([0, '', 7, 'seven'])(
    '[A2] cancelling request %j ends its wait without a response and hands over nothing',
    async (id) => {
      await bare.tool(id, 'ask_user', { question: 'Cancel?', hold_seconds: 30 });
      const { askId } = await card(coordinator, 'Cancel?');
      await bare.cancel(id);
      await vi.waitFor(async () => expect((await coordinator.show(askId))?.awaited).toBe(false), PATIENT);
      expect(bare.server.busy()).toBe(false);
      await answer(coordinator, 'Cancel?', { text: 'late' });
      await bare.tool('next', 'list_asks', {});
      expect((await bare.result('next')).earlier).toMatchObject([{ ask_id: askId, answer: 'late', late: true }]);
      expect(bare.responses(id)).toEqual([]);
    },
  );

  it.each([0, 'z'])('a cancelled id %j may be used again', async (id) => {
    await bare.tool(id, 'ask_user', { question: 'Again?', hold_seconds: 30 });
    await card(coordinator, 'Again?');
    await bare.cancel(id);
    await nap(5);
    await bare.tool(id, 'list_asks', {});
    expect((await bare.result(id)).outcome).toBe('listed');
    expect(bare.responses(id)).toHaveLength(1);
  });

  it('an id that is still in use is refused, and the first call lives', async () => {
    await bare.tool('twin', 'ask_user', { question: 'Twin?', hold_seconds: 5 });
    await card(coordinator, 'Twin?');
    await bare.tool('twin', 'list_asks', {});
    expect(await bare.response('twin')).toMatchObject({ error: { code: -32600 } });
    await answer(coordinator, 'Twin?', { text: 't' });
    await vi.waitFor(() => expect(bare.responses('twin')).toHaveLength(2), PATIENT);
    expect(bare.responses('twin')[1]).toMatchObject({ result: { structuredContent: { answer: 't' } } });
  });

  it('a cancellation before the call starts shows nothing to anyone', async () => {
    void bare.tool('never', 'ask_user', { question: 'Never shown?', hold_seconds: 5 });
    void bare.cancel('never');
    await nap(30);
    expect(await coordinator.list({ what: 'open' })).toEqual([]);
    expect(bare.responses('never')).toEqual([]);
  });

  it('cancelling what was never asked, or with no id at all, changes nothing', async () => {
    await bare.cancel('nobody');
    await bare.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { reason: 'no id' } });
    await bare.tool(5, 'list_asks', {});
    expect((await bare.result(5)).outcome).toBe('listed');
  });

  it('progress rises strictly, names the ask when it is on file, and never follows the response', async () => {
    await bare.tool(1, 'ask_user', { question: 'Progress?', hold_seconds: 0.8 }, 0);
    await bare.result(1);
    await nap(40);
    const reports = bare.progress();
    expect(reports.length).toBeGreaterThan(3);
    for (const [at, report] of reports.entries()) {
      expect(report.progress).toBeGreaterThan(reports[at - 1]?.progress ?? -1);
      expect(report.total).toBeGreaterThan(report.progress);
      expect(bare.seen[report.at]).toMatchObject({ params: { progressToken: 0 } });
    }
    const response = bare.seen.findIndex((message) => 'id' in message && message.id === 1);
    expect(Math.max(...reports.map((report) => report.at))).toBeLessThan(response);
    expect(JSON.stringify(bare.seen[reports[0]?.at ?? -1])).toMatch(/pa-/);
  });

  it('without a progress token there is no progress', async () => {
    await bare.tool(1, 'ask_user', { question: 'Quiet?', hold_seconds: 0.1 });
    await bare.result(1);
    expect(bare.progress()).toEqual([]);
  });

  const wrong: readonly [field: string, tool: string, args: Record<string, unknown>][] = [
    ['question', 'ask_user', {}],
    ['question', 'ask_user', { question: '' }],
    ['question', 'ask_user', { question: ' \n' }],
    ['question', 'ask_user', { question: 7 }],
    ['question', 'ask_user', { question: 'x'.repeat(SIZES.question + 1) }],
    ['question', 'ask_user', { question: 'x'.repeat(1_000_000) }],
    ['question', 'ask_user', { question: 'half \ud800 pair' }],
    ['options[1].id', 'ask_user', { question: 'Q', options: [{ id: 'a', label: 'A' }, { label: 'B' }] }],
    [
      'options',
      'ask_user',
      {
        question: 'Q',
        options: [
          { id: 'a', label: 'A' },
          { id: 'a', label: 'B' },
        ],
      },
    ],
    [
      'options',
      'ask_user',
      { question: 'Q', options: Array.from({ length: 65 }, (_, id) => ({ id: `${id}`, label: 'x' })) },
    ],
    ['options[0]', 'ask_user', { question: 'Q', options: ['yes', 'no'] }],
    ['free_text', 'ask_user', { question: 'Q', free_text: false }],
    ['multiSelect', 'ask_user', { question: 'Q', multiSelect: true }],
    ['hold_seconds', 'ask_user', { question: 'Q', hold_seconds: -1 }],
    ['hold_seconds', 'await_answer', { ask_id: 'pa-1', hold_seconds: '5' }],
    ['ack', 'list_asks', { ack: 'aa-1' }],
    ['limit', 'list_asks', { limit: 0 }],
    ['reason', 'withdraw_ask', { ask_id: 'pa-1' }],
    ['tokens', 'ack_answers', { tokens: [] }],
    ['tokens[0]', 'ack_answers', { tokens: [null] }],
  ];

  it.each(wrong)(
    '[I11] a wrong %s of %s is an error that names it, blames no person and changes nothing',
    async (field, tool, args) => {
      await bare.tool(1, tool, args);
      const result = await bare.result(1);
      expect(result.isError).toBe(true);
      expect(result.outcome).toBe('invalid');
      expect(result.data.field).toBe(field);
      expect(result.data.reason).toMatch(/./);
      expect(result.data.remedy).toContain(field);
      expect(result.data.retry).toBe(false);
      expect(result.text).toContain('nothing was shown to anyone');
      expect(result.text).not.toMatch(/invalid input|too (small|big)|expected|received|[<>]=|unrecognized/i);
      const fields = result.text.split('\n').map((each) => each.split(':')[0]);
      expect(new Set(fields).size).toBe(fields.length);
      expect(result.text).not.toMatch(/\b(the user|person|human|declined|without answering)\b/i);
      expect(await coordinator.list({ what: 'open' })).toEqual([]);
    },
  );

  it.each([
    ['question: is missing; give it, or questions', 'ask_user', {}],
    ['question: the question must not be empty', 'ask_user', { question: '' }],
    ['question: must be text', 'ask_user', { question: 7 }],
    ['hold_seconds: must be 0 or more', 'ask_user', { question: 'Q', hold_seconds: -1 }],
    ['hold_seconds: must be 3600 or less', 'ask_user', { question: 'Q', hold_seconds: 3601 }],
    ['limit: must be a whole number', 'list_asks', { limit: 1.5 }],
    ['what: must be one of "open", "recent"', 'list_asks', { what: 'all' }],
    ['ack: may have at most 256 items', 'list_asks', { ack: Array.from({ length: 257 }, () => 'aa') }],
  ])('[I11] says in plain words: %s', async (words, tool, args) => {
    await bare.tool(1, tool, args);
    expect((await bare.result(1)).text.split('\n')[1]).toContain(`${words}. `);
  });

  it('names the tools where there is none of that name', async () => {
    await bare.tool(1, 'nope', {});
    expect(JSON.stringify(await bare.response(1))).toContain('ask_user, await_answer, list_asks');
  });

  it('names every field that it does not know', async () => {
    await bare.tool(1, 'list_asks', { one: 1, two: 2 });
    const { text } = await bare.result(1);
    expect(text).toMatch(/^one: is not a field/m);
    expect(text).toMatch(/^two: is not a field/m);
  });

  it.each([
    ['string', 'text'],
    ['list', []],
    ['number', 3],
  ])('[I11] arguments that are a %s are invalid, with a field and a remedy', async (_what, args) => {
    await bare.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_asks', arguments: args } });
    const result = await bare.result(1);
    expect(result).toMatchObject({ outcome: 'invalid', isError: true });
    expect(result.data).toMatchObject({ field: 'arguments', reason: 'must be an object', retry: false });
    expect(result.data.remedy).toContain('arguments');
  });

  it('arguments that are null are as good as none', async () => {
    await bare.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_asks', arguments: null } });
    expect((await bare.result(1)).outcome).toBe('listed');
  });

  it('a tool that does not exist is a protocol error that names it', async () => {
    await bare.tool(1, 'toString', {});
    expect(await bare.response(1)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('toString') },
    });
  });

  it('a field that is null counts as left out', async () => {
    await bare.tool(1, 'ask_user', {
      question: 'Null?',
      header: null,
      options: [{ id: 'a', label: 'A', description: null }],
      hold_seconds: 0.02,
    });
    expect((await bare.result(1)).outcome).toBe('pending');
  });

  it('tokens that a forwarder could not write are handed back', async () => {
    await bare.tool(1, 'ask_user', { question: 'Forward?', hold_seconds: 5 });
    const { askId } = await answer(coordinator, 'Forward?', { text: 'f' });
    const { token } = await bare.result(1);
    await handed(coordinator, askId);
    await bare.send({ jsonrpc: '2.0', method: 'notifications/readback/not_written', params: { tokens: [token] } });
    await free(coordinator, askId);
  });
});

describe('the tools as they are listed', () => {
  it('are five, each with schemas, a title and annotations, and know no dialect', () => {
    const tools = listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      'ask_user',
      'await_answer',
      'list_asks',
      'withdraw_ask',
      'ack_answers',
    ]);
    for (const tool of tools) {
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema).toMatchObject({ type: 'object', required: ['outcome'] });
      expect(Object.values(tool.annotations)).toHaveLength(5);
      expect(JSON.stringify(tool)).not.toContain('$schema');
      expect('ack' in (tool.inputSchema.properties as object)).toBe(tool.name !== 'ack_answers');
    }
  });

  it('claim to only read where nothing is written: an ack writes, and every tool takes one', () => {
    const hints = Object.fromEntries(listTools().map(({ name, annotations }) => [name, annotations]));
    for (const annotations of Object.values(hints)) expect(annotations.readOnlyHint).toBe(false);
    for (const name of ['await_answer', 'list_asks', 'withdraw_ask', 'ack_answers'])
      expect(hints[name]?.idempotentHint).toBe(true);
    expect(hints.ask_user?.idempotentHint).toBe(false);
  });

  it('have results that keep their own output schema, errors included', async () => {
    const { coordinator } = await withPage(async () => new FakeCoordinator());
    const { agent, server } = await wire(coordinator);
    await agent.client.listTools();
    // The client of the SDK checks structured content against the listed schema and rejects what does not keep it.
    const call = (name: string, args: Record<string, unknown>) => agent.client.callTool({ name, arguments: args });
    await call('ask_user', { question: 'Schema?', hold_seconds: 0.01, header: 'a long header text' });
    await answer(coordinator, 'Schema?', { text: 'x' });
    const listed = (await call('list_asks', { what: 'recent' })) as { structuredContent?: Record<string, unknown> };
    expect(listed).toMatchObject({ structuredContent: { outcome: 'listed' } });
    const [ride] = (listed.structuredContent?.earlier_answers ?? []) as { token: string; ask_id: string }[];
    await call('ack_answers', { tokens: [ride?.token] });
    expect(await call('await_answer', { ask_id: ride?.ask_id })).toMatchObject({
      structuredContent: { outcome: 'answered', read_back: true },
    });
    expect(await call('await_answer', { ask_id: 'pa-none' })).toMatchObject({ isError: true });
    expect(await call('withdraw_ask', { ask_id: 'pa-none', reason: 'x' })).toMatchObject({ isError: true });
    expect(await call('ack_answers', { tokens: ['aa-none'] })).toMatchObject({
      structuredContent: { outcome: 'acknowledged' },
    });
    expect(await call('ask_user', {})).toMatchObject({ isError: true });
    await server.close();
  });
});

describe('a coordinator that fails', () => {
  it('gives an error that says whose fault it is and whether to call again, with the receipts taken before', async () => {
    const coordinator = new FakeCoordinator();
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    const asked = agent.ask('First?', 5_000);
    await answer(coordinator, 'First?', { text: '1' });
    const { token } = await asked;
    coordinator.failing = new ReadbackError('disk_full', 'The question could not be written.');
    const result = await agent.call('ask_user', { question: 'Second?', ack: [token] });
    expect(result).toMatchObject({ isError: true, outcome: 'failed' });
    expect(result.data).toMatchObject({ retry: true, acks: [{ token, accepted: true }] });
    expect(result.text).toContain('not because of the person');
    await server.close();
  });

  it('loses no result when only what rides on it fails', async () => {
    const coordinator = new FakeCoordinator();
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const warn = vi.fn();
    const quiet = () => undefined;
    const { agent, server } = await wire(coordinator, { logger: { debug: quiet, info: quiet, warn, error: quiet } });
    const asked = agent.ask('Whole?', 5_000);
    const shown = await card(coordinator, 'Whole?');
    coordinator.failing = new ReadbackError('store_busy', 'The database is locked.');
    await coordinator.answer(shown.askId, { text: 'whole' }, { surface: 'page' });
    expect((await asked).data.answer).toBe('whole');
    expect(warn).toHaveBeenCalledOnce();
    await server.close();
  });
});

/** Commits a hand-over at once and says so only when it is let go. */
class SlowCoordinator extends FakeCoordinator {
  letGo: () => void = () => undefined;
  #committed: () => void = () => undefined;
  readonly committed = new Promise<void>((resolve) => {
    this.#committed = resolve;
  });

  override async handOver(...args: Parameters<FakeCoordinator['handOver']>): Promise<boolean> {
    const shown = await super.handOver(...args);
    await new Promise<void>((resolve) => {
      this.letGo = resolve;
      this.#committed();
    });
    return shown;
  }
}

describe('a hand-over that is committed while its call ends', () => {
  it('[A2] is handed back, although the call had nothing in hand when it was cancelled', async () => {
    const coordinator = new SlowCoordinator();
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const bare = await Bare.open(coordinator);
    await bare.tool(1, 'ask_user', { question: 'Slow?', hold_seconds: 0.01 });
    await bare.result(1);
    const { askId } = await answer(coordinator, 'Slow?', { text: 's' });
    await bare.tool(2, 'list_asks', {});
    await coordinator.committed;
    await handed(coordinator, askId);
    await bare.cancel(2);
    coordinator.letGo();
    await free(coordinator, askId);
    expect(bare.responses(2)).toEqual([]);
    await bare.server.close();
  });
});
