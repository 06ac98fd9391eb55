/** What becomes of an answer to a durable call: who gets it, what is on file before, and when it counts as used. */
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { macrotask, microtasks } from '../../src/testing/tools/rig.ts';
import { NoAnswer } from '../../src/tools/durable.ts';
import type { ToolContext } from '../../src/tools/types.ts';
import { type Execution, File, Held, idOf, Journal, never, World, type WorldOptions } from './durable-rig.ts';

type Execute = (args: never, context: ToolContext) => unknown;
const world = (execute: Execute, more: WorldOptions = {}): World => new World(new File(), new Journal(), execute, more);
const next = ({ file, journal }: World, execute: Execute, more: WorldOptions = {}): World =>
  new World(file, journal, execute, more);

/** A tool that asks once and gives what it got, once it is let go. */
class Asks {
  readonly got: unknown[] = [];
  readonly gate = new Held();
  context: ToolContext | undefined;
  readonly execute: Execute = async (_args, context) => {
    this.context = context;
    const value = await context.human('Send it?').catch((error: unknown) => error ?? 'rejected with nothing');
    this.got.push(value);
    await this.gate.promise;
    context.abortSignal.throwIfAborted();
    return 'done';
  };
}

const PARTS = ['execute', 'streamCall'] as const;
/** The tool of a call of which this part asks. */
const toolOf = (part: (typeof PARTS)[number], execute: Execute): WorldOptions => ({
  tool: { [part]: execute } as never,
});

describe('what a person said', () => {
  it.each(PARTS)(
    '[TL-H06, TL-H07] is used by %s at once where it is a callback, else with the outcome',
    async (part) => {
      for (const outcome of ['answered', 'declined'] as const) {
        const asks = new Asks();
        const own = world(never, toolOf(part, asks.execute));
        await own.run('t', 'x', part);
        await own.journal.end('a1', outcome);
        if (outcome === 'answered') expect(asks.got).toMatchObject([{ outcome, askId: 'a1', text: 'yes' }]);
        else expect(asks.got).toMatchObject([{ name: 'NoAnswer', message: 'The person declined to answer' }]);
        expect(own.journal.log).toEqual(part === 'execute' ? ['put a1'] : ['put a1', 'ack a1']);
        asks.gate.resolve();
        await macrotask();
        // One that was used is not taken away as well.
        expect(own.journal.log).toEqual(['put a1', 'ack a1']);
        expect(own.resumed).toHaveLength(1);
      }
    },
  );

  it.each(['expired', 'cancelled', 'superseded'] as const)(
    '[TL-H06] that it is %s is not: the tool is told so, and nothing is used or handed back',
    async (outcome) => {
      const asks = new Asks();
      const own = world(asks.execute);
      await own.run();
      await own.journal.end('a1', outcome);
      expect(asks.got).toEqual([expect.any(NoAnswer)]);
      expect(asks.got).toMatchObject([
        { name: 'NoAnswer', message: `No answer: it is ${outcome}`, outcome: { outcome, askId: 'a1' } },
      ]);
      expect([own.journal.log, own.file.state(), own.calls.running]).toEqual([['put a1'], 'claimed', ['t']]);
      asks.gate.resolve();
      await macrotask();
      expect(own.journal.log).toEqual(['put a1', 'withdraw a1']);
    },
  );

  it.each(['pending', 'undeliverable', 'unknown'] as const)(
    '[TL-H06] that it is %s is not either: the question stays parked, and the host may answer it',
    async (outcome) => {
      const asks = new Asks();
      const own = world(asks.execute);
      await own.run();
      await own.journal.end('a1', outcome);
      expect([asks.got, own.isParked(), own.file.state(), own.resumed]).toEqual([[], true, 'asking', []]);
      own.resume('t', 'by the host');
      await macrotask();
      expect(asks.got).toEqual(['by the host']);
    },
  );

  it('[TL-H07] is neither used nor handed back here where the card names the turn that carries it', async () => {
    for (const end of ['taken', 'not taken'] as const) {
      const asks = new Asks();
      const attach = () => 'turn-1';
      const question = () => ({ question: { question: 'Send it?' }, options: { tab: 'tab', attach } });
      const own = world(asks.execute, { question, ...(end === 'taken' ? {} : { resume: () => false }) });
      await own.run();
      expect(own.journal.options.get('a1')?.attach).toBe(attach);
      await own.journal.answer('a1');
      expect(own.journal.log).toEqual(['put a1']);
    }
  });
});

describe('an answer that nobody takes', () => {
  interface Meanwhile {
    readonly happens: (own: World, execution: Execution, asks: Asks) => unknown;
    readonly more?: WorldOptions;
    /** It happens while the answer is on its way already. */
    readonly isAtOnce?: boolean;
  }
  /** What happens before the answer comes. */
  const MEANWHILE: readonly (readonly [string, Meanwhile])[] = [
    ['aborted in that moment', { happens: (_own, { abort }) => abort(), isAtOnce: true }],
    ['answered by the host', { happens: (own) => own.resume('t', 'by the host') }],
    ['asked something newer', { happens: (_own, _execution, { context }) => void context?.human('Newer?') }],
    ['taken over by another execution', { happens: (own) => own.begin('t', 'x', 'onInvalid'), isAtOnce: true }],
    ['left by a host that says so', { happens: () => undefined, more: { resume: () => false } }],
  ];

  it.each(MEANWHILE)(
    '[TL-H06, TL-H07, TL-H09] of a call that was %s is as it was before',
    async (what, { happens, more, isAtOnce }) => {
      for (const outcome of ['answered', 'declined'] as const) {
        const asks = new Asks();
        const own: World = world(never, { ...more, tool: { execute: asks.execute, onInvalid: never } as never });
        const execution = await own.run();
        if (isAtOnce) void own.journal.end('a1', outcome);
        happens(own, execution, asks);
        await macrotask();
        const [got, resumed] = [[...asks.got], [...own.resumed]];
        await own.journal.end('a1', outcome);
        expect([what, own.journal.log.filter((line) => line !== 'put a2')]).toEqual([what, ['put a1', 'release a1']]);
        // Nobody is told of it, least of all a question that has come after it.
        expect([asks.got, own.resumed]).toEqual([got, resumed]);
      }
    },
  );

  it('[TL-H07, TL-H09] by an execution that was taken over is given to the newer one alone, in whichever view of the host', async () => {
    for (const outcome of ['answered', 'declined'] as const) {
      const asks = new Asks();
      const own = world(asks.execute);
      await own.run();
      const seen = own.view();
      const later = await seen.run();
      await own.journal.end('a1', outcome);
      asks.gate.resolve();
      await macrotask();
      expect([later.said, own.isParked()]).toEqual([{ value: 'done' }, true]);
      expect(own.journal.log).toEqual(['put a1', 'wait a1', 'ack a1']);
    }
  });

  it('[TL-H07] is taken away where the newest question of the call was asked by another part', async () => {
    const asks = new Asks();
    const callback = new Asks();
    const own = world(never, { tool: { execute: asks.execute, streamCall: callback.execute } as never });
    await own.run('t', 'x', 'streamCall');
    await own.run();
    await own.journal.answer('a1');
    expect([callback.got, asks.got, own.isParked()]).toEqual([[expect.any(Error)], [], true]);
    // The older question ended unanswered, and the call still waits for the newer one.
    expect([own.file.state(), own.calls.asking]).toEqual(['asking', ['t']]);
    expect(own.journal.log).toEqual(['put a1', 'put a2', 'release a1']);
  });

  it('leaves nothing at the signal of its host, nor does one that is taken', async () => {
    for (const outcome of ['answered', 'declined', 'expired', 'pending'] as const) {
      const own = world(new Asks().execute);
      const { context } = await own.run();
      const held = (): number => getEventListeners(context.abortSignal, 'abort').length;
      expect(held()).toBe(1);
      await own.journal.end('a1', outcome);
      expect(held()).toBe(0);
    }
  });

  it('[TL-H07] by an earlier execution of its call alone is not used by the outcome of a later one', async () => {
    for (const how of ['taken over', 'aborted'] as const) {
      const asks = new Asks();
      let runs = 0;
      const own = world((args, context) => {
        runs += 1;
        return runs === 1 ? asks.execute(args, context) : 'without asking';
      });
      const first = await own.run();
      await own.journal.answer('a1');
      if (how === 'aborted') {
        first.abort();
        asks.gate.resolve();
        await macrotask();
      }
      const second = await own.run();
      expect([how, own.file.state(), second.said]).toEqual([how, 'done', { value: 'without asking' }]);
      expect(own.journal.log).toEqual(['put a1', 'withdraw a1']);
    }
  });

  it('[TL-H05, TL-H07] because it cannot be written that the tool goes on is handed back, and the others are used', async () => {
    const own = world(async (_args, { human }) => {
      await human('One?');
      return human('Two?').catch(({ message }: Error) => message);
    });
    const execution = await own.run();
    await own.journal.answer('a1');
    own.file.watch = ([change]) => {
      if (change?.note?.event === 'call_claimed') throw new Error('disk full');
    };
    await own.journal.answer('a2');
    expect(execution.said).toEqual({ value: 'disk full' });
    expect(own.journal.log).toEqual(['put a1', 'put a2', 'release a2', 'ack a1', 'withdraw a2']);
    expect(own.file.state()).toBe('done');
  });

  it('[TL-H05] nor does a tool go on unwritten that the host answered', async () => {
    const own = world((_args, { human }) => human('Send it?'));
    const execution = await own.run();
    const full = vi.spyOn(own.file, 'watch').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    own.resume('t', 'by the host');
    await macrotask();
    expect([execution.said, own.journal.log]).toEqual([{ error: new Error('disk full') }, ['put a1', 'withdraw a1']]);
    full.mockRestore();
  });
});

describe('a host that answers in the same moment', () => {
  it.each([undefined, 'by the host'])('[TL-H06] is what counts where it was quicker, also with %s', async (value) => {
    const seen = new Set<boolean>();
    for (const says of ['whether', 'nothing'] as const) {
      for (let after = 0; after < 10; after += 1) {
        const asks = new Asks();
        const own: World = world(asks.execute, {
          resume: (id, payload) => {
            const was = own.resume(id, payload);
            return says === 'whether' ? was : (undefined as never);
          },
        });
        await own.run();
        void own.journal.end('a1', 'expired');
        await microtasks(after);
        const isFirst = own.resume('t', value);
        await macrotask();
        seen.add(isFirst);
        // A host that does not say that it was quicker, and brought nothing, is not told from one that was not.
        if (says === 'nothing' && value === undefined) continue;
        expect(asks.got, `${says}, after ${after}`).toEqual([isFirst ? value : expect.any(NoAnswer)]);
      }
    }
    expect(seen).toEqual(new Set([true, false]));
  });

  it('[TL-H02, TL-H05] or right before or after a call ends leaves the call that has ended as it ended', async () => {
    for (let after = 0; after < 16; after += 1) {
      const gate = new Held();
      const own = world(async (_args, { human }) => {
        void human('Send it?');
        await gate.promise;
        return 'did not wait';
      });
      const execution = await own.run();
      gate.resolve();
      await microtasks(after);
      own.resume('t', 'by the host');
      await macrotask();
      expect(execution.said).toEqual({ value: 'did not wait' });
      const ends = own.file.notes.filter((note) => note === 'call_done t x');
      expect([ends.length, own.file.notes.at(-1)], `after ${after}`).toEqual([1, 'call_done t x']);
    }
  });
});

describe('a host that does not say whether it resumed', () => {
  it.each(['answered', 'expired'] as const)(
    '[TL-H06] an %s question is told, and the answer is not used',
    async (outcome) => {
      const about = 'whether the tool call t took its answer is for resume to say with true or false';
      const failed = 'the answer for the tool call t could not be given to it: too late';
      const HOSTS: readonly (readonly [() => unknown, readonly string[]])[] = [
        [() => undefined, [about]],
        [() => Promise.resolve(true), [about]],
        [() => Promise.reject(new Error('too late')), [about, failed]],
        [
          () => {
            throw new Error('too late');
          },
          [failed],
        ],
      ];
      for (const [says, warned] of HOSTS) {
        const asks = new Asks();
        const own: World = world(asks.execute, {
          resume: (id, payload) => {
            own.resume(id, payload);
            return says() as never;
          },
        });
        await own.run();
        await own.journal.end('a1', outcome);
        expect(asks.got).toEqual([outcome === 'answered' ? expect.anything() : expect.any(NoAnswer)]);
        expect(own.warned).toEqual(warned);
        expect(own.journal.log).toEqual(outcome === 'answered' ? ['put a1', 'release a1'] : ['put a1']);
      }
    },
  );
});

describe('whether a call waits for a person', () => {
  it.each([
    ['an older question of its tool ends', async (_own: World, { human }: ToolContext) => void human('Newer?')],
    ['an execution that was taken over is told so', (own: World) => own.run()],
  ])('[TL-H05, TL-H09] is not changed when %s', async (_what, happens) => {
    const asked: ToolContext[] = [];
    const own = world((_args, context) => {
      asked.push(context);
      return context.human('Older?').catch(never);
    });
    await own.run();
    await happens(own, asked[0] as ToolContext);
    await macrotask();
    expect([own.file.state(), own.isParked()]).toEqual(['asking', true]);
    const second = next(own, () => 'again');
    await second.run();
    expect(second.unknown).toMatchObject([{ waited: true }]);
  });

  it('[TL-H05] it does not any more once its question has ended without an answer', async () => {
    const asks = new Asks();
    const own = world(asks.execute);
    await own.run();
    own.refuse('t', 'Too many questions are parked');
    await macrotask();
    expect([own.file.state(), own.calls.running, own.calls.asking]).toEqual(['claimed', ['t'], []]);
    const second = next(own, () => 'again');
    await second.run();
    expect(second.unknown).toMatchObject([{ waited: false, asks: ['a1'] }]);
  });

  it('[TL-H05] it does not because its callback asks while its executor runs, nor goes on when that is answered', async () => {
    const callback = new Asks();
    const own = world(never, { tool: { execute: never, streamCall: callback.execute } as never });
    await own.run();
    await own.run('t', 'x', 'streamCall');
    expect([own.file.state(), own.calls.running]).toEqual(['claimed', ['t']]);
    await own.journal.answer('a1');
    expect([callback.got.length, own.file.state()]).toEqual([1, 'claimed']);
  });

  it('[TL-H02] a tool that asks and then fails has failed, and its card is taken away', async () => {
    const own = world((_args, { human }) => {
      void human('Send it?');
      throw new Error('no');
    });
    const { said } = await own.run();
    expect([said, own.file.state(), own.file.row()?.['outcome']]).toEqual([
      { error: new Error('no') },
      'failed',
      { result: 'no', isError: true },
    ]);
    expect(own.journal.log).toEqual(['put a1', 'withdraw a1']);
    expect(await next(own, () => 'again').run()).toMatchObject({ said: { value: { result: 'no', isError: true } } });
  });

  it('[TL-H02, TL-H05] each step is told once it is on file, from birth to the outcome', async () => {
    const told: unknown[] = [];
    const own: World = world(async (_args, { human }) => human('Send it?'), {
      told: (id, state, event) => told.push([id, state, event?.type, own.file.state(), own.calls.running.length]),
    });
    await own.run('t', 'x', 'streamCall').catch(() => undefined);
    await own.run();
    await own.journal.answer('a1');
    expect(told).toEqual([
      [idOf(), undefined, 'CLAIM', 'claimed', 1],
      [idOf(), 'claimed', 'PARK', 'asking', 1],
      [idOf(), 'asking', 'RESUME', 'claimed', 0],
      [idOf(), 'claimed', 'DONE', 'done', 1],
    ]);
  });

  it('[TL-H04] what a callback asks is told as no step of its call', async () => {
    const told: unknown[] = [];
    const asks = new Asks();
    const own = world(never, { ...toolOf('streamCall', asks.execute), told: (...one) => told.push(one) });
    await own.run('t', 'x', 'streamCall');
    await own.journal.answer('a1');
    expect(told).toEqual([[idOf(), undefined, undefined]]);
  });
});

describe('a card that opens late', () => {
  /** The card of the question that was put last is there now. */
  const opens = ({ journal }: World, askId = 'a1'): void => journal.options.get(askId)?.onOpen?.(askId);
  const leaves: Execute = (_args, { human }) => {
    void human('Send it?');
    return 'did not wait';
  };

  it('[TL-H07] is taken away where its call has its outcome and does not wait, and is left otherwise', async () => {
    const asks = new Asks();
    const waiting = world(asks.execute);
    await waiting.run();
    opens(waiting);
    expect(waiting.journal.log).toEqual(['put a1']);
    const aborted = world(asks.execute);
    (await aborted.run()).abort();
    opens(aborted);
    // Its answer is for the next time.
    expect(aborted.journal.log).toEqual(['put a1']);
    const left = world(leaves);
    await left.run();
    opens(left);
    expect(left.journal.log).toEqual(['put a1', 'withdraw a1', 'withdraw a1']);
  });

  it('[TL-H07] is left where a callback waits for it still, after its call has ended and after it was forgotten', async () => {
    for (const kept of [16, 1]) {
      const asks = new Asks();
      const own = world(never, {
        limits: { kept },
        tool: { execute: () => 'done', streamCall: asks.execute } as never,
      });
      await own.run();
      await own.run('t', 'x', 'streamCall');
      await own.run('u');
      expect(own.file.state()).toBe(kept === 1 ? undefined : 'done');
      expect(() => opens(own)).not.toThrow();
      expect(own.journal.log).toEqual(['put a1']);
    }
  });
});
