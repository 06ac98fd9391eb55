import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Asking, Reply } from '../../src/api.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { COORDINATORS, withPage } from './coordinators.ts';
import { TestHost } from './host.ts';
import type { Read, Wired } from './rig.ts';
import { answer, card, free, handed, PATIENT, receipt, wire } from './rig.ts';

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const COLOUR = {
  question: 'Colour?',
  options: [
    { id: 'g', label: 'Green' },
    { id: 'b', label: 'Blue' },
  ],
};
const NAME = { question: 'Name?' };
const SIZE = { question: 'Sizes?', header: 'Size', options: [{ id: 's', label: 'Small' }], multi_select: true };
const THREE = [COLOUR, NAME, SIZE];

interface Told {
  readonly outcome: string;
  readonly ask_id: string;
  readonly question: string;
  readonly answer?: string;
  readonly reply?: Reply;
  readonly token?: string;
  readonly possible_repeat?: boolean;
}
const told = (result: Read): readonly Told[] => result.data.questions as Told[];
const words = (result: Read): string[] => told(result).map(({ outcome }) => outcome);
const ids = (result: Read): string[] => told(result).map((each) => each.ask_id);
const tokensOf = (result: Read): string[] => result.data.tokens as string[];

describe.each(COORDINATORS)('a batch of an agent over %s', (_name, make) => {
  let coordinator: Asking;
  let wired: Wired;

  beforeEach(async () => {
    ({ coordinator } = await withPage(make));
    wired = await wire(coordinator);
  });
  afterEach(async () => {
    await wired.server.close();
    await coordinator.close();
  });

  const askAll = (holdMs: number, questions: readonly unknown[] = THREE, options = {}): Promise<Read> =>
    wired.agent.call('ask_user', { questions, hold_seconds: holdMs / 1_000 }, options);

  it('[C4] returns when all are answered: each with its ask id, and one receipt for all', async () => {
    const asked = askAll(20_000);
    await answer(coordinator, 'Sizes?', { selected: ['s'] });
    await answer(coordinator, 'Name?', { text: 'Fido' });
    const { askId } = await answer(coordinator, 'Colour?', { selected: ['b'] });
    const result = await asked;
    expect([result.outcome, result.isError, words(result)]).toEqual([
      'answered',
      false,
      ['answered', 'answered', 'answered'],
    ]);
    expect(told(result)).toMatchObject([
      { ask_id: askId, question: 'Colour?', reply: { selected: ['b'] }, possible_repeat: false },
      { question: 'Name?', answer: 'Fido' },
      { question: 'Sizes?', reply: { selected: ['s'] } },
    ]);
    expect(result.data.pending_ask_ids).toBeUndefined();
    expect(result.data.ask_id).toBeUndefined();
    for (const each of told(result)) {
      expect(result.text).toContain(`“${each.question}” (${each.ask_id}): `);
      expect(result.text).toContain(each.answer);
    }
    expect(tokensOf(result)).toEqual(told(result).map(({ token }) => token));
    expect(result.text).toContain(
      `call ack_answers with tokens [${tokensOf(result)
        .map((each) => `"${each}"`)
        .join(', ')}]`,
    );
    for (const each of ids(result)) expect(await receipt(coordinator, each)).toBe('handed');
    const done = await wired.agent.call('ack_answers', { tokens: tokensOf(result) });
    expect(done.data.acks).toEqual(tokensOf(result).map((token) => ({ token, accepted: true })));
    for (const each of ids(result)) expect(await receipt(coordinator, each)).toBe('read_back');
    expect((await wired.agent.call('list_asks')).earlier).toEqual([]);
  });

  it('[A7] [C10] what was answered is told as a part; the rest is pending under its own id and goes on', async () => {
    const asked = askAll(300);
    await answer(coordinator, 'Name?', { text: 'Fido' });
    const part = await asked;
    expect([part.outcome, part.isError, words(part)]).toEqual([
      'partly_answered',
      false,
      ['pending', 'answered', 'pending'],
    ]);
    const [first = '', , third = ''] = ids(part);
    expect(part.data.pending_ask_ids).toEqual([first, third]);
    expect(part.text).toContain('1 is answered, 2 are still open');
    expect(part.text).toContain('What is answered is no answer to the rest.');
    expect(part.text).toContain(`“Colour?” (${first}): pending`);
    expect(part.text).toContain(`await_answer with ask_ids ["${first}", "${third}"]`);
    for (const each of [first, third]) expect((await coordinator.show(each))?.state).toBe('open');
    const waiting = wired.agent.call('await_answer', {
      ask_ids: [first, third],
      hold_seconds: 20,
      ack: tokensOf(part),
    });
    await answer(coordinator, 'Sizes?', { selected: ['s'] });
    await answer(coordinator, 'Colour?', { selected: ['g'] });
    const rest = await waiting;
    expect([rest.outcome, words(rest), rest.earlier]).toEqual(['answered', ['answered', 'answered'], []]);
    expect(told(rest)).toMatchObject([
      { ask_id: first, question: 'Colour?' },
      { ask_id: third, question: 'Sizes?' },
    ]);
  });

  it('nobody has answered: pending, no error, and no token', async () => {
    const result = await askAll(20);
    expect([result.outcome, result.isError, words(result)]).toEqual([
      'pending',
      false,
      ['pending', 'pending', 'pending'],
    ]);
    expect(result.data.pending_ask_ids).toEqual(ids(result));
    expect([result.data.tokens, result.text.includes('ack_answers')]).toEqual([undefined, false]);
    await vi.waitFor(async () => expect((await card(coordinator, 'Name?')).awaited).toBe(false), PATIENT);
  });

  it('[A1] a late answer to one rides alone on the next result', async () => {
    const pending = await askAll(20);
    await answer(coordinator, 'Name?', { text: 'late' });
    const next = await wired.agent.call('list_asks');
    expect(next.earlier).toMatchObject([{ ask_id: ids(pending)[1], answer: 'late', late: true }]);
  });

  it('what was answered early rides on no other result while its batch is held', async () => {
    const asked = askAll(20_000);
    const { askId } = await answer(coordinator, 'Name?', { text: 'early' });
    for (let i = 0; i < 3; i += 1) expect((await wired.agent.call('list_asks')).earlier).toEqual([]);
    expect(await receipt(coordinator, askId)).toBe('saved');
    await answer(coordinator, 'Colour?', { selected: ['g'] });
    await answer(coordinator, 'Sizes?', { selected: ['s'] });
    expect(told(await asked)[1]).toMatchObject({ answer: 'early', possible_repeat: false });
  });

  it('the same while a later call waits for them', async () => {
    const pending = await askAll(20);
    const waiting = wired.agent.call('await_answer', { ask_ids: ids(pending), hold_seconds: 20 });
    await vi.waitFor(async () => expect((await card(coordinator, 'Name?')).awaited).toBe(true), PATIENT);
    await answer(coordinator, 'Name?', { text: 'early' });
    for (let i = 0; i < 3; i += 1) expect((await wired.agent.call('list_asks')).earlier).toEqual([]);
    await answer(coordinator, 'Colour?', { selected: ['g'] });
    await answer(coordinator, 'Sizes?', { selected: ['s'] });
    const result = await waiting;
    expect([result.outcome, told(result)[1]?.possible_repeat]).toEqual(['answered', false]);
  });

  it('[A2] a call that was cancelled has handed nothing over; what was answered is late and comes unlabelled', async () => {
    const stop = new AbortController();
    const asked = askAll(20_000, THREE, { signal: stop.signal });
    const { askId } = await answer(coordinator, 'Name?', { text: 'kept' });
    stop.abort('the user pressed a key');
    await expect(asked).rejects.toThrow();
    await vi.waitFor(async () => expect((await card(coordinator, 'Colour?')).awaited).toBe(false), PATIENT);
    await free(coordinator, askId);
    const next = await wired.agent.call('list_asks');
    expect(next.earlier).toMatchObject([{ ask_id: askId, answer: 'kept', possible_repeat: false }]);
    expect((await card(coordinator, 'Sizes?')).state).toBe('open');
  });

  it('[A2] a cancellation that crossed the result hands all of it back', async () => {
    const asked = askAll(20_000, [COLOUR, NAME]);
    await answer(coordinator, 'Name?', { text: 'x' });
    await answer(coordinator, 'Colour?', { selected: ['g'] });
    const result = await asked;
    for (const each of ids(result)) await handed(coordinator, each);
    wired.server.session.notWritten(tokensOf(result));
    for (const each of ids(result)) await free(coordinator, each);
  });

  it('[C11] two questions of equal text are told apart by their ids', async () => {
    const other = { ...COLOUR, options: [{ id: 'r', label: 'Red' }] };
    const asked = askAll(20_000, [COLOUR, other]);
    await card(coordinator, 'Colour?');
    const open = await coordinator.list();
    const [first, second] = [
      open.find(({ options }) => options.length === 2),
      open.find(({ options }) => options.length === 1),
    ];
    await coordinator.answer(second?.askId ?? '', { selected: ['r'] }, { surface: 'page' });
    await coordinator.answer(first?.askId ?? '', { selected: ['g'] }, { surface: 'page' });
    expect(told(await asked)).toMatchObject([
      { ask_id: first?.askId, reply: { selected: ['g'] } },
      { ask_id: second?.askId, reply: { selected: ['r'] } },
    ]);
  });

  it('a decline and a withdrawal stand beside an answer, each in its words', async () => {
    const asked = askAll(20_000);
    await answer(coordinator, 'Name?', { text: 'Fido' });
    await answer(coordinator, 'Sizes?', { declined: true });
    const { askId } = await card(coordinator, 'Colour?');
    await coordinator.withdraw(askId, 'not needed', { surface: 'page' });
    const result = await asked;
    expect([result.outcome, words(result)]).toEqual(['partly_answered', ['cancelled', 'answered', 'declined']]);
    expect(result.text).toContain('1 is answered, 1 is declined, 1 ended without an answer');
    expect(result.text).toContain('not needed');
    expect(tokensOf(result)).toHaveLength(2);
  });

  it('[G1] [I13] without anything that could show it each is undeliverable, and that is an error', async () => {
    const { coordinator: lonely, leave } = await withPage(make);
    leave();
    await vi.waitFor(() => expect(lonely.hasSurface()).toBe(false), PATIENT);
    const alone = await wire(lonely);
    const result = await alone.agent.call('ask_user', { questions: [COLOUR, NAME] });
    expect([result.outcome, result.isError, words(result)]).toEqual([
      'undeliverable',
      true,
      ['undeliverable', 'undeliverable'],
    ]);
    expect(result.text.split('open the readback page')).toHaveLength(2);
    await alone.server.close();
    await lonely.close();
  });

  it('lists its members with their places', async () => {
    const pending = await askAll(20);
    const listed = await wired.agent.call('list_asks');
    const asks = listed.data.asks as { ask_id: string; batch: { id: string; index: number; of: number } }[];
    expect(asks.map(({ ask_id, batch }) => [ask_id, batch.index, batch.of])).toEqual(
      ids(pending).map((id, i) => [id, i + 1, 3]),
    );
    expect(new Set(asks.map(({ batch }) => batch.id)).size).toBe(1);
    expect(listed.text).toContain('(2 of 3): “Name?”');
  });

  it('a batch of one has the form of a batch', async () => {
    const asked = askAll(20_000, [NAME]);
    const { askId } = await answer(coordinator, 'Name?', { text: 'one' });
    const result = await asked;
    expect([result.outcome, ids(result), told(result)[0]?.answer]).toEqual(['answered', [askId], 'one']);
  });

  it('a header that is too long is a hint which names its question', async () => {
    const result = await askAll(20, [NAME, { ...COLOUR, header: 'much too long for it' }]);
    expect(result.data.notes).toEqual([expect.stringMatching(/^questions\[1\]: Hint/)]);
  });

  it.each<[field: string, reason: string, tool: string, args: Record<string, unknown>]>([
    ['questions', 'must have 1 question or more', 'ask_user', { questions: [] }],
    [
      'questions',
      'at most 4 questions',
      'ask_user',
      { questions: ['a', 'b', 'c', 'd', 'e'].map((question) => ({ question })) },
    ],
    ['questions', 'excludes question', 'ask_user', { question: 'Q', questions: [NAME] }],
    ['questions', 'must be a list', 'ask_user', { questions: NAME }],
    [
      'options[0]',
      'must be an object: { "id": "…", "label": "…" }',
      'ask_user',
      { question: 'Q', options: ['a', 'b'] },
    ],
    ['questions[1]', 'must be an object: { "question": "…" }', 'ask_user', { questions: [NAME, 'Q'] }],
    ['questions[1].question', 'is missing', 'ask_user', { questions: [NAME, { header: 'h' }] }],
    ['questions[0].free_text', 'is false', 'ask_user', { questions: [{ question: 'Q', free_text: false }] }],
    ['questions[0].hold_seconds', 'is not a field', 'ask_user', { questions: [{ question: 'Q', hold_seconds: 1 }] }],
    ['header', 'belongs to one question', 'ask_user', { questions: [NAME], header: 'h' }],
    ['options', 'belongs to one question', 'ask_user', { questions: [NAME], options: [] }],
    ['question', 'is missing; give it, or questions', 'ask_user', { hold_seconds: 1 }],
    ['ask_id', 'is missing; give it, or ask_ids', 'await_answer', { hold_seconds: 0 }],
    ['ask_ids', 'excludes ask_id', 'await_answer', { ask_id: 'a', ask_ids: ['a'] }],
    ['ask_ids', 'must have 1', 'await_answer', { ask_ids: [] }],
    ['ask_ids', 'at most 4', 'await_answer', { ask_ids: ['a', 'b', 'c', 'd', 'e'] }],
    ['ask_ids', 'twice', 'await_answer', { ask_ids: ['a', 'a'] }],
  ])('[I11] names %s, which %s (%s)', async (field, reason, tool, args) => {
    const result = await wired.agent.call(tool, args);
    expect(result).toMatchObject({ outcome: 'invalid', isError: true });
    expect([result.data.field, result.data.reason]).toEqual([field, expect.stringContaining(reason)]);
    expect(await coordinator.list()).toEqual([]);
  });

  it('a host that closes tells what is open, with what was answered', async () => {
    const host = await TestHost.start(coordinator);
    const { agent } = await host.client();
    const asked = agent.call('ask_user', { questions: [COLOUR, NAME], hold_seconds: 20 });
    await answer(coordinator, 'Name?', { text: 'Fido' });
    await host.mcp.close();
    const result = await asked;
    expect([result.outcome, words(result)]).toEqual(['partly_answered', ['pending', 'answered']]);
    await host.crash();
  });
});

describe('a batch and the journal', () => {
  it('the same question twice is refused, and nothing is put', async () => {
    const coordinator = await openCoordinator({ store: memoryStore() });
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    const result = await agent.call('ask_user', { questions: [NAME, COLOUR, NAME] });
    expect(result.data).toMatchObject({ outcome: 'invalid', field: 'questions[2].question' });
    expect(result.data.reason).toBe('is the same question as questions[0]; ask it once');
    expect(await coordinator.list()).toEqual([]);
    await server.close();
    await coordinator.close();
  });

  it('an equal question of the same session gets the earlier answer in its own place only', async () => {
    const coordinator = await openCoordinator({ store: memoryStore() });
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    const { askId } = await agent.ask('Name?');
    await answer(coordinator, 'Name?', { text: 'once' });
    const result = await agent.call('ask_user', { questions: THREE, hold_seconds: 0.02 });
    expect([result.outcome, words(result), result.earlier]).toEqual([
      'partly_answered',
      ['pending', 'recovered', 'pending'],
      [],
    ]);
    expect(told(result)[1]).toMatchObject({ answer: 'once', from_ask_id: askId, possible_repeat: false });
    expect(result.text.split('once')).toHaveLength(2);
    await server.close();
    await coordinator.close();
  });

  it('losses are told once, with a token of their own that is acknowledged like the others', async () => {
    const coordinator = await openCoordinator({ store: memoryStore(), limits: { entriesPerTab: 1 }, logger: QUIET });
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    for (const question of ['A?', 'B?']) await agent.ask(question);
    for (const question of ['A?', 'B?']) await answer(coordinator, question, { text: question });
    const result = await agent.call('ask_user', { questions: [COLOUR, NAME], hold_seconds: 0.02 });
    expect(result.data).toMatchObject({ dropped_answers: 1, dropped_token: expect.any(String) });
    await agent.call('ack_answers', { tokens: [String(result.data.dropped_token)] });
    expect((await agent.ask('D?')).data.dropped_answers).toBeUndefined();
    await server.close();
    await coordinator.close();
  });
});
