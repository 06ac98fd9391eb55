/** What a durable call asks: on file before it is put, found again in its place, and asked of nobody else's. */
import { describe, expect, it } from 'vitest';
import { ReadbackError } from '../../src/errors.ts';
import { macrotask } from '../../src/testing/tools/rig.ts';
import type { ToolContext } from '../../src/tools/types.ts';
import { BOUNDARY, File, Held, Journal, never, World, type WorldOptions } from './durable-rig.ts';

type Ask = { by: string; number: number; digest: string; askId: string };
const asksOf = (file: File): Ask[] => (file.row()?.['asks'] ?? []) as never;
const placesOf = (file: File): string[] => asksOf(file).map(({ by, number, askId }) => `${by} ${number} ${askId}`);

/** A tool that asks one after the other, and gives what it was told. */
const asking =
  (...questions: string[]) =>
  async (_args: unknown, { human }: ToolContext): Promise<unknown> => {
    const got: unknown[] = [];
    for (const question of questions) got.push(((await human(question)) as { text: string }).text);
    return got;
  };

const world = (execute: (args: never, context: ToolContext) => unknown, more: WorldOptions = {}): World =>
  new World(new File(), new Journal(), execute, more);
/** The next process over the same file and journal. */
const next = ({ file, journal }: World, execute: (args: never, context: ToolContext) => unknown, more = {}): World =>
  new World(file, journal, execute, more);

describe('a question of a call', () => {
  it.each(['executor', 'callback'] as const)('[TL-H04, TL-H05] of its %s is on file before it is put', async (by) => {
    const tool = by === 'executor' ? { execute: asking('Send it?') } : { streamCall: asking('Send it?') };
    const own = world(never, { tool: tool as never });
    const seen: unknown[] = [];
    own.journal.watch = () => seen.push(own.file.row());
    const { abort } = await own.run('t', 'x', by === 'executor' ? 'execute' : 'streamCall');
    const asks = [{ by, number: 1, digest: 'digest of Send it?', askId: 'a1' }];
    // What a callback asks says nothing of the executor.
    const state = by === 'executor' ? 'asking' : 'open';
    expect(seen).toStrictEqual([{ boundary: BOUNDARY, toolCallId: 't', toolName: 'x', state, asks }]);
    expect(own.journal.options.get('a1')).toMatchObject({ tab: 'tab', signal: { aborted: false } });
    expect(own.journal.options.get('a1')?.supersedes).toBeUndefined();
    expect([own.calls.asking, own.calls.running]).toEqual([by === 'executor' ? ['t'] : [], []]);
    abort();
    expect(own.journal.options.get('a1')?.signal?.aborted).toBe(true);
  });

  it('[TL-H04] waits as long as the call lives, whatever its card says, and keeps what else the card says', async () => {
    const options = { tab: 'tab', from: 'me', timeoutMs: 5, supersedes: 'a0' } as never;
    const own = world(asking('Send it?'), { question: () => ({ question: { question: 'Sure?' }, options }) });
    await own.run();
    expect(own.journal.options.get('a1')).toMatchObject({ from: 'me', timeoutMs: 2_147_483_647 });
    expect(own.journal.options.get('a1')?.supersedes).toBeUndefined();
  });

  it('[TL-H04] is found again in its place: that of its part, and which one it is there', async () => {
    const tool = { execute: asking('One?', 'Two?', 'Three?'), streamCall: asking('One?', 'Two?') } as never;
    const first = world(never, { tool });
    await first.run('t', 'x', 'streamCall');
    await first.journal.answer('a1');
    await first.journal.answer('a2');
    await first.run();
    await first.journal.answer('a3');
    await first.journal.answer('a4');
    const places = ['callback 1 a1', 'callback 2 a2', 'executor 1 a3', 'executor 2 a4', 'executor 3 a5'];
    expect(placesOf(first.file)).toEqual(places);
    const second = next(first, never, { tool });
    second.journal.log.length = 0;
    await second.run('t', 'x', 'streamCall');
    await second.journal.answer('a1');
    expect(second.file.notes.at(-1)).toBe('call_adjourned t x');
    await second.journal.answer('a2');
    const { said } = await second.run();
    for (const askId of ['a3', 'a4', 'a5']) await second.journal.answer(askId, askId);
    const asked = second.journal.log.filter((line) => /^(put|wait)/.test(line));
    expect([said, asked]).toEqual([undefined, ['wait a1', 'wait a2', 'wait a3', 'wait a4', 'wait a5']]);
    expect([placesOf(second.file), second.file.row()?.['outcome']]).toEqual([
      places,
      { result: ['a3', 'a4', 'a5'], isError: false },
    ]);
  });

  it('[TL-H04] that is another one than stood there takes the place of that one, and of no other', async () => {
    const first = world(never, { tool: { execute: asking('One?', 'Two?'), streamCall: asking('One?') } as never });
    await first.run('t', 'x', 'streamCall');
    await first.journal.answer('a1');
    await first.run();
    await first.journal.answer('a2');
    const second = next(first, asking('One?', 'Other?'));
    await second.run();
    await second.journal.answer('a2');
    expect(second.journal.options.get('a4')?.supersedes).toBe('a3');
    expect(placesOf(second.file)).toEqual(['callback 1 a1', 'executor 1 a2', 'executor 2 a4']);
    expect(second.unknown).toEqual([{ toolCallId: 't', toolName: 'x', waited: true, asks: ['a1', 'a2', 'a3'] }]);
  });

  it('[TL-H04] that is on file and was never put is put under a new name, which is on file first', async () => {
    const first = world(asking('Send it?'));
    await first.run();
    const second = next(first, asking('Send it?'));
    const seen: unknown[] = [];
    second.journal.watch = () => seen.push(placesOf(second.file));
    const { said } = await second.run();
    await second.journal.end('a1', 'unknown');
    expect([said, seen, second.journal.log]).toEqual([undefined, [['executor 1 a2']], ['put a1', 'wait a1', 'put a2']]);
    expect(second.journal.options.get('a2')?.supersedes).toBeUndefined();
    await second.journal.answer('a2');
    expect(second.journal.log.slice(-2)).toEqual(['put a2', 'ack a2']);
  });

  it('[TL-H04, TL-H06] that was never put is not put for a tool that waits no more', async () => {
    const first = world(asking('Send it?'));
    await first.run();
    const second = next(first, asking('Send it?'));
    const execution = await second.run();
    execution.abort();
    await second.journal.end('a1', 'unknown');
    expect([second.journal.log, placesOf(second.file)]).toEqual([['put a1', 'wait a1'], ['executor 1 a1']]);
  });

  it.each([
    ['the host has no card for it', { question: () => undefined }],
    ['the host has none and says null', { question: () => null as never }],
    ['the host has no cards', { question: undefined }],
    ['there is no journal', { asks: null }],
  ])('is left to the host where %s', async (_why, more) => {
    const own = world((_args, { human }) => human('Send it?'), more);
    const execution = await own.run();
    expect([own.journal.log, own.file.state(), own.isParked()]).toEqual([[], 'asking', true]);
    expect(own.resume('t', 'by the host')).toBe(true);
    await macrotask();
    expect(execution.said).toEqual({ value: 'by the host' });
  });

  it('of a callback that the host answers leaves no trace on file', async () => {
    const own = world(never, { question: () => undefined, tool: { streamCall: asking('Send it?') } as never });
    await own.run('t', 'x', 'streamCall');
    own.resume('t', { text: 'yes' });
    await macrotask();
    expect([own.file.notes, own.file.row()]).toEqual([[], undefined]);
  });

  it.each([
    ['a promise', () => Promise.resolve(undefined)],
    ['a promise that is rejected', () => Promise.reject(new Error('later'))],
    ['a text', () => 'Send it?'],
    ['a card without a question', () => ({ options: { tab: 'tab' } })],
    ['a card without options', () => ({ question: { question: 'Send it?' } })],
  ])('for which the host gives %s is refused where the tool waits, and says which field', async (_what, question) => {
    const own = world(asking('Send it?'), { question: question as never });
    const { said } = await own.run();
    expect(said).toMatchObject({ error: { code: 'invalid_input', field: 'question' } });
    expect(said).toMatchObject({
      error: { message: expect.stringMatching(/gave a promise.*give \{ question, options \}/) },
    });
    expect([own.journal.log, own.isParked(), own.file.state()]).toEqual([[], false, 'failed']);
  });

  it('[TL-H08] is refused at its bound, and a tool that was refused goes on', async () => {
    const own = world(
      async (_args, context) => {
        const got: unknown[] = [];
        for (const question of ['One?', 'Two?', 'Three?']) got.push(await context.human(question).catch(String));
        return got;
      },
      { limits: { questions: 2 } },
    );
    const execution = await own.run();
    await own.journal.answer('a1');
    await own.journal.answer('a2');
    const refusal = expect.stringContaining('This call has asked 2 questions, and no more are put.');
    expect(execution.said).toEqual({ value: [expect.anything(), expect.anything(), refusal] });
    expect(own.journal.log).toEqual(['put a1', 'put a2', 'ack a1', 'ack a2']);
  });
});

describe('whether a question is let in', () => {
  it('[TL-H09] is asked of a callback, and not of an executor, which was let in already', async () => {
    for (const part of ['execute', 'streamCall'] as const) {
      const gate = new Held();
      let isShut = false;
      const later = async (_args: unknown, context: ToolContext): Promise<unknown> => {
        await gate.promise;
        return context.human('Send it?');
      };
      const admit = (): void => {
        if (isShut) throw new ReadbackError('too_many', 'Full.');
      };
      const own = world(never, { admit, tool: { [part]: later } as never });
      const execution = await own.run('t', 'x', part);
      isShut = true;
      gate.resolve();
      await macrotask();
      expect(own.journal.log).toEqual(part === 'execute' ? ['put a1'] : []);
      if (part === 'streamCall') expect(execution.said).toMatchObject({ error: { code: 'too_many' } });
      else expect(execution.said).toBeUndefined();
    }
  });

  it.each(['closed', 'retiring'] as const)(
    '[TL-H06] by a process that is %s: it stays parked, before a card is put and while one is',
    async (code) => {
      const leaving = new ReadbackError(code, 'It ends.');
      let isLeaving = false;
      const admit = (): void => {
        if (isLeaving) throw leaving;
      };
      const callback = world(never, { admit, tool: { streamCall: asking('Send it?') } as never });
      isLeaving = true;
      const early = await callback.run('t', 'x', 'streamCall');
      expect([early.said, callback.isParked(), callback.journal.log]).toEqual([undefined, true, []]);
      isLeaving = false;
      const own = world(asking('Send it?'));
      const execution = await own.run();
      await own.journal.end('a1', leaving);
      expect([execution.said, own.isParked(), own.file.state()]).toEqual([undefined, true, 'asking']);
    },
  );

  it('[TL-H06] a card that cannot be put is an error where the tool waits', async () => {
    for (const error of [new Error('disk full'), new ReadbackError('disk_full', 'Full.')]) {
      const own = world(asking('Send it?'));
      const execution = await own.run();
      await own.journal.end('a1', error);
      expect([execution.said, own.file.state()]).toEqual([{ error }, 'failed']);
    }
  });

  it('[TL-H04, TL-H09] is a question of an execution that has ended, or was taken over: it is the host’s, without a card', async () => {
    for (const how of ['ended', 'taken over', 'taken over by the hook for cards'] as const) {
      const gate = new Held();
      const late: Promise<unknown>[] = [];
      let begins = 0;
      const own: World = world(
        async (_args, context) => {
          begins += 1;
          if (begins > 1) return never();
          const asks = gate.promise.then(() => context.human('Send it?'));
          late.push(asks);
          return how === 'ended' ? 'done' : asks;
        },
        {
          question: (payload) => {
            if (how === 'taken over by the hook for cards') own.begin();
            return { question: { question: String(payload) }, options: { tab: 'tab' } };
          },
        },
      );
      await own.run();
      if (how === 'taken over') await own.run();
      const before = own.file.state();
      gate.resolve();
      await macrotask();
      expect([how, own.journal.log, own.isParked(), asksOf(own.file)]).toEqual([how, [], true, []]);
      expect(own.file.state()).toBe(how === 'taken over by the hook for cards' ? 'claimed' : before);
      own.resume('t', 'by the host');
      await expect(late[0]).resolves.toBe('by the host');
    }
  });
});
