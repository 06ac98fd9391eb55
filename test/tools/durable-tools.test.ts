/** What a host gives to durable calls, and what it says of one that is not known: what is taken, and what is refused. */
import { describe, expect, it } from 'vitest';
import { macrotask } from '../../src/testing/tools/rig.ts';
import type { Card } from '../../src/tools/call-questions.ts';
import { createToolCalls, type DurableOptions, UNKNOWN, type UnknownDecision } from '../../src/tools/durable.ts';
import type { ToolContext, ToolSpec } from '../../src/tools/types.ts';
import { File, Held, Journal, never, World, type WorldOptions } from './durable-rig.ts';

type Execute = (args: never, context: ToolContext) => unknown;
const over = (file: File, execute: Execute, more: WorldOptions = {}): World =>
  new World(file, new Journal(), execute, more);
const durable = (more: Record<string, unknown>): ((name: string) => ToolSpec | undefined) =>
  createToolCalls({ ledger: new File().ledger }).durable({
    tools: () => undefined,
    resume: () => true,
    boundary: 'b',
    ...more,
  } as DurableOptions);

describe('what a host gives', () => {
  it.each([
    ['tools', undefined, 'is no function; give the one that finds a tool by its name'],
    ['tools', {}, 'is no function; give the one that finds a tool by its name'],
    ['resume', undefined, "is no function; give the tracker's resume"],
    ['boundary', undefined, 'must be text of 1 to 512 characters that names the conversation'],
    ['boundary', 7, 'must be text of 1 to 512 characters that names the conversation'],
    ['boundary', ['b'], 'must be text of 1 to 512 characters that names the conversation'],
    ['boundary', '', 'must be text of 1 to 512 characters that names the conversation'],
    ['boundary', 'b'.repeat(513), 'must be text of 1 to 512 characters that names the conversation'],
  ])('is refused where %s is %j', (field, value, why) => {
    const message = expect.stringContaining(`${field}: ${why}.`);
    expect(() => durable({ [field]: value })).toThrow(
      expect.objectContaining({ code: 'invalid_input', field, message }),
    );
  });

  it('is a tool only where it is an object, as for a tracker', () => {
    for (const tool of [undefined, null, 'text', 7, () => 'done'])
      expect(durable({ tools: () => tool })('x')).toBeUndefined();
  });

  it('is no more of a tool than it had, and what is no function there is none', () => {
    const all = { execute: never, onInvalid: never, streamCall: never, toModelOutput: () => [] };
    for (const [name, own] of Object.entries(all)) {
      const tool = { parameters: 1, [name]: own };
      expect(Object.keys(durable({ tools: () => tool })('x') ?? {})).toEqual(['parameters', name]);
      expect(Object.keys(durable({ tools: () => ({ ...tool, [name]: 'text' }) })('x') ?? {})).toEqual(['parameters']);
    }
  });

  it('is called as its own: tools and hosts may be objects that know themselves', async () => {
    const seen: unknown[] = [];
    function note(this: unknown): undefined {
      seen.push(this);
    }
    const context = { toolCallId: 't', abortSignal: new AbortController().signal, human: never };
    for (const name of ['execute', 'onInvalid', 'streamCall', 'toModelOutput'] as const) {
      const tool = { [name]: note };
      const wrapped = durable({ tools: () => tool })('x') as never as Record<typeof name, Execute>;
      await wrapped[name]({} as never, context);
      expect(seen.splice(0), name).toEqual([tool]);
    }
    class Host {
      readonly boundary = 'b';
      tools(): ToolSpec {
        note.call(this);
        return { execute: (_args: never, { human }: ToolContext) => human('Send it?') };
      }
      question(): Card {
        note.call(this);
        return { question: { question: 'Send it?' }, options: { tab: 'tab' } };
      }
      resume(): boolean {
        note.call(this);
        return true;
      }
      onUnknown(): UnknownDecision {
        note.call(this);
        return { again: true };
      }
    }
    const [host, journal] = [new Host(), new Journal()];
    const { ledger } = new File().keep({ boundary: 'b', state: 'claimed' });
    const tools = createToolCalls({ ledger, asks: journal }).durable(host);
    void tools('x')?.execute?.({} as never, context);
    await macrotask();
    await journal.answer('a1');
    expect(seen).toEqual([host, host, host, host]);
  });

  it('[TL-H04] is a callback whose questions are found again in the next process', async () => {
    const file = new File();
    const journal = new Journal();
    const tool = { streamCall: (_reader: unknown, { human }: ToolContext) => human('Send it?') } as never;
    await new World(file, journal, never, { tool }).run('t', 'x', 'streamCall');
    await new World(file, journal, never, { tool }).run('t', 'x', 'streamCall');
    expect(journal.log).toEqual(['put a1', 'wait a1']);
  });

  it('[TL-H07] need be no place where questions are asked, also where an earlier process had one', async () => {
    const asks = [{ by: 'executor', number: 1, digest: 'd', askId: 'a1' }];
    const own = over(new File().keep({ state: 'adjourned', asks }), () => 'done', { asks: null });
    expect((await own.run()).said).toEqual({ value: 'done' });
    expect(own.file.row()).toMatchObject({ state: 'done', asks });
  });
});

describe('[TL-H03] what a host says of a call that is not known', () => {
  const unknown = (): File => new File().keep({ state: 'unknown' });

  it.each([
    [{ result: 'sent' }, { result: 'sent', isError: false }],
    [
      { result: 'sent', isError: true },
      { result: 'sent', isError: true },
    ],
    [
      { again: undefined, result: 'sent' },
      { result: 'sent', isError: false },
    ],
    [{ result: undefined }, { result: '<no result>', isError: false }],
    [{ result: null }, { result: null, isError: false }],
  ])('is what came of it: %j', async (decision, outcome) => {
    const own = over(unknown(), () => 'ran', { onUnknown: () => decision as never });
    expect((await own.run()).said).toMatchObject({ value: outcome });
    expect([own.file.state(), own.file.row()?.['outcome']]).toEqual(['done', outcome]);
  });

  it.each([{ again: true }, { again: true, result: 'sent' }])('is that it runs again: %j', async (decision) => {
    const own = over(unknown(), () => 'ran', { onUnknown: async () => decision as never });
    expect([(await own.run()).said, own.file.notes]).toEqual([{ value: 'ran' }, ['call_claimed t x', 'call_done t x']]);
  });

  it.each([undefined, null, 'again', 7, {}, [], { again: false }, { again: 1 }, { again: false, result: 1 }])(
    'is refused where it is %j: the call stays as it is, and the host is asked again',
    async (decision) => {
      const own = over(unknown(), () => 'ran', { onUnknown: () => decision as never });
      for (const _ of [1, 2]) {
        const { said } = await own.run();
        const why = 'onUnknown: must say { again: true }, or { result } with what came of the call.';
        expect(said).toMatchObject({ error: { field: 'onUnknown', message: expect.stringContaining(why) } });
      }
      expect([own.file.notes, own.calls.running]).toEqual([[], []]);
    },
  );

  it('counts no more where the call was let go meanwhile, or another execution has it', async () => {
    for (const how of ['aborted', 'taken over'] as const) {
      for (const decision of [{ again: true as const }, { result: 'sent' }]) {
        const gate = new Held();
        const own = over(unknown(), () => 'ran', { onUnknown: () => gate.promise.then(() => decision) });
        const first = await own.run();
        if (how === 'aborted') first.abort();
        else own.begin();
        await macrotask();
        gate.resolve();
        await macrotask();
        expect(first.said).toMatchObject({ value: { result: UNKNOWN, isError: true } });
        expect(own.file.notes.length).toBe(how === 'aborted' ? 0 : 'again' in decision ? 2 : 1);
      }
    }
  });

  it('[TL-H09] is asked of an execution of this process that has not ended too, and not of one that has', async () => {
    const file = new File();
    const own = over(file, never);
    await own.run();
    await own.run();
    expect([own.unknown.length, file.notes]).toEqual([1, ['call_claimed t x', 'call_unknown t x', 'call_claimed t x']]);
    const ended = over(new File(), () => 'ran');
    for (const _ of [1, 2]) await ended.run();
    expect([ended.unknown, ended.file.notes]).toEqual([[], ['call_claimed t x', 'call_done t x']]);
  });
});
