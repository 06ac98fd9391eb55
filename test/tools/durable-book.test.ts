/** The rows of durable calls: bounds, what is refused when it is read, what is said, and files that cannot be written. */
import { describe, expect, it, vi } from 'vitest';
import { CALL_LIMITS, createToolCalls, UNKEPT, UNKNOWN } from '../../src/tools/durable.ts';
import type { ToolContext } from '../../src/tools/types.ts';
import { File, Held, idOf, Journal, never, World, type WorldOptions } from './durable-rig.ts';

type Execute = (args: never, context: ToolContext) => unknown;
const over = (file: File, execute: Execute = () => 'done', more: WorldOptions = {}): World =>
  new World(file, new Journal(), execute, more);
const ids = (file: File): string[] => [...file.rows.values()].map(({ toolCallId }) => String(toolCallId));

describe('[TL-H03] a file that is read', () => {
  it('is written only for what was under way, in one commit, and what that step was is told', () => {
    const file = new File()
      .keep({ toolCallId: 'a', state: 'claimed' })
      .keep({ toolCallId: 'b', outcome: { result: 1 } });
    file.keep({ toolCallId: 'c', state: 'asking' }).keep({ toolCallId: 'd', state: 'open' });
    const commits: number[] = [];
    file.watch = ({ length }) => commits.push(length);
    const told: unknown[] = [];
    over(file, never, { told: (id, state, event) => told.push([id, state, event?.type]) });
    expect([commits, file.notes]).toEqual([[2], ['call_unknown a x', 'call_adjourned c x']]);
    expect(told).toEqual([
      [idOf('a'), 'claimed', 'RESTART'],
      [idOf('c'), 'asking', 'RESTART'],
    ]);
    expect(['a', 'b', 'c', 'd'].map((id) => file.state(id))).toEqual(['unknown', 'done', 'adjourned', 'open']);
    over(file);
    expect(commits).toEqual([2]);
  });

  const ASK = { by: 'executor', number: 1, digest: 'd', askId: 'a1' };
  const BAD: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['no boundary', { boundary: undefined }, 'boundary is no text'],
    ['no tool', { toolName: 7 }, 'toolName is no text'],
    ['a state that is no text', { state: 7 }, 'state is no text'],
    ['an unknown state', { state: 'toString' }, 'there is no state "toString"'],
    ['a long state', { state: 's'.repeat(99) }, `there is no state "${'s'.repeat(64)}"`],
    ['asks that are no list', { asks: 'none' }, 'asks is no list'],
    ['a question that is text', { asks: ['Send it?'] }, 'a question is no object'],
    ['a question that is null', { asks: [null] }, 'a question is no object'],
    ['a question of nobody', { asks: [{ ...ASK, by: 'model' }] }, 'a question has no asker'],
    ['a question without a place', { asks: [{ ...ASK, number: '1' }] }, 'the number of a question is no number'],
    ['a question without an ask', { asks: [{ ...ASK, askId: null }] }, 'askId is no text'],
    ['an outcome that is text', { outcome: 'done' }, 'outcome is no object'],
    ['an outcome that is null', { outcome: null }, 'outcome is no object'],
    ['an unknown reason', { unkept: 'because' }, 'why there is no outcome is no known reason'],
  ];
  it.each(BAD)('is refused with %s, and that is said', (_what, row, why) => {
    const message = expect.stringContaining(`A row of a tool call cannot be read: ${why}.`);
    const opening = (): unknown => over(new File().keep(row));
    expect(opening).toThrow(expect.objectContaining({ code: 'store_unreadable', message }));
  });

  it('is read with all that a call can have, and written with nothing more than it has', async () => {
    const asks = [{ ...ASK, by: 'callback' }, ASK];
    for (const unkept of ['too_large', 'not_json', 'bound']) {
      const file = new File().keep({ asks, unkept, toolCallId: 'kept' });
      expect(await over(file).run('kept')).toMatchObject({ said: { value: { result: UNKEPT, isError: true } } });
    }
    const file = new File().keep({ asks, state: 'unknown' });
    await over(file, never).run();
    expect(file.row()).toStrictEqual({ boundary: 'chat-1#0', toolCallId: 't', toolName: 'x', state: 'claimed', asks });
  });
});

describe('[TL-H08] a bound', () => {
  it('of an outcome, a name and a boundary is the longest that is taken', async () => {
    const file = new File();
    const own = over(file, () => 'done', { limits: { name: 3 } });
    const tools = createToolCalls({ ledger: file.ledger });
    const long = (length: number): string => 'b'.repeat(length);
    const host = { tools: () => undefined, resume: () => true };
    expect(() => tools.durable({ ...host, boundary: long(CALL_LIMITS.name) })).not.toThrow();
    expect(await own.run('abc', 'xyz')).toMatchObject({ said: { value: 'done' } });
    expect((await own.run('abcd', 'x')).said).toMatchObject({
      error: {
        code: 'invalid_input',
        field: 'toolCallId',
        message: expect.stringContaining('is 4 characters long; at most 3'),
      },
    });
    expect((await own.run('abc', 'wxyz')).said).toMatchObject({ error: { code: 'invalid_input', field: 'toolName' } });
    const sized = (text: string): World =>
      over(new File(), () => text, { limits: { outcome: '{"result":"12345","isError":false}'.length } });
    const [fits, exceeds] = [sized('12345'), sized('123456')];
    await fits.run();
    await exceeds.run();
    expect([fits.file.row()?.['outcome'], fits.warned]).toEqual([{ result: '12345', isError: false }, []]);
    expect([exceeds.file.row()?.['outcome'], exceeds.file.row()?.['unkept']]).toEqual([undefined, 'too_large']);
    expect(exceeds.warned).toEqual([
      `the outcome of the tool call ${idOf()} is not kept: it is 35 characters long, and 34 are kept`,
    ]);
  });

  it('takes the oldest call once, with its outcome, and says so once', async () => {
    const file = new File();
    const own = over(file, () => 'done', { limits: { kept: 2, outcomes: 2 } });
    for (const id of ['a', 'b', 'c', 'd']) await own.run(id);
    expect(ids(file)).toEqual(['c', 'd']);
    const gone = file.notes.filter((note) => !/claimed|done/.test(note));
    expect(gone).toEqual(['call_forgotten a x', 'call_forgotten b x']);
    expect(own.warned).toEqual(
      ['a', 'b'].map((id) => `the bound of 2 tool calls took ${idOf(id)}; should it come back it could run`),
    );
    const again = await own.run('a');
    expect(again.said).toEqual({ value: 'done' });
  });

  it('of outcomes takes no call, and says of which call it took one', async () => {
    const file = new File();
    const own = over(file, () => 'done', { limits: { outcomes: 1 } });
    for (const id of ['a', 'b']) await own.run(id);
    expect(file.notes).toEqual([
      'call_claimed a x',
      'call_done a x',
      'call_claimed b x',
      'call_done b x',
      'call_outcome_dropped a x',
    ]);
    expect([file.state('a'), file.row('a')?.['unkept'], own.warned]).toEqual([
      'done',
      'bound',
      [`the bound of 1 outcomes took that of the tool call ${idOf('a')}`],
    ]);
    expect((await own.run('a')).said).toMatchObject({ value: { result: UNKEPT, isError: true } });
  });

  it('that was lowered meanwhile takes nothing that is taken up just now, nor anything in its stead', async () => {
    const file = new File().keep({ toolCallId: 'a', state: 'unknown' }).keep({ toolCallId: 'b', state: 'unknown' });
    const own = over(file, never, { limits: { kept: 1 } });
    await own.run('b');
    expect([ids(file), file.state('b'), own.warned]).toEqual([['a', 'b'], 'claimed', []]);
  });

  it('that was lowered meanwhile takes others than a call that asks just now, however old', async () => {
    const file = new File().keep({ toolCallId: 'a', state: 'open' });
    for (const id of ['b', 'c']) file.keep({ toolCallId: id, outcome: { result: id } });
    const own = over(file, never, {
      limits: { kept: 1 },
      tool: { streamCall: (_: never, c: ToolContext) => c.human('?') },
    });
    await own.run('a', 'x', 'streamCall');
    expect([ids(file), file.row('a')?.['asks']]).toEqual([['a'], [expect.anything()]]);
  });

  it('takes a call of which the host is asked: what it says is given all the same, and a new run is on file', async () => {
    for (const decision of [{ result: 'by hand' }, { again: true as const }]) {
      const file = new File().keep({ toolCallId: 'a', state: 'unknown' });
      const gate = new Held();
      const own = over(file, () => 'done', { limits: { kept: 1 }, onUnknown: () => gate.promise.then(() => decision) });
      const asked = await own.run('a');
      await own.run('b');
      expect(ids(file)).toEqual(['b']);
      gate.resolve();
      await own.run('c');
      if ('again' in decision)
        expect([asked.said, file.notes]).toEqual([{ value: 'done' }, expect.arrayContaining(['call_claimed a x'])]);
      else expect(asked.said).toMatchObject({ value: { result: 'by hand', isError: false } });
      expect(own.warned.filter((text) => text.includes('not on file'))).toEqual([]);
    }
  });
});

describe('a file that cannot be written', () => {
  it('[TL-H03] leaves a call that ran as unknown in the same process, with its questions, and says so', async () => {
    const file = new File();
    const own: World = over(file, async (_args, { human }) => {
      await human('Send it?');
      file.isRefusing = true;
      return 'sent';
    });
    const first = await own.run();
    await own.journal.answer('a1');
    expect(first.said).toEqual({ value: 'sent' });
    expect(own.warned).toEqual([`how the tool call ${idOf()} ended is not on file: disk full`]);
    expect(own.journal.log).toEqual(['put a1']);
    file.isRefusing = false;
    await own.run();
    expect(own.unknown).toEqual([{ toolCallId: 't', toolName: 'x', waited: false, asks: ['a1'] }]);
    // It is let in again, and asks again in the same place.
    expect(own.journal.log).toEqual(['put a1', 'wait a1']);
  });

  it('[TL-H03] tells of such a call what is known of it then', async () => {
    const file = new File();
    const told: unknown[] = [];
    const own = over(
      file,
      () => {
        file.isRefusing = true;
        return 'sent';
      },
      { told: (id, state, event) => told.push([id, state, event?.type]) },
    );
    await own.run();
    expect(told).toEqual([
      [idOf(), undefined, 'CLAIM'],
      [idOf(), 'claimed', 'RESTART'],
    ]);
  });

  it('can be looked at while it is written which calls run', async () => {
    const file = new File();
    const seen: unknown[] = [];
    const own: World = over(file);
    file.watch = () => seen.push([own.calls.running, own.calls.asking]);
    const { said } = await own.run();
    expect([said, seen[0]]).toEqual([{ value: 'done' }, [['t'], []]]);
    expect([own.calls.running, own.calls.asking]).toEqual([[], []]);
  });
});

describe('what is said', () => {
  it('goes to the console where the host names no place', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const calls = createToolCalls({ ledger: new File().ledger, limits: { outcome: 1 } });
    const tools = calls.durable({ tools: () => ({ execute: () => 'long' }), boundary: 'b', resume: () => false });
    const context = { toolCallId: 't', abortSignal: new AbortController().signal, human: never };
    await tools('x')?.execute?.({} as never, context);
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^readback tools: the outcome of the tool call \["b","t"\] is not kept: it is \d+ characters/,
        ),
      ],
    ]);
    warn.mockRestore();
  });

  it('of a call whose outcome is not known, or no longer on file, is a sentence', () => {
    expect(UNKNOWN).toMatch(/^It is not known whether this call ran: its process ended/);
    expect(UNKEPT).toMatch(/^This call ran, and does not run again; its outcome is no longer on file/);
  });
});
